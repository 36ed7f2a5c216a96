/** An operation is one value from which every surface follows; a handler or a command does it. */
import type { Right } from "../base/roles.ts";

export interface Param {
  /** `json` is a value of any form, which only a tool takes. */
  readonly kind: "text" | "number" | "flag" | "list" | "json";
  readonly about: string;
  /** For models; a schema has no more words than a model needs. */
  readonly forModel?: string;
  readonly isRequired?: true;
  /** Whether a call without it is answered with what it may be. */
  readonly isAsked?: true;
  readonly only?: "terminal" | "tool";
  /** Its place on a command line, such as STORY; without one it is a flag. */
  readonly operand?: string;
  readonly flag?: string;
  readonly short?: string;
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly range?: readonly [min: number, max: number];
  readonly maxLength?: number;
  /** Of a text that is not free: a regular expression, and what it demands in words. */
  readonly form?: readonly [pattern: string, words: string];
  /** Of its JSON schema, what the kind does not say. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly example?: string;
  /** Whether one text may be several, divided by commas, or by | if it has any. */
  readonly isDivided?: true;
  readonly names?: readonly string[];
  /** What it takes on a server that several people use, beyond the operation itself. */
  readonly right?: Right;
  /** Whether the API has it although a tool has not. */
  readonly isForPrograms?: true;
  /** Whether an operation without it would do something else than was asked. */
  readonly selects?: true;
}

export type Params = Readonly<Record<string, Param>>;

/** What a command needs beyond reading content; rights follow from it. */
export type Need =
  /** To run git in the project: it compares with commits. */
  | "commits"
  /** The project's own verification, where the user allows it. */
  | "verification"
  /** To ask the remote who holds what; operations that change something always do. */
  | "claims"
  | "memory"
  /** Copies of git repositories, fetched first if they are stale. */
  | "copies";

export interface Action {
  readonly usage: string;
  readonly purpose: string;
  /** The parameters that it takes, all by default, in its own words where needed. */
  readonly params?: Readonly<Record<string, string | true>>;
  readonly words: string;
}

export function action(usage: string, purpose: string, words: string, params?: Action["params"]): Action {
  return { usage, purpose, words, ...(params && { params }) };
}

/** What `--json` prints: fields by name, several at once, `?` after an optional one, `type: meaning`. */
export type Shape = string | readonly Shape[] | { readonly [field: string]: Shape };

export interface Operation {
  readonly purpose: string;
  readonly details?: string;
  /** Its place among the commands that help shows first. */
  readonly daily?: number;
  readonly params: Params;
  /** Whether it changes work, always or with these parameters. It then belongs to `bmad_work`. */
  readonly changes?: true | readonly string[];
  readonly needs?: readonly Need[];
  /** Only operations with a hint belong to a tool. */
  readonly hint?: string;
  /** Words that models send instead of its name, with the arguments that they say. */
  readonly aliases?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Parameters that a page has to give; without any, pages cannot do it. */
  readonly onPages?: readonly string[];
  /** Whether it answers over all projects at once, if it changes nothing. */
  readonly spansProjects?: true;
  /** Whether the command line has to name a project where none is current. */
  readonly needsProject?: true;
  /** The name of its command if another; null for none. */
  readonly command?: string | null;
  readonly usage?: string;
  /** Addresses in the API other than those of its story, with the parameter that each needs. */
  readonly addresses?: readonly string[];
  /** What an address of it does, by its method or list, if that is not its whole purpose. */
  readonly summaries?: Readonly<Record<string, string>>;
  /** Which list of its data programs get as `items`. */
  readonly items?: string;
  readonly completes?: "lists" | "items" | "tools" | "commands" | "shells" | "clients" | "actions";
  readonly actions?: Readonly<Record<string, Action>>;
  readonly hasDefaultAction?: true;
  /** Whether flags after its first operand are operands, too. */
  readonly takesRest?: true;
  /** Whether it works even if settings are broken. */
  readonly isStandalone?: true;
  /** Whether programs read what it prints: lines are never wrapped. */
  readonly isExact?: true;
  readonly isHidden?: true;
  /** Command lines without the program's name; the first is also in its help. */
  readonly examples?: readonly string[];
  readonly result?: Shape;
  readonly results?: Readonly<Record<string, Shape>>;
}

/** Keeps the literal types of a row, for those of its handler's arguments. */
export function operation<const O extends Operation>(row: O): O {
  return row;
}

type Extra = Omit<Param, "kind" | "about">;
type Made<K extends Param["kind"], O> = { readonly kind: K; readonly about: string } & O;

export function text<const O extends Extra>(about: string, extra: O = {} as O): Made<"text", O> {
  return { kind: "text", about, ...extra };
}

export function choice<const C extends readonly string[], const O extends Extra>(
  about: string,
  choices: C,
  extra: O = {} as O,
) {
  const words = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
  return text(`${about}: ${words}.`, { choices, forModel: `${choices.join(", ")}.`, ...extra });
}

export function number<const O extends Extra>(about: string, extra: O = {} as O): Made<"number", O> {
  return { kind: "number", about, ...extra };
}

export function flag<const O extends Extra>(about: string, extra: O = {} as O): Made<"flag", O> {
  return { kind: "flag", about, ...extra };
}

export function json<const O extends Extra>(about: string, extra: O = {} as O): Made<"json", O> {
  return { kind: "json", about, ...extra };
}

export function list<const O extends Extra>(about: string, extra: O = {} as O): Made<"list", O> {
  return { kind: "list", about, ...extra };
}

type ValueOf<P extends Param> = P["kind"] extends "text" ? string
  : P["kind"] extends "number" ? number
  : P["kind"] extends "flag" ? boolean
  : P["kind"] extends "list" ? readonly string[]
  : unknown;

type RequiredOf<P extends Params> = {
  [K in keyof P]: P[K] extends { readonly isRequired: true } ? K
    : P[K]["kind"] extends "flag" | "list" ? K
    : never;
}[keyof P];

export type ArgsOf<P extends Params> =
  & { readonly [K in RequiredOf<P>]: ValueOf<P[K]> }
  & { readonly [K in Exclude<keyof P, RequiredOf<P>>]?: ValueOf<P[K]> };
