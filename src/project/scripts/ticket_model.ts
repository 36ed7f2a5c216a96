/**
 * A ticket and the tree that it lies in, as `tickets.py` knows them.
 */
import type { Values } from "../../base/values.ts";

/** Why a tree cannot be read. */
export class TicketError extends Error {}

/** No ticket has the name that was given. */
export class NoTicket extends TicketError {}

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
  readonly assignee: string;
  readonly blockedAt: string;
  readonly blockedReason: string;
  readonly refine: boolean;
  readonly isRefined: boolean;
  readonly hitl: boolean;
  readonly covers: readonly string[];
  readonly estimate: unknown;
  readonly risk: string;
  /** A question that must be settled before the work starts. */
  readonly unknown: string;
  /** The entry in the ledger; empty for a file without one. */
  readonly entry: Values;
  /** Keys of tickets, names of epics, and ids of a tracker that no ticket here has. */
  readonly after: readonly string[];
  /** What its whole epic waits for. */
  readonly gatedBy: readonly string[];
  /** What its file says otherwise than its entry. */
  readonly drift: {
    readonly after?: Readonly<Record<"file" | "entry", readonly string[]>>;
    readonly hitl?: Readonly<Record<"file" | "entry", boolean>>;
  };
}

/** An epic with a file of its own. */
export interface Container {
  readonly status: string;
  readonly after: readonly string[];
}

export interface TicketTree {
  /** The one folder that was asked about; undefined for a whole initiative. */
  readonly scope: string | undefined;
  /** Where each folder is in the project. */
  readonly folders: ReadonlyMap<string, string>;
  /** The ids of listed epics by their names, in the order of the work. */
  readonly epicIds: ReadonlyMap<string, string>;
  /** For each listed epic, those that it waits for by the initiative's ledger. */
  readonly declared: ReadonlyMap<string, readonly { readonly epic: string; readonly needs: string }[]>;
  readonly containers: ReadonlyMap<string, Container>;
  readonly tickets: readonly Ticket[];
  readonly problems: readonly string[];
  /** For each folder, the least id that a new ticket may get. */
  readonly floors: ReadonlyMap<string, number>;
}

/** A ticket whose references are not resolved yet. */
export type Draft = Omit<Ticket, "after" | "gatedBy" | "drift"> & {
  readonly rawAfter: readonly unknown[];
  /** What its entry says, where a file of its own counts instead. */
  readonly planned?: { readonly after: readonly unknown[]; readonly hitl: boolean };
};

/** An epic whose references are not resolved yet. */
export interface DraftContainer {
  readonly status: string;
  readonly trackerId: string;
  readonly rawAfter: readonly unknown[];
}

/** What lists the tickets of a folder. */
export const LEDGER = "tickets.toml";

/** More than any ticket waits for. */
const MAX_AFTER = 200;

/** What `after` names. */
export function listOf(value: unknown, where: string): readonly unknown[] {
  if (value === undefined || value === null || value === "") return [];
  if (!Array.isArray(value)) throw new TicketError(`${where}: after must be a list`);
  return value.slice(0, MAX_AFTER);
}

/** A number, or letters and digits; 6, "6" and "06" are the same. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (!/^[A-Za-z0-9]{1,40}$/.test(text) || text === "true" || text === "false") return undefined;
  return /^[0-9]+$/.test(text) ? text.replace(/^0+(?=.)/, "") : text;
}
