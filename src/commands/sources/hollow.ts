/**
 * Why a source has nothing to serve. Packages of some modules describe what they have, and lack all of it.
 */
import { findText, joinPath, walkFiles } from "../../content/tree/mod.ts";
import type { Library } from "../../content/library/mod.ts";
import { parseYaml } from "../../content/parse.ts";
import { fail } from "../../base/errors.ts";
import { moduleNamed } from "../../base/official_modules.ts";
import { command, withCommand } from "../../base/text.ts";
import { asText } from "../../base/values.ts";

/** Where a module describes itself. */
const DESCRIPTIONS = ["", "src", "skills"].map((folder) => joinPath(folder, "module.yaml"));
/** Describes a skill, beside its text. */
const MANIFEST = "bmad-skill-manifest.yaml";

/** Why the source with this id has no content; undefined if nothing explains it. */
export function hollowReason({ whole }: Library, id: string): string | undefined {
  const tree = whole.sources.find(({ origin }) => origin.id === id)?.tree;
  const text = tree && DESCRIPTIONS.map((path) => findText(tree, path)).find((found) => found !== undefined);
  if (tree === undefined || text === undefined) return undefined;
  const skills = [...walkFiles(tree, "", () => false)].filter((path) => path.endsWith(`/${MANIFEST}`)).length;
  const code = asText(parseYaml(text).value["code"]);
  const module = code === undefined ? undefined : moduleNamed(code);
  const named = code === undefined ? "a module" : `the module ${code}`;
  const what = skills === 0 ? named : `${named} and its ${skills} skills`;
  const where = module?.npm?.isHollow
    ? withCommand("Its repository has them", command`bmad-mcp add ${module.code}`)
    : "Add its repository instead";
  return `it is hollow: it describes ${what}, but has none of the texts. ${where}`;
}

/** Fails because a source has no content. */
export function failEmpty(library: Library, id: string, origin: string, problem?: string): never {
  const reason = problem ?? hollowReason(library, id) ?? "no agents, workflows or skills found in it";
  return fail({ code: "origin-unavailable", origin, reason });
}
