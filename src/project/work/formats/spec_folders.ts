/** `stories.yaml` lists stories, `stories/ID-NAME.md` has the status; without it: backlog. */
import { SPEC_FILES } from "../../../base/model.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import { asText, asValues } from "../../../base/values.ts";
import type { Interruptible } from "../../../base/work.ts";
import { normalizeText, parseYamlList } from "../../../content/parse.ts";
import { baseName, joinPath, parentPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { type Adapter, epicOf, stateIn, stateOfStories, storyOf } from "./adapter.ts";
import { readFacts, type Story } from "./story_facts.ts";
import { pathsIn, type Source, uniqueFolders } from "./source.ts";
import { scalarText } from "./yaml_lines.ts";
import { readYamlTree } from "./yaml_tree.ts";

export const SPEC_FOLDERS: Adapter = {
  format: "stories-yaml",
  find: (source) => {
    const { output, planning, implementation } = source.folders;
    return uniqueFolders(output, ...planning, ...implementation)
      .flatMap((folder) => [folder, joinPath(folder, "specs")]).flatMap((folder) => pathsIn(source, folder))
      .flatMap((folder) => SPEC_FILES.map((name) => joinPath(folder, name)).filter(source.has));
  },
  read: function* (source, path) {
    const folder = parentPath(path);
    const ref = baseName(folder);
    const file = ["SPEC.md", "spec.md", `${ref}.md`].map((name) => joinPath(folder, name)).find(source.has);
    const title = file === undefined ? undefined : source.document(file)?.title;
    const stories = yield* rowsOf(source, path, ref);
    const epic = epicOf({ ref, title, state: stateOfStories(stories), ledger: path, file, stories });
    return { epics: [epic], actions: [] };
  },
};

function* rowsOf(source: Source, path: string, spec: string): Interruptible<readonly Story[]> {
  const text = source.text(path) ?? "";
  const { value, problem, at } = parseYamlList(text);
  if (problem !== undefined) source.report(path, problem, at?.line);
  if (value.length > LIMITS.ledgers.specStories) {
    source.report(path, `only the first ${LIMITS.ledgers.specStories} stories are shown`);
  }
  const folder = joinPath(parentPath(path), "stories");
  const filesOf = filesById(source.filesIn(folder));
  const lines = linesOfIds(text);
  const known = new Set<string>();
  const stories: Story[] = [];
  for (const [index, item] of value.slice(0, LIMITS.ledgers.specStories).entries()) {
    yield;
    const row = asValues(item);
    const id = asText(row["id"]);
    if (id === undefined) {
      source.report(path, `story ${index + 1} has no id`);
      continue;
    }
    const line = lines.get(id);
    if (known.has(id.toLowerCase())) {
      source.report(path, `story "${id}" comes twice`, line);
      continue;
    }
    known.add(id.toLowerCase());
    const files = filesOf.get(id) ?? [];
    if (files.length > 1) source.report(path, `story "${id}" has ${files.length} files in ${folder}`, line);
    const file = files[0] && joinPath(folder, files[0]);
    const document = file === undefined || !source.claim(file) ? undefined : source.document(file);
    const { title = shorten(id), after, ...facts } = readFacts({ row: { fields: row }, file: document });
    stories.push(storyOf({
      ...facts,
      ref: shorten(`${spec}/${id}`, 120),
      key: shorten(id, 80),
      form: "spec-story",
      title,
      ...stateIn(source, `"${id}"`, document),
      ledger: path,
      line,
      file,
      // Ids of a spec are its own.
      after: after?.map((other) => `${spec}/${other}`),
    }));
  }
  return stories;
}

/** `2-pay-now.md` may be the file of `2`, `2-pay` or `2-pay-now`. */
function filesById(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byId = new Map<string, string[]>();
  for (const name of names.filter((name) => name.endsWith(".md"))) {
    const stem = name.slice(0, -3);
    const ids = [...Array.from(stem.matchAll(/-/g), ({ index }) => stem.slice(0, index)), stem];
    for (const id of ids) byId.getOrInsertComputed(id, () => []).push(name);
  }
  return byId;
}

function linesOfIds(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const { body } of readYamlTree(splitLines(normalizeText(text))).nodes) {
    const { entry, at } = body.nodes.find(({ key }) => key === "id") ?? {};
    if (entry?.value !== undefined) lines.getOrInsert(scalarText(entry.value), at! + 1);
  }
  return lines;
}
