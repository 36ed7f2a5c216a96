/**
 * The tool `bmad_work`: changes the project's ledgers by BMAD's own rules.
 */
import type { App } from "../../app.ts";
import { OPERATIONS, WORK_OPERATIONS } from "../../operations/mod.ts";
import { unknownOperation } from "./args.ts";
import type { Asker } from "./question.ts";
import { ADDS, type Args, type Tool } from "./tool.ts";
import {
  answerWork,
  hintsOf,
  isWorkOperation,
  schemasOf,
  workCallOf,
  workDeed,
  WRITING,
} from "./work_calls.ts";

const { script: SCRIPT } = OPERATIONS;

export const WORK_TOOLS: readonly Tool[] = [{
  name: "bmad_work",
  title: "BMAD project work",
  searchHint: "BMAD mark claim story done finding script memlog sprint status",
  runsOnce: true,
  answersReads: true,
  showsBoard: true,
  deed: workDeed,
  describe: () =>
    `Change this project's stories; bmad shows them. ${
      hintsOf(WRITING.filter((name) => name !== "script"))
    }. ` +
    `script: ${SCRIPT.hint}. Example: {"operation":"script","script":"memlog.py append --workspace DIR --text '…'"}`,
  annotations: { ...ADDS, destructiveHint: true },
  parameters: { operation: { type: "string", enum: WRITING }, ...schemasOf(WRITING) },
  required: ["operation"],
  run: (app: App, given: Args, asker: Asker) => {
    const { name: operation, args } = workCallOf(given);
    return isWorkOperation(operation)
      ? answerWork(app, { tool: "bmad_work", operation }, args, asker)
      : unknownOperation(operation, WORK_OPERATIONS);
  },
}];
