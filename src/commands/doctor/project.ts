/**
 * The project: which folder it is, why that one, and the BMAD roots in it.
 */
import type { Config, Health, RefusedPath, RemotePlan, ScriptState } from "../../app.ts";
import { type Group, groupAlike, type Told } from "../../base/alike.ts";
import { counted } from "../../base/text.ts";
import { type Line, line, type Problem, problem, type Section } from "./report.ts";
import { scriptLines } from "./scripts.ts";

/** A project with more of them has one cause for all. */
const MAX_LEDGER_PROBLEMS = 20;

/** Checks the project. */
export function checkProject(
  { origins }: Health,
  config: Config,
  { ledgers = [], scripts = [] }: {
    readonly ledgers?: readonly Told[];
    readonly scripts?: readonly ScriptState[];
  } = {},
): Section {
  const { project, notProject, provenance, settings } = config;
  const facts = origins.find(({ origin }) => origin.kind === "project");
  const isNamed = settings.project !== undefined;
  const why = isNamed
    ? `named by ${provenance.project}`
    : project === undefined
    ? `the working folder ${notProject}`
    : "the working folder";
  const isMissing = facts !== undefined && !facts.exists;
  const roots = facts?.roots ?? [];
  const { refused } = config;
  const { folders = [], root = "" } = config.work ?? {};
  const { shared, who } = config.team ?? {};
  const writable = folders.map((folder) => folder.slice(root.length + 1));
  const status = isMissing ? "error" : project === undefined ? "info" : "ok";
  return {
    name: "project",
    lines: [
      line(status, "folder", `${project ?? "none"} (${why})`),
      ...roots.map(({ path, layout, version = "" }) =>
        line("ok", "root", `${path || "."}: ${layout} ${version}`.trimEnd())
      ),
      ...(roots.length > 0 || project === undefined || isMissing
        ? []
        : [line("info", "root", "no BMAD content; other sources are served")]),
      ...(config.work === undefined
        ? []
        : [line("ok", "writable", writable.join(", ") || "nothing: this setup is read-only")]),
      ...(shared === undefined
        ? []
        : [line("ok", "claims", `${shared.common}/${shared.folder}, for all worktrees of the repository`)]),
      ...(shared?.remote === undefined ? [] : [remoteLine(shared.remote)]),
      ...(who === undefined ? [] : [line("info", "you", `${who}, unless a request names its owner`)]),
      ...refused.map(({ folder, key, reason }) =>
        line("warning", key === undefined ? "not used" : "not written", `${folder}: it ${reason}`)
      ),
      ...(ledgers.length === 0
        ? []
        : [line("warning", "board", `${counted(ledgers.length, "problem")} in files that track the work`)]),
      ...scriptLines(scripts, root),
      ...(project === undefined ? [line("info", "hint", "name one with --project DIR")] : []),
    ],
    problems: [
      ...refused.map(refusedProblem),
      ...groupAlike(ledgers).slice(0, MAX_LEDGER_PROBLEMS).map(ledgerProblem),
      ...(isMissing
        ? [{
          ...problem(
            "error",
            "no-folder",
            `Project folder ${project} not found`,
            isNamed
              ? `Create the folder, or name another one with ${provenance.project}`
              : "Create the folder",
          ),
          origin: "project",
        }]
        : []),
    ],
    data: {
      folder: project ?? null,
      why,
      exists: facts?.exists ?? false,
      roots,
      writable,
      refused,
      ledgers,
      scripts: scripts.map(({ release, rules, ...script }) => ({
        ...script,
        release: release ?? null,
        rules: rules ?? null,
      })),
    },
  };
}

function remoteLine({ name, problem }: RemotePlan): Line {
  return problem === undefined
    ? line("ok", "claims", `refs/bmad/claims of ${name}, for all clones`)
    : line("warning", "claims", `other clones do not see them, because ${problem}`);
}

function refusedProblem({ folder, key, reason }: RefusedPath): Problem {
  if (key === undefined) {
    const above = folder.slice(0, folder.lastIndexOf("/"));
    const fix = reason.startsWith("lies ")
      ? `Replace ${above} with a folder, or delete it`
      : `Replace ${folder} with a plain file or folder, or delete it`;
    return problem("warning", "refused-path", `${folder} ${reason}, so it is not used`, fix);
  }
  return problem(
    "warning",
    "work-folder",
    `${key} is ${JSON.stringify(folder)}, which ${reason}: scripts do not write there`,
    `Set ${key} to a folder for documents inside the project`,
  );
}

function ledgerProblem({ first: { path, line, problem: what }, others }: Group<Told>): Problem {
  const message = `${line === undefined ? "" : `line ${line}: `}${what}${others}`;
  const place = line === undefined ? path : `line ${line} of ${path}`;
  const fix = `Correct ${place}${others === "" ? "" : ", and the others in the same way"}`;
  return { ...problem("warning", "bad-ledger", message, fix), origin: "project", path };
}
