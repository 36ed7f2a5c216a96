/** Ids as people write them (`fr-01`, `FR 1`, `NFRs 2–4 and 7`), in their canonical spelling: `FR1`. */
import { LIMITS } from "../../limits.ts";

interface Family {
  readonly code: string;
  /** If texts spell it otherwise. A hyphen may also be a space or missing. */
  readonly letters?: string;
  readonly words?: string;
  /** Also means other things: an id only in a list, after a label, or below such a heading. */
  readonly heading?: RegExp;
  /** Stories do not cover it. */
  readonly isDecision?: boolean;
}

const FAMILIES: readonly Family[] = [
  { code: "FR", words: "functional requirement" },
  { code: "NFR", words: "non-functional requirement" },
  { code: "UXDR", letters: "UX-DR" },
  { code: "CAP" },
  { code: "REQ" },
  { code: "AR" },
  { code: "CON", words: "constraint" },
  {
    code: "CON",
    letters: "C",
    heading: /constraint|contrainte|randbedingung|einschränkung|restricci|restriç|vincol|制約|约束|제약/i,
  },
  // The compatibility requirements of v4.
  { code: "CR", heading: /compatib|kompatib/i },
  { code: "AD", isDecision: true },
  { code: "ADR", isDecision: true },
  { code: "DEC", isDecision: true },
];

const NAMES = FAMILIES.flatMap((family) =>
  [family.letters ?? family.code, family.words].filter((name) => name !== undefined)
    .map((name) => ({ name, family }))
);
const BY_NAME: ReadonlyMap<string, (typeof NAMES)[number]> = new Map(
  NAMES.map((one) => [keyOf(one.name), one]),
);
const CODES: ReadonlySet<string> = new Set(FAMILIES.map(({ code }) => code));

function keyOf(name: string): string {
  return name.replaceAll(/[- ]/g, "").toUpperCase();
}

interface IdPlace {
  readonly heading?: string;
  readonly isList?: boolean;
  /** How many possible ids may still be looked at, in all lines: each takes microseconds. */
  readonly budget?: { left: number };
  /** Also decisions, and families that only this project knows: `APT-07`, `ANF-12`. */
  readonly isWide?: boolean;
}

const LATIN = String.raw`\p{Script=Latin}`;
const BLANK = String.raw`[ \u00a0]`;
/** Not in a longer word, address, path or slug; `FR1/FR2` is a list. */
const BEFORE = String.raw`(?<![${LATIN}\d@$]|[${LATIN}]{2}[-.#_]|(?:^|\D)\/)`;
/** Not in a longer word or number, a version or a date. */
const AFTER = String.raw`(?![${LATIN}\d%@]|_[${LATIN}\d]|\.\d|-\d{1,2}-\d)`;
/** `FR-PAY-3` is the third of an area. */
const AREA = String.raw`(?:[-_]([A-Z]{1,12}))?`;
const SEPARATOR = String.raw`(\\?[-_‐‑–.]|${BLANK}?#|:${BLANK}{0,2}#?|${BLANK})?`;
const NUMBER = String.raw`((?:\d{1,5}\.){0,3})(\d{1,5})([a-z])?`;
const NAME = NAMES.map(({ name }) => name.replaceAll(/[- ]/g, "[- ]?")).join("|");
const KNOWN = new RegExp(`${BEFORE}(${NAME})(s?)${AREA}${SEPARATOR}${NUMBER}${AFTER}`, "giu");
const WIDE = new RegExp(`${BEFORE}(${NAME}|[A-Z]{2,8})(s?)${AREA}${SEPARATOR}${NUMBER}${AFTER}`, "giu");

/** What may stand around the joint of two ids, with what was blanked out. */
const MARKS = String.raw`[\0 \u00a0*_\x60"'[\]()]{0,200}`;
const TO = String
  .raw`-{1,2}|[–—‐‑−~〜～…]|\.{2,3}|to|through|thru|until|bis|à|au?|al|ao|até|hasta|至|到|から`;
const AND = String
  .raw`[,;、，]${BLANK}?(?:and|or|und|et|y|&)?|[&+/]|and|or|und|oder|sowie|et|ou|y|e|en|и|和|与|と|및`;
const JOINT = new RegExp(`^${MARKS}(?:(${TO})|(?:${AND}))${MARKS}$`, "iu");
/** `FR1–5`, `FR1, 2 and 3`. */
const NEXT = new RegExp(
  String.raw`${MARKS}(?:(${TO})|(?:${AND}))[ \u00a0*_#]{0,4}((?:\d{1,3}\.){0,3})(\d{1,4})([a-z])?${AFTER}`,
  "yiu",
);
/** After what could be a mere number or letter: not the word that it would count. */
const END =
  /[\0 \u00a0]{0,20}(?:$|\n|[–—-](?!\p{L}(?!\d))|[),.;:|\]*_!?/&+"'`([、，。；：）]|(?:and|or|to|through|are|is|was|were|be|has|have|must|shall|should|will|can|may|in|of|by|for|with|from|as|on|at|und|oder|bis|sind|werden|et|ou|sont|y|son)(?!\p{L}))/yu;
