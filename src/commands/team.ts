/** Has git merge a project's ledgers by itself: `.gitattributes`, and the configuration that all worktrees share. */
import { failInput, forbid } from "../base/errors.ts";
import { JOURNAL_FILE } from "../project/work/formats/sprint_keys.ts";
import { CONFLICTS, DRAFT, MERGED_FILES } from "../project/work/merge/mod.ts";
import { joinRights, type WantedRights } from "../base/model.ts";
import { command, splitKeepingEnds, splitLines, withCommand } from "../base/text.ts";
import { actionNamed } from "../operations/mod.ts";
import type { Host } from "../process/host.ts";
import { findProjects, resolveRight } from "../settings/mod.ts";
import { type Config, findRepository } from "../settings/plan/mod.ts";
import {
  type Change,
  changeFile,
  type ChangeOptions,
  type Edit,
  type FilePlace,
  type Launch,
  placeOf,
  rightsFor,
  stableLaunch,
} from "./clients/mod.ts";
type TeamAction = ReturnType<typeof actionNamed<"team">>;

export interface SetupPlan {
  readonly action: TeamAction;
  readonly attributes: FilePlace;
  readonly config: FilePlace;
  /** What overrules our lines in `.gitattributes`, and cannot be changed by them. */
  readonly overruled?: string;
  /** Attributes of another project in the clone, for which the configuration stays. */
  readonly neededBy: string | undefined;
  readonly launch: Launch;
  readonly rights: WantedRights;
}

export function planSetup({ invocation, project, settings, rights }: Config, host: Host): SetupPlan {
  const [given = ""] = invocation.operands;
  const action = actionNamed("team", given);
  const isStatus = action === "status";
  if (settings.readOnly && !isStatus) return forbid(`team ${action}`, "--read-only allows no change");
  const root = project && host.look(project)?.real;
  if (root === undefined) return failInput("No project. Name its folder with --project DIR");
  const repository = findRepository(root, host);
  if (repository === undefined) {
    const hint = withCommand("Share it with git first", command`git init ${root}`);
    return failInput(`No git repository has ${root}`, hint);
  }
  if (repository.reason !== undefined) {
    return forbid("use the repository of the project", `${repository.path} ${repository.reason}`);
  }
  const attributes = placeOf(`${root}/.gitattributes`, [root], root, host);
  const config = configOf(`${repository.common}/config`, host);
  const purpose = isStatus ? "read" : action === "init" ? "add" : "remove";
  const wanted = rightsFor([attributes, config], purpose, host);
  // Git's own file of attributes in a clone counts more than those of the project.
  const stronger = `${repository.common}/info/attributes`;
  const line = foreignDriver(host.readHead(stronger) ?? "");
  const { top } = repository;
  const { paths } = findProjects(top, host, { isAlone: false, isProject: false });
  const others = ["", ...paths.map((path) => `/${path}`)].map((path) => `${top}${path}/.gitattributes`);
  return {
    action,
    attributes,
    config,
    neededBy: others.find((path) =>
      action === "remove" && path !== attributes.path && host.readHead(path)?.includes(BEGIN)
    ),
    overruled: line && `${stronger} gives them another merge driver: ${line}`,
    launch: stableLaunch(host.launch, host),
    rights: joinRights(isStatus ? { ...rights, write: [] } : rights, wanted),
  };
}

function configOf(path: string, { look }: Pick<Host, "look">): FilePlace {
  const { exists, reason } = resolveRight({ path, kind: "file", isPlain: true }, look);
  const problem = reason !== undefined ? `it ${reason}` : exists ? undefined : "there is no such file";
  return { path, real: path, exists: exists === true, parents: [], lock: `${path}.lock`, problem };
}

export interface TeamFile {
  readonly file: string;
  readonly outcome: "added" | "updated" | "removed" | "same" | "absent" | "differs";
  readonly problem?: string;
  readonly before?: string;
  readonly after?: string;
}

interface Part {
  readonly place: FilePlace;
  readonly lines: readonly string[];
  /** What others say in the file that contradicts ours, given their own part of it. */
  readonly foreign: (rest: string) => string | undefined;
  /** What in the file needs our lines, given what follows them. */
  readonly needed: (after: string) => string | undefined;
}

