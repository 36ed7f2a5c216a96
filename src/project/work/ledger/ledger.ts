/**
 * A YAML file of sections (maps with one value on each line) and lists of items, of which single lines change and all
 * other bytes stay. What cannot be changed by lines (anchors, tags, flow collections, tabs, values of several lines) is
 * refused. The new text is parsed and must have exactly the intended values.
 */
import { fail } from "../../../base/errors.ts";
import { isValues, parseAnyYaml, type Values } from "../../../content/parse.ts";
import {
  indentOf,
  linesIn,
  type Node,
  type Parts,
  readParts,
  readYamlTree,
  replaceScalar,
  splitText,
  writeScalar,
} from "../formats/mod.ts";

/** A text gets quotes where it needs them; `quoted` always has them. */
type NewValue = string | number | { readonly quoted: string };

export type Ledger = ReturnType<typeof openLedger>;

const NOTHING = /^ *(?:\{ *\}|\[ *\]|~|null|Null|NULL)(?=\s*$| +#)/;

/** An empty text is a ledger without keys. A change that fails changes nothing. */
export function openLedger(path: string, text: string) {
  const refuse = (at: number | undefined, problem: string): never =>
    fail({ code: "invalid-file", path, problem, ...(at !== undefined && { line: at + 1 }) });
  const parse = (text: string): Values => {
    const { value, problem, at } = parseAnyYaml(text);
    if (problem !== undefined) return refuse(at && at.line - 1, problem);
    const values = value ?? {};
    return isValues(values) ? values : refuse(undefined, "it is not a map of keys and values");
  };
  const { mark, end, isEnded, lines } = splitText(text);
  let value = parse(text);
  let file = readYamlTree(lines);
  if (file.isOpaque) {
    refuse(file.nodes.find(({ entry }) => entry?.column !== 0)?.at, "the line is not a key and its value");
  }
  const inLine = lines.findIndex((line) => /\r(?!$)/.test(line));
  if (inLine >= 0) refuse(inLine, "the line contains a carriage return");

  const partOf = (key: string) => file.nodes.find((node) => node.key === key);
  const append = (node: Node) => {
    file = { nodes: [...file.nodes, { ...node, lead: [...file.tail, ...node.lead] }], tail: [] };
  };
  const replaceBody = (key: string, body: Parts) => {
    file = { ...file, nodes: file.nodes.map((node) => node.key === key ? { ...node, body } : node) };
  };
  /** A missing key is added; `{}`, `[]` or null is opened. */
  const openBody = (key: string): Parts => {
    const found = partOf(key);
    if (found === undefined) {
      append(newPart(0, `${key}:`));
      return { nodes: [], tail: [] };
    }
    const { line, entry, body, at } = found;
    if (entry?.value?.raw === "") return body;
    const { length } = entry!.head;
    const rest = line.slice(length);
    if (!NOTHING.test(rest)) return refuse(at, `${key} is not written line by line`);
    const opened = { ...found, line: line.slice(0, length) + rest.replace(NOTHING, "") };
    file = { ...file, nodes: file.nodes.map((node) => node === found ? opened : node) };
    return { nodes: [], tail: linesIn(body) };
  };
  const withValue = (node: Node, text: string): Node => {
    const { entry, body, at } = node;
    if (entry?.value === undefined || body.nodes.length > 0) {
      return refuse(at, "the value is not a text on one line, so it cannot be changed by itself");
    }
    return { ...node, line: entry.head + replaceScalar(entry.value, text) };
  };
  const withKey = (nodes: readonly Node[], key: string, text: string): readonly Node[] => {
    const at = nodes.findIndex((node) => node.key === key);
    if (at >= 0) return nodes.with(at, withValue(nodes[at]!, text));
    return [...nodes, newRow(nodes[0]?.entry?.column ?? 2, key, text)];
  };
  const openSection = (section: string): Parts => {
    const body = openBody(section);
    const odd = body.nodes.find(({ item, entry, body }) =>
      item !== undefined || entry?.value === undefined || body.nodes.length > 0
    );
    if (odd === undefined && !body.isOpaque) return body;
    return refuse(
      odd?.at,
      "the values of a section must stand on one line each, with the same indentation",
    );
  };
  const sectionValue = (section: string): Values => {
    const inner = value[section] ?? {};
    return isValues(inner) ? inner : refuse(partOf(section)?.at, `${section} is not a map`);
  };
  const listValue = (list: string): readonly unknown[] => {
    const inner = value[list] ?? [];
    return Array.isArray(inner) ? inner : refuse(partOf(list)?.at, `${list} is not a list`);
  };

  return {
    partOf,
    get value(): Values {
      return value;
    },
    set: (key: string, text: string): void => {
      if (value[key] === text) return;
      if (partOf(key) === undefined) append(newRow(0, key, text));
      else file = { ...file, nodes: withKey(file.nodes, key, text) };
      value = { ...value, [key]: text };
    },
    setIn: (section: string, key: string, text: string): void => {
      const before = sectionValue(section);
      if (before[key] === text) return;
      const body = openSection(section);
      replaceBody(section, { ...body, nodes: withKey(body.nodes, key, text) });
      value = { ...value, [section]: { ...before, [key]: text } };
    },
    /**
     * A section gets exactly these keys and values, in this order. Lines that stay keep their form and the comments
     * above. A new key that starts a group gets a blank line above.
     */
    arrange: (
      section: string,
      entries: readonly (readonly [key: string, text: string])[],
      startsGroup: (key: string) => boolean,
    ): void => {
      const before = sectionValue(section);
      const { nodes, tail } = openSection(section);
      const wanted = new Map(entries);
      const kept = new Map<string, Node>();
      // Above the first row, it is about the section.
      const [head = [], ...leads] = nodes.map(({ lead }) => lead);
      let above: readonly string[] = [];
      for (const [at, node] of nodes.entries()) {
        const lead = leads[at - 1] ?? [];
        const text = wanted.get(node.key);
        if (text === undefined) {
          // A row that goes leaves its comments.
          above = [...above, ...[...lead, ...linesIn(node.body)].filter((line) => line.trim() !== "")];
          continue;
        }
        const changed = before[node.key] === text ? node : withValue(node, text);
        kept.set(node.key, { ...changed, lead: [...above, ...lead] });
        above = [];
      }
      const column = nodes[0]?.entry?.column ?? 2;
      const placed = entries.map(([key, text], index) => {
        const blank = index > 0 && startsGroup(key) ? [""] : [];
        const node = kept.get(key) ?? { ...newRow(column, key, text), lead: blank };
        return index > 0 ? node : { ...node, lead: [...head, ...node.lead] };
      });
      replaceBody(section, { nodes: placed, tail: [...above, ...tail] });
      value = { ...value, [section]: Object.fromEntries(entries) };
    },
    setItems: (list: string, key: string, texts: ReadonlyMap<number, string>): void => {
      if (texts.size === 0) return;
      const after = [...listValue(list)];
      const body = openBody(list);
      const nodes = [...body.nodes];
      for (const [index, text] of texts) {
        const node = nodes[index];
        const item = after[index];
        if (node?.item !== "entries" || !isValues(item)) {
          return refuse(node?.at ?? partOf(list)?.at, `${list} is not written line by line`);
        }
        if (item[key] === text) continue;
        nodes[index] = { ...node, body: { ...node.body, nodes: withKey(node.body.nodes, key, text) } };
        after[index] = { ...item, [key]: text };
      }
      replaceBody(list, { ...body, nodes });
      value = { ...value, [list]: after };
    },
    addItems: (list: string, items: readonly (readonly (readonly [key: string, value: NewValue])[])[]) => {
      if (items.length === 0) return;
      const before = listValue(list);
      const { nodes, tail } = openBody(list);
      const odd = nodes.find(({ item }) => item === undefined);
      if (odd !== undefined) refuse(odd.at, "it is not a list, line by line");
      const column = nodes[0] === undefined ? 2 : indentOf(nodes[0].line);
      const texts = items.flatMap((fields) =>
        fields.map(([key, value], at) =>
          `${" ".repeat(column)}${at === 0 ? "- " : "  "}${key}: ${writeValue(value)}`
        )
      );
      replaceBody(list, { nodes: [...nodes, ...readParts(texts, column).nodes], tail });
      const plain = (value: NewValue) => typeof value === "object" ? value.quoted : value;
      const added = items.map((fields) =>
        Object.fromEntries(fields.map(([key, value]) => [key, plain(value)]))
      );
      value = { ...value, [list]: [...before, ...added] };
    },
    /** Adds another ledger's key at the end, with its lines, after a blank line. */
    copy: (key: string, from: { readonly value: Values; partOf(key: string): Node | undefined }): void => {
      append({ ...from.partOf(key)!, lead: [""] });
      value = { ...value, [key]: from.value[key] };
    },
    toText: (): string => {
      const lines = linesIn(file);
      const result = mark + lines.join(end) + (isEnded && lines.length > 0 ? end : "");
      const isIntended = JSON.stringify(parse(result)) === JSON.stringify(value);
      return isIntended
        ? result
        : refuse(undefined, "it is written in a way that cannot be changed by lines");
    },
  };
}

function newRow(column: number, key: string, text: string): Node {
  return newPart(column, `${writeScalar(key, "plain")}: ${writeScalar(text, "plain")}`);
}

function newPart(column: number, line: string): Node {
  return readParts([" ".repeat(column) + line], column).nodes[0]!;
}

function writeValue(value: NewValue): string {
  if (typeof value === "object") return writeScalar(value.quoted, "double");
  return typeof value === "number" ? String(value) : writeScalar(value, "plain");
}
