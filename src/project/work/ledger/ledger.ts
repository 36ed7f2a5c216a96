/**
 * A ledger: a YAML file of which single lines change and all other bytes stay.
 *
 * The file is a map of keys; a section is a map below one of them, with one value on each line; a list holds items that
 * are such maps. Comments, order, quotes, unknown keys, line ends, a byte order mark and a missing line end at the end
 * survive. What cannot be changed by lines (anchors, tags, flow collections, tabs, values of several lines) is refused.
 * At the end the new text is parsed: unless exactly the intended values differ, nothing is returned.
 */
import { fail, type Failure } from "../../../base/errors.ts";
import { isValues, parseAnyYaml, type Values } from "../../../content/parse.ts";
import {
  type Entry,
  indentOf,
  isTrivial,
  type Line,
  readEntry,
  type Scalar,
  splitLines,
  startsItem,
  writeScalar,
} from "../formats/mod.ts";

/** The value of a new entry: a text, with quotes where it needs them; a whole number; or a text in double quotes. */
export type NewValue = string | bigint | { readonly quoted: string };

/** A ledger that is being changed. Every change fails, and changes nothing, if it is not one of lines. */
export interface Ledger {
  /** The values, with the changes so far. */
  readonly value: Values;
  /** Sets a key of the file; a missing one is added at the end. */
  set(key: string, text: string): void;
  /** Sets a key of a section; a missing one is added at its end. */
  setIn(section: string, key: string, text: string): void;
  /** Removes a key of a section with its line. Comments above it stay. */
  removeIn(section: string, key: string): void;
  /**
   * Gives a section exactly these keys and values, in this order. Lines of keys that stay keep their form and the
   * comments above them. A blank line is put above a new key if `startsGroup` says so.
   */
  arrange(
    section: string,
    entries: readonly (readonly [key: string, text: string])[],
    startsGroup: (key: string) => boolean,
  ): void;
  /** Sets a key of items of a list, each to its own text. */
  setItems(list: string, key: string, texts: ReadonlyMap<number, string>): void;
  /** Adds items at the end of a list, which is made if missing. */
  addItems(list: string, items: readonly (readonly (readonly [key: string, value: NewValue])[])[]): void;
  /** Adds a key of another ledger at the end, with its lines as they stand, after a blank line. */
  copy(key: string, from: Ledger): void;
  /** The lines of a key and its value, as they stand. */
  linesOf(key: string): readonly string[];
  /** The new text of the file. */
  toText(): string;
}

