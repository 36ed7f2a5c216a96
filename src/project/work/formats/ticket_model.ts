/**
 * A ticket and the tree that it lies in.
 */
import type { Values } from "../../../base/values.ts";
import type { Problem } from "./model.ts";

/** What lists the tickets of a folder. */
export const LEDGER = "tickets.toml";
/** The types of files that are tickets, and of those that have tickets. */
export const LEAVES: readonly string[] = ["story", "spike", "bug"];
export const CONTAINERS: readonly string[] = ["initiative", "epic"];

/** A Markdown file in a folder of tickets: a ticket, a plan, the file of an epic, or anything else. */
export interface TicketDocument {
  /** With plain line ends. */
  readonly text: string;
  readonly type: string;
  /** Its front matter, and the lines of the fields, counted from 1. */
  readonly fields: Values;
  readonly lines: ReadonlyMap<string, number>;
  /** How many lines the front matter has, with both marks. */
  readonly end: number;
  /** Whether it begins like front matter that has no end. */
  readonly isUnclosed: boolean;
  /** In a ticket, the first item of a list over several lines, which tickets must not have. */
  readonly listLine?: number;
  /** The questions that its text leaves open. */
  readonly unknown: string;
}

/** Something wrong in a tree. */
export interface TicketProblem extends Problem {
  /** Whether the tree contradicts itself: then nobody should act on what `tickets.py` says. */
  readonly isError: boolean;
}

/** A status as a file has it. */
export interface StatusWord {
  readonly source: "tracker" | "plan" | "file";
  readonly word: string;
  /** By its path in the project. */
  readonly path: string;
  readonly line?: number;
}

/** What can be done with a ticket: refine it, start it, go on with it, nothing at the moment, or nothing any more. */
export type Standing = "refine" | "start" | "begun" | "blocked" | "over";

/** One ticket. */
export interface Ticket {
  /** The name of its folder. */
  readonly epic: string;
  readonly id?: string;
  /** Unique in the tree: folder and id, else folder and file. */
  readonly key: string;
  readonly file?: string;
  readonly plan?: string;
  readonly type: string;
  readonly title: string;
  readonly status: string;
  readonly trackerId: string;
  readonly trackerStatus: string;
  readonly state: string;
  /** What its files say; the first decides. */
  readonly words: readonly StatusWord[];
  readonly assignee: string;
  readonly blockedAt: string;
  readonly blockedReason: string;
  /** Whether its plan or its file says that it cannot go on. */
  readonly isBlocked: boolean;
  readonly refine: boolean;
  readonly isRefined: boolean;
  readonly hitl: boolean;
  readonly covers: readonly string[];
  readonly estimate: unknown;
  readonly risk: string;
  /** A question that must be settled before the work starts. */
  readonly unknown: string;
  /** The entry in the ledger, and its line; empty for a file without one. */
  readonly entry: Values;
  readonly line?: number;
  /** Keys of tickets, names of epics, and ids of a tracker that no ticket here has. */
  readonly after: readonly string[];
  /** What its whole epic waits for. */
  readonly gatedBy: readonly string[];
  /** Those of both that are not finished yet. */
  readonly waitsFor: readonly string[];
  readonly standing: Standing;
  /** What its file says otherwise than its entry. */
  readonly drift: {
    readonly after?: Readonly<Record<"file" | "entry", readonly string[]>>;
    readonly hitl?: Readonly<Record<"file" | "entry", boolean>>;
  };
}

/** An epic with a folder of its own. */
export interface Container {
  readonly status: string;
  readonly after: readonly string[];
  /** Those of them that are not done. */
  readonly waitsFor: readonly string[];
  /** Its file; undefined if that is missing. */
  readonly document?: TicketDocument;
}

/** An epic that the initiative lists. */
export interface ListedEpic {
  readonly id?: string;
  readonly line?: number;
  readonly row: Values;
  /** Those that it waits for by the initiative's ledger, and what it needs of them. */
  readonly after: readonly { readonly epic: string; readonly needs: string }[];
}

/** All that the files of an initiative, an epic or a backlog say. */
export interface TicketTree {
  /** The one folder that was asked about; undefined for a whole initiative. */
  readonly scope: string | undefined;
  readonly folders: ReadonlyMap<string, string>;
  /** By their names, in the order of the work. */
  readonly listed: ReadonlyMap<string, ListedEpic>;
  readonly containers: ReadonlyMap<string, Container>;
  readonly tickets: readonly Ticket[];
  /** The keys of tickets and epics, each behind what it waits for; empty if there is a circle. */
  readonly order: readonly string[];
  /** Work that has a plan and no ticket. */
  readonly builds: readonly Ticket[];
  readonly documents: ReadonlyMap<string, TicketDocument | undefined>;
  readonly problems: readonly TicketProblem[];
  /** For each folder, the least id that a new ticket may get. */
  readonly floors: ReadonlyMap<string, number>;
}

/** A ticket whose references are not resolved yet. */
export type Draft = Omit<Ticket, "after" | "gatedBy" | "waitsFor" | "standing" | "drift"> & {
  readonly rawAfter: unknown;
};

/** An epic whose references are not resolved yet. */
export type DraftContainer = Omit<Container, "after" | "waitsFor"> & {
  readonly path: string;
  readonly trackerId: string;
  readonly rawAfter: unknown;
};

/** Takes down what is wrong: errors, and what is only told. */
export interface Notes {
  error(path: string, problem: string, line?: number): void;
  warn(path: string, problem: string, line?: number): void;
}

/** A number, or letters and digits; 6, "6" and "06" are the same. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (!/^[A-Za-z0-9]{1,40}$/.test(text) || text === "true" || text === "false") return undefined;
  return /^[0-9]+$/.test(text) ? text.replace(/^0+(?=.)/, "") : text;
}

/** Whether a ledger has an entry for a ticket. */
export function isListed({ entry }: Pick<Ticket, "entry">): boolean {
  return entry["id"] !== undefined;
}

/** `true`, as Python and people write it. */
export function isTrue(value: unknown): boolean {
  return String(value).toLowerCase() === "true";
}
