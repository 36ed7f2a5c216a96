/**
 * What to do in place of the scripts that skills call: this server runs nothing.
 *
 * The scripts of a skill are found in its texts. A path counts as a call when it leads to a script that is
 * served, or into BMAD's own folder of scripts: a text may also speak of scripts in the user's project. The table
 * says what each script does in terms of what a model can do; for one that is not in it, the source has to tell.
 */
import type { Entry } from "../../../base/model.ts";
import { baseName, findText } from "../../tree/mod.ts";
import { filesOf } from "../files/files.ts";
import { fileOf, type Library, perText } from "../library.ts";
import { findExactFile, virtualPath } from "../files/references.ts";

/** How to do without a script. */
interface Remedy {
  /** The script's name, with the arguments for which the row holds. */
  readonly call: string;
  /** What to do, for a model to read. */
  readonly instead: string;
  /** Whether every execution brings the result along, and need not speak of it. */
  readonly isDone?: true;
}

const DONE = "Done by the server: the result stands under “Resolved by the server” in the answer of execute";

/** The first row that fits counts. */
const REMEDIES: readonly Remedy[] = [
  { call: "resolve_config.py --key agents", instead: "Read bmad://roster/agents" },
  {
    call: "resolve_config.py",
    instead: `${DONE}; the configuration of all modules is bmad://config/current`,
    isDone: true,
  },
  { call: "resolve_customization.py", instead: DONE, isDone: true },
  { call: "bmad_init.py", instead: DONE, isDone: true },
  {
    call: "resolve_party.py",
    instead:
      "Read bmad://roster; for --party ID bmad://roster/parties/ID, for --list-groups bmad://roster/parties",
  },
  { call: "resolve_personas.py", instead: "Read bmad://roster/personas" },
  {
    call: "memlog.py",
    instead: "Keep WORKSPACE/.memlog.md by hand. init: front matter with the given fields and `updated`. " +
      "append: one more line `- (TYPE by WHO) TEXT` at the end, never change earlier ones. set: change a field",
  },
  {
    call: "render_skill.py",
    instead: "Done by the server: execute delivers the skill rendered, with its files below bmad://rendered/",
    isDone: true,
  },
  {
    call: "lint_spine.py",
    instead:
      "Check the spine by eye: nothing left open or unfilled ({token}); AD numbers unique and rising; each AD with " +
      "Binds, Prevents and Rule; a version in each row of the Stack table",
  },
  {
    call: "sprint_plan.py",
    instead:
      "Read the epics and write sprint-status.yaml by hand as the skill describes it; keep the statuses, " +
      "comments and action items that are there, and never set a status back without the user's word",
  },
  {
    call: "sprint_status.py",
    instead:
      "Read and edit sprint-status.yaml by hand; change only the keys that the step names, keep the rest",
  },
  {
    call: "git_evidence.py",
    instead: "Run `git log --numstat` over the range, and count merges apart from other commits",
  },
  {
    call: "brain.py",
    instead:
      "Read the skill's own assets/brain-methods.csv, add `additional_techniques`, and choose by category or at random",
  },
  {
    call: "pick_methods.py",
    instead:
      "Read the skill's own assets/methods.csv, add `additional_methods`, and choose by category or at random",
  },
  {
    call: "recon_kit.py",
    instead:
      "Do by hand what the subcommand is called: match every [n] with a row of the source table, count memlog " +
      "entries by type and status, add the months of a claim's class to its date, make the folder's name from the topic",
  },
  {
    call: "word_metrics.py",
    instead: "Count the words of the document and of each section between headings",
  },
  {
    call: "list_customizable_skills.py",
    instead: "List the resources that match **/customize.toml; overrides that are there match custom/*.toml",
  },
  {
    call: "analyze_sources.py",
    instead:
      "List the source files with their sizes; more than 3 files or about 15,000 tokens are worth splitting up",
  },
];

const UNKNOWN = "Read it and do what it says by hand, or run it where the project is installed";

