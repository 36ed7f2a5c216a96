/**
 * The steps of the generation after 6.12, which has no catalogue of them: each skill, with what its module's help says.
 *
 * Help is prose. It neither numbers phases nor says what is required, so every skill is a step for any time, those first
 * that help names first. What comes next in a project only its tickets and documents show.
 */
import { type Entry, isOf } from "../../../base/model.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import type { HelpStep } from "../../inventory/mod.ts";
import { findText } from "../../tree/mod.ts";
import { helpFiles } from "../delivery/help_files.ts";
import type { Library } from "../library.ts";

const MAX_LINES = 5_000;
const MAX_ABOUT = 200;

/** A step for each flat skill that is not an agent. */
export function flatSteps(
  library: Library,
  entries: readonly Entry[],
): readonly { readonly entry: Entry; readonly help: HelpStep; readonly module: string }[] {
  const skills = entries.filter((entry) => entry.generation === "flat" && isOf(entry, "workflow"));
  if (skills.length === 0) return [];
  const ids = new Set(skills.map(({ id }) => id));
  const said = new Map<string, string>();
  for (const { source, path, isMain } of helpFiles(library)) {
    if (!isMain) continue;
    for (const line of splitLines(findText(source.tree, path) ?? "").slice(0, MAX_LINES)) {
      for (const [word] of line.slice(0, 2_000).matchAll(/[a-z0-9][\w-]*/gi)) {
        if (ids.has(word) && !said.has(word)) {
          said.set(word, shorten(line.replace(/^[\s#>*-]+/, ""), MAX_ABOUT));
        }
      }
    }
  }
  const order = [...said.keys()];
  const at = ({ id }: Entry) => said.has(id) ? order.indexOf(id) : order.length;
  return skills.toSorted((a, b) => at(a) - at(b)).map((entry) => ({
    entry,
    module: entry.module,
    help: { ...NO_HELP, module: entry.module, skill: entry.id, description: said.get(entry.id) ?? "" },
  }));
}

const NO_HELP: HelpStep = {
  module: "",
  skill: "",
  title: "",
  code: "",
  description: "",
  phase: "",
  after: "",
  before: "",
  required: false,
  outputs: "",
  action: "",
  location: "",
  file: "",
};
