/** Hostile and broken input: messages, names and paths, mutated in every way we could think of. */
import type { Chance } from "../support/chance.ts";

type Json = unknown;

export const ODD: readonly Json[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  -0,
  2 ** 53,
  "",
  " ",
  "\0",
  "\u202e\ufeff",
  "\ud800",
  "𝒜".repeat(50),
  "a".repeat(5_000),
  "../".repeat(40),
  "%2e%2e%2f",
  "__proto__",
  "constructor",
  "toString",
  [],
  {},
  [[[[[[]]]]]],
  { toString: 1, length: -1 },
];

const ODD_KEYS = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "\0",
  "method",
  "id",
  "params",
  "_meta",
  "x".repeat(3_000),
];

const URIS = [
  ..."bmad:// skill:// file:/// http://127.0.0.1/ data:text/plain, BMAD:// bmad:".split(" "),
  "bmad:///",
];
const NAMES = [
  ..."analyst bmm/architect *party-mode Mary bmad-prd core/bmad-help agents workflows".split(" "),
];

export function goodRequests(chance: Chance, canary: string): Record<string, Json> {
  const bmad = (args: Record<string, Json>) => ({
    method: "tools/call",
    params: { name: "bmad", arguments: args },
  });
  const path = badPath(chance, canary);
  return chance.pick<() => Record<string, Json>>([
    () => ({ method: "tools/list", params: {} }),
    () => ({ method: "prompts/list", params: {} }),
    () => ({ method: "resources/list", params: {} }),
    () => ({ method: "resources/templates/list", params: {} }),
    () => ({ method: "ping" }),
    () => ({ method: "skills/list", params: {} }),
    () => ({ method: "skills/get", params: { uri: path } }),
    () => ({ method: "resources/directory/read", params: { uri: path } }),
    () => ({ method: "resources/read", params: { uri: path } }),
    () => ({ method: "resources/subscribe", params: { uri: path } }),
    () => ({ method: "prompts/get", params: { name: chance.pick(NAMES), arguments: { message: path } } }),
    () => ({
      method: "completion/complete",
      params: {
        ref: { type: "ref/prompt", name: "bmad-analyst" },
        argument: { name: "message", value: path },
      },
    }),
    () => ({ method: "logging/setLevel", params: { level: chance.pick(["debug", "error", "loud"]) } }),
    () => bmad({ operation: "list", query: chance.pick(NAMES) }),
    () => bmad({ operation: "list", query: "resources", pattern: path }),
    () => bmad({ operation: "read", uri: path }),
    () => bmad({ operation: "read", agent: path }),
    () => bmad({ operation: "execute", workflow: chance.pick(NAMES), message: path }),
    () => bmad({ operation: "search", query: path }),
    () => bmad({ command: `*${path}` }),
    () => bmad({ operation: "execute", agent: chance.pick(NAMES), item: path }),
  ])();
}

export function badPath(chance: Chance, canary: string): string {
  const up = chance.pick("../ ..\\ %2e%2e/ ..%2f ..%5c ....// ..;/ ..%00/ ../ ．．/".split(" "));
  const start = chance.pick([
    "",
    ...URIS,
    "bmad://core/",
    "bmad://bmm/",
    "skill://bmad-help/",
    "{project-root}/",
    "./",
    "~",
  ]);
  const target = chance.pick([
    canary,
    canary.slice(1),
    "etc/passwd",
    "proc/self/environ",
    "C:\\Windows\\win.ini",
  ]);
  const tail = chance.pick(["", "#lines=1-9999", "?raw", "\0.md", "/", ".md", "%00", ":stream", " "]);
  return start + up.repeat(chance.below(14)) + target + tail;
}

export function mutatedLine(chance: Chance, id: number, canary: string): string {
  const message: Record<string, Json> = { jsonrpc: "2.0", id, ...goodRequests(chance, canary) };
  const how = chance.below(12);
  if (how < 5) return JSON.stringify(mutate(chance, message, 1 + chance.below(3)));
  const text = JSON.stringify(message);
  const at = chance.below(text.length);
  const line = [
    () => text.slice(0, at),
    () => text.slice(at),
    () =>
      text.slice(0, at) + chance.pick(["\\u0000", "\ufffd", "}", '"', ",", "\u2028", "\t"]) + text.slice(at),
    () => `[${text},${text}]`,
    () => text.replace('"id"', '"__proto__":{"polluted":true},"id"'),
    () => text + text,
    () => "[".repeat(1 + chance.below(3_000)),
  ][how - 5]!();
  return line.replace(/[\r\n]/g, " ");
}

function mutate(chance: Chance, value: Json, times: number): Json {
  let mutated = structuredClone(value);
  for (let n = 0; n < times; n++) mutated = mutateOnce(chance, mutated);
  return mutated;
}

function mutateOnce(chance: Chance, value: Json): Json {
  if (typeof value !== "object" || value === null || chance.below(6) === 0) return chance.pick(ODD);
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, Json>;
  const keys = Object.keys(copy);
  const key = keys.length === 0 ? "x" : chance.pick(keys);
  switch (chance.below(4)) {
    case 0:
      delete copy[key];
      return copy;
    case 1:
      return Object.assign(copy, { [chance.pick(ODD_KEYS)]: copy[key] });
    default:
      copy[key] = mutateOnce(chance, copy[key]);
      return copy;
  }
}
