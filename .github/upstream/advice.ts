/**
 * What a change of upstream asks of us: one row for each kind of fact, which says what to do, and by which table of ours
 * it is done already.
 */
import { isHidden } from "../../src/base/model.ts";
import { lossNamed, resolveName } from "../../src/content/catalog/mod.ts";
import { substituteFor } from "../../src/content/library/delivery/script_substitutes.ts";
import { UPSTREAM_MODULES } from "../../src/content/library/health/known_faults.ts";
import { type Library, openLibrary } from "../../src/content/library/mod.ts";
import type { Change } from "./compare.ts";
import type { FactKind } from "./facts.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { stateOf } from "../../src/project/work/formats/mod.ts";
import { allArguments, parseArguments } from "../../src/project/scripts/options.ts";
import { SCRIPTS } from "../../src/project/scripts/mod.ts";
import type { Known } from "./known.ts";

/** What is known about the newer one of two releases. */
export interface Knowledge {
  readonly known: Known;
  /** Whether it is among the releases that were compared: then somebody has been through its list. */
  readonly isCompared: boolean;
  /** What our own readers make of it. */
  readonly library: Library;
}

/** What is to be done about a change; nothing if it is done. */
export interface Advice {
  readonly isDone: boolean;
  readonly todo: string;
}

type Rule = (change: Change, knowledge: Knowledge) => Advice;

/** What our readers find in the files of a release. */
export async function openRelease(folder: string): Promise<Library> {
  const origin = { id: "cli", kind: "cli", priority: 1, location: folder } as const;
  return await openLibrary([{ origin, tree: diskTree(folder), use: "named" }], {});
}

const NOTHING: Advice = { isDone: true, todo: "Older installations still have it" };

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function nativeOf(name: string) {
  return SCRIPTS.find((script) => script.name === name);
}

/** Whether people are told what to do instead of a script. */
function isAnswered(name: string, args = ""): boolean {
  return nativeOf(name) !== undefined || !substituteFor(name, args).instead.startsWith("Read it and do");
}

const RULES: Readonly<Record<FactKind, Rule>> = {
  script: ({ is, name, to }, { known }) => {
    if (is === "gone") return NOTHING;
    const script = fileName(name);
    const isNative = nativeOf(script) !== undefined;
    return {
      isDone: known.scripts[script]?.[to ?? ""] !== undefined,
      todo: isNative
        ? "Compare it by `deno task verify-scripts`, and extend tests/support/script_parity.ts"
        : isAnswered(script)
        ? "Check what script_substitutes.ts says of it"
        : known.scripts[script] !== undefined
        ? "Compare it with the native scripts that do its work, or whose originals call it"
        : "Write it in src/project/scripts, or a row in script_substitutes.ts",
    };
  },
  option: ({ is, name }) => {
    if (is === "gone") return NOTHING;
    const [script = "", option = ""] = name.split(" ");
    const native = nativeOf(script);
    const names = native &&
      [
        ...Object.keys(native.usage.commands ?? {}),
        ...allArguments(native.usage).flatMap(({ names }) => names),
      ];
    // A word without a dash may be the name of an argument that has none for its caller.
    const isKnown = names?.includes(option) ?? true;
    return {
      isDone: isKnown ||
        !option.startsWith("-") &&
          allArguments(native!.usage).some(({ names: [first] }) => !first.startsWith("-")),
      todo: "Add it to the script's usage in src/project/scripts",
    };
  },
  call: ({ is, name }) => {
    if (is === "gone") return NOTHING;
    const [script = "", ...words] = name.split(" ");
    const native = nativeOf(script);
    const parsed = native === undefined ? undefined : parseArguments(native.usage, [...words, "--help"]);
    return {
      isDone: native === undefined ? isAnswered(script, words.join(" ")) : parsed?.is !== "problem" ||
        // The words of a call stand without their values.
        !/^unknown (?:option|command)/.test(parsed.text),
      todo: "Let the native script accept it, or say in script_substitutes.ts what to do instead",
    };
  },
  skill: ({ is, name, to }, { isCompared, library }) => {
    const isServed = (id: string) => library.manifest.entries.some((entry) => entry.id === id);
    if (is === "gone" || is === "renamed") {
      return {
        isDone: isFound(library, name, to),
        todo: is === "renamed"
          ? `Add ${name} → ${to} to src/content/catalog/aliases.ts`
          : "Say in src/content/catalog/aliases.ts what replaces it",
      };
    }
    return {
      isDone: isCompared && isServed(name),
      todo: isServed(name)
        ? is === "changed"
          ? "It is served from there. Check texts and tables that name the folder"
          : "It is served. See whether it replaces another one (aliases.ts) and what it writes (docs/work.md)"
        : "It is not served: extend a reader in src/content/inventory",
    };
  },
  retired: ({ is, name, to }, { library }) =>
    is === "gone" ? NOTHING : {
      isDone: isFound(library, name),
      todo: `Add it to src/content/catalog/aliases.ts${to === undefined ? "" : `, as ${to}`}`,
    },
  config: compared("Check the defaults in src/content/library/values, and docs/configuration.md"),
  customize: compared("Check that overrides of it still work"),
  placeholder: compared("Check that what is delivered fills it in or leaves it to its reader"),
  status: ({ is, name }, { isCompared }) =>
    is === "gone" ? NOTHING : {
      isDone: stateOf(name) !== undefined || isCompared,
      todo: "If ledgers or stories have it, add it to src/project/work/formats/model.ts",
    },
  field: compared("If it is read by a program, read it in src/content/inventory or src/project/work/formats"),
  column: compared("Read it in src/content/inventory/help_catalog.ts"),
  heading: compared("If the section is read, check src/project/work/formats and src/project/work/context"),
  layout: compared("Check that everything in it is served or named as not served"),
  target: ({ is, to = "" }) =>
    is === "gone" ? NOTHING : {
      // Such folders are searched whatever the tool is called.
      isDone: to.split(" ").slice(0, 1).every((folder) =>
        folder === "" || /^\.[\w-]+(?:\/[\w-]+)?\/skills$/.test(folder)
      ),
      todo: "Check that skills are found there (src/content/inventory/roots.ts)",
    },
  module: ({ is, name }, { isCompared }) =>
    is === "gone" ? NOTHING : {
      isDone: is === "new"
        ? UPSTREAM_MODULES.includes(name.replace(" (registry)", "")) || isCompared
        : isCompared,
      todo: "Add or change it in the table of modules",
    },
};

/** Whether somebody has to look, and has looked. */
function compared(todo: string): Rule {
  return ({ is }, { isCompared }) => is === "gone" ? NOTHING : { isDone: isCompared, todo };
}

/** Whether people who ask for a name of an older release get its successor, or are told what became of it. */
function isFound(library: Library, name: string, successor?: string): boolean {
  const found = resolveName(library.manifest.entries, { name });
  if (found.outcome === "found" && !isHidden(found.entry)) {
    return successor === undefined || found.entry.id === successor;
  }
  return successor === undefined && lossNamed(name) !== undefined;
}

/** What to do about a change. */
export function adviseOn(change: Change, knowledge: Knowledge): Advice {
  return RULES[change.kind](change, knowledge);
}
