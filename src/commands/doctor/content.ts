import { type Config, type Health, type OriginFacts, severalText } from "../../app.ts";
import { holdsSecret, SETTINGS } from "../../settings/mod.ts";
import { type Diagnostic, type DiagnosticCode, isNotice, type OriginKind } from "../../base/model.ts";
import { renderDuration } from "../../base/time.ts";
import { command, counted, withCommand } from "../../base/text.ts";
import { LIMITS } from "../limits.ts";
import {
  error,
  type Line,
  line,
  type Problem,
  type Reclaim,
  type Section,
  section,
  warning,
} from "./report.ts";

export function checkContent(health: Health, config: Config, now: number, reclaim: Reclaim): Section {
  const { origins, diagnostics, conflicts, repeated, unserved, newer, references: { references, broken } } =
    health;
  const notices = diagnostics.filter(isNotice)
    .map(({ origin = null, path = null, code, message }) => ({ origin, path, code, message }));
  const several = severalText({ conflicts, repeated });
  const isEmpty = origins.every(({ roots }) => roots.length === 0);
  const problems = [
    ...diagnostics.flatMap((diagnostic) => problemOf(diagnostic, origins, config, reclaim)),
    ...(isEmpty ? [NOTHING_SERVED] : []),
  ];
  return section("content", {
    lines: [
      ...origins.map((facts) => originLine(facts, problems, now)),
      ...groupedLines("notice", notices.map((one) => ({ ...one, text: one.message }))),
      ...groupedLines("not served", unserved.map((one) => ({ ...one, text: one.reason }))),
      ...newer.map(newerLine),
      line(
        "info",
        "conflicts",
        several ? `${several} (bmad-mcp conflicts)` : "no item is in several sources",
      ),
      broken.length === 0
        ? line("ok", "references", `none of ${references} broken`)
        : line("info", "references", `${broken.length} of ${references} broken (bmad-mcp conflicts)`),
    ],
    problems,
    data: {
      origins: origins.map(({ origin, changed, ...facts }) => ({
        ...origin,
        ...facts,
        changed: changed === undefined ? null : new Date(changed).toISOString(),
      })),
      notices,
      conflicts,
      unserved,
      newer,
      references: { total: references, dead: broken },
    },
  });
}

const NOTHING_SERVED = error(
  "nothing-served",
  "No BMAD content to serve",
  "Name a folder with BMAD content (--path DIR), or use the embedded content (--mode auto --pack latest)",
);

function problemOf(
  diagnostic: Diagnostic,
  origins: readonly OriginFacts[],
  config: Config,
  reclaim: Reclaim,
): readonly Problem[] {
  const { level, code, message, fix = "", path, origin: id } = diagnostic;
  const origin = origins.find(({ origin }) => origin.id === id)?.origin;
  const about = { ...(id && { origin: id }), ...(path && { path }) };
  // The doctor fetches nothing, so the copy stays missing until the user fetches it.
  if (code === "being-fetched") return [{ ...notFetched(origin?.location, config), ...about }];
  if (isNotice(diagnostic)) return [];
  // The project section reports a missing project folder.
  if (origin?.kind === "project" && code === "no-folder") return [];
  const file = [origin?.location, path].filter(Boolean).join("/");
  const advice = code === "unreadable"
    ? withCommand(
      "Make it readable",
      command`${{ line: reclaim([file], { isRecursive: true }) }}chmod -R u+rX ${file}`,
    )
    : pinnedFix(code, id, config) ?? settingFix(code, origin?.kind, config) ?? fix;
  const report = level === "error" ? error : warning;
  return [{ ...report(code, message, advice), ...about }];
}

function notFetched(location: string | undefined, { settings, provenance }: Config): Problem {
  // A repository named on this command line only must be named on the next one too.
  const named = provenance.paths !== SETTINGS.paths.flag
    ? ""
    : holdsSecret("paths", settings)
    ? ", with the same --path"
    : command` --path ${location ?? ""}`;
  return warning(
    "not-fetched",
    `${location} has not been fetched yet`,
    withCommand("Fetch it", command`bmad-mcp cache update${{ line: named }}`),
  );
}

