/** The scripts that skills call: the lines that can be run natively, and what to do instead of the others. */
import type { Entry } from "../../../base/model.ts";
import { asText, asValues, fillNames, type Values } from "../../../base/values.ts";
import { baseName, findText } from "../../tree/mod.ts";
import { filesOf } from "../files/files.ts";
import { fileOf, type Library } from "../library.ts";
import { customizationOf } from "../values/customize.ts";
import { findExactFile, virtualPath } from "../files/references.ts";
import { LIMITS } from "../../limits.ts";

const DONE = "Done by the server: ";
const RESOLVED = `${DONE}the result is under “Already resolved” where the skill is started`;

const SUBSTITUTES: Readonly<Record<string, string>> = {
  "resolve_config.py --key agents": "Read bmad://roster/agents",
  "resolve_config.py": `${RESOLVED}; the configuration of all modules is bmad://config/current`,
  // Of any skill but the one that is started.
  "resolve_customization.py --skill <": "Start that skill: its values are under “Already resolved”",
  "resolve_customization.py": RESOLVED,
  "bmad_init.py": RESOLVED,
  "resolve_party.py":
    "Read bmad://roster; for --party ID bmad://roster/parties/ID, for --list-groups bmad://roster/parties",
  "resolve_personas.py": "Read bmad://roster/personas",
  "memlog.py":
    "Maintain WORKSPACE/.memlog.md by hand. init: front matter with the given fields and `updated`. append: add a " +
    "line `- (TYPE by WHO) TEXT` at the end, never change earlier ones. set: change a field",
  "render_skill.py": `${DONE}the skill is delivered rendered, with its files below bmad://rendered/`,
  "lint_spine.py":
    "Check the spine by eye: nothing open or unfilled ({token}); AD numbers unique and ascending; each AD with " +
    "Binds, Prevents and Rule; a version in each row of the Stack table",
  "sprint_plan.py":
    "Read the epics and write sprint-status.yaml by hand as the skill describes it; keep existing statuses, comments " +
    "and action items, and never move a status back unless the user agrees",
  "sprint_status.py":
    "Read and edit sprint-status.yaml by hand; change only the keys that the step names, keep the rest",
  "git_evidence.py": "Run `git log --numstat` over the range, and count merges apart from other commits",
  "brain.py":
    "Read the skill's own assets/brain-methods.csv, add `additional_techniques`, and choose by category or at random",
  "pick_methods.py":
    "Read the skill's own assets/methods.csv, add `additional_methods`, and choose by category or at random",
  "recon_kit.py":
    "Do by hand what the subcommand's name says: match every [n] with a row of the source table, count memlog " +
    "entries by type and status, add the months of a claim's class to its date, make the folder's name from the topic",
  "word_metrics.py": "Count the words of the document and of each section between headings",
  "knowledge.py":
    "Read bmad://MODULE/help/help.md of each module; the files beside it are about single topics",
  "roster.py": "Read bmad://roster/personas",
  "tickets.py":
    "Read tickets.toml of the initiative and of its epics, in the order of the work; the plan of a ticket " +
    "(*-plan.md) has its status",
  "read_toml.py": "Open the TOML file and read the keys that -k names",
  "read_store.py":
    "Read _bmad/custom/ticketing-store-config.toml; where it is missing, the tickets are files of the project",
  "list_customizable_skills.py":
    "List the resources that match **/customize.toml; existing overrides match custom/*.toml",
  "analyze_sources.py":
    "List the source files with their sizes; more than 3 files or about 15,000 tokens are worth splitting up",
  "manifest.py":
    "Write bmad-manifest.json in the skill's folder by hand, in the form of the schema beside the script: create, add " +
    "or remove a capability, set a key; then compare it with the schema",
  "prepass-prompt-metrics.py":
    "Read SKILL.md and the prompts yourself: lines and sections, tables and code in them, filler such as “make sure " +
    "to”, references back, whether each prompt has its config header and says when it is done",
  "prepass-execution-deps.py":
    "Read the manifest and the prompts yourself: which stages need which, cycles, what could run in parallel, " +
    "sub-agents that start sub-agents",
  "prepass-workflow-integrity.py":
    "Read SKILL.md and the stages yourself: front matter, headings, placeholders left over from the template, whether " +
    "the stages exist, are numbered in order and name each other",
  "prepass-structure-capabilities.py":
    "Read the agent yourself: front matter, name, the sections it must have, its manifest, a prompt for each capability, " +
    "placeholders left over from the template, the paths of its memory",
  "scan-path-standards.py":
    "Look through every .md file: {project-root} only before /_bmad, _bmad only after it, no ./, ../, ~/ or absolute " +
    "paths outside code",
  "scan-scripts.py":
    "Read the scripts yourself: declared dependencies, pinned versions, --help, JSON output, exit codes, no prompts for " +
    "input, tests",
  "generate-html-report.py":
    "Write the report as Markdown, the findings by severity; the page only shows the same",
};

