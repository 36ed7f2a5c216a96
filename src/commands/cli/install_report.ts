/**
 * What `install` and `uninstall` say of each file: what was done on stdout, what is left to do on stderr.
 */
import type { Change, Client, Launch, Target } from "../clients/mod.ts";
import { shownWords } from "../../settings/mod.ts";
import type { Host } from "../../base/host.ts";
import { renderDiff } from "./diff.ts";
import { printText } from "./output.ts";
import { oneLine, safeText } from "../../base/text.ts";
import { painter } from "./style.ts";

/** A file and what became of it. */
export interface Result {
  readonly target: Target;
  readonly change: Change;
}

/** What belongs into a file, and what to do with it. */
export interface Snippet {
  readonly client: Client;
  readonly place: string;
  readonly text: string;
}

/** Whether a file was left alone although something was wanted of it. */
export function isTrouble({ change }: Result): boolean {
  return change.outcome === "invalid" || change.outcome === "foreign";
}

const DONE: Readonly<Record<Exclude<Change["outcome"], "invalid" | "foreign">, string>> = {
  added: "added to",
  updated: "brought up to date in",
  replaced: "put in the place of another in",
  removed: "removed from",
  same: "already in",
  absent: "not in",
};

/** Tells of one file in words or, where nothing was to be changed yet, as a diff. */
export function report(
  host: Host,
  { target, change }: Result,
  { name, dryRun, isInstall }: {
    readonly name: string;
    readonly dryRun: boolean;
    readonly isInstall: boolean;
  },
): void {
  const { client, path, scope } = target;
  if (change.outcome === "invalid") {
    const place = change.at === undefined ? path : `${path}:${change.at.line}:${change.at.column}`;
    const advice = isInstall
      ? `The file was left alone; bmad-mcp install ${client.id} --print shows what belongs into it`
      : `The file was left alone; take "${name}" out of it by hand, or correct it and try again`;
    return host.writeErr(`bmad-mcp: ${oneLine(`Cannot change ${place}: ${change.problem}. ${advice}`)}\n`);
  }
  if (change.outcome === "foreign") {
    const runs = change.runs === undefined ? "no program" : commandLine(change.runs);
    const advice = "The file was left alone; choose another name with --name, or say --force";
    const sentence = `Cannot change "${name}" in ${path}: it runs ${runs}. ${advice}`;
    return host.writeErr(`bmad-mcp: ${oneLine(sentence)}\n`);
  }
  if (!("isDelicate" in change)) return host.writeOut(`${client.title}: ${DONE[change.outcome]} ${path}\n`);
  if (dryRun) {
    // In a pipe it is for programs, which want every byte.
    const show = (text: string | undefined) => host.terminal.stdout && text ? safeText(text) : text;
    const paint = painter(host.colours.stdout);
    return host.writeOut(renderDiff(path, show(change.before), show(change.text), paint));
  }
  host.writeOut(`${client.title}: ${DONE[change.outcome]} ${path}\n`);
  if (change.backup !== undefined) host.writeErr(`  The file as it was before: ${change.backup}\n`);
  if (change.outcome === "removed") return;
  if (!target.isClientHere) {
    host.writeErr(`  ${client.title} was not found on this machine; the file is there for when it comes.\n`);
  }
  const steps = [client.next, scope === "project" ? client.trust : undefined].filter((step) =>
    step !== undefined
  );
  host.writeErr(`  Next: ${steps.join(" ")}\n`);
}

/** The same as data, for `--json`. */
export function asData({ target, change }: Result): Readonly<Record<string, unknown>> {
  const { client, scope, path } = target;
  return {
    client: client.id,
    scope,
    path,
    found: target.isClientHere,
    outcome: change.outcome,
    ...("problem" in change && { problem: change.problem, ...change.at }),
    ...("runs" in change && { runs: change.runs && { ...change.runs, args: shownWords(change.runs.args) } }),
    ...("isDelicate" in change && { diff: renderDiff(path, change.before, change.text, painter(false)) }),
    ...(change.backup !== undefined && { backup: change.backup }),
  };
}

/** Shows what belongs into a file. */
export function reportSnippet(host: Host, { client, place, text }: Snippet): void {
  host.writeErr(`${client.title}: ${place}\n`);
  printText(host, text);
}

/** The same as data, for `--json`. */
export function snippetData({ client, place, text }: Snippet): Readonly<Record<string, unknown>> {
  return { client: client.id, outcome: "by-hand", place, text };
}

function commandLine({ command, args }: Launch): string {
  return shownWords([command, ...args]).join(" ");
}