function pinnedFix(code: DiagnosticCode, id: string | undefined, config: Config): string | undefined {
  const access = config.origins.find(({ origin }) => origin.id === id)?.access;
  if (code !== "origin-unavailable" || access?.via !== "pinned") return undefined;
  const flag = { line: config.provenance.sources.includes(".bmad-mcp.toml:") ? " --project" : "" };
  const fetch = withCommand("Fetch it", command`bmad-mcp add${flag}`);
  return `${fetch}; ${withCommand("or remove it", command`bmad-mcp remove SOURCE${flag}`)}`;
}

/** A better fix than the library's for a missing or empty folder: it names the setting. */
function settingFix(code: DiagnosticCode, kind: OriginKind | undefined, { provenance }: Config) {
  if (code === "too-many-files") return "Serve a smaller folder, or raise the limit with --max-files";
  if (code === "old-copy" || (code === "origin-unavailable" && kind === "git")) {
    return "Correct its address or your access to it, and fetch it again: bmad-mcp cache update; " +
      "or remove it from the settings";
  }
  const setting = kind === "env" ? "roots" : kind === "cli" ? "paths" : undefined;
  if (setting === undefined || provenance[setting] === "default") return undefined;
  if (code === "no-folder") return `Create the folder, or remove it from ${provenance[setting]}`;
  return code === "no-content"
    ? `Name a project, a BMAD root or a module, or remove the folder from ${provenance[setting]}`
    : undefined;
}

/** Paths of which a source has the same to say share a line: `_bmad/.hidden (project): it is hidden`. */
function groupedLines(
  label: string,
  facts: readonly { readonly origin: string | null; readonly path: string | null; readonly text: string }[],
): readonly Line[] {
  const max = LIMITS.doctor.pathsInLine;
  const groups = Map.groupBy(facts, ({ origin, text }) => JSON.stringify([origin, text]));
  return groups.values().toArray().map((rows) => {
    const { origin, text } = rows[0]!;
    const paths = rows.map(({ path }) => path).filter((path) => path !== null);
    const more = paths.length > max ? ` and ${paths.length - max} more (bmad-mcp doctor --json)` : "";
    const named = paths.slice(0, max).join(", ") + more;
    const where = paths.length === 0 ? origin : [named, origin && `(${origin})`].filter(Boolean).join(" ");
    return line("info", label, [where, text].filter(Boolean).join(": "));
  });
}

function newerLine({ origin, version, known, added, gone }: Health["newer"][number]): Line {
  const parts = Object.entries({ new: added, gone }).filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.join(", ")}`);
  const changes = parts.length === 0 ? "" : ` (${parts.join("; ")})`;
  const text = `${origin} has BMAD ${version}; this program knows ${known}. It is served as it is${changes}`;
  return line("info", "newer", `${text}. See whether there is a newer bmad-mcp: bmad-mcp upgrade`);
}

function originLine(facts: OriginFacts, problems: readonly Problem[], now: number): Line {
  const { origin, things, agents, workflows, generations, roots, exists, copy } = facts;
  const levels = problems.filter((problem) => problem.origin === origin.id).map(({ level }) => level);
  const versions = [...new Set(roots.map(({ layout, version = "" }) => `${layout} ${version}`.trim()))];
  const items = things === 0
    ? "no items, only other files"
    : `${counted(things, "item")} (${counted(agents, "agent")}, ${counted(workflows, "workflow")})`;
  const isSaid = generations.every((generation) => versions.some((one) => one.startsWith(generation)));
  const kinds = isSaid ? "" : `${generations.join(", ")}: `;
  const content = roots.length === 0
    ? exists ? "no content" : copy === undefined ? "not found" : "not fetched"
    : `${items}, ${kinds}${versions.join(", ")}${ageOf(facts, now)}`;
  const status = levels.includes("error") ? "error" : levels[0] ?? (things > 0 ? "ok" : "info");
  return line(status, `${origin.priority} ${origin.id}`, `${origin.location}: ${content}`);
}

function ageOf({ copy, changed }: OriginFacts, now: number): string {
  const age = (since: number) => renderDuration(Math.max(0, now - since));
  if (copy?.commit !== undefined && copy.fetched !== undefined) {
    return `, commit ${copy.commit.slice(0, 10)}, fetched ${age(Date.parse(copy.fetched))} ago`;
  }
  return changed === undefined ? "" : `, changed ${age(changed)} ago`;
}
