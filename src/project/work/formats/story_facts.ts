/**
 * The board, the same for every ledger, and a row for each fact of a story: where it is kept, how it is read, and how
 * people and programs see it. What a form computes itself has no keys here.
 */
import { abbreviateList, counted, oneLine, shorten } from "../../../base/text.ts";
import { asText, asTexts, type Values } from "../../../base/values.ts";
import { LIMITS } from "../../limits.ts";
import type { Body } from "./document.ts";
import { findingIn } from "./findings.ts";
import {
  type Boxes,
  type Claim,
  type Elsewhere,
  elsewhereWords,
  type Forced,
  type FormName,
  isOver,
  placeOf,
  type Problem,
  problemLine,
  type Question,
  questionWords,
  renderEnd,
  type State,
} from "./model.ts";
import { findIds } from "./requirement_ids.ts";
import { type Tracked, TRACKER_STATUSES } from "./trackers.ts";

/** In `stories.yaml`, the story's file, `tickets.toml`, a ticket's plan, an epic. */
type FactPlace = "row" | "file" | "entry" | "plan" | "section";

export interface FactSource extends Partial<Body> {
  readonly fields?: Values;
  readonly title?: string | undefined;
}

type FactSources = Readonly<Partial<Record<FactPlace, FactSource | undefined>>>;

const EVERYWHERE: readonly FactPlace[] = ["row", "file", "entry", "plan", "section"];

interface Fact<T> {
  /** The first with a readable value counts. */
  readonly keys?: readonly string[];
  readonly parse?: (value: unknown) => T | undefined;
  readonly lines?: (source: FactSource) => T | undefined;
  /** The first that has it, by fields or else lines. */
  readonly places?: readonly FactPlace[];
  readonly join?: (one: T, other: T) => T;
  /** Instead of keys, lines and places. */
  readonly read?: (sources: FactSources) => T | undefined;
  /** Without it, the field is missing. */
  readonly none?: T;
  readonly label?: string;
  readonly show?: (value: T, state: State) => string | readonly string[] | undefined;
  readonly column?: (value: T) => string;
  readonly note?: (value: T, state: State) => string | false | undefined;
  /** In a report of changes: the new value, if that is not the note, and one that is gone. */
  readonly change?: (value: T) => string | undefined;
  readonly gone?: string;
  /** The note, or a shorter word with the note as its explanation. */
  readonly card?: {
    readonly tone: "" | "mark" | "warn";
    readonly word?: (value: T) => string;
    readonly about?: (value: T) => string;
  };
  readonly json: readonly [type: string, meaning: string, ...fields: (readonly [string, string, string])[]];
}

const fact = <T>(row: Fact<T>) => row;
const factWith = <T>(none: T, row: Fact<T>) => ({ ...row, none });

const textUpTo = (max?: number) => (value: unknown): string | undefined => {
  const text = asText(value);
  return text && shorten(text, max);
};
const listed = (values: readonly string[]) => values.length === 0 ? undefined : values.join(", ");

