/** Edits Markdown and front matter: single lines change, every other byte stays. */
export interface Line {
  text: string;
  end: string;
}

const MARK = "\uFEFF";

export class EditedText {
  lines: Line[];
  readonly newline: string;
  readonly #mark: string;

  constructor(text: string) {
    this.#mark = text.startsWith(MARK) ? MARK : "";
    const parts = text.slice(this.#mark.length).split(/(\r\n|[\r\n])/);
    const lines = parts.map((text, at) => ({ text, end: parts[at + 1] ?? "" })).filter((_, at) =>
      at % 2 === 0
    );
    this.lines = lines.at(-1)!.text === "" ? lines.slice(0, -1) : lines;
    this.newline = this.lines[0]?.end || "\n";
  }

  insert(at: number, texts: readonly string[]): void {
    this.replace(at, 0, texts.map((text) => ({ text, end: this.newline })));
  }

  replace(at: number, count: number, added: readonly Line[]): void {
    const above = this.lines[at - 1];
    if (above !== undefined && added.length > 0) above.end ||= this.newline;
    this.lines = [...this.lines.slice(0, at), ...added, ...this.lines.slice(at + count)];
  }

  /** The first `end` lines without blank ones at their end. */
  lastFilled(end = this.lines.length): number {
    let at = end;
    while (at > 0 && this.lines[at - 1]!.text.trim() === "") at--;
    return at;
  }

  toString(): string {
    return this.#mark + this.lines.map(({ text, end }) => text + end).join("");
  }
}
