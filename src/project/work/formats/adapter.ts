import { shorten } from "../../../base/text.ts";
import type { Interruptible } from "../../../base/work.ts";
import type { StoryDocument } from "./document.ts";
import type { Planned } from "./epics_document.ts";
import { isBehind, ledgerFor, meaningOf } from "./forms.ts";
import { type FormName, isOver, isStarted, type Problem, type State, stateOf } from "./model.ts";
import { type ActionItem, type Epic, NO_FACTS, type Story } from "./story_facts.ts";
import { withoutIds } from "./requirement_ids.ts";
import type { Source } from "./source.ts";

export interface Adapter {
  readonly format: string;
  find(source: Source): readonly string[];
  /** Elsewhere, the states of stories tell what waits for what. */
  readonly knowsWaits?: true;
  read(source: Source, path: string): Interruptible<Reading>;
}

export interface Reading {
  readonly epics: readonly Epic[];
  readonly actions: readonly ActionItem[];
  readonly unlisted?: readonly string[];
}

export function compareWithLedger(
  form: FormName,
  { state, word }: { readonly state: State; readonly word: string },
  document: StoryDocument | undefined,
): Pick<Story, "note" | "due" | "drift"> {
  const own = document?.status;
  if (own === undefined || own.word === word) return { drift: [] };
  const said = stateOf(own.word);
  const meaning = meaningOf(form, state, said ?? "blocked");
  if (meaning !== undefined) return { ...meaning, drift: [] };
  const problem = `it says "${own.word}", but the ledger says "${word}"`;
  const drift = [{ path: document!.path, line: own.line, problem }];
  // An unknown word says nothing about the ledger.
  if (said === undefined || stateOf(word) === undefined) return { drift };
  return { due: isBehind(word, own.word) ? ledgerFor(form, said) : state, drift };
}

export function stateIn(
  source: Source,
  name: string,
  document: StoryDocument | undefined,
): { readonly state: State; readonly status?: string } {
  const { word, line } = document?.status ?? {};
  if (word === undefined) return { state: "backlog" };
  return {
    state: knownState(source, `story ${name}`, word, [document!.path, line]) ?? "blocked",
    status: word,
  };
}

export function knownState(
  source: Source,
  name: string,
  word: string,
  [path, line]: readonly [path: string, line: number | undefined],
): State | undefined {
  const state = stateOf(word);
  if (state === undefined) source.report(path, `${name} has the unknown status "${word}"`, line);
  return state;
}

export function titleFromKey(key: string): string {
  const words = shorten(key.replaceAll(/[-_]+/g, " "));
  return words === "" ? "" : `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

export function epicIn(ref: string, planned: Planned | undefined) {
  const { title, path: file, after, covers } = planned ?? {};
  return {
    ref,
    title: title || (ref === "" ? "Stories without an epic" : `Epic ${ref}`),
    file,
    after,
    covers,
  };
}

type KnownEpic = Pick<Epic, "ref" | "state" | "ledger" | "stories"> & Partial<Epic>;

export function epicOf({ title, ...facts }: KnownEpic): Epic {
  return {
    after: [],
    waitsFor: [],
    covers: [],
    drift: [],
    ...known(facts),
    title: withoutIds(title || facts.ref),
  };
}

type KnownStory = Pick<Story, "ref" | "key" | "form" | "title" | "state" | "ledger"> & Partial<Story>;

export function storyOf(facts: KnownStory): Story {
  return { ...NO_FACTS, ...known(facts), title: withoutIds(facts.title) };
}

function known<T extends object>(facts: T): T {
  const found: Partial<T> = {};
  for (const name in facts) if (facts[name] !== undefined) found[name] = facts[name];
  return found as T;
}

export function endedEarly(
  state: State,
  stories: readonly Story[],
  { called, ...place }: Pick<Problem, "path" | "line"> & { readonly called: string },
): readonly Problem[] {
  const open = stories.filter((story) => !isOver(story.state)).length;
  if (state !== "done" || open === 0) return [];
  return [{ ...place, problem: `it is done, but ${open} of its ${called} ${open === 1 ? "is" : "are"} not` }];
}

export function stateOfStories(stories: readonly Story[]): State {
  if (stories.length > 0 && stories.every(({ state }) => isOver(state))) return "done";
  return stories.some(({ state }) => isStarted(state)) ? "in-progress" : "backlog";
}
