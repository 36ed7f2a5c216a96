/**
 * The project: which folder it is, why that one, and the BMAD roots in it.
 */
import type { Config, Health } from "../../app.ts";
import { line, problem, type Section } from "./report.ts";

/** Checks the project. */
export function checkProject({ origins }: Health, config: Config): Section {
  const { project, provenance, settings } = config;
  const facts = origins.find(({ origin }) => origin.kind === "project");
  const isNamed = settings.project !== undefined;
  const why = isNamed
    ? `named by ${provenance.project}`
    : project === undefined
    ? "the home folder, folders above it and the root of a disk do not count as projects"
    : "the working folder";
  const isMissing = facts !== undefined && !facts.exists;
  const roots = facts?.roots ?? [];
  const refused = config.work?.refused ?? [];
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
      ...refused.map(({ folder, reason }) => line("warning", "not written", `${folder}: it ${reason}`)),
      ...(project === undefined ? [line("info", "hint", "name one with --project DIR")] : []),
    ],
    problems: [
      ...refused.map(({ folder, key, reason }) =>
        problem(
          "warning",
          "work-folder",
          `${key} is ${JSON.stringify(folder)}, which ${reason}: scripts do not write there`,
          `Set ${key} to a folder for documents inside the project`,
        )
      ),
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
    data: { folder: project ?? null, why, exists: facts?.exists ?? false, roots },
  };
}