/** Opens a ledger; the path is for messages. An empty text is a ledger without keys. */
export function openLedger(path: string, text: string): Ledger {
  const refuse = (line: number | undefined, problem: string): never => {
    const failure: Failure = { code: "invalid-file", path, problem };
    return fail(line === undefined ? failure : { ...failure, line: line + 1 });
  };
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const lines = splitLines(text.slice(mark.length));
  const newline = lines[0]?.end || "\n";
  const hasLastEnd = lines.at(-1)?.end !== "";
  let value = parse(text, refuse);
  checkLines(lines, refuse);

  const changeLine = (at: number, { head, value: scalar }: Entry & { value: Scalar }, text: string) => {
    lines[at]!.text = `${head} ${writeScalar(text, scalar.style)}${scalar.tail}`;
  };
  const replaceLines = (at: number, count: number, added: readonly Line[]) => {
    const rest = lines.splice(at).slice(count);
    append(lines, added);
    append(lines, rest);
  };
  const insert = (at: number, texts: readonly string[]) =>
    replaceLines(at, 0, texts.map((text) => ({ text, end: newline })));
  const scalarAt = (at: number): Entry & { value: Scalar } => {
    const entry = readEntry(lines[at]!.text);
    if (entry?.value === undefined) {
      return refuse(at, "the value is not a text on one line, so it cannot be changed by itself");
    }
    return { ...entry, value: entry.value };
  };
  const topOf = (key: string) => {
    const at = lines.findIndex(({ text }) => indentOf(text) === 0 && readTop(text)?.key === key);
    if (at < 0) return undefined;
    const rest = lines.slice(at + 1).findIndex(({ text }) => !isTrivial(text) && isTop(text));
    let end = rest < 0 ? lines.length : at + 1 + rest;
    while (end > at + 1 && isTrivial(lines[end - 1]!.text)) end--;
    return { at, end };
  };
  /** Makes a key whose value is empty into one with lines below it. */
  const openBlock = (key: string, empty: string) => {
    const found = topOf(key);
    if (found === undefined) {
      insert(lines.length, [`${key}:`]);
      return { at: lines.length - 1, end: lines.length };
    }
    const { head, value: scalar } = readEntry(lines[found.at]!.text)!;
    const rest = lines[found.at]!.text.slice(head.length);
    if (scalar?.raw === "") return found;
    const nothing = new RegExp(`^ *(?:${empty}|~|null|Null|NULL)(?= *$| +#)`);
    if (!nothing.test(rest)) return refuse(found.at, `${key} is not written line by line`);
    lines[found.at]!.text = head + rest.replace(nothing, "");
    return found;
  };
  /** The entries of a section by line. */
  const entriesOf = ({ at, end }: { readonly at: number; readonly end: number }) => {
    const own: { readonly at: number; readonly entry: Entry & { value: Scalar } }[] = [];
    for (let line = at + 1; line < end; line++) {
      if (isTrivial(lines[line]!.text)) continue;
      const entry = scalarAt(line);
      if (
        entry.column !== (own[0]?.entry.column ?? entry.column) || entry.head.trimStart().startsWith("- ")
      ) {
        refuse(line, "the values of a section must stand on one line each, with the same indentation");
      }
      own.push({ at: line, entry });
    }
    return own;
  };
  const itemsOf = ({ at, end }: { readonly at: number; readonly end: number }) => {
    const first = lines.slice(at + 1, end).find(({ text }) => !isTrivial(text));
    const column = first === undefined ? 2 : indentOf(first.text);
    if (first !== undefined && !startsItem(first.text, column)) refuse(at, "it is not a list, line by line");
    const starts: number[] = [];
    for (let line = at + 1; line < end; line++) {
      if (startsItem(lines[line]!.text, column)) starts.push(line);
    }
    return { column, starts };
  };
  const sectionValue = (section: string): Values => {
    const inner = value[section] ?? {};
    return isValues(inner) ? inner : refuse(topOf(section)?.at, `${section} is not a map`);
  };
  const listValue = (list: string): readonly unknown[] => {
    const inner = value[list] ?? [];
    return Array.isArray(inner) ? inner : refuse(topOf(list)?.at, `${list} is not a list`);
  };
  const setIn = (section: string, key: string, text: string) => {
    const before = sectionValue(section);
    if (before[key] === text) return;
    const block = openBlock(section, "\\{ *\\}");
    const own = entriesOf(block);
    const found = own.find(({ entry }) => entry.key === key);
    if (found !== undefined) changeLine(found.at, found.entry, text);
    else insert((own.at(-1)?.at ?? block.at) + 1, [newLine(own[0]?.entry.column ?? 2, key, text)]);
    value = { ...value, [section]: { ...before, [key]: text } };
  };

  return {
    get value() {
      return value;
    },
    set: (key, text) => {
      if (value[key] === text) return;
      const found = topOf(key);
      if (found === undefined) insert(lines.length, [newLine(0, key, text)]);
      else if (found.end > found.at + 1) refuse(found.at, "the value takes several lines");
      else changeLine(found.at, scalarAt(found.at), text);
      value = { ...value, [key]: text };
    },
    setIn,
    removeIn: (section, key) => {
      const { [key]: _, ...rest } = sectionValue(section);
      const block = topOf(section);
      const found = block && entriesOf(block).find(({ entry }) => entry.key === key);
      if (found === undefined) return;
      lines.splice(found.at, 1);
      value = { ...value, [section]: Object.keys(rest).length === 0 ? null : rest };
    },
    arrange: (section, entries, startsGroup) => {
      const before = sectionValue(section);
      const block = openBlock(section, "\\{ *\\}");
      const own = entriesOf(block);
      const wanted = new Map(entries);
      const kept = new Map<string, { readonly above: Line[]; readonly line: Line }>();
      let [at, orphaned] = [own[0]?.at ?? block.end, [] as Line[]];
      for (const { at: line, entry } of own) {
        const above = lines.slice(at, line);
        at = line + 1;
        if (!wanted.has(entry.key)) {
          append(orphaned, above.filter(({ text }) => text.trim() !== ""));
          continue;
        }
        const text = wanted.get(entry.key)!;
        if (before[entry.key] !== text) changeLine(line, entry, text);
        kept.set(entry.key, { above: [...orphaned, ...above], line: lines[line]! });
        orphaned = [];
      }
      const column = own[0]?.entry.column ?? 2;
      const placed: Line[] = [];
      for (const [key, text] of entries) {
        const old = kept.get(key);
        const needsBlank = old === undefined && placed.length > 0 && startsGroup(key);
        if (needsBlank) placed.push({ text: "", end: newline });
        if (old !== undefined) append(placed, [...old.above, old.line]);
        else placed.push({ text: newLine(column, key, text), end: newline });
      }
      const first = own[0]?.at ?? block.at + 1;
      replaceLines(first, (own.at(-1)?.at ?? first - 1) - first + 1, [...placed, ...orphaned]);
      value = { ...value, [section]: Object.fromEntries(entries) };
    },
    setItems: (list, key, texts) => {
      if (texts.size === 0) return;
      const before = listValue(list);
      const after = [...before];
      // By the line above: inserted at once, because each insertion moves all lines below it.
      const added = new Map<number, string>();
      const block = topOf(list) ?? { at: lines.length, end: lines.length };
      const { starts } = itemsOf(block);
      for (const [index, text] of texts) {
        const item = before[index];
        if (!isValues(item)) return refuse(block.at, `item ${index + 1} of ${list} is not a map`);
        if (item[key] === text) continue;
        const start = starts[index] ?? refuse(block.at, `${list} is not written line by line`);
        const column = readEntry(lines[start]!.text)?.column ??
          refuse(start, "the item is not written line by line");
        let end = starts[index + 1] ?? block.end;
        while (isTrivial(lines[end - 1]!.text)) end--;
        const found = lines.slice(start, end).findIndex((line) => {
          const entry = readEntry(line.text);
          return entry?.key === key && entry.column === column;
        });
        if (found >= 0) changeLine(start + found, scalarAt(start + found), text);
        else added.set(end - 1, newLine(column, key, text));
        after[index] = { ...item, [key]: text };
      }
      for (const [at, line] of lines.splice(0).entries()) {
        lines.push(line);
        const text = added.get(at);
        if (text !== undefined) lines.push({ text, end: newline });
      }
      value = { ...value, [list]: after };
    },
    addItems: (list, items) => {
      if (items.length === 0) return;
      const before = listValue(list);
      const block = openBlock(list, "\\[ *\\]");
      const { column } = itemsOf(block);
      const texts = items.flatMap((fields) =>
        fields.map(([key, value], at) => {
          const lead = at === 0 ? `${" ".repeat(column)}- ` : " ".repeat(column + 2);
          return `${lead}${key}: ${writeValue(value)}`;
        })
      );
      insert(block.end, texts);
      value = {
        ...value,
        [list]: [...before, ...items.map((fields) => Object.fromEntries(fields.map(plainField)))],
      };
    },
    copy: (key, from) => {
      insert(lines.length, ["", ...from.linesOf(key)]);
      value = { ...value, [key]: from.value[key] };
    },
    linesOf: (key) => {
      const { at, end } = topOf(key) ?? { at: 0, end: 0 };
      return lines.slice(at, end).map(({ text }) => text);
    },
    toText: () => {
      for (const [at, line] of lines.entries()) {
        const isLast = at === lines.length - 1;
        if (isLast && !hasLastEnd) line.end = "";
        else if (line.end === "") line.end = newline;
      }
      const result = mark + lines.map(({ text, end }) => text + end).join("");
      const isIntended = JSON.stringify(parse(result, refuse)) === JSON.stringify(value);
      return isIntended
        ? result
        : refuse(undefined, "it is written in a way that cannot be changed by lines");
    },
  };
}

