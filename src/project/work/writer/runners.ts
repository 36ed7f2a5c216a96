/**
 * What may be run for a story: nothing that only the caller has made up.
 *
 * A command that the story's own documents tell to run is given to bash as it is. A call of a test runner runs what the
 * project's files define, and is never given to a shell: its words are plain, its paths stay in the project, and only
 * options are known that run no other program.
 */
import { BmadError } from "../../../base/errors.ts";
import { codeSpansIn, linesOf } from "../../../base/markdown.ts";
import { splitLines } from "../../../base/text.ts";
import { asValues, parseJson } from "../../../base/values.ts";
import { normalizeText } from "../../../content/parse.ts";
import type { ProjectFiles } from "../../files/mod.ts";
import { COMMAND_SECTIONS, type Heading, readReview, readStoryText } from "../formats/mod.ts";

/** Test runners that are called alike. */
interface Runner {
  /** How they are called: `a|b` is one of both, NAME a task that the project's files define. */
  readonly calls: readonly string[];
  /** The files one of which has to define the last word of the call: with no such task, any program of that name would run. */
  readonly tasks?: TaskFiles;
  /** The word after the program that keeps it from downloading what it is to run. */
  readonly offline?: string;
  /** Those that do no harm; one that ends with `=` has a value, which may also be the next word. */
  readonly options: readonly string[];
  /** Whether other words choose tests; elsewhere they would be tasks, or parts of a shell command. */
  readonly takesWords: boolean;
}

/** Files with tasks, and the field of each that has them by their names. */
type TaskFiles = Readonly<Record<string, string>>;

const SCRIPTS: TaskFiles = { "package.json": "scripts" };
const OUTPUT = ["-v", "--verbose", "-q", "--quiet", "-s", "--silent", "--no-color"];
const FILTERS = ["-t=", "--testNamePattern=", "--test-name-pattern=", "--grep=", "-g=", "--filter="];

const RUNNERS: readonly Runner[] = [
  {
    calls: ["npm|pnpm|yarn test", "npm|pnpm|yarn|bun run NAME"],
    tasks: SCRIPTS,
    options: ["--", "-w=", "--workspace=", "--workspaces", "--if-present", "--run", "--coverage", ...FILTERS],
    takesWords: true,
  },
  { calls: ["bun test"], options: ["--", "--coverage", ...FILTERS], takesWords: true },
  {
    calls: ["npx vitest|jest|mocha", "npx playwright test"],
    offline: "--no",
    options: ["--run", "--coverage", "--project=", ...FILTERS],
    takesWords: true,
  },
  { calls: ["node --test"], options: FILTERS, takesWords: true },
  {
    calls: ["deno test"],
    options: ["-A", "-P", "--no-check", "--parallel", "--fail-fast", "--filter="],
    takesWords: true,
  },
  {
    calls: ["deno task NAME"],
    tasks: { "deno.json": "tasks", "deno.jsonc": "tasks", ...SCRIPTS },
    options: ["--", ...FILTERS],
    takesWords: true,
  },
  {
    calls: ["cargo test", "cargo nextest run"],
    options: ["--", "-p=", "--package=", "--workspace", "--all", "--lib", "--doc", "--release", "--test="],
    takesWords: true,
  },
  {
    calls: ["go test"],
    options: ["-run=", "-race", "-short", "-cover", "-count=", "-timeout=", "-tags="],
    takesWords: true,
  },
  {
    calls: ["pytest", "python|python3 -m pytest|unittest", "uv|poetry run pytest"],
    options: ["-k=", "-m=", "-x", "--lf", "--ff", "--maxfail=", "--tb="],
    takesWords: true,
  },
  { calls: ["mvn|./mvnw test|verify"], options: ["-Dtest=", "-pl=", "-am", "-B"], takesWords: false },
  { calls: ["gradle|./gradlew test|check"], options: ["--tests=", "--info"], takesWords: false },
  {
    calls: ["dotnet test"],
    options: ["--no-build", "--filter=", "-c=", "--configuration="],
    takesWords: true,
  },
  { calls: ["make|just NAME"], options: [], takesWords: false },
  {
    calls: ["bundle exec rspec", "bin/rails test", "vendor/bin/phpunit|pest"],
    options: ["-e=", "--example=", "--filter=", "--testsuite="],
    takesWords: true,
  },
  { calls: ["composer test", "composer run NAME"], options: ["--", "--filter="], takesWords: true },
  {
    calls: ["mix test", "dart|flutter test", "swift test"],
    options: ["--only=", "--name=", "--plain-name=", "--filter="],
    takesWords: true,
  },
];

/**
 * The commands that a document tells its readers to run: the code spans and the lines of code blocks in the sections that
 * have commands. What a review, an earlier run or an entry of a log has noted is left out: it may be anybody's words.
 *
 * `hasStamps` says that an entry of a log leaves its field `updated` in the file.
 */
