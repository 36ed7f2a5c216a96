/**
 * Clients: which there are, where they keep their servers, and how they are told of this program.
 *
 * What is needed before the rights are dropped (the table, the plan) is loaded with this file and has no parts of
 * others. What reads and edits the files themselves is loaded when it is called.
 */
import type { Edit, Wanted } from "./edit.ts";
import { type Change, changeFile, type ChangeOptions } from "./file_change.ts";
import type { Inspection } from "./inspect.ts";
import { isOwnLaunch } from "./own_launch.ts";
import type { Launch } from "./shapes.ts";
import type { Target } from "./target.ts";
import type { Client } from "./client.ts";
import type { ClientsPlan } from "./plan.ts";

export type { Client, Format, Layout, PerSystem, System } from "./client.ts";
export type { Edit } from "./edit.ts";
export type { Change, ChangeOptions } from "./file_change.ts";
export type { Inspection } from "./inspect.ts";
export { type ClientsPlan, launchFor, planClients, type PlanHost, type Start } from "./plan.ts";
export type { OwnProgram } from "./own_launch.ts";
export type { Surroundings } from "./paths.ts";
export type { Launch, ShapeName } from "./shapes.ts";
export { CLIENT_VARIABLES, CLIENTS, findClient } from "./table.ts";
export { backupOf, type Target } from "./target.ts";

/** An entry as the command line wants it. */
export interface EntryRequest {
  /** What it is called. */
  readonly name: string;
  /** Whether one that runs something else may be changed. */
  readonly force: boolean;
}

/** Puts an entry into a client's file. */
export async function installEntry(
  target: Target,
  launch: Launch,
  request: EntryRequest,
  options: ChangeOptions,
): Promise<Change> {
  const { addEntry } = await import("./edit.ts");
  const wanted: Wanted = { ...request, launch, isOurs: isOwnLaunch };
  return changeFile(target, (text) => addEntry(text, target.client, wanted), options);
}

/** Takes an entry out of a client's file. */
export async function uninstallEntry(
  target: Target,
  request: EntryRequest,
  options: ChangeOptions,
): Promise<Change> {
  const { removeEntry } = await import("./edit.ts");
  const wanted = { ...request, isOurs: isOwnLaunch };
  return changeFile(target, (text, before): Edit => {
    return text === undefined ? { outcome: "absent" } : removeEntry(text, before, target.client, wanted);
  }, options);
}

/** A client's file with nothing but the entry in it, to be pasted by hand. */
export async function renderEntry(client: Client, launch: Launch, name: string): Promise<string> {
  const { addEntry } = await import("./edit.ts");
  const edit = addEntry(undefined, { ...client, seed: undefined }, {
    name,
    launch,
    isOurs: isOwnLaunch,
    force: true,
  });
  return "text" in edit ? edit.text ?? "" : "";
}

/** What a client's file says of us. */
export async function inspectTarget(target: Target, plan: ClientsPlan, name: string): Promise<Inspection> {
  const { inspectText } = await import("./inspect.ts");
  const own = { name, launch: plan.launch, programs: plan.programs };
  let found: Inspection = { state: "absent" };
  const look = (text: string | undefined): Edit => {
    found = inspectText(text, target.client, own);
    return { outcome: "same" };
  };
  const { outcome, ...trouble } = changeFile(target, look, { dryRun: true, now: () => 0 });
  return outcome === "invalid" ? { state: "invalid", ...trouble } : found;
}
