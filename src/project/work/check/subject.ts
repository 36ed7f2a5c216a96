/**
 * A story under check: its files as they were read, what it claims, and how a finding about it is written.
 */
import { shorten } from "../../../base/text.ts";
import { baseName } from "../../../content/tree/mod.ts";
import type { Box, Epic, Listed, Problem, State, Story, StoryText } from "../formats/mod.ts";
import { type CheckWorld, claimsWork, type Code, type Finding, FIXES } from "./model.ts";
import type { Commits, Work } from "./history.ts";

/** One story, and everything that a rule may ask about it. */
export interface Subject {
  readonly story: Story;
  readonly epic: Epic;
  /** The state that it is measured by: its own, or the one that it is about to get. */
  readonly state: State;
  /** Its own file and the file of its build, as far as they can be read. */
  readonly texts: readonly StoryText[];
  /** The files that it says it has changed, if it claims to be done. */
  readonly listed: readonly Listed[];
  readonly work?: Work;
  readonly commits?: Commits;
  /** The open boxes of the files of deferred work, with their files. */
  deferred(): readonly (Box & { readonly path: string })[];
  listedElsewhere(path: string): boolean;
  /** Whether the file exists in a folder inside the project, from where the path may be written. */
  isBelow(path: string): boolean;
  readonly world: CheckWorld;
}

/** Looks for one kind of lie in the stories that can tell it. */
export type Rule = readonly [among: Standing, find: (subject: Subject) => Iterable<Finding>];

/** How far the stories are that a rule is about; those in review or done claim that all of their work is. */
export type Standing = "always" | "not begun" | "claimed" | "done";

/** Whether a story in that state is as far as a rule asks. */
export function isAmong(standing: Standing, state: State): boolean {
  if (standing === "claimed") return claimsWork(state);
  if (standing === "not begun") return state === "backlog" || state === "ready";
  return standing === "always" || state === standing;
}

export type Place = Pick<Problem, "path" | "line">;

/** A finding about a story. */
export function found({ story: { ref } }: Subject, code: Code, problem: string, place: Place): Finding {
  return foundIn(code, problem, place, ref);
}

/** A finding about the project, or about the story of a reference. */
export function foundIn(code: Code, problem: string, { path, line }: Place, story?: string): Finding {
  return {
    code,
    ...(story !== undefined && { story }),
    problem,
    path,
    ...(line !== undefined && { line }),
    fix: FIXES[code],
  };
}

/** Words of a file, in quotes: without secrets, on one line, and not many. */
export function quoted({ world }: Subject, text: string): string {
  return `"${shorten(world.clean(text.slice(0, 2_000)), 80)}"`;
}

/** A finding that speaks against what a story claims, or is about to claim; `words` say what its files show. */
export function refuted(subject: Subject, code: Code, words: string, place: Place): Finding {
  const { story, state } = subject;
  const claim = story.state === state ? `is "${state}", but` : `cannot be "${state}" yet:`;
  return found(subject, code, `${nameOf(subject)} ${claim} ${words}`, place);
}

/** `Story 1-2`. */
export function nameOf({ story }: Subject): string {
  return `Story ${story.ref}`;
}

/** The names of a story's files, without their endings. */
export function stemsOf({ file, plan }: Story): readonly string[] {
  return [file, plan].flatMap((path) =>
    path === undefined ? [] : baseName(path).replace(/(?:-plan)?\.md$/i, "")
  );
}

/** Whether a text names a story, and not a version: `Story 1.2`, `feat(1-2): …`, `1-2-sign-in`, `[1.2] …`. */
export function isNamedIn(text: string, story: Story): boolean {
  const start = text.slice(0, 2_000).toLowerCase();
  const names = [story.key, ...stemsOf(story)].filter((name) => /\p{L}/u.test(name));
  const [number] = /^\d{1,4}[.-]\d{1,4}[a-z]?$/.exec(story.ref.toLowerCase()) ?? [];
  const numbers = number === undefined ? [] : [number.replace("-", "."), number.replace(".", "-")];
  const all = [
    ...names.map((name) => name.toLowerCase()),
    ...numbers.flatMap((
      name,
    ) => [`story ${name}`, `story-${name}`, `story #${name}`, `(${name})`, `[${name}]`]),
  ];
  return all.some((name) => {
    const at = start.indexOf(name);
    return at >= 0 && !/^[.-]?\d/.test(start.slice(at + name.length));
  });
}
