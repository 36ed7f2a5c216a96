/**
 * What an adapter for a format of ledgers is, and what several of them need.
 */
import { shorten } from "../../../base/text.ts";
import { asText } from "../../../base/values.ts";
import type { Steps } from "../../../base/work.ts";
import type { StoryDocument } from "./document.ts";
import { meaningOf } from "./forms.ts";
import type { ActionItem, Epic, FormName, Problem, State, Story } from "./model.ts";
import type { Source } from "./source.ts";
import { isOver, isStarted, stateOf } from "./status.ts";

/** Reads one format. */
export interface Adapter {
  /** `sprint-status`. */
  readonly format: string;
  /** The ledgers of this format in the project. */
  find(source: Source): readonly string[];
  /** Whether it says itself what waits for what; of other ledgers, the states of stories tell. */
  readonly knowsWaits?: true;
  /** Everything in one of them; what is wrong goes to `source.report`. */
  read(source: Source, path: string): Steps<Reading>;
}

/** All that one ledger says. */
export interface Reading {
  readonly epics: readonly Epic[];
  readonly actions: readonly ActionItem[];
}

/** What a ledger says of a story. */
export interface Entry {
  readonly ledger: string;
  readonly line?: number;
  readonly state: State;
  readonly word: string;
}

/** What the file of a story and its ledger say together: a note where they differ as they should, or a contradiction. */
export function compareWithLedger(
  form: FormName,
  { state, word }: Entry,
  document: StoryDocument | undefined,
): { readonly note?: string; readonly drift: readonly Problem[] } {
  const own = document?.status;
  if (own === undefined || own.word === word) return { drift: [] };
  const meaning = meaningOf(form, state, stateOf(own.word) ?? "blocked");
  if (meaning !== undefined) return { ...meaning, drift: [] };
  const problem = `it says "${own.word}", but the ledger says "${word}"`;
  return { drift: [{ path: document!.path, line: own.line, problem }] };
}

/** Why a story is blocked, by its front matter. */
export function blockedBy(document: StoryDocument | undefined): { readonly reason?: string } {
  const reason = asText(document?.fields["blocked_reason"]);
  return reason === undefined ? {} : { reason: shorten(reason) };
}

/** `-account-management` → `Account management`. */
export function titleFromKey(key: string): string {
  const words = shorten(key.replaceAll(/[-_]+/g, " "));
  return words === "" ? "" : `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

/** What is known of an epic; the rest is empty. */
type EpicFacts = Pick<Epic, "ref" | "state" | "ledger" | "stories"> & Partial<Epic>;

/** An epic. Without a title it has its reference. */
export function epicOf({ title, ...facts }: EpicFacts): Epic {
  const given = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  return { after: [], waitsFor: [], covers: [], drift: [], ...given as EpicFacts, title: title || facts.ref };
}

/** The state of an epic that says nothing itself. */
export function stateOfStories(stories: readonly Story[]): State {
  if (stories.length > 0 && stories.every(({ state }) => isOver(state))) return "done";
  return stories.some(({ state }) => isStarted(state)) ? "in-progress" : "backlog";
}
