/**
 * What a release of BMAD is made of, as plain facts that two releases can be compared by: each kind is one row of a
 * table, and a fact is a name with, where that says more, a value.
 */

/** Every kind of fact, in the order in which people read them; each says what to do about a change. */
export const KINDS = {
  script: "scripts",
  option: "commands and options of scripts",
  call: "calls of scripts in texts",
  skill: "skills, and the folder of each",
  retired: "names that the release itself calls retired",
  config: "configuration keys",
  customize: "customization keys",
  placeholder: "placeholders",
  status: "status words",
  field: "front-matter keys",
  column: "columns of tables",
  heading: "headings of templates",
  layout: "folders and files that are read by name",
  target: "folders that the installer writes to",
  module: "modules",
} as const;

/** One of them. */
export type FactKind = keyof typeof KINDS;

/** One fact about a release. */
export interface Fact {
  readonly kind: FactKind;
  /** What it is about; unique among those of its kind. */
  readonly name: string;
  /** What may change while the name stays: the hash of a script, the folder of a skill. */
  readonly value?: string;
  /** The skill that it belongs to and comes and goes with, if it belongs to one. */
  readonly skill?: string;
  /** The file that it was first found in. */
  readonly at: string;
}

/** All facts about a release, by kind and name. */
export interface Release {
  readonly facts: ReadonlyMap<FactKind, ReadonlyMap<string, Fact>>;
  /** The lines of each skill, by which a renamed one is recognized. */
  readonly lines: ReadonlyMap<string, ReadonlySet<string>>;
}
