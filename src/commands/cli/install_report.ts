/** Outcomes and lists on stdout, what is left to do on stderr. */
import { findPeersIn, type Inspection, inspectTarget, locationOf } from "../clients/entries.ts";
import { type Change, type Client, type ClientsPlan, renderLaunch, type Target } from "../clients/mod.ts";
import type { Invocation } from "../../operations/mod.ts";
import { shownWords } from "../../settings/mod.ts";
import type { Host } from "../../process/host.ts";
import { printChange, renderDiff } from "./diff.ts";
import { printJson, printTable, printText } from "./output.ts";
import type { Column } from "./screen.ts";
import type { Answer } from "./session.ts";
import { command, NO_COMMAND, oneLine } from "../../base/text.ts";

export interface Result {
  readonly target: Target;
  readonly change: Change;
  readonly notes: readonly string[];
}

export interface Snippet {
  readonly client: Client;
  /** Where to paste it, as a sentence that ends with a colon. */
  readonly place: string;
  readonly text: string;
}

export const NOTHING_CHANGED = "Nothing changed.\n";

export function printResults(
  host: Host,
  { name: command, operands, options }: Invocation,
  name: string,
  results: readonly Result[],
  snippets: readonly Snippet[],
): void {
  // If no client was named, those without an entry are not worth a line.
  const shown = operands.length > 0
    ? results
    : results.filter(({ change, notes }) => change.outcome !== "absent" || notes.length > 0);
  if (options.json) {
    const items = [...shown.map(resultData), ...snippets.map(snippetData)];
    return printJson(host, { items, total: items.length });
  }
  const isInstall = command === "install";
  for (const result of shown) printResult(host, result, name, isInstall, options.dryRun !== undefined);
  for (const { client, place, text } of snippets) {
    host.writeErr(`${client.title}: ${isInstall ? place : `remove "${name}" by hand`}\n`);
    if (isInstall) printText(host, text);
  }
  if (options.dryRun) host.writeErr("This was a dry run: nothing was changed.\n");
  else if (shown.length + snippets.length === 0) host.writeErr(NOTHING_CHANGED);
}

export async function printSaying(
  host: Host,
  results: readonly Result[],
  snippets: readonly Snippet[],
  findSaying: () => Promise<string | undefined>,
): Promise<void> {
  const changed = results.filter(({ change }) => "needsBackup" in change).map(({ target }) => target);
  const titles = new Set([...changed, ...snippets].map(({ client: { title } }) => title));
  const saying = titles.size === 0 ? undefined : await findSaying();
  if (saying === undefined) return;
  const where = titles.size === 1 ? [...titles] : "one of them";
  host.writeErr(`Then say in ${where}: “${saying}”\n`);
}

const OUTCOMES: Readonly<Record<Exclude<Change["outcome"], "invalid" | "foreign">, string>> = {
  added: "added to",
  updated: "updated in",
  replaced: "replaced in",
  removed: "removed from",
  same: "already in",
  absent: "not in",
};

function printResult(
  host: Host,
  { target, change, notes }: Result,
  name: string,
  isInstall: boolean,
  isDryRun: boolean,
): void {
  const { client, path, scope, hooks, isSkill } = target;
  const what = isSkill ? "skill" : hooks === undefined ? "entry" : hooks.isEnd ? "hook for the end" : "hook";
  if (change.outcome === "invalid") {
    const flags = isSkill ? ["--skill"] : hooks === undefined ? [] : ["--hooks"];
    const print = command`bmad-mcp install ${client.id} ${{ args: [...flags, "--print"] }}` ?? NO_COMMAND;
    const advice = isInstall
      ? `${print} shows the ${what} to add by hand`
      : `Remove ${what === "entry" ? `"${name}"` : `the ${what}`} by hand, or correct the file and try again`;
    return refuse(host, `Cannot change ${locationOf(target, change.at)}: ${change.problem}. ${advice}`);
  }
  if (change.outcome === "foreign") {
    const runs = change.runs === undefined ? "no program" : renderLaunch(change.runs);
    const advice = "Choose another name with --name, or use --force";
    return refuse(host, `Cannot change "${name}" in ${path}: it runs ${runs}. ${advice}`);
  }
  const isChanged = "needsBackup" in change;
  if (isChanged && isDryRun) return printChange(host, path, change.before, change.text);
  const own = what === "entry" ? client.title : `${client.title} ${what}`;
  host.writeOut(`${own}: ${isSkill && notes.length > 0 ? "stays in" : OUTCOMES[change.outcome]} ${path}\n`);
  const tell = (text: string) => host.writeErr(`  ${text}\n`);
  if (!isChanged) return notes.forEach(tell);
  if (change.backup !== undefined) tell(`Backup of the original: ${change.backup}`);
  const others = Object.keys(change.replaced ?? {}).map((other) => `"${other}"`).join(", ");
  if (others !== "") {
    tell(change.outcome === "removed" ? `Restored: ${others}` : `Replaced: ${others}. uninstall restores it`);
  }
  if (change.outcome === "removed") return;
  if (!target.isClientInstalled) {
    tell(`${client.title} was not found on this machine. The ${what} takes effect once it is installed.`);
  }
  notes.forEach(tell);
  const steps = isSkill
    ? ["Start a new session."]
    : hooks === undefined
    ? [client.next, scope === "project" ? client.trust : undefined]
    : [hooks.trust];
  const next = steps.filter(Boolean).join(" ");
  if (next !== "") tell(`Next: ${next}`);
}

