/** The story that a name means: its reference, key, file or title, as people and models write them. */
import { fail, failMissing } from "../../../base/errors.ts";
import { suggest } from "../../../base/suggestions.ts";
import { slug } from "../../../base/values.ts";
import { baseName } from "../../../content/tree/mod.ts";
import type { Board, Epic, Story } from "../formats/mod.ts";

export interface About {
  readonly ledger: string;
  /** As `identityOf` gives it. */
  readonly story: string;
}

export interface StoryMatch {
  readonly story: Story;
  readonly epic: Epic;
}

/** The most exact first. */
const TIERS: readonly ((name: string, story: Story) => boolean)[] = [
  (name, { ref, key, file, plan }) => name === ref || name === key || name === file || name === plan,
  (name, { ref, key, file }) => [ref, key, stemOf(file)].some((one) => plainName(one) === plainName(name)),
  (name, { title }) => plainName(title) === plainName(name),
  (name, { key, ref }) =>
    [key, ref].some((one) =>
      plainName(one).startsWith(`${plainName(name)}-`) || plainName(one).endsWith(`-${plainName(name)}`)
    ),
];

function stemOf(file: string | undefined): string | undefined {
  return file && baseName(file).replace(/\.md$/, "");
}

/** `Story 1.2`, `1-2`, `1_2` and `1.02` are the same. */
export function plainName(name: string | undefined): string {
  const words = slug((name ?? "").replace(/^(?:story|ticket)\s+/i, ""));
  return words.replaceAll(/(?<![\p{L}\p{N}])0+(?=\d)/gu, "");
}

export interface Target {
  readonly epic: Epic;
  readonly story?: Story;
  readonly isRetrospective: boolean;
}

/** `epic-1`, `spec-shop`, `epic-1-retrospective`. */
export function epicName({ ref }: Pick<Epic, "ref">, isRetrospective = false): string {
  const name = /^\d/.test(ref) ? `epic-${ref}` : ref;
  return isRetrospective ? `${name}-retrospective` : name;
}

export function findTarget(board: Board, given: string): Target {
  const name = plainName(given.trim());
  const own = name.replace(/-retro(?:spective)?$/, "");
  const isRetrospective = own !== name;
  // A number alone begins the references of stories.
  const epics = board.epics.filter(({ ref, title, file, retrospective }) => {
    const stem = stemOf(file);
    const names = [`epic-${ref}`, /^\d+$/.test(ref) ? "" : ref, stem, `epic-${ref}-${title}`].map(plainName);
    return own !== "" && names.includes(own) && (!isRetrospective || retrospective !== undefined);
  });
  if (epics.length === 1) return { epic: epics[0]!, isRetrospective };
  if (epics.length > 1) {
    const candidates = epics.map((one) => ({ name: `${one.ref} in ${one.ledger}`, description: one.title }));
    return fail({ code: "ambiguous", what: "epic", name: given.trim(), candidates });
  }
  return { ...findStory(board, given), isRetrospective: false };
}

export function matchesIn({ epics }: Pick<Board, "epics">): readonly StoryMatch[] {
  return epics.flatMap((epic) => epic.stories.map((story) => ({ story, epic })));
}

export function storiesNamed(board: Pick<Board, "epics">, given: string): readonly StoryMatch[] {
  const name = given.trim();
  if (plainName(name) === "") return [];
  const all = matchesIn(board);
  return TIERS.values().map((fits) => all.filter(({ story }) => fits(name, story)))
    .find((found) => found.length > 0) ?? [];
}

export function findStory(board: Board, given: string): StoryMatch {
  const { epics, unlisted } = board;
  const name = given.trim();
  const found = storiesNamed(board, name);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const candidates = found.slice(0, 10).map(({ story: { key, file, ledger, title } }) => ({
      name: found.every(({ story }) => story.key !== key || story.file === file) ? key : file ?? ledger,
      description: title,
    }));
    return fail({ code: "ambiguous", what: "story", name, candidates });
  }
  const all = epics.flatMap(({ stories }) => stories);
  if (unlisted.some((ref) => plainName(ref) === plainName(name))) {
    const hint = "the plan has it, but the sprint does not; add it";
    return fail({ code: "not-allowed", what: `use story ${name}`, hint, fixes: ["plan"] });
  }
  const names = all.slice(0, 2_000).map(({ ref, key, title }) => ({
    label: ref,
    spellings: [ref, key, title].map((one) => one.toLowerCase()),
  }));
  const hint = all.length === 0 ? "The project has no stories yet" : undefined;
  const suggestions = suggest(name.toLowerCase(), names);
  return failMissing("story", name, { suggestions, hint });
}

export function mapStories<T extends Board>(board: T, change: (story: Story, epic: Epic) => Story): T {
  const epics = board.epics.map((epic) => ({
    ...epic,
    stories: epic.stories.map((story) => change(story, epic)),
  }));
  return { ...board, epics };
}