export function runSetup(plan: SetupPlan, options: ChangeOptions): readonly TeamFile[] {
  const { action } = plan;
  // The configuration comes first: without it, git merges the files as it always does, whatever their attributes say.
  const parts = partsOf(plan).slice(plan.neededBy === undefined ? 0 : 1);
  const run = (part: Part, dryRun: boolean) =>
    changeFile(part.place, (text) => editOf(action, part, text), { ...options, dryRun });
  if (action !== "status") parts.forEach((part) => resultOf(part, run(part, true)));
  return parts.map((part) =>
    action === "status" ? stateOf(part, run(part, true)) : resultOf(part, run(part, options.dryRun))
  );
}

function partsOf({ attributes, config, overruled, launch }: SetupPlan): readonly Part[] {
  return [
    {
      place: config,
      lines: configLines(launch),
      foreign: (rest) =>
        splitLines(rest).some((line) => SECTION.test(line.slice(0, 200)))
          ? "it has such a section already, which is not ours"
          : undefined,
      needed: (after) => {
        const first = splitLines(after).find((line) => !/^\s*(?:[#;]|$)/.test(line))?.trimStart();
        return first?.startsWith("[") === false ? "lines below ours belong to their section" : undefined;
      },
    },
    {
      place: attributes,
      lines: ATTRIBUTE_LINES,
      foreign: (rest) => {
        const line = foreignDriver(rest);
        return line ? `it gives them another merge driver: ${line}` : overruled;
      },
      needed: () => undefined,
    },
  ];
}

function editOf(action: TeamAction, { lines, foreign, needed }: Part, text: string | undefined): Edit {
  const found = text === undefined ? undefined : findBlock(text);
  if (found === "broken") {
    return { outcome: "invalid", problem: "the comments around our lines are not as they were" };
  }
  if (action === "remove") {
    if (found === undefined) return { outcome: "absent" };
    const problem = needed(found.after);
    if (problem !== undefined) return { outcome: "invalid", problem };
    const rest = found.before + found.after;
    const isGone = found.isFileOurs && rest === "";
    return { outcome: "removed", text: isGone ? undefined : rest, needsBackup: false };
  }
  const problem = foreign(found === undefined ? text ?? "" : `${found.before}\n${found.after}`);
  if (problem !== undefined) return { outcome: "invalid", problem };
  if (found?.lines.join("\n") === lines.join("\n")) return { outcome: "same" };
  const outcome = found === undefined ? "added" : "updated";
  return { outcome, text: withBlock(text, lines, found), needsBackup: false };
}

function resultOf({ place: { path } }: Part, change: Change): TeamFile {
  if (change.outcome === "invalid") return forbid(`change ${path}`, change.problem);
  const outcome = change.outcome as TeamFile["outcome"];
  const { before } = change;
  return { file: path, outcome, before, after: "text" in change ? change.text : before };
}

function stateOf({ place: { path } }: Part, change: Change): TeamFile {
  if (change.outcome === "invalid") return { file: path, outcome: "differs", problem: change.problem };
  if (change.outcome === "updated") {
    return { file: path, outcome: "differs", problem: "our lines were edited, or name another program" };
  }
  return { file: path, outcome: change.outcome === "same" ? "same" : "absent" };
}

/**
 * Our lines lie between two comments, and can be taken out byte for byte. Git hands the value of the driver to `sh`,
 * after it has replaced what follows a percent sign.
 */
const DRIVER = "bmad-ledger";

const DRIVERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(MERGED_FILES.map((name) => [name, DRIVER])),
  [JOURNAL_FILE]: "union",
};

/** Our lines. Names without a slash hold in every folder. */
const ATTRIBUTE_LINES: readonly string[] = Object.entries(DRIVERS).map(([name, driver]) =>
  `${name} merge=${driver}`
);

function foreignDriver(text: string): string | undefined {
  return splitLines(text).map((line) => line.trim()).find((line) => {
    const [pattern = "", ...attributes] = line.split(/\s+/);
    const own = attributes.findLast((one) => /^(?:[-!]?merge$|merge=|binary$)/.test(one));
    if (line.startsWith("#") || own === undefined) return false;
    const name = pattern.replace(/^"|"$/g, "").split("/").at(-1)!;
    return Object.entries(DRIVERS).some(([file, driver]) => fits(name, file) && own !== `merge=${driver}`);
  });
}

/** Whether a pattern of git's fits a name. A set of signs counts as any sign. */
function fits(pattern: string, name: string): boolean {
  const places = Array.from({ length: name.length + 1 }, (_, at) => at);
  let reached = [0];
  for (const sign of pattern.match(/\[[^\]]{1,50}\]|\\?[^]/g) ?? []) {
    const isAny = sign === "?" || sign.startsWith("[");
    reached = sign === "*"
      ? places.filter((at) => at >= reached[0]!)
      : reached.filter((at) => at < name.length && (isAny || sign.at(-1) === name[at])).map((at) => at + 1);
  }
  return reached.includes(name.length);
}

const HEADER = `[merge "${DRIVER}"]`;

const SECTION = /^\s*\[\s*merge\s+"bmad-ledger"\s*\]/i;

export function configLines({ command, args }: Launch): readonly string[] {
  const words = [command, ...args];
  // deno-lint-ignore no-control-regex
  if (words.some((word) => /[\x00-\x1f\x7f]/.test(word))) {
    const what = "name this program in git's configuration";
    return forbid(what, "its path has control characters");
  }
  // A task runs in the folder of its deno.json, and git names files from where it is.
  const files = ["%O", "%A", "%B"].map((name) => args[0] === "task" ? `"$PWD"/${name}` : name);
  const line = [...words.map(shellWord), "merge-driver", ...files, "%L", "%P"].join(" ");
  return [
    HEADER,
    "\tname = BMAD ledgers, merged story by story",
    `\tdriver = "${`${line}; ${OTHERWISE}`.replaceAll(/["\\]/g, "\\$&")}"`,
  ];
}

/** Without the driver's result, git merges line by line: alone, it would take our side for a result. */
const OTHERWISE = `case $? in 0) ;; ${CONFLICTS}) exit 1 ;; *) rm -f %A${DRAFT}; ` +
  "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1 ;; esac";

/** A word of a command line for `sh`, in which git replaces nothing. */
function shellWord(word: string): string {
  const kept = word.replaceAll("%", "%%");
  return /^[\w./:@+=-]+$/.test(word) ? word : `'${kept.replaceAll("'", String.raw`'\''`)}'`;
}

const BEGIN = "# bmad-mcp team: begin";
const MADE = `${BEGIN} (made this file)`;
const END = "# bmad-mcp team: end";

function findBlock(text: string) {
  const lines = splitKeepingEnds(text);
  const plain = lines.map((line) => line.trimEnd());
  const marks = plain.flatMap((line, at) => [BEGIN, MADE, END].includes(line) ? [at] : []);
  const [start, end, ...others] = marks;
  if (start === undefined) return undefined;
  const isWhole = end !== undefined && others.length === 0 && plain[start] !== END && plain[end] === END;
  if (!isWhole) return "broken";
  const before = lines.slice(0, start).join("");
  return {
    lines: plain.slice(start + 1, end),
    // A text without a last line end has none after our lines either.
    before: lines[end]!.endsWith("\n") ? before : before.replace(/\r?\n$/, ""),
    after: lines.slice(end + 1).join(""),
    isFileOurs: plain[start] === MADE,
  };
}

type Block = Exclude<ReturnType<typeof findBlock>, "broken">;

function withBlock(text: string | undefined, lines: readonly string[], old: Block): string {
  const newline = text?.includes("\r\n") ? "\r\n" : "\n";
  const begin = text === undefined || old?.isFileOurs ? MADE : BEGIN;
  const own = [begin, ...lines, END].join(newline);
  const { before, after } = old ?? { before: text ?? "", after: "" };
  if (before === "" || before.endsWith("\n")) return `${before}${own}${newline}${after}`;
  return before + newline + own + after;
}
