/** What a tool needs beyond reading content. The tools themselves are known to their surface, which hands them in. */
import type { Toolset } from "../mod.ts";

/** The needs of one tool. */
export interface ToolNeeds {
  readonly set: Toolset;
  readonly tool: string;
  /** Folders that it writes to, inside the project's output folder. */
  readonly folders?: readonly string[];
  /** Programs that it runs, where running is allowed at all. */
  readonly programs?: readonly string[];
  /** Whether it writes the project's ledgers and documents. */
  readonly works?: true;
  /** Whether it reads or writes the project's memory. */
  readonly memory?: "reads" | "writes";
  /** Whether the memories can be read as resources, too, while it is on. */
  readonly hasMemoryResources?: true;
}
