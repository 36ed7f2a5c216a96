/**
 * What is served: the origins, what is wrong in them, what shadows what, and what leads nowhere.
 */
import type { Config, Health, OriginFacts } from "../../app.ts";
import { holdsSecret, SETTINGS } from "../../settings/mod.ts";
import type { Diagnostic, DiagnosticCode, OriginKind } from "../../base/model.ts";
import { renderDuration } from "../../base/duration.ts";
import type { Line, Problem, Section } from "./report.ts";

/** Looks at the content. */
export function examineContent(health: Health, config: Config, now: number): Section {
  const { origins, diagnostics, conflicts, references: { references, broken: dead } } = health;
  const known = diagnostics.flatMap((diagnostic) => problemOf(diagnostic, origins, config));
  const problems = [...known, ...nothingServed(origins)];
  const lines: readonly Line[] = [
    ...origins.map((facts) => originLine(facts, problems, now)),
    {
      mark: "note",
      label: "conflicts",
      text: conflicts === 0
        ? "no thing is in several origins"
        : `${conflicts} things are in several origins (bmad-mcp conflicts)`,
    },
    {
      mark: dead.length === 0 ? "good" : "note",
      label: "references",
      text: dead.length === 0
        ? `all ${references} lead somewhere`
        : `${references}, of which ${dead.length} lead nowhere (bmad-mcp conflicts)`,
    },
  ];
  return {
    name: "content",
    lines,
    problems,
    data: { origins: origins.map(originData), conflicts, references: { total: references, dead } },
  };
}

/** What is good to know is no problem. */
function problemOf(
  diagnostic: Diagnostic,
  origins: readonly OriginFacts[],
  config: Config,
): readonly Problem[] {
  const { level, code, message, fix = "", path } = diagnostic;
  // Nobody here fetches anything: it is as it is until somebody does.
  if (code === "being-fetched") return [notFetched(diagnostic, origins, config)];
  if (level === "info") return [];
  const kind = origins.find(({ origin }) => origin.id === diagnostic.origin)?.origin.kind;
  // The section of the project tells of its folder.
  if (kind === "project" && code === "no-folder") return [];
  const problem = {
    section: "content",
    level: level === "error" ? "broken" : "look",
    code,
    message,
    fix: settingFix(code, kind, config) ?? fix,
  } as const;
  return [{ ...problem, ...(diagnostic.origin && { origin: diagnostic.origin }), ...(path && { path }) }];
}

function notFetched(
  { origin }: Diagnostic,
  origins: readonly OriginFacts[],
  { settings, provenance }: Config,
): Problem {
  const location = origins.find((facts) => facts.origin.id === origin)?.origin.location;
  // What was named on this command line alone must be named on the next.
  const named = provenance.paths !== SETTINGS.paths.flag
    ? ""
    : holdsSecret("paths", settings)
    ? ", with the same --path"
    : ` --path ${location}`;
  return {
    section: "content",
    level: "look",
    code: "not-fetched",
    message: `${location} has not been fetched yet`,
    fix: `Fetch it: bmad-mcp cache update${named}`,
    ...(origin && { origin }),
  };
}

/** The fix in terms of settings and commands, which the library does not know. */
function settingFix(
  code: DiagnosticCode,
  kind: OriginKind | undefined,
  { provenance }: Config,
): string | undefined {
  if (code === "too-many-files") return "Serve a smaller folder, or raise the limit with --max-files";
  if (code === "old-copy" || (code === "origin-unavailable" && kind === "git")) {
    return "Fix its address or your access to it and fetch it again: bmad-mcp cache update; or remove it from the settings";
  }
  const setting = kind === "env" ? "roots" : kind === "cli" ? "paths" : undefined;
  if (setting === undefined || provenance[setting] === "default") return undefined;
  if (code === "no-folder") return `Make the folder, or take it out of ${provenance[setting]}`;
  return code === "no-content"
    ? `Name a project, a BMAD root or one module, or take the folder out of ${provenance[setting]}`
    : undefined;
}

function nothingServed(origins: readonly OriginFacts[]): readonly Problem[] {
  if (origins.some(({ things }) => things > 0)) return [];
  return [{
    section: "content",
    level: "broken",
    code: "nothing-served",
    message: "There is nothing to serve",
    fix:
      "Name a folder with BMAD content (--path DIR), or serve the embedded one (--mode auto --pack latest)",
  }];
}

function originLine(facts: OriginFacts, problems: readonly Problem[], now: number): Line {
  const { origin, things, agents, workflows, generations, roots, exists, copy } = facts;
  const of = problems.filter((problem) => problem.origin === origin.id);
  const versions = [...new Set(roots.map(({ layout, version = "" }) => `${layout} ${version}`.trim()))];
  const content = things === 0
    ? exists ? "nothing" : copy === undefined ? "not there" : "no copy"
    : `${things} things (${agents} agents, ${workflows} workflows), ${generations.join(", ")}: ${
      versions.join(", ")
    }${ageOf(facts, now)}`;
  const isBroken = of.some(({ level }) => level === "broken");
  return {
    mark: isBroken ? "broken" : of.length > 0 ? "look" : things > 0 ? "good" : "note",
    label: `${origin.priority} ${origin.id}`,
    text: `${origin.location}: ${content}`,
  };
}

/** Of a copy when it was fetched, of anything else when it was changed. */
function ageOf({ copy, changed }: OriginFacts, now: number): string {
  const age = (since: number) => renderDuration(Math.max(0, now - since));
  if (copy?.commit !== undefined && copy.fetched !== undefined) {
    return `, commit ${copy.commit.slice(0, 10)}, fetched ${age(Date.parse(copy.fetched))} ago`;
  }
  return changed === undefined ? "" : `, changed ${age(changed)} ago`;
}

function originData({ origin, changed, ...facts }: OriginFacts): Readonly<Record<string, unknown>> {
  return { ...origin, ...facts, changed: changed === undefined ? null : new Date(changed).toISOString() };
}
