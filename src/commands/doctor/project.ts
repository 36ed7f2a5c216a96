/**
 * The project: which folder counts as it, why, and what it holds.
 */
import type { Config, Health } from "../../app.ts";
import type { Line, Problem, Section } from "./report.ts";

/** Looks at the project. */
export function examineProject({ origins }: Health, config: Config): Section {
  const { project, provenance, settings } = config;
  const facts = origins.find(({ origin }) => origin.kind === "project");
  const isNamed = settings.project !== undefined;
  const why = isNamed
    ? `named by ${provenance.project}`
    : project === undefined
    ? "started in the home folder or at the root of a disk, which are no projects"
    : "the working folder";
  const isMissing = facts !== undefined && !facts.exists;
  const problems: readonly Problem[] = isMissing
    ? [{
      section: "project",
      level: "broken",
      code: "no-folder",
      message: `There is no project folder ${project}`,
      fix: isNamed ? `Make the folder, or name another with ${provenance.project}` : "Make the folder",
      origin: "project",
    }]
    : [];
  const roots = facts?.roots ?? [];
  const lines: readonly Line[] = [
    {
      mark: isMissing ? "broken" : project === undefined ? "note" : "good",
      label: "folder",
      text: `${project ?? "none"} (${why})`,
    },
    ...roots.map(({ path, layout, version = "" }): Line => ({
      mark: "good",
      label: "root",
      text: `${path || "."}: ${layout} ${version}`.trimEnd(),
    })),
    ...(roots.length > 0 || project === undefined || isMissing ? [] : [
      { mark: "note", label: "root", text: "no BMAD content: other origins serve" } satisfies Line,
    ]),
    ...(project === undefined
      ? [{ mark: "note", label: "hint", text: "name one with --project DIR" } satisfies Line]
      : []),
  ];
  return {
    name: "project",
    lines,
    problems,
    data: { folder: project ?? null, why, exists: facts?.exists ?? false, roots },
  };
}
