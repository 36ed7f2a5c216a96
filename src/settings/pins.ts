/** JSON, because no third-party parser may be loaded before the rights are dropped. */
import { pinnedLocation } from "./locations/mod.ts";
import { asValues, isValues, parseJson } from "../base/values.ts";

export interface Pin {
  readonly commit?: string;
  readonly version?: string;
  readonly integrity?: string;
  /** If it is another one than the settings file names. */
  readonly location?: string;
}

export interface PinnedSource extends Pin {
  readonly previous?: Pin;
  /** What the entry of a list says now; the next update may say something else. */
  readonly entry?: ListEntry;
}

export interface ListEntry {
  readonly list: string;
  readonly name: string;
}

export type Pins = ReadonlyMap<string, PinnedSource>;

export function lockFileOf(settingsFile: string): string {
  return settingsFile.replace(/\.toml$/, ".lock.json");
}

export function parsePins(text: string): Pins | undefined {
  const { version, sources } = asValues(parseJson(text));
  if (version !== 1 || !isValues(sources)) return undefined;
  return new Map(
    Object.entries(sources).flatMap(([source, row]) => {
      const pin = pinOf(row);
      const previous = pinOf(asValues(row)["previous"]);
      const entry = entryOf(asValues(row)["entry"]);
      return pin === undefined
        ? []
        : [[source, { ...pin, ...(previous && { previous }), ...(entry && { entry }) }]];
    }),
  );
}

export function renderPins(pins: Pins): string {
  const sources = Object.fromEntries([...pins].sort(([a], [b]) => a < b ? -1 : 1));
  return `${JSON.stringify({ version: 1, sources }, null, 2)}\n`;
}

export function isSamePin(one: Pin | undefined, other: Pin | undefined): boolean {
  return one?.commit === other?.commit && one?.integrity === other?.integrity &&
    one?.location === other?.location;
}

export function pinnedAt(source: string, pin: Pin | undefined): string {
  return pin?.location ?? source;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;
const VERSION = /^[\w.+-]{1,100}$/;

function pinOf(value: unknown): Pin | undefined {
  const { commit, version, integrity, location } = asValues(value);
  const at = location === undefined ? {} : isRemote(location) ? { location } : undefined;
  if (at === undefined) return undefined;
  if (typeof commit === "string" && COMMIT.test(commit)) return { commit, ...at };
  if (typeof integrity !== "string" || !INTEGRITY.test(integrity)) return undefined;
  const known = typeof version === "string" && VERSION.test(version) ? { version } : {};
  return { ...known, integrity, ...at };
}

function entryOf(value: unknown): ListEntry | undefined {
  const { list, name } = asValues(value);
  return isRemote(list) && typeof name === "string" ? { list, name } : undefined;
}

function isRemote(value: unknown): value is string {
  return typeof value === "string" && /^(?:git\+|npm:)/.test(value) && pinnedLocation(value) !== undefined;
}
