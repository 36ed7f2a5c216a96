/**
 * Small projects of which it is known, section by section, which stories need it and which do not.
 *
 * They were written, and every section was labelled, before the ranking was changed for small projects. A
 * line `=== path` begins a file; `@` at the end of a heading or of a requirement says who needs it: stories by their
 * references, `all`, or `none`. `?1-1` says that it does the story `1-1` neither good nor harm.
 */

/** What a person says about a section or a requirement. */
export interface Label {
  readonly path: string;
  /** Its lines that say something, counted from 1. */
  readonly lines: readonly number[];
  /** The heading, or the requirement. */
  readonly text: string;
  readonly needed: ReadonlySet<string>;
  readonly neutral: ReadonlySet<string>;
}

/** A project, and what its stories need. */
export interface LabelledProject {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly stories: readonly string[];
  readonly labels: readonly Label[];
}

/** Lines that were handed out. */
interface Place {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

const LABELLED = /^((?:#{1,6}|-) .*?) ([@?][\w/-]+(?: \??[\w/-]+)*)$/;

/** Two with a sprint, in English and German, and one with a spec folder. */
export const LABELLED_PROJECTS: readonly LabelledProject[] = ["cider", "mobile_library", "loans"]
  .map(readProject);

function readProject(name: string): LabelledProject {
  const text = Deno.readTextFileSync(new URL(`context_sets/${name}.txt`, import.meta.url));
  const blocks = text.split(/^=== /m).slice(1).map((block) => block.split("\n"));
  const read = blocks.map(([path, ...lines]) => readDocument(path!, lines));
  const labels = read.flatMap((document) => document.labels);
  const stories = new Set(labels.flatMap(({ needed }) => [...needed]));
  return {
    name: name.replaceAll("_", " "),
    files: Object.fromEntries(read.map(({ path, text }) => [path, text])),
    stories: [...stories].filter((one) => one !== "all" && one !== "none"),
    labels,
  };
}

function readDocument(path: string, lines: readonly string[]) {
  const labels: (Label & { readonly lines: number[] })[] = [];
  const bare = lines.map((line, at) => {
    const [, text, said] = LABELLED.exec(line) ?? [];
    const isHeading = line.startsWith("#");
    if (said !== undefined) {
      const words = said.replace("@", "").split(" ");
      const neutral = words.filter((word) => word.startsWith("?"));
      labels.push({
        path,
        lines: [],
        text: text!,
        needed: new Set(words.filter((word) => !neutral.includes(word))),
        neutral: new Set(neutral.map((word) => word.slice(1))),
      });
    }
    if (!isHeading && line.trim() !== "") labels.at(-1)?.lines.push(at + 1);
    return text ?? line;
  });
  return { path, text: bare.join("\n"), labels: labels.filter(({ lines }) => lines.length > 0) };
}

/** How much of what a story needs is among these places, and how much of what is there it needs. */
export function judge({ labels }: LabelledProject, story: string, places: readonly Place[]) {
  const covers = (path: string, line: number) =>
    places.some((place) => place.path === path && place.from <= line && line <= place.to);
  const saysFor = (names: ReadonlySet<string>) => names.has(story) || names.has("all");
  const needed = labels.filter((label) => saysFor(label.needed));
  const missing = needed.filter(({ path, lines }) => !lines.every((line) => covers(path, line)));
  const wrong = labels.filter(({ path, lines, needed, neutral }) =>
    !saysFor(needed) && !saysFor(neutral) && lines.some((line) => covers(path, line))
  );
  const found = needed.length - missing.length;
  return {
    recall: found / needed.length,
    precision: found === 0 ? 0 : found / (found + wrong.length),
    missing,
    wrong,
  };
}
