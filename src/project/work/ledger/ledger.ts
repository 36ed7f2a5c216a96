/**
 * A ledger: a YAML file of which single lines change and all other bytes stay.
 *
 * The file is a map of keys; a section is a map below one of them, with one value on each line; a list holds items that
 * are such maps. Comments, order, quotes, unknown keys, line ends, a byte order mark and a missing line end at the end
 * survive. What cannot be changed by lines (anchors, tags, flow collections, tabs, values of several lines) is refused.
 * At the end the new text is parsed: unless exactly the intended values differ, nothing is returned.
 */
import { fail } from "../../../base/errors.ts";
import { isValues, parseAnyYaml, type Values } from "../../../content/parse.ts";
import {
  EditedText,
  indentOf,
  isTrivial,
  type Line,
  readEntry,
  replaceScalar,
  startsItem,
  writeScalar,
} from "../formats/mod.ts";

/** The value of a new entry: a text, with quotes where it needs them; a whole number; or a text in double quotes. */
type NewValue = string | number | { readonly quoted: string };

export type Ledger = ReturnType<typeof openLedger>;

interface Block {
  readonly at: number;
  readonly end: number;
}

/** A value that holds nothing yet, as it may be written behind its key. */
const NOTHING = /^ *(?:\{ *\}|\[ *\]|~|null|Null|NULL)(?= *$| +#)/;

/**
 * Opens a ledger to be changed; the path is for messages. An empty text is a ledger without keys. Every change fails, and
 * changes nothing, if it is not one of lines.
 */
export function openLedger(path: string, text: string) {
  const refuse: Refuse = (at, problem) =>
    fail({ code: "invalid-file", path, problem, ...(at !== undefined && { line: at + 1 }) });
  const edited = new EditedText(text);
  const hasLastEnd = edited.lines.at(-1)?.end !== "";
  let value = parse(text, refuse);
  checkLines(edited.lines, refuse);

  const newLine = (text: string): Line => ({ text, end: edited.newline });
  const entryAt = (at: number) => {
    const { key, column, head, value } = readEntry(edited.lines[at]!.text) ?? {};
    if (value === undefined) {
      return refuse(at, "the value is not a text on one line, so it cannot be changed by itself");
    }
    return { at, key: key!, column: column!, head: head!, value };
  };
  const changeLine = (at: number, text: string) => {
    const { head, value } = entryAt(at);
    edited.lines[at]!.text = head + replaceScalar(value, text);
  };
  const findBlock = (key: string): Block | undefined => {
    const { lines } = edited;
    const at = lines.findIndex(({ text }) => isTop(text) && readEntry(text)?.key === key);
    if (at < 0) return undefined;
    const rest = lines.slice(at + 1).findIndex(({ text }) => !isTrivial(text) && isTop(text));
    let end = rest < 0 ? lines.length : at + 1 + rest;
    while (end > at + 1 && isTrivial(lines[end - 1]!.text)) end--;
    return { at, end };
  };
  const openBlock = (key: string): Block => {
    const found = findBlock(key);
    if (found === undefined) {
      edited.insert(edited.lines.length, [`${key}:`]);
      return { at: edited.lines.length - 1, end: edited.lines.length };
    }
    const line = edited.lines[found.at]!;
    const { head, value: scalar } = readEntry(line.text)!;
    if (scalar?.raw === "") return found;
    const rest = line.text.slice(head.length);
    if (!NOTHING.test(rest)) return refuse(found.at, `${key} is not written line by line`);
    line.text = head + rest.replace(NOTHING, "");
    return found;
  };
  const entriesOf = ({ at, end }: Block) => {
    const { lines } = edited;
    const own: ReturnType<typeof entryAt>[] = [];
    for (let line = at + 1; line < end; line++) {
      if (isTrivial(lines[line]!.text)) continue;
      const entry = entryAt(line);
      if (entry.column !== (own[0] ?? entry).column || entry.head.trimStart().startsWith("- ")) {
        refuse(line, "the values of a section must stand on one line each, with the same indentation");
      }
      own.push(entry);
    }
    return own;
  };
  const itemsOf = ({ at, end }: Block) => {
    const { lines } = edited;
    const first = lines.slice(at + 1, end).find(({ text }) => !isTrivial(text));
    const column = first === undefined ? 2 : indentOf(first.text);
    if (first !== undefined && !startsItem(first.text, column)) refuse(at, "it is not a list, line by line");
    const starts = lines.flatMap(({ text }, line) =>
      line > at && line < end && startsItem(text, column) ? [line] : []
    );
    return { column, starts };
  };
  const sectionValue = (section: string): Values => {
    const inner = value[section] ?? {};
    return isValues(inner) ? inner : refuse(findBlock(section)?.at, `${section} is not a map`);
  };
  const listValue = (list: string): readonly unknown[] => {
    const inner = value[list] ?? [];
    return Array.isArray(inner) ? inner : refuse(findBlock(list)?.at, `${list} is not a list`);
  };

  return {
    get value(): Values {
      return value;
    },
    set: (key: string, text: string): void => {
      if (value[key] === text) return;
      const found = findBlock(key);
      if (found === undefined) edited.insert(edited.lines.length, [renderEntry(0, key, text)]);
      else if (found.end > found.at + 1) refuse(found.at, "the value takes several lines");
      else changeLine(found.at, text);
      value = { ...value, [key]: text };
    },
    setIn: (section: string, key: string, text: string): void => {
      const before = sectionValue(section);
      if (before[key] === text) return;
      const block = openBlock(section);
      const own = entriesOf(block);
      const found = own.find((entry) => entry.key === key);
      if (found !== undefined) changeLine(found.at, text);
      else edited.insert((own.at(-1) ?? block).at + 1, [renderEntry(own[0]?.column ?? 2, key, text)]);
      value = { ...value, [section]: { ...before, [key]: text } };
    },
    /**
     * Gives a section exactly these keys and values, in this order. Lines of keys that stay keep their form and the
     * comments above them. A blank line is put above a new key if `startsGroup` says so.
     */
    arrange: (
      section: string,
      entries: readonly (readonly [key: string, text: string])[],
      startsGroup: (key: string) => boolean,
    ): void => {
      const before = sectionValue(section);
      const block = openBlock(section);
      const own = entriesOf(block);
      const { lines } = edited;
      const wanted = new Map(entries);
      const kept = new Map<string, readonly Line[]>();
      const first = own[0]?.at ?? block.at + 1;
      let [next, above] = [first, [] as Line[]];
      for (const { at, key } of own) {
        const trivia = lines.slice(next, at);
        next = at + 1;
        const text = wanted.get(key);
        // Of a row that goes, the comments stay.
        for (const line of trivia) if (text !== undefined || line.text.trim() !== "") above.push(line);
        if (text === undefined) continue;
        if (before[key] !== text) changeLine(at, text);
        kept.set(key, [...above, lines[at]!]);
        above = [];
      }
      const column = own[0]?.column ?? 2;
      const placed = entries.flatMap(([key, text], index) => {
        const blank = index > 0 && startsGroup(key) ? [""] : [];
        return kept.get(key) ?? [...blank, renderEntry(column, key, text)].map(newLine);
      });
      edited.replace(first, next - first, [...placed, ...above]);
      value = { ...value, [section]: Object.fromEntries(entries) };
    },
    setItems: (list: string, key: string, texts: ReadonlyMap<number, string>): void => {
      if (texts.size === 0) return;
      const after = [...listValue(list)];
      // By the line above: inserted at once, because each insertion moves all lines below it.
      const added = new Map<number, string>();
      const block = findBlock(list) ?? { at: edited.lines.length, end: edited.lines.length };
      const { starts } = itemsOf(block);
      const { lines } = edited;
      for (const [index, text] of texts) {
        const item = after[index];
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
        if (found >= 0) changeLine(start + found, text);
        else added.set(end - 1, renderEntry(column, key, text));
        after[index] = { ...item, [key]: text };
      }
      edited.lines = lines.flatMap((line, at) =>
        added.has(at) ? [{ ...line, end: line.end || edited.newline }, newLine(added.get(at)!)] : [line]
      );
      value = { ...value, [list]: after };
    },
    addItems: (
      list: string,
      items: readonly (readonly (readonly [key: string, value: NewValue])[])[],
    ): void => {
      if (items.length === 0) return;
      const before = listValue(list);
      const block = openBlock(list);
      const { column } = itemsOf(block);
      const texts = items.flatMap((fields) =>
        fields.map(([key, value], at) =>
          `${" ".repeat(column)}${at === 0 ? "- " : "  "}${key}: ${writeValue(value)}`
        )
      );
      edited.insert(block.end, texts);
      const plain = (value: NewValue) => typeof value === "object" ? value.quoted : value;
      const added = items.map((fields) =>
        Object.fromEntries(fields.map(([key, value]) => [key, plain(value)]))
      );
      value = { ...value, [list]: [...before, ...added] };
    },
    /** Adds a key of another ledger at the end, with its lines as they stand, after a blank line. */
    copy: (
      key: string,
      from: { readonly value: Values; linesOf(key: string): readonly string[] },
    ): void => {
      edited.insert(edited.lines.length, ["", ...from.linesOf(key)]);
      value = { ...value, [key]: from.value[key] };
    },
    linesOf: (key: string): readonly string[] => {
      const { at, end } = findBlock(key) ?? { at: 0, end: 0 };
      return edited.lines.slice(at, end).map(({ text }) => text);
    },
    toText: (): string => {
      const last = edited.lines.at(-1);
      if (last !== undefined) last.end = hasLastEnd ? last.end || edited.newline : "";
      const result = edited.toString();
      const isIntended = JSON.stringify(parse(result, refuse)) === JSON.stringify(value);
      return isIntended
        ? result
        : refuse(undefined, "it is written in a way that cannot be changed by lines");
    },
  };
}

type Refuse = (at: number | undefined, problem: string) => never;

function parse(text: string, refuse: Refuse): Values {
  const { value, problem, at } = parseAnyYaml(text);
  if (problem !== undefined) return refuse(at && at.line - 1, problem);
  const values = value ?? {};
  return isValues(values) ? values : refuse(undefined, "it is not a map of keys and values");
}

/** Whether a line belongs to the file's own map: an item of a list may be at the margin too. */
function isTop(text: string): boolean {
  return indentOf(text) === 0 && !startsItem(text, 0);
}

function checkLines(lines: readonly Line[], refuse: Refuse): void {
  const first = lines.findIndex(({ text }) => !isTrivial(text));
  for (const [at, { text, end }] of lines.entries()) {
    if (end === "\r") refuse(at, "a carriage return stands inside a line");
    if (isTrivial(text)) continue;
    if (/^ *\t/.test(text)) refuse(at, "a tab indents the line; YAML wants spaces");
    if (/^---(?: +#.*| *)$/.test(text) && at === first) continue;
    if (/^(?:---|\.\.\.|%)/.test(text)) refuse(at, "only one document without directives can be changed");
    if (isTop(text) && readEntry(text) === undefined) refuse(at, "the line is not a key and its value");
  }
}

function renderEntry(column: number, key: string, text: string): string {
  return `${" ".repeat(column)}${writeScalar(key, "plain")}: ${writeScalar(text, "plain")}`;
}

function writeValue(value: NewValue): string {
  if (typeof value === "object") return writeScalar(value.quoted, "double");
  return typeof value === "number" ? String(value) : writeScalar(value, "plain");
}
