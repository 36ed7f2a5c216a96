/**
 * Domains of knowledge that no folder or index names: which files of which items belong to them.
 *
 * What is known about architecture is spread over the texts of an agent, of workflows that were renamed in every
 * generation, and of checklists, templates and tables; patterns are described wherever they are used. To add a domain, add
 * a row.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import type { Entry } from "../../../base/model.ts";
import { slug } from "../../../base/values.ts";
import { baseName } from "../../tree/mod.ts";
import { filesOf, listFiles, type ServedFile } from "../files/files.ts";
import { type Fragment, fragmentsOf, withoutCopies } from "../files/fragments.ts";
import { useOf } from "../files/supporting.ts";
import { type Library, perLibrary } from "../library.ts";

interface Domain {
  readonly name: string;
  /** Agents and workflows by their short names: their main texts, and the files that these use. */
  readonly items: readonly string[];
  /** Among the steps of these workflows, those that say more than how to go on, by their names. */
  readonly steps?: RegExp;
  /** Files of any other item, by their names without the ending. */
  readonly files: RegExp;
}

const DOMAINS: readonly Domain[] = [
  {
    name: "architecture",
    items: [
      "architect",
      "architecture",
      "create-architecture",
      "solution-architecture",
      "game-architect",
      "game-architecture",
      "check-implementation-readiness",
      "implementation-readiness",
      "solutioning-gate-check",
    ],
    steps: /-(?:decisions|patterns|starter|structure)$/,
    files:
      /^(?:architect-checklist|(?:[a-z-]+-)?architecture-tmpl|architecture-patterns|decision-catalog|technical-preferences|adr-quality-readiness-checklist)$/,
  },
  {
    name: "patterns",
    items: [],
    files:
      /^(?:(?:[^.]+-)?patterns(?:-[^.]+)?|pattern-categories|decision-catalog|technical-preferences|fixture-architecture|fixtures-composition)$/,
  },
];

/** The fragments of each domain that has any, those of its items first. */
export const curatedDomains = perLibrary((library): ReadonlyMap<string, readonly Fragment[]> => {
  const known = new Map(fragmentsOf(library).map((fragment) => [fragment.file.uri, fragment]));
  const owners = visibleEntries(library.effective);
  const found = DOMAINS.map(({ name, items, steps, files }) => {
    const fragments = new Map<string, Fragment>();
    const add = (file: ServedFile, id: string, module: string) =>
      fragments.getOrInsertComputed(
        file.uri,
        (uri) => known.get(uri) ?? { domain: name, id, module, tags: [], file },
      );
    for (const entry of owners.filter((entry) => items.includes(entry.name))) {
      for (const file of textsOf(library, entry, steps)) add(file, idIn(entry, file), entry.module);
    }
    for (const file of listFiles(library).filter(({ path }) => files.test(stemOf(path)))) {
      if (TEXT.test(file.path)) add(file, slug(stemOf(file.path)), moduleOf(file));
    }
    return [name, withoutCopies([...fragments.values()])] as const;
  });
  return new Map(found.filter(([, fragments]) => fragments.length > 0));
});

/** What people read, as opposed to programs and settings. */
const TEXT = /\.(?:md|ya?ml|csv|xml|txt)$/i;
/** Uses of files that say something about the subject, not how to go on. */
const USES: readonly string[] = ["instructions", "template", "checklist", "data", "knowledge"];

/** The texts of an item: its own, then what it is written from and checked by, and the steps that match. */
function textsOf(library: Library, entry: Entry, steps: RegExp | undefined): readonly ServedFile[] {
  const files = filesOf(library, entry);
  const isMain = ({ path }: ServedFile) => path === entry.file;
  const isPart = ({ uri, path }: ServedFile) => {
    const use = useOf(uri) ?? "";
    return use === "step" ? steps?.test(stemOf(path)) : USES.includes(use);
  };
  return [
    ...files.filter(isMain),
    ...files.filter((file) => !isMain(file) && TEXT.test(file.path) && isPart(file)),
  ];
}

/** `architecture` for the main text of that workflow, `architecture-template` for its `template.md`. */
function idIn(entry: Entry, { path }: ServedFile): string {
  const stem = slug(stemOf(path));
  if (path === entry.file) return entry.name;
  return GENERAL.includes(stem) ? `${entry.name}-${stem}` : stem;
}

/** Names of files that say nothing without that of their item. */
const GENERAL: readonly string[] = ["instructions", "template", "checklist", "workflow"];

function stemOf(path: string): string {
  return baseName(path).replace(/\.\w+$/, "").toLowerCase();
}

function moduleOf({ uri }: ServedFile): string {
  return /^bmad:\/\/([^/]+)/.exec(uri)?.[1] ?? "";
}