/** Scripts by their usual endings, in a folder `scripts`. */
const SCRIPT = /scripts\/[\w-]{1,80}\.(?:py|sh|[cm]?js|ts|rb|ps1)\b/g;
/** More paths of scripts than any thing has; a text that has more is not looked up forever. */
const MOST_MENTIONS = 100;
/** So many scripts are named, and the others left to the list. */
const MOST_NAMED = 3;
/** As far as a path before a script's folder, and arguments behind its name, are looked for. */
const REACH = 200;

/** A path of a script in a text, and what the line has behind it. */
interface Mention {
  readonly path: string;
  readonly rest: string;
}

/** Every path of a script in a text. */
export function scriptsIn(text: string): readonly Mention[] {
  return Array.from(text.matchAll(SCRIPT), ({ 0: script, index }) => {
    const end = index + script.length;
    const [before = ""] = /[\w{}./-]*$/.exec(text.slice(Math.max(0, index - REACH), index)) ?? [];
    const [rest = ""] = /^[^`\n]*/.exec(text.slice(end, end + REACH)) ?? [];
    return { path: before + script, rest };
  });
}

/** How to do without a script that is called with some arguments: a row of the table, or one for what is not in it. */
export function remedyFor(script: string, args: string): Remedy {
  const isMeant = ({ call }: Remedy) => {
    const [name, ...needed] = call.split(" ");
    return name === script && args.includes(needed.join(" "));
  };
  return REMEDIES.find(isMeant) ?? { call: script, instead: UNKNOWN };
}

/** A sentence about the scripts of a thing whose results the model does not have; nothing when there are none. */
export function scriptNote(library: Library, entry: Entry, text: string): string {
  const open = callsOf(library, entry, text).filter(({ remedy }) => !remedy.isDone);
  const names = [...new Set(open.map(({ remedy }) => remedy.call))];
  const named = names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), "…"] : names;
  return named.length === 0 ? "" : ` Cannot run ${named.join(", ")}? Read bmad://scripts.`;
}

/** Every script that anything calls, with what to do instead and where it can be read. */
export function renderScripts(library: Library): string {
  const lines = library.effective.flatMap((entry) => callsOf(library, entry)).map(({ remedy, uri }) =>
    `- ${remedy.call}: ${remedy.instead}.${uri === undefined ? "" : ` Source: ${uri}`}`
  );
  return [
    "# Scripts that skills call",
    "",
    "This server runs none of them. Where you cannot run one either, do instead:",
    "",
    ...[...new Set(lines)].sort(),
    "",
  ].join("\n");
}

/** A call of a script. */
interface ScriptCall {
  readonly remedy: Remedy;
  /** Where its source can be read; missing when nobody has it. */
  readonly uri: string | undefined;
}

/** The calls in all texts of a thing; `text` in place of its first file when another was delivered. */
const callsOf = perText((library, entry, text): readonly ScriptCall[] => {
  const place = fileOf(library, entry);
  const texts = filesOf(library, entry).values().filter(({ path }) => /\.(md|toml|ya?ml|xml)$/.test(path))
    .map(({ path }) =>
      path === entry.file && text !== undefined ? text : findText(place.source.tree, path) ?? ""
    );
  const mentions = new Map<string, { readonly path: string; readonly remedy: Remedy }>();
  for (const { path, rest } of texts.flatMap(scriptsIn)) {
    if (mentions.size >= MOST_MENTIONS) break;
    const remedy = remedyFor(baseName(path), rest);
    mentions.set(`${path} ${remedy.call}`, { path, remedy });
  }
  const calls = [...mentions.values()].map(({ path, remedy }) => {
    const uri = findExactFile(library, path, place)?.uri;
    return { remedy, uri, isCall: uri !== undefined || isShared(library, path) };
  });
  return calls.filter(({ isCall }) => isCall);
});

/** Whether a path leads into BMAD's own folder of scripts, though nobody may have it: `{project-root}/_bmad/scripts/…`. */
function isShared(library: Library, path: string): boolean {
  const { isAbsolute = false, absolute = "" } = virtualPath(library, path) ?? {};
  return isAbsolute && absolute.startsWith("scripts/");
}
