/** `csv.DictReader`, with its tolerance: what follows a closing quote belongs to the field, an open one ends with the file. */
import { raise, refuseExcess } from "./program.ts";

/** Python refuses longer fields. */
const MAX_FIELD = 131_072;
/** A short row has a cell for every column of the header. */
const MAX_CELLS = 100_000;

/** The rows below the header, by its names. Fields that a row lacks are empty; those without a name are left out. */
export function readTable(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...rows] = readRows(text);
  return rows.filter((row) => row.length > 0).map((row) =>
    Object.fromEntries(header.map((name, at) => [name, row[at] ?? ""]))
  );
}

/** All rows; an empty line is a row without fields. */
function readRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let [at, cells] = [0, 0];
  while (at < text.length) {
    const isEmptyLine = row.length === 0 && (text[at] === "\n" || text[at] === "\r");
    if (!isEmptyLine) {
      const field = readField(text, at);
      if ([...field.value].length > MAX_FIELD) {
        raise("_csv.Error", `field larger than field limit (${MAX_FIELD})`);
      }
      row.push(field.value);
      at = field.end;
    }
    if (text[at] === ",") {
      at++;
      // A comma at the very end is followed by an empty field.
      if (at < text.length) continue;
      row.push("");
    } else if (text.startsWith("\r\n", at)) at += 2;
    else if (at < text.length) at++;
    rows.push(row);
    if (row.length > 0) cells += Math.max(row.length, rows[0]!.length);
    if (cells > MAX_CELLS) {
      refuseExcess(`the catalogue has more than ${MAX_CELLS} cells. Remove rows or columns`);
    }
    row = [];
  }
  return rows;
}

const PLAIN = /[^,\r\n]*/y;
const QUOTED = /[^"]*/y;

function readField(text: string, start: number): { readonly value: string; readonly end: number } {
  const take = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from;
    return pattern.exec(text)![0];
  };
  if (text[start] !== '"') {
    const value = take(PLAIN, start);
    return { value, end: start + value.length };
  }
  const parts: string[] = [];
  let at = start + 1;
  while (true) {
    const part = take(QUOTED, at);
    parts.push(part);
    at += part.length + 1;
    if (at > text.length) return { value: parts.join(""), end: text.length };
    if (text[at] !== '"') break;
    parts.push('"');
    at++;
  }
  const rest = take(PLAIN, at);
  return { value: parts.join("") + rest, end: at + rest.length };
}
