/**
 * What may be run for a story: nothing that only the caller has made up.
 *
 * A command that the story's own documents spell is given to bash as it is. A call of a test runner runs what the project's
 * files define, and is never given to a shell: its words are plain, its paths stay in the project, and only options are
 * known that run no other program.
 */
import { BmadError } from "../../../base/errors.ts";
import { codeSpansIn, linesOf } from "../../../base/markdown.ts";
import { normalizeText } from "../../../content/parse.ts";
import { readReview, readStoryText } from "../formats/mod.ts";

/** Test runners that are called alike. */
interface Runner {
  /** How they are called: `a|b` is one of both, NAME a task that the project's files define. */
  readonly calls: readonly string[];
  /** Those that do no harm; one that ends with `=` has a value, which may also be the next word. */
  readonly options: readonly string[];
  /** Whether other words choose tests; elsewhere they would be tasks, or parts of a shell command. */
  readonly takesWords: boolean;
}

const OUTPUT = ["-v", "--verbose", "-q", "--quiet", "-s", "--silent", "--no-color"];
const FILTERS = ["-t=", "--testNamePattern=", "--test-name-pattern=", "--grep=", "-g=", "--filter="];

const RUNNERS: readonly Runner[] = [
  {
    calls: ["npm|pnpm|yarn|bun test", "npm|pnpm|yarn|bun run NAME"],
    options: ["--", "-w=", "--workspace=", "--workspaces", "--if-present", "--run", "--coverage", ...FILTERS],
    takesWords: true,
  },
  {
    calls: ["npx vitest|jest|mocha", "npx playwright test", "node --test"],
    options: ["--run", "--coverage", "--project=", ...FILTERS],
    takesWords: true,
  },
  {
    calls: ["deno test"],
    options: ["-A", "-P", "--no-check", "--doc", "--parallel", "--fail-fast", "--filter="],
    takesWords: true,
  },
  { calls: ["deno task NAME"], options: ["--", ...FILTERS], takesWords: true },
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
 * The commands that a document tells its readers to run: its code spans, and the lines of its code blocks. What a review
 * or an earlier run has noted is left out: it may be anybody's words.
 */
export function commandsIn(path: string, text: string): ReadonlySet<string> {
  const story = readStoryText(path, text);
  const { outline, end, runs } = story;
  const noted = new Set([...runs, ...readReview(story).findings].map(({ line }) => line));
  const commands = new Set<string>();
  // What a script has printed into a file is not written for readers.
  if (outline.length === 0) return commands;
  let next = 0;
  for (const { text: line, number, isCode } of linesOf(normalizeText(text), end)) {
    while (next < outline.length && outline[next]!.line <= number) next++;
    if (outline[next - 1]?.role === "review" || noted.has(number)) continue;
    const found = isCode
      ? [line.replace(/^\s*\$ /, "")]
      : codeSpansIn(line).map(([from, to]) => withoutTicks(line.slice(from, to)));
    for (const one of found) commands.add(one.trim());
  }
  return commands;
}

function withoutTicks(span: string): string {
  const [ticks = ""] = /^`+/.exec(span) ?? [];
  return span.slice(ticks.length, span.length - ticks.length);
}

/** The arguments with which bash runs a command; undefined if that is nobody's but the caller's. */
export async function bashArguments(
  command: string,
  known: ReadonlySet<string>,
): Promise<readonly string[] | undefined> {
  if (known.has(command)) return ["-c", command];
  const words = await wordsOf(command);
  if (words === undefined || !RUNNERS.some((runner) => isCallOf(runner, words))) return undefined;
  return ["-c", 'exec "$@"', "bash", ...words];
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

function isCallOf({ calls, options, takesWords }: Runner, words: readonly string[]): boolean {
  return calls.map((call) => call.split(" ")).some((call) => {
    const isNamed = call.every((part, at) =>
      part === "NAME" ? isName(words[at] ?? "") : part.split("|").includes(words[at] ?? "")
    );
    return isNamed && areHarmless(words.slice(call.length), [...options, ...OUTPUT], takesWords);
  });
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