export function commandsIn(path: string, text: string, hasStamps: boolean): ReadonlySet<string> {
  const story = readStoryText(path, text);
  const { outline, end, runs } = story;
  const clean = normalizeText(text);
  // As they are: what closes a comment is left out of the others.
  const all = splitLines(clean);
  const noted = new Set([...runs, ...readReview(story).findings].map(({ line }) => line));
  const mayHaveEntries = all[0]!.startsWith("---") &&
    (!hasStamps || end === 0 || all.slice(0, end).some((line) => line.startsWith("updated:")));
  const commands = new Set<string>();
  // In the page of a script, its caller's words may be lines of their own.
  if (clean.startsWith(PAGE)) return commands;
  let open: readonly Heading[] = [];
  let isTold = false;
  let next = 0;
  for (const { text: line, number, isCode } of linesOf(clean, end)) {
    for (; next < outline.length && outline[next]!.line <= number; next++) {
      const heading = outline[next]!;
      open = [...open.filter(({ level }) => level < heading.level), heading];
      isTold = tellsCommands(open);
    }
    const isEntry = mayHaveEntries && all[number - 1]!.startsWith(ENTRY);
    if (!isTold || isEntry || noted.has(number)) continue;
    const found = isCode
      ? [line.replace(/^\s*\$ /, "")]
      : codeSpansIn(line).map(([from, to]) => withoutTicks(line.slice(from, to)));
    for (const one of found) commands.add(one.trim());
  }
  return commands;
}

/** How `brain.py` begins a page, which it writes in place of any file. */
const PAGE = "<!doctype html>";
/** How `memlog.py` begins an entry, which it adds to any file with front matter. */
const ENTRY = "- ";

/** Whether a line below some headings, the outermost first, is in a section with commands. The title is not one. */
function tellsCommands(open: readonly Heading[]): boolean {
  const sections = open.filter(({ level }) => level > 1);
  return sections.every(({ role }) => role !== "review") &&
    sections.some(({ role, text }) =>
      role === "tasks" || COMMAND_SECTIONS.some((title) => text.toLowerCase().startsWith(title.toLowerCase()))
    );
}

function withoutTicks(span: string): string {
  const [ticks = ""] = /^`+/.exec(span) ?? [];
  return span.slice(ticks.length, span.length - ticks.length);
}

/** The arguments with which bash runs a command; undefined if that is nobody's but the caller's. */
export async function bashArguments(
  command: string,
  known: ReadonlySet<string>,
  files: Pick<ProjectFiles, "find">,
): Promise<readonly string[] | undefined> {
  if (known.has(command)) return ["-c", command];
  const words = await wordsOf(command);
  const runner = words && RUNNERS.find((runner) => isCallOf(runner, words, files));
  if (runner === undefined) return undefined;
  const [program, ...rest] = words!;
  return [
    "-c",
    'exec "$@"',
    "bash",
    program!,
    ...runner.offline === undefined ? [] : [runner.offline],
    ...rest,
  ];
}

/** The words of a command; undefined if only a shell understands it. */
async function wordsOf(command: string): Promise<readonly string[] | undefined> {
  const { splitWords } = await import("../../scripts/mod.ts");
  try {
    return splitWords(command);
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return undefined;
  }
}

function isCallOf(
  { calls, tasks, options, takesWords }: Runner,
  words: readonly string[],
  files: Pick<ProjectFiles, "find">,
): boolean {
  return calls.map((call) => call.split(" ")).some((call) => {
    const isNamed = call.every((part, at) =>
      part === "NAME" ? isName(words[at] ?? "") : part.split("|").includes(words[at] ?? "")
    );
    const others = words.slice(call.length);
    return isNamed && areHarmless(others, [...options, ...OUTPUT], takesWords) &&
      (tasks === undefined ||
        ["", ...workspacesIn(words)].some((folder) =>
          hasTask(files, folder, tasks, words[call.length - 1]!)
        ));
  });
}

/** The folders whose tasks npm runs instead; the others would run a program of the task's name at the root. */
function workspacesIn([program, ...words]: readonly string[]): readonly string[] {
  if (program !== "npm") return [];
  return words.flatMap((word, at) => {
    const [name, ...value] = word.split("=");
    if (name !== "-w" && name !== "--workspace") return [];
    return [`${(value[0] ?? words[at + 1] ?? "").replace(/\/$/, "")}/`];
  });
}

function hasTask(files: Pick<ProjectFiles, "find">, folder: string, tasks: TaskFiles, name: string): boolean {
  return Object.entries(tasks).some(([file, field]) => {
    const text = files.find(folder + file);
    return text !== undefined && Object.hasOwn(asValues(asValues(parseJson(plainJson(text)))[field]), name);
  });
}

/** JSON without the comments and the commas at the end of lists that some files may have. */
function plainJson(text: string): string {
  return normalizeText(text)
    .replaceAll(/("(?:[^"\\]|\\.)*"?)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/gs, "$1")
    .replaceAll(/("(?:[^"\\]|\\.)*"?)|,(?=\s*[}\]])/gs, "$1");
}

function areHarmless(words: readonly string[], options: readonly string[], takesWords: boolean): boolean {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith("-")) {
      if (takesWords && isInProject(word)) continue;
      return false;
    }
    if (options.includes(word)) continue;
    const [name] = word.split("=", 1) as [string];
    if (!options.includes(`${name}=`)) return false;
    const value = name === word ? words[++at] ?? "" : word.slice(name.length + 1);
    if (!isInProject(value)) return false;
  }
  return true;
}

function isName(word: string): boolean {
  return /^[\p{L}\p{N}_.][\p{L}\p{N}_.:-]{0,99}$/u.test(word);
}

/** Whether a word is a path in the project, or no path at all, and nothing in it means anything to a shell. */
function isInProject(word: string): boolean {
  if (!/^[\p{L}\p{N}_.:[][\p{L}\p{N}_.:,+%@/[\] -]{0,299}$/u.test(word)) return false;
  // A name before a colon is a scheme or a drive, unless it is a part of a test's own name.
  return !/^[A-Za-z][A-Za-z0-9+.-]*:(?!:)/.test(word) && !word.split("/").includes("..");
}