/** Without spreading, which a long list would not survive. */
function append<T>(list: T[], added: readonly T[]): void {
  for (const one of added) list.push(one);
}

type Refuse = (line: number | undefined, problem: string) => never;

function parse(text: string, refuse: Refuse): Values {
  const { value = {}, problem, at } = parseAnyYaml(text);
  if (problem !== undefined) return refuse(at && at.line - 1, problem);
  return value === null
    ? {}
    : isValues(value)
    ? value
    : refuse(undefined, "it is not a map of keys and values");
}

/** Whether a line belongs to the file's own map: an item of a list may be at the margin too. */
function isTop(text: string): boolean {
  return indentOf(text) === 0 && !startsItem(text, 0);
}

function readTop(text: string): Entry | undefined {
  return isTop(text) ? readEntry(text) : undefined;
}

/** Fails for lines that are not part of a plain map of keys, whatever they mean. */
function checkLines(lines: readonly Line[], refuse: Refuse): void {
  const first = lines.findIndex(({ text }) => !isTrivial(text));
  for (const [at, { text }] of lines.entries()) {
    if (text.includes("\r")) refuse(at, "a carriage return stands inside a line");
    if (isTrivial(text)) continue;
    if (/^ *\t/.test(text)) refuse(at, "a tab indents the line; YAML wants spaces");
    if (/^---(?: +#.*| *)$/.test(text) && at === first) continue;
    if (/^(?:---|\.\.\.|%)/.test(text)) refuse(at, "only one document without directives can be changed");
    if (isTop(text) && readEntry(text) === undefined) refuse(at, "the line is not a key and its value");
  }
}

function newLine(column: number, key: string, text: string): string {
  return `${" ".repeat(column)}${writeScalar(key, "plain")}: ${writeScalar(text, "plain")}`;
}

function writeValue(value: NewValue): string {
  if (typeof value === "bigint") return String(value);
  return typeof value === "string" ? writeScalar(value, "plain") : writeScalar(value.quoted, "double");
}

function plainField([key, value]: readonly [string, NewValue]): readonly [string, unknown] {
  if (typeof value === "bigint") return [key, Number(value)];
  return [key, typeof value === "object" ? value.quoted : value];
}