/** First what keeps a story from going on. */
export const STORY_FACTS = {
  title: fact<string>({
    keys: ["title"],
    parse: textUpTo(),
    lines: ({ title }) => textUpTo()(title),
    // The entry has what the ticket's file leaves out.
    places: ["section", "row", "entry", "file", "plan"],
    json: ["text", "its title"],
  }),
  reason: fact<string>({
    keys: ["blocked_reason"],
    parse: textUpTo(),
    places: ["file"],
    label: "reason",
    note: (reason) => reason,
    json: ["text", "why it is blocked"],
  }),
  isUnrefined: fact<true>({
    label: "refined",
    show: () => "not yet",
    note: () => "to be refined",
    card: { tone: "" },
    json: ["yes or no", "it has to be refined before it can be built"],
  }),
  unknown: fact<string>({
    label: "open question",
    note: (unknown, state) => !isOver(state) && `open question: ${unknown}`,
    gone: "no open question",
    card: { tone: "mark", word: () => "question" },
    json: ["text", "the question that has to be settled before it can be built"],
  }),
  questions: fact<readonly number[]>({
    label: "waits for an answer",
    show: (numbers, state) => isOver(state) ? undefined : questionWords(numbers),
    note: (numbers, state) => !isOver(state) && `waits for ${questionWords(numbers)}`,
    gone: "no question open",
    card: { tone: "mark" },
    json: ["list of number", "the questions about it that nobody has answered"],
  }),
  owner: fact<string>({
    keys: ["owner", "assignee"],
    parse: textUpTo(60),
    lines: ({ owner }) => owner,
    // Whoever builds a ticket says so in its plan.
    places: ["row", "plan", "file", "entry", "section"],
    label: "owner",
    column: (owner) => owner,
    note: (owner) => owner,
    change: (owner) => `owner ${owner}`,
    gone: "no owner",
    json: ["text", "who works on it"],
  }),
  tracked: fact<Tracked>({
    label: "tracker",
    show: ({ store, id, url }) =>
      id === undefined
        ? `${store} (not published)`
        : `${store}, ${id}${url === undefined ? "" : ` (${url})`}`,
    json: [
      "object",
      "the tracker that keeps its status",
      ["store", "text", "its name"],
      ["id?", "text", "its id there; without one, it is not published yet"],
      ["url?", "text", "its page there"],
      ...TRACKER_STATUSES.map((status) => [`${status}?`, "text", `what gives it that status there`] as const),
    ],
  }),
  elsewhere: fact<Elsewhere>({
    label: "elsewhere",
    show: (elsewhere, state) => isOver(state) ? undefined : elsewhereWords(elsewhere),
    note: (elsewhere, state) => !isOver(state) && elsewhereWords(elsewhere),
    gone: "no longer ahead elsewhere",
    card: { tone: "mark" },
    json: [
      "object",
      "how far it has come on another branch",
      ["state", "text", "its state there"],
      ["on", "text", "the branch, or the commit"],
      ["by?", "text", "who moved it"],
      ["problem?", "text", "why it may never come here"],
    ],
  }),
  claim: fact<Claim & { readonly holder: string }>({
    label: "held by",
    show: (claim) => `${claim.holder} until ${renderEnd(claim)}`,
    column: ({ holder }) => holder,
    note: ({ holder }) => `held by ${holder}`,
    gone: "released",
    json: [
      "object",
      "who holds it",
      ["by", "text", "the name of its owner"],
      ["until", "text", "when that ends, as an ISO time"],
      ["place?", "text", "where, if that is another seat, worktree or clone"],
      ["active?", "text", "the last sign from there, as an ISO time"],
      ["isLeft?", "yes or no", "that has ended, so that its owner may go on anywhere"],
      ["holder", "text", "both, as people are told"],
    ],
  }),
  note: fact<string>({
    label: "note",
    json: ["text", "what it means that ledger and document differ, where that is as it should be"],
  }),
  baseline: fact<string>({
    keys: ["baseline_commit", "baseline_revision", "baseline"],
    parse: (value) => {
      const text = asText(value);
      return text !== undefined && /^[0-9a-f]{7,64}$/i.test(text) ? text.toLowerCase() : undefined;
    },
    json: ["text", "the commit that its work began from"],
  }),
  began: fact<string>({
    json: ["text", "the commit at its first claim or start, as our records or commits have it"],
  }),
  after: factWith<readonly string[]>([], {
    keys: ["after", "depends_on", "dependencies"],
    parse: referencesIn,
    lines: ({ after }) => after,
    places: ["row", "file", "section"],
    join: union,
    label: "builds on",
    show: listed,
    json: ["list of text", "what it builds on"],
  }),
  covers: factWith<readonly string[]>([], {
    keys: ["covers", "requirements"],
    parse: coversIn,
    lines: ({ covers }) => covers,
    places: ["section", "row", "entry", "file"],
    join: union,
    label: "covers",
    show: listed,
    json: ["list of text", "requirement ids"],
  }),
  boxes: factWith<Boxes>({ ticked: 0, total: 0 }, {
    lines: ({ boxes }) => boxes,
    places: ["plan", "file"],
    label: "boxes",
    show: ({ ticked, total }) => total === 0 ? undefined : `${ticked} of ${total} ticked`,
    column: ({ ticked, total }) => total === 0 ? "" : `${ticked}/${total}`,
    note: ({ ticked, total }) => total > 0 && `${ticked} of ${counted(total, "box", "boxes")} ticked`,
    json: [
      "object",
      "its task lists",
      ["ticked", "number", "the ticked boxes of its task lists"],
      ["total", "number", "all boxes"],
    ],
  }),
  waitsFor: factWith<readonly string[]>([], {
    label: "waits for",
    show: listed,
    column: (refs) => refs.join(", "),
    note: (refs, state) => refs.length > 0 && state !== "done" && `waits for ${refs.join(", ")}`,
    gone: "waits for nothing",
    card: { tone: "" },
    json: ["list of text", "what of that is not finished"],
  }),
  forced: fact<Forced>({
    label: "forced",
    show: ({ at, by, reasons }) =>
      `${by === undefined ? "" : `by ${by} `}on ${at.slice(0, 10)}: ${
        reasons.join("; ") || "no reason known"
      }`,
    note: () => "forced",
    card: { tone: "warn" },
    json: [
      "object",
      "its status was forced",
      ["at", "text", "when, as an ISO time"],
      ["by?", "text", "by whom"],
      ["reasons", "list of text", "what spoke against it"],
    ],
  }),
  findings: fact<number>({
    read: ({ plan, file }) =>
      new Set([plan, file].flatMap((one) => one?.openFindings ?? []).map(findingIn)).size || undefined,
    label: "findings",
    show: (count) => `${count} open`,
    note: (count) => `${counted(count, "finding")} open`,
    gone: "no finding open",
    card: { tone: "warn", word: (count) => counted(count, "finding") },
    json: ["number", "how many findings of its reviews are open"],
  }),
  stale: fact<readonly string[]>({
    label: "stale",
    show: (stale) => staleWords(stale),
    note: (ids) => `stale: ${staleWords(ids, "changed")}`,
    gone: "no longer stale",
    card: { tone: "warn", word: () => "stale" },
    json: [
      "list of text",
      "the requirements that have changed since its work began: `FR1`, `FR2 is now FR4`, `FR3 was removed`",
    ],
  }),
  accepted: fact<readonly string[]>({
    json: [
      "list of text",
      "requirements whose change somebody has accepted for it, each with a hash of its words",
    ],
  }),
  answers: fact<readonly string[]>({
    label: "answered",
    show: (answers) => answers,
    json: ["list of text", "what was asked about it and answered"],
  }),
  criteria: factWith<readonly string[]>([], {
    read: ({ file, plan, section, entry }) =>
      [file, plan, section].map((one) => [...one?.criteria ?? [], ...one?.scenarios ?? []])
        .find((one) => one.length > 0) ??
        asTexts(entry?.fields?.["verify"]).map((one) => shorten(one, 400)),
    label: "done when",
    show: (criteria) => criteria,
    json: ["list of text", "its acceptance criteria"],
  }),
  drift: factWith<readonly Problem[]>([], {
    label: "drift",
    show: (drift) => drift.map(problemLine),
    note: (drift) => drift.length > 0 && "drift",
    change: (drift) => drift.length === 0 ? undefined : `drift: ${drift.map(problemLine).join("; ")}`,
    gone: "no drift",
    card: { tone: "warn", about: (drift) => drift.map(({ problem }) => problem).join("; ") },
    json: ["list of objects", "where ledger, document and plan disagree"],
  }),
};

