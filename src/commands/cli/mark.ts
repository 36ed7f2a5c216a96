/**
 * `bmad-mcp mark`, `evidence`, `plan`, `reconcile`, `claim` and `release`: changes of the project's ledgers and stories.
 */
import type { App, Config } from "../../app.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { command, withCommand } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import type { Invocation } from "../../settings/mod.ts";
import { programOf } from "./commands_shown.ts";
import { printReport } from "./output.ts";

/** Gives a story another status. */
export async function mark(host: Host, app: App, invocation: Invocation): Promise<void> {
  // Without a status, the answer is which the story can have.
  const { operands: [story, status = ""], options: { by } } = invocation;
  const request = { story: story!, status, by, isForced: isForced(invocation) };
  const marked = (await app.work()).mark(request).catch((error) =>
    status === "" && error instanceof BmadError && error.failure.code === "invalid-input"
      ? fail({ ...error.failure, hint: exampleFor(app.config, story!) })
      : Promise.reject(error)
  );
  printReport(host, await marked, invocation.options.json);
}

function exampleFor(config: Config, story: string): string {
  const line = { line: programOf(config) };
  return withCommand("As in", command`${line} mark ${story} in-progress`);
}

/** Notes a command and how it ended. */
export async function evidence(host: Host, app: App, invocation: Invocation): Promise<void> {
  const { operands: [story, command], options: { before, after } } = invocation;
  const request = { story: story!, command: command!, before, after };
  printReport(host, await (await app.work()).evidence(request), invocation.options.json);
}

/** Makes the sprint from the epics. */
export async function plan(host: Host, app: App, invocation: Invocation): Promise<void> {
  printReport(host, await (await app.work()).plan(isForced(invocation)), invocation.options.json);
}

/** Brings ledger, story files and plan in step. */
export async function reconcile(host: Host, app: App, invocation: Invocation): Promise<void> {
  printReport(host, await (await app.work()).reconcile(), invocation.options.json);
}

/** Takes a story. */
export async function claim(host: Host, app: App, invocation: Invocation): Promise<void> {
  const { operands: [story], options: { by } } = invocation;
  printReport(
    host,
    await (await app.work()).claim({ story, by, isForced: isForced(invocation) }),
    invocation.options.json,
  );
}

/** Gives a story back. */
export async function release(host: Host, app: App, invocation: Invocation): Promise<void> {
  const { operands: [story], options: { by } } = invocation;
  printReport(
    host,
    await (await app.work()).release({ story: story!, by, isForced: isForced(invocation) }),
    invocation.options.json,
  );
}

function isForced({ options }: Invocation): boolean {
  return options.force !== undefined;
}
