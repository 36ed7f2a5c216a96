/**
 * The tools that need more than reading content: from these rows follow the rights of a start.
 *
 * A tool that writes, runs a program or uses memory has a row here, or no right to do so. It lies apart from the tools
 * themselves because it is read before the rights are dropped, and the tools load the SDK.
 */
import { CONTRACTS_FOLDER, RUNS_FOLDER, type ToolNeeds } from "../../settings/plan/mod.ts";

/** Every such tool. */
export const TOOL_NEEDS: readonly ToolNeeds[] = [
  { set: "memory", tool: "remember_structured", memory: "writes" },
  { set: "memory", tool: "recall_structured", memory: "reads", hasMemoryResources: true },
  { set: "memory", tool: "get_agent_memory", memory: "reads" },
  { set: "runs", tool: "spawn_subagent_task", folders: [RUNS_FOLDER] },
  { set: "runs", tool: "run_completion_contract", programs: ["bash"] },
  { set: "runs", tool: "create_delivery_contract", folders: [CONTRACTS_FOLDER] },
];