/** A word, or a bracket around the id alone. */
const LABEL =
  /(?:(?:constraints?|contraintes?|requirements?|cover(?:s|ed|age)?|trac(?:es?|ed) to|satisf(?:y|ies)|implements?|meets?|respects?|fulfil?ls?|address(?:es)?|per|under)[ *_:\u00a0-]{1,8}|[([])$/i;
/** Signs of lists, tables and emphasis, a number, a box, `Requirement`. */
const LEAD =
  /^[^\p{L}\p{N}]{0,40}(?:\d{1,4}(?:\.\d{1,4}){0,4}[^\p{L}\p{N}]{1,40})?(?:x\][^\p{L}\p{N}]{1,9})?(?:(?:(?:non-?)?functional )?(?:requirement|constraint|capability)[^\p{L}\p{N}]{1,9}(?=\p{L}))?/iu;

type Id = NonNullable<ReturnType<typeof parseId>>;

function spell({ prefix, parent, number, suffix }: Id): string {
  return `${prefix}${parent}${number}${suffix}`;
}

interface Mention {
  readonly id: Id;
  readonly at: number;
  readonly end: number;
  readonly joint?: "range" | "list";
}

/** Each once, in order, with ranges and lists expanded. */
export function findIds(line: string, place: IdPlace = {}): readonly string[] {
  // Most lines have none.
  if (!/\d/.test(line)) return [];
  const found: string[] = [];
  let last: Mention | undefined;
  for (const mention of mentionsIn(line.slice(0, LIMITS.ids.lineLength), place)) {
    if (found.length >= LIMITS.ids.inLine) break;
    const { id, joint } = mention;
    if (joint === "range") found.push(...between(last!.id, id));
    found.push(spell(id));
    last = mention;
  }
  return [...new Set(found)];
}

/** That the line begins with. One that begins with several is about them. */
export function findDefinition(line: string, place: IdPlace = {}): string | undefined {
  const [first, second] = mentionsIn(line.slice(0, LIMITS.ids.startLength), place);
  const isFirst = first?.at === LEAD.exec(line)![0].length;
  return isFirst && second?.joint === undefined ? spell(first.id) : undefined;
}

/** `Book a walk (FR2, FR3)` without the brackets. */
export function withoutIds(title: string): string {
  const open = title.endsWith(")") ? title.lastIndexOf("(") : -1;
  if (open <= 0) return title;
  const inside = title.slice(open + 1, -1);
  const mentions = [...mentionsIn(inside.slice(0, LIMITS.ids.startLength), { isList: true })];
  const isAll = mentions[0]?.at === 0 && mentions.at(-1)!.end === inside.length &&
    mentions.slice(1).every(({ joint }) => joint !== undefined);
  return isAll ? title.slice(0, open).trimEnd() : title;
}

function* mentionsIn(line: string, place: IdPlace): Generator<Mention> {
  const pattern = place.isWide ? WIDE : KNOWN;
  const budget = place.budget ?? { left: Infinity };
  if (line.search(pattern) < 0) return;
  const text = withoutCode(line);
  let last: Mention | undefined;
  for (const match of text.matchAll(pattern)) {
    if (budget.left-- <= 0) return;
    const joint = last === undefined ? undefined : findJoint(text.slice(last.end, match.index));
    const id = parseId(match, text, place, joint !== undefined);
    if (id === undefined) continue;
    last = withPart(text, { id, at: match.index, end: match.index + match[0].length, joint });
    yield last;
    for (let next = findNext(text, last); next !== undefined; next = findNext(text, next)) {
      if (budget.left-- <= 0) return;
      yield last = next;
    }
  }
}

function findJoint(text: string): Mention["joint"] {
  const match = JOINT.exec(text);
  return match === null ? undefined : match[1] === undefined ? "list" : "range";
}

/** `REQ-2024-001` is one id; a range goes up. */
function withPart(text: string, mention: Mention): Mention {
  const { id, end } = mention;
  const [part, digits] = /^-(\d{1,5})(?![\w.])/.exec(text.slice(end, end + 7)) ?? [];
  if (part === undefined || Number(digits) >= id.number || id.suffix !== "") return mention;
  return { ...mention, id: { ...id, suffix: `-${Number(digits)}` }, end: end + part.length };
}

export function familyOf(id: string): string {
  return /^[A-Z]*/.exec(id)![0];
}

export function isKnownId(id: string): boolean {
  return CODES.has(familyOf(id));
}

const CODE = /`[^`\n]+`|:\/\/[^\s)>\]]*|\]\([^()\s]*\)/g;

/** Code, addresses and targets of links; a code span that is only an id stays. */
function withoutCode(text: string): string {
  if (!/[`(:]/.test(text)) return text;
  return text.replaceAll(CODE, (code) => {
    if (code.startsWith("]")) return `]${"\0".repeat(code.length - 1)}`;
    return /^`[A-Z][A-Z-]*[-_ ]?[\d.]+[a-z]?`$/.test(code) ? code : "\0".repeat(code.length);
  });
}

