/** Apart from the tools, which load the SDK. */
import { CONTRACTS_FOLDER, RUNS_FOLDER, type ToolNeeds } from "../../settings/plan/mod.ts";

export const TOOL_NEEDS: readonly ToolNeeds[] = [
  { set: "work", tool: "bmad_work", works: true, programs: ["bash"] },
  { set: "memory", tool: "remember_structured", memory: "writes" },
  { set: "memory", tool: "recall_structured", memory: "reads", hasMemoryResources: true },
  ...["get_project_context", "get_agent_memory", "get_failure_museum"]
    .map((tool) => ({ set: "memory", tool, memory: "reads" }) as const),
  ...["spawn_subagent_task", "update_run", "answer_subagent_task"]
    .map((tool) => ({ set: "runs", tool, folders: [RUNS_FOLDER] }) as const),
  { set: "runs", tool: "run_completion_contract", programs: ["bash"] },
  { set: "runs", tool: "create_delivery_contract", folders: [CONTRACTS_FOLDER] },
];