type Table = typeof STORY_FACTS;
type FactName = keyof Table;
type ValueOf<N extends FactName> = Table[N] extends Fact<infer T> ? T : never;

type FactValues =
  & { readonly [N in FactName as Table[N] extends { none: unknown } ? N : never]: ValueOf<N> }
  & { readonly [N in FactName as Table[N] extends { none: unknown } ? never : N]?: ValueOf<N> };

/** Texts: one safe line, at most a few hundred characters. */
interface WorkItem {
  /** The shortest in its ledger: `1-2`, `2.3`. */
  readonly ref: string;
  readonly title: string;
  readonly state: State;
  readonly status?: string;
  readonly ledger: string;
  readonly line?: number;
  readonly file?: string;
}

export interface Story extends WorkItem, Omit<FactValues, "title"> {
  /** In the ledger: `1-2-login`. */
  readonly key: string;
  readonly form: FormName;
  readonly plan?: string;
  /** For the ledger, if the story's file contradicts it. */
  readonly due?: State;
  readonly isFree?: true;
}

/** Or a spec, or an initiative; its reference is empty for stories without one. */
export interface Epic
  extends WorkItem, Pick<FactValues, "owner" | "after" | "waitsFor" | "covers" | "drift"> {
  readonly retrospective?: string;
  readonly stories: readonly Story[];
}