function parseId(match: RegExpExecArray, text: string, place: IdPlace, isJoined: boolean) {
  const [spelled, name, plural, area = "", separator = "", parent, number, letter = ""] = match;
  const { family, name: known } = BY_NAME.get(name!) ?? BY_NAME.get(keyOf(name!)) ?? {};
  const end = match.index + spelled.length;
  const isTight = /^(?:|[-_‐‑])$/.test(separator);
  const isUpper = name === name!.toUpperCase();
  const isWords = known !== undefined && known === family?.words;
  const isSpelled = family === undefined
    ? isUpper && /^[-_]$/.test(separator)
    : isWords || isUpper || isTight && !family.isDecision && !isSlug(text, end);
  if (!isSpelled || area !== area.toUpperCase() || isFileName(text, end)) return undefined;
  if (family?.isDecision && !place.isWide) return undefined;
  // `FRs: 1, 2`, but not `FR: 2 users`.
  const isLabel = separator.startsWith(":");
  if (isLabel && (plural === "" || !endsAt(text, end))) return undefined;
  if (family?.heading !== undefined) {
    const before = text.slice(0, match.index);
    const isFirst = LEAD.exec(text)![0] === before;
    const isMeant = place.isList || isJoined || LABEL.test(before.slice(-40)) ||
      isFirst && family.heading.test(place.heading ?? "");
    if (!isUpper || !isTight || area !== "" || !isMeant || !endsAt(text, end)) return undefined;
  }
  const code = family?.code ?? name!;
  return {
    prefix: area === "" ? code : `${code}-${area}-`,
    parent: withoutZeros(parent!),
    number: Number(number),
    suffix: letter.toLowerCase(),
  };
}

function withoutZeros(parent: string): string {
  return parent.replaceAll(/\d+/g, (digits) => `${Number(digits)}`);
}

function endsAt(text: string, at: number): boolean {
  END.lastIndex = at;
  return END.test(text);
}

/** `fr-1-login`, but not the range `fr-1-fr-3`. */
function isSlug(text: string, end: number): boolean {
  return /^[-_]\p{L}{1,20}(?!\p{L}|[-_]?\d)/u.test(text.slice(end, end + 24));
}

/** `FR-1-login.md`. */
function isFileName(text: string, end: number): boolean {
  return text.includes(".", end) &&
    /^[\w./-]{0,80}\.(?:md|mdx|txt|ya?ml|json|toml|html?|pdf|png|svg|feature|[jt]sx?|py)(?!\w)/i
      .test(text.slice(end, end + 100));
}

function findNext(text: string, { id, end: start }: Mention): Mention | undefined {
  NEXT.lastIndex = start;
  const match = NEXT.exec(text);
  if (match === null) return undefined;
  const [spelled, to, parent = "", digits = "", letter = ""] = match;
  const number = Number(digits);
  const end = start + spelled.length;
  const joint = to === undefined ? "list" : "range";
  // After a dash, a number does not count what follows.
  if (!/^[-–—‐‑]\d/.test(spelled) && !endsAt(text, end)) return undefined;
  if (parent !== "" && id.parent === "") return undefined;
  if (joint === "range" && number <= id.number || isStoryKey(text, end, number, joint, id.number)) {
    return undefined;
  }
  if (joint === "list" && digits.length > 3) return undefined;
  const next = {
    prefix: id.prefix,
    parent: parent === "" ? id.parent : withoutZeros(parent),
    number,
    suffix: letter.toLowerCase(),
  };
  return { id: next, at: end - `${parent}${digits}${letter}`.length, end, joint };
}

/** `FR1, 3-5` is a range; `FR1, 1-2` and `FR1 – 2-3` name a story. */
function isStoryKey(text: string, end: number, number: number, joint: Mention["joint"], last: number) {
  const [, to] = /^-(\d{1,4})/.exec(text.slice(end, end + 5)) ?? [];
  return to !== undefined && (joint === "range" || number <= last || Number(to) <= number);
}

function between(from: Id, to: Id): readonly string[] {
  const isRange = from.prefix === to.prefix && from.parent === to.parent && from.suffix + to.suffix === "";
  const count = isRange ? Math.min(to.number - from.number - 1, LIMITS.ids.range - 2) : 0;
  return Array.from(
    { length: Math.max(0, count) },
    (_, at) => `${from.prefix}${from.parent}${from.number + 1 + at}`,
  );
}
