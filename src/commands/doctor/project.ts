import {
  type Config,
  describeProjects,
  type Health,
  type RefusedPath,
  type RemotePlan,
  type ScriptState,
} from "../../app.ts";
import { groupProblems, type LocatedProblem, type ProblemGroup } from "../../base/problem_groups.ts";
import { counted } from "../../base/text.ts";
import { whyProject } from "../../settings/mod.ts";
import { LIMITS } from "../limits.ts";
import { error, type Line, line, type Problem, type Section, section, warning } from "./report.ts";

export function checkProject(
  { origins }: Health,
  config: Config,
  ledgers: readonly LocatedProblem[] = [],
  scripts: readonly ScriptState[] = [],
): Section {
  const { project, provenance, settings, refused } = config;
  const facts = origins.find(({ origin }) => origin.kind === "project");
  const isNamed = settings.project !== undefined;
  const why = whyProject(config);
  const isMissing = facts !== undefined && !facts.exists;
  const roots = facts?.roots ?? [];
  const { folders = [], root = "" } = config.work ?? {};
  const { shared, who, seat } = config.team ?? {};
  const projects = describeProjects(config);
  const writable = folders.map((folder) => folder.slice(root.length + 1));
  const status = isMissing ? "error" : project === undefined ? "info" : "ok";
  return section("project", {
    lines: [
      line(status, "folder", `${project ?? "none"} (${why})`),
      ...roots.map(({ path, layout, version = "" }) =>
        line("ok", "root", `${path || "."}: ${layout} ${version}`.trimEnd())
      ),
      ...(projects?.lines ?? []).map((text, at) => line(at === 0 ? "info" : "warning", "projects", text)),
      roots.length === 0 && project !== undefined && !isMissing &&
      line("info", "root", "no BMAD content; other sources are served"),
      config.work && line("ok", "writable", writable.join(", ") || "nothing: this setup is read-only"),
      shared &&
      line("ok", "claims", `${shared.common}/${shared.folder}, for all worktrees of the repository`),
      shared?.remote && remoteLine(shared.remote),
      who !== undefined &&
      line("info", "you", `${who}${seat ? ` in ${seat.client}` : ""}, unless a request names its owner`),
      ...refused.map(({ folder, key, reason }) =>
        line("warning", key === undefined ? "not used" : "not written", `${folder}: it ${reason}`)
      ),
      ledgers.length > 0 &&
      line("warning", "board", `${counted(ledgers.length, "problem")} in files that track the work`),
      ...scriptLines(scripts, root),
      project === undefined && line("info", "hint", "name one with --project DIR"),
    ],
    problems: [
      ...refused.map(refusedProblem),
      ...groupProblems(ledgers).slice(0, LIMITS.doctor.ledgerProblems).map(ledgerProblem),
      shared?.mergesAsBefore && warning(
        "old-merge-driver",
        "Git would take our side of a ledger if its merge driver failed: an earlier version has set it up",
        "Renew it: bmad-mcp team init",
      ),
      isMissing && {
        ...error(
          "no-folder",
          `Project folder ${project} not found`,
          isNamed ? `Create the folder, or name another one with ${provenance.project}` : "Create the folder",
        ),
        origin: "project",
      },
    ],
    data: {
      folder: project ?? null,
      why,
      projects: projects?.data,
      exists: facts?.exists ?? false,
      roots,
      writable,
      refused,
      ledgers,
      scripts: scripts.map(({ release = null, rules = null, ...script }) => ({ ...script, release, rules })),
    },
  });
}

function remoteLine({ name, problem }: RemotePlan): Line {
  return problem === undefined
    ? line("ok", "claims", `refs/bmad of ${name}, for all clones`)
    : line("warning", "claims", `other clones do not see them, because ${problem}`);
}

function refusedProblem({ folder, key, reason }: RefusedPath): Problem {
  if (key === undefined) {
    const [what, by] = reason.startsWith("lies ")
      ? [folder.slice(0, folder.lastIndexOf("/")), "folder"]
      : [folder, "plain file or folder"];
    const fix = `Replace ${what} with a ${by}, or delete it`;
    return warning("refused-path", `${folder} ${reason}, so it is not used`, fix);
  }
  return warning(
    "work-folder",
    `${key} is ${JSON.stringify(folder)}, which ${reason}: scripts do not write there`,
    `Set ${key} to a folder for documents inside the project`,
  );
}

function ledgerProblem({ first: { path, line, problem: what }, others }: ProblemGroup<LocatedProblem>) {
  const message = `${line === undefined ? "" : `line ${line}: `}${what}${others}`;
  const place = line === undefined ? path : `line ${line} of ${path}`;
  const fix = `Correct ${place}${others === "" ? "" : ", and the others in the same way"}`;
  return { ...warning("bad-ledger", message, fix), origin: "project", path };
}

/** One line for all known scripts, one for all that follow the rules of one release. */
function scriptLines(scripts: readonly ScriptState[], root: string): readonly (Line | false)[] {
  const shown = (place: string) => place.replace(`${root}/`, "");
  const native = scripts.filter(({ isNative }) => isNative);
  const strangers = Map.groupBy(native.filter(({ strange }) => strange.length > 0), ({ rules }) => rules);
  const named = new Set(native.flatMap(({ strange }) => strange));
  const others = scripts.filter(({ isNative, release, place }) =>
    !isNative && release === undefined && !named.has(place)
  );
  const known = native.filter(({ strange }) => strange.length === 0).length;
  return [
    known > 0 &&
    line("ok", "scripts", `${counted(known, "script")} as in BMAD releases that ours were compared with`),
    ...strangers.entries().map(([rules, alike]) => {
      const names = alike.map((script) => shown(script.place) + whyStrange(script, shown)).join(", ");
      const text = `in no BMAD release that ours were compared with: ${names}`;
      return line("info", "scripts", `${text}. Our answers follow ${rules} and say so.`);
    }),
    others.length > 0 &&
    line("info", "scripts", `not native and unknown: ${others.map(({ place }) => shown(place)).join(", ")}`),
  ];
}

function whyStrange({ place, strange, lacks }: ScriptState, shown: (place: string) => string): string {
  const called = strange.filter((one) => one !== place).map(shown);
  const reasons = Object.entries({ "calls": called, "ours lacks": lacks })
    .filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${names.join(", ")}`);
  return reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
}