export interface ActionItem {
  readonly epic?: string;
  readonly action: string;
  readonly owner?: string;
  readonly status?: string;
}

export interface OpenQuestion extends Omit<Question, "answer" | "answered"> {
  readonly path: string;
  readonly line: number;
}

export interface Ledger {
  readonly path: string;
  readonly format: string;
}

export interface Board {
  readonly ledgers: readonly Ledger[];
  readonly epics: readonly Epic[];
  readonly actions: readonly ActionItem[];
  readonly questions: readonly OpenQuestion[];
  readonly unlisted: readonly string[];
  /** Without drift. */
  readonly problems: readonly Problem[];
  /** In a ledger: until it is settled, its stories' states are unknown. */
  readonly conflict?: Problem | undefined;
}

const ROWS = Object.entries(STORY_FACTS) as readonly (readonly [FactName, Fact<unknown>])[];

export const NO_FACTS = Object.fromEntries(
  ROWS.flatMap(([name, { none }]) => none === undefined ? [] : [[name, none]]),
) as FactValues;

const READ = ROWS.filter(([, { keys, lines, read }]) => (keys ?? lines ?? read) !== undefined);

export function readFacts(sources: FactSources): Partial<FactValues> {
  const found: Partial<Record<FactName, unknown>> = {};
  for (const [name, row] of READ) {
    const value = row.read === undefined ? readRow(row, sources) : row.read(sources);
    if (value !== undefined) found[name] = value;
  }
  return found as Partial<FactValues>;
}

function readRow(
  { keys = [], parse, lines, places = EVERYWHERE, join }: Fact<unknown>,
  sources: FactSources,
): unknown {
  let found: unknown;
  const isFound = (value: unknown): boolean => {
    if (value !== undefined) found = found === undefined ? value : join!(found, value);
    return join === undefined && found !== undefined;
  };
  for (const place of places) {
    const source = sources[place], fields = source?.fields ?? {};
    if (source === undefined) continue;
    if (keys.some((key) => fields[key] !== undefined && isFound(parse!(fields[key])))) break;
    if (isFound(lines?.(source))) break;
  }
  return found;
}

const NOTED = ROWS.filter(([, { note }]) => note !== undefined);

export function storyNotes(story: Story) {
  return NOTED.flatMap(([name, { note, card }]) => {
    const value = story[name];
    const words = value !== undefined && note?.(value, story.state);
    if (!words) return [];
    const about = card?.about?.(value) ?? (card?.word && words);
    return [{ name, words, card: card && { tone: card.tone, word: card.word?.(value) ?? words, about } }];
  });
}

/** Undefined for a fact that it does not have. */
export function storyChanges(story: Story): Readonly<Record<string, string | undefined>> {
  const notes = new Map<string, string>(storyNotes(story).map(({ name, words }) => [name, words]));
  const told = ROWS.filter(([, { note, change }]) => (note ?? change) !== undefined);
  return Object.fromEntries(told.map(([name, { change }]) => {
    const value = story[name];
    return [name, change === undefined || value === undefined ? notes.get(name) : change(value)];
  }));
}