function refuse(host: Host, message: string): void {
  host.writeErr(`bmad-mcp: ${oneLine(message)}\n`);
}

function resultData({ target, change, notes }: Result): Readonly<Record<string, unknown>> {
  const { client, scope, path } = target;
  return {
    client: client.id,
    scope,
    path,
    ...(target.hooks !== undefined && { hook: true }),
    ...(target.isSkill && { skill: true }),
    found: target.isClientInstalled,
    outcome: change.outcome,
    ...("problem" in change && { problem: change.problem, ...change.at }),
    ...("runs" in change && { runs: change.runs && { ...change.runs, args: shownWords(change.runs.args) } }),
    ...("needsBackup" in change && { diff: renderDiff(path, change.before, change.text) }),
    ...(change.backup !== undefined && { backup: change.backup }),
    ...("replaced" in change && change.replaced && { replaced: Object.keys(change.replaced) }),
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}

function snippetData({ client, place, text }: Snippet): Readonly<Record<string, unknown>> {
  return { client: client.id, outcome: "by-hand", place, text };
}

export async function listClients(
  host: Host,
  plan: ClientsPlan,
  name: string,
  json: boolean,
): Promise<Answer> {
  const files = plan.targets.map((target) => {
    const { client, scope, path, exists, isClientInstalled } = target;
    const found = inspectTarget(target, plan, name);
    const { state, runs, url, version, problem } = found;
    const others = findPeersIn(target).map((peer) => peer.name).filter((other) => other !== name);
    const entry = [OWN[state](found, name), ...others.map((other) => `other BMAD server: ${other}`)];
    const data = {
      client: client.id,
      title: client.title,
      scope,
      path,
      exists,
      found: isClientInstalled,
      state,
      runs: runs && { ...runs, args: shownWords(runs.args) },
      url,
      version,
      problem,
      ...(others.length > 0 && { others }),
    };
    return {
      cells: [client.id, isClientInstalled ? "yes" : "", entry.filter(Boolean).join("; "), path],
      data,
    };
  });
  const manual = plan.manual.map(({ id, title }) => ({
    cells: [id, "", "by hand", ""],
    data: { client: id, title, state: "by-hand" },
  }));
  const rows = [...files, ...manual];
  if (!json) {
    const piped = (cells: readonly string[]) => cells.map((cell, at) => at < 3 ? cell || "-" : cell);
    await printTable(host, rows.map(({ cells }) => cells), COLUMNS, piped);
  }
  return { data: { items: rows.map(({ data }) => data), total: rows.length } };
}

const COLUMNS = ["CLIENT", "INSTALLED", "ENTRY", "FILE"].map((heading, at): Column<readonly string[]> => ({
  heading,
  cell: (cells) => cells[at]!,
  isWhole: heading === "CLIENT" || heading === "FILE",
}));

const OWN: Readonly<Record<Inspection["state"], (found: Inspection, name: string) => string>> = {
  absent: () => "",
  ours: ({ url, isCurrent, version, isOff, isThere }, name) => {
    const what = url ??
      (isThere === false ? "program missing" : isCurrent ? "this program" : version ?? "another copy");
    return `${name}: ${what}${isOff ? ", switched off" : ""}`;
  },
  foreign: ({ runs }, name) => `${name}: ${runs === undefined ? "another server" : renderLaunch(runs)}`,
  invalid: ({ problem }) => `cannot be read: ${problem}`,
};