const UNKNOWN = "Read it and do what it says by hand, or run it where the project is installed";

const SCRIPT = /scripts\/[\w-]{1,80}\.(?:py|sh|[cm]?js|ts|rb|ps1)\b/g;
const { scriptMentions: MAX_MENTIONS } = LIMITS.delivery;
const MAX_NAMED = 6;

export function scriptsIn(text: string): readonly { readonly path: string; readonly rest: string }[] {
  return Array.from(text.matchAll(SCRIPT), ({ 0: script, index }) => {
    const end = index + script.length;
    const [before = ""] = /(?<![\w{}./-])[\w{}./-]*$/.exec(text.slice(Math.max(0, index - 200), index)) ?? [];
    // A backslash continues the command on the next line.
    const [line = ""] = /^(?:[^`\n\\]|\\[^])*/.exec(text.slice(end, end + 600)) ?? [];
    // The path may be in quotes; what follows it without a space is the sentence that mentions it.
    const rest = line.replace(/^["']/, "").replaceAll(/\\\r?\n/g, " ");
    return { path: before + script, rest: /^\s/.test(rest) ? rest : "" };
  });
}

export function substituteFor(script: string, args: string) {
  const known = Object.keys(SUBSTITUTES).find((call) => {
    const [name, ...needed] = call.split(" ");
    return name === script && args.includes(needed.join(" "));
  });
  const instead = known === undefined ? UNKNOWN : SUBSTITUTES[known]!;
  // `<` begins the name of a value that the text leaves to its reader.
  const call = known?.replace(/<$/, "OTHER") ?? script;
  return { call, instead, isDone: instead.startsWith(DONE) };
}

export type ScriptFacts = ReturnType<typeof scriptFacts>;

export function scriptFacts(
  library: Library,
  entry: Entry,
  text: string,
  isNative: (line: string) => boolean = () => false,
) {
  const calls = findCalls(library, entry, text);
  const toRun = new Set(calls.filter(({ substitute }) => !substitute.isDone).map(({ script }) => script));
  const done = calls.filter(({ substitute, script, rests }) =>
    // A mention without arguments does not say which call of the script is meant.
    substitute.isDone && !(toRun.has(script) && [...rests].every((rest) => rest === ""))
  ).map(({ substitute }) => substitute.call);
  const left = calls.filter(({ substitute, script, rests }) =>
    !substitute.isDone && rests.values().some((rest) => !isNative(`${script}${rest}`))
  );
  const open = new Map(left.map(({ substitute: { call, instead }, uri }) => [
    call,
    instead === UNKNOWN && uri !== undefined ? `${instead}: ${uri}` : instead,
  ]));
  const named: Values = Object.fromEntries(open.entries().take(MAX_NAMED));
  return {
    // These take a `--date` of their own form.
    isTimed: calls.some(({ script }) => /^sprint_(?:plan|status)\.py$/.test(script)),
    done: [...new Set(done)],
    lines: nativeLines(calls, isNative, customizationOf(library, entry)),
    instead: open.size > MAX_NAMED ? { ...named, others: "Read bmad://scripts" } : named,
  };
}

const MAX_LINE = 400;

function nativeLines(
  calls: ReturnType<typeof findCalls>,
  isNative: (line: string) => boolean,
  customization: Values,
): readonly string[] {
  const lines = new Map<string, string>();
  for (const { script, rests, substitute, isShared } of calls) {
    if (substitute.isDone) continue;
    for (const rest of rests) {
      if (!isNative(`${script}${rest}`)) continue;
      const line = tidyLine(script + (isShared ? withCustomValues(rest, customization) : rest));
      const call = line.split(" ").slice(0, 2).join(" ").split(" -", 1)[0]!;
      // The longer one shows more of the arguments, unless it is for starting over.
      const known = lines.get(call);
      if (known === undefined || scoreLine(line) > scoreLine(known)) lines.set(call, line);
    }
  }
  const all = [...lines.values()];
  return all.filter((line) => line.includes(" ") || !all.some((other) => other.startsWith(`${line} `)))
    // A skill that calls more has the same line several times, with other values.
    .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a))).slice(0, 6);
}

function isFirst(line: string): boolean {
  return /^\S+ init\b/.test(line);
}

/** All skills share the script, which cannot know whose customization its names mean. */
function withCustomValues(line: string, customization: Values): string {
  return fillNames(line, /\{((?:workflow|agent)\.\w{1,80})\}/g, (name) => {
    const [table, key] = name.split(".");
    const value = asText(asValues(customization[table!])[key!]);
    // Anything else than a path would need quotes.
    return value !== undefined && /^[\w{}./-]+$/.test(value) ? value : undefined;
  });
}

function scoreLine(line: string): number {
  return /\s--(?:fresh|force)\b/.test(line) ? line.length - MAX_LINE : line.length;
}

function tidyLine(line: string): string {
  const plain = line.replaceAll(/\s+/g, " ").replace(/(?<![\s\\.,:–—])[\s\\.,:–—]+$/, "");
  if (plain.length < MAX_LINE) return plain;
  const short = plain.slice(0, MAX_LINE);
  return `${short.slice(0, Math.max(short.lastIndexOf(" --"), plain.indexOf(" "))).trim()} …`;
}

export function renderScripts(library: Library): string {
  const lines = library.effective.flatMap((entry) => findCalls(library, entry)).map(({ substitute, uri }) =>
    `- ${substitute.call}: ${substitute.instead}.${uri === undefined ? "" : ` Source: ${uri}`}`
  );
  return [
    "# Scripts that skills call",
    "",
    "Where an activated text names a call that runs a script, use that. If you can run one neither so nor yourself, do " +
    "this instead:",
    "",
    ...[...new Set(lines)].sort(),
    "",
  ].join("\n");
}

function findCalls(library: Library, entry: Entry, text?: string) {
  const file = fileOf(library, entry);
  const texts = filesOf(library, entry).values().filter(({ path }) => /\.(md|toml|ya?ml|xml)$/.test(path))
    .map(({ path }) =>
      path === entry.file && text !== undefined ? text : findText(file.source.tree, path) ?? ""
    );
  const rests = new Map<string, { readonly path: string; readonly rests: Set<string> }>();
  for (const { path, rest } of texts.flatMap(scriptsIn)) {
    if (rests.size >= MAX_MENTIONS) break;
    const key = `${path} ${substituteFor(baseName(path), rest).call}`;
    const mention = rests.getOrInsertComputed(key, () => ({ path, rests: new Set() }));
    if (mention.rests.size < MAX_MENTIONS) mention.rests.add(rest);
  }
  return rests.values().map(({ path, rests }) => {
    const script = baseName(path);
    const { isAbsolute = false, absolute = "" } = virtualPath(library, path) ?? {};
    return {
      script,
      rests,
      substitute: substituteFor(script, rests.values().next().value!),
      uri: findExactFile(library, path, file)?.uri,
      isShared: isAbsolute && absolute.startsWith("scripts/"),
    };
    // A text may also mention scripts of the user's project.
  }).filter(({ uri, isShared }) => uri !== undefined || isShared).toArray();
}