export const GONE_FACTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ROWS.flatMap(([name, { gone }]) => gone === undefined ? [] : [[name, gone]])),
  file: "no file",
};

export function storyFacts(
  story: Epic & Partial<Story> | Story,
): readonly (readonly [label: string, value: string])[] {
  const { file, plan, ledger: path, line, state } = story;
  const facts = ROWS.flatMap(([name, { label, show = String }]) => {
    const value = label === undefined ? undefined : story[name];
    const shown = value === undefined ? [] : show(value, state) ?? [];
    return [shown].flat().map((one) => [label!, one] as const);
  });
  return [
    ...Object.entries({ file, plan, ledger: placeOf({ path, line }) })
      .flatMap(([label, place]) => place === undefined ? [] : [[label, oneLine(place)] as const]),
    ...facts,
  ];
}

export function hasHolder({ claim, owner }: Pick<Story, "claim" | "owner">): boolean {
  return claim !== undefined || owner !== undefined;
}

const COLUMNS = ROWS.filter(([, { label, column }]) => label !== undefined && column !== undefined);

export function storyColumns(item: Partial<Story>): Readonly<Record<string, string>> {
  return Object.fromEntries(COLUMNS.map(([name, { label, column }]) => {
    const value = item[name];
    return [label!, value === undefined ? "" : column!(value)];
  }));
}

export function staleWords(stale: readonly string[], changed = "changed since it began"): string {
  const reworded = stale.filter((one) => !one.includes(" "));
  return [
    ...reworded.length === 0 ? [] : [`${abbreviateList(reworded, LIMITS.ledgers.staleIds)} ${changed}`],
    ...stale.filter((one) => one.includes(" ")),
  ].slice(0, LIMITS.ledgers.staleIds).join(", ");
}

/** A list, or a text that is one for people. Other words stay as they are. */
function coversIn(value: unknown): readonly string[] {
  return asTexts(value).slice(0, LIMITS.ids.ofItem).flatMap((text) => {
    const ids = findIds(text, { isList: true });
    return ids.length === 0 ? shorten(text, 60) : ids;
  });
}

function referencesIn(value: unknown): readonly string[] {
  return asTexts(value).flatMap((text) => text.split(",")).map((text) => shorten(text, 80))
    .filter((text) => text !== "" && !/^none$/i.test(text)).slice(0, LIMITS.ids.ofItem);
}

export function union(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.length >= LIMITS.ids.ofItem) return one.slice(0, LIMITS.ids.ofItem);
  return other.length === 0 ? one : [...new Set([...one, ...other])].slice(0, LIMITS.ids.ofItem);
}

export function questionsOf({ state, questions = [] }: Story): readonly number[] {
  return isOver(state) ? [] : questions;
}

/** A ticket's is settled by refining it. */
export function isAsking(story: Story): boolean {
  const { state, unknown, isUnrefined } = story;
  return questionsOf(story).length > 0 ||
    unknown !== undefined && !isUnrefined && (state === "backlog" || state === "ready");
}

/** What a story's beginner should know of: nobody called it finished. */
export function othersUnderWay(
  boards: readonly Pick<Board, "epics">[],
  begun: readonly Pick<Story, "ledger" | "key">[],
): readonly Story[] {
  const isBegun = (story: Story) =>
    begun.some(({ ledger, key }) => ledger === story.ledger && key === story.key);
  return boards.flatMap(({ epics }) => epics.flatMap(({ stories }) => stories))
    .filter((one) => one.state === "in-progress" && !isBegun(one));
}

export function mayGoOn(story: Story): boolean {
  const { state, waitsFor, elsewhere } = story;
  if (isAsking(story) || elsewhere !== undefined) return false;
  if (state === "in-progress" || state === "review") return true;
  return (state === "ready" || state === "backlog") && waitsFor.length === 0;
}
