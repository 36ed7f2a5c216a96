/**
 * A table and its sub-tables are found by their headers and form a block of lines. Other notations (`mcp_servers = { …
 * }`, `mcp_servers.bmad.command = …`) are not found: the caller parses the result and refuses it.
 */
import { formatToml, type Values } from "../../content/parse.ts";

export function setToml(text: string, keys: readonly string[], table: Values): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const nested = keys.reduceRight<Values>((inner, key) => ({ [key]: inner }), table);
  const block = `${formatToml(nested).trim().replaceAll("\n", eol)}${eol}`;
  const [first, ...others] = blocksOf(text, keys);
  if (first === undefined) {
    if (text.trim() === "") return text.trim() + block;
    return `${text}${text.endsWith("\n") ? "" : eol}${eol}${block}`;
  }
  const left = remove(text, others);
  return left.slice(0, first.from) + block + left.slice(first.to);
}

export function cutToml(text: string, keys: readonly string[]): string {
  return remove(text, blocksOf(text, keys));
}

type Block = ReturnType<typeof blocksOf>[number];

function remove(text: string, blocks: readonly Block[]): string {
  return blocks.toReversed().reduce((left, { from, to }) => {
    const before = left.slice(0, from);
    const isAlone = /(?:^|\n)[ \t]*\r?\n$/.test(before);
    return (isAlone ? before.replace(/(?<![ \t])[ \t]*\r?\n$/, "") : before) + left.slice(to);
  }, text);
}

function blocksOf(text: string, keys: readonly string[]) {
  const blocks: { from: number; to: number }[] = [];
  let isInside = false;
  for (const { from, to, header } of statementsOf(text)) {
    if (header !== undefined) isInside = keys.every((key, at) => header[at] === key);
    if (!isInside) continue;
    const last = blocks.at(-1);
    // Adjacent sub-tables are one block: the lines between go with it.
    const isNext = header === undefined || (last && text.slice(last.to, from).trim() === "");
    if (last && isNext) last.to = to;
    else blocks.push({ from, to });
  }
  return blocks;
}

interface Statement extends Block {
  readonly header?: readonly string[];
}

const TOKEN =
  /"""(?:[^\\]|\\(?:[^]|$))*?(?:"{3,5}|$)|'''[^]*?(?:'{3,5}|$)|"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?|#[^\n]*|[^]/g;

function statementsOf(text: string): readonly Statement[] {
  const statements: Statement[] = [];
  let [from, depth, code] = [0, 0, ""];
  const end = (to: number) => {
    const header = /^\[\[?((?:[^"'\]]|"(?:[^"\\]|\\.)*"|'[^']*')*)\]/.exec(code.trim())?.[1];
    if (code.trim() !== "") {
      statements.push(header === undefined ? { from, to } : { from, to, header: keysOf(header) });
    }
    [from, depth, code] = [to, 0, ""];
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "\n" && depth <= 0) end(index + 1);
    else if (!token.startsWith("#")) code += token;
    if (token === "[" || token === "{") depth++;
    if (token === "]" || token === "}") depth--;
  }
  end(text.length);
  return statements;
}

function keysOf(header: string): readonly string[] {
  const parts = header.match(/"(?:[^"\\]|\\[^])*"?|'[^']*'?|[^\s."']+/g) ?? [];
  return parts.map((part) => part.replace(/^(["'])(.*)\1$/s, "$2"));
}
