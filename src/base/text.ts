/**
 * Untrusted text, made safe to print on a terminal, to show on a page, to give to a model and to write into a command.
 *
 * Names, descriptions and texts come from files of unknown authors. A character that nobody sees, or that steers what
 * shows it (moves a cursor, turns the order of writing, carries a second text), is shown as a picture of itself instead.
 * What else a page needs, it does itself.
 */

/** Patterns of what nobody sees. Building them takes milliseconds that most runs save: few texts have a rare character. */
interface HiddenPatterns {
  /**
   * Controls, format characters, fillers, variation selectors, tags, halves of characters and noncharacters. Tabs and
   * line ends are left to the caller. Some format characters are visible: signs of Arabic, Syriac and Kaithi that enclose
   * numbers, and those that arrange hieroglyphs. The flags of England, Scotland and Wales are written with tags, and match
   * as a whole.
   */
  readonly hidden: RegExp;
  /** Where a script or an emoji needs one of them, by what stands beside it. It allows one character, never a run. */
  readonly needed: RegExp;
}

let built: HiddenPatterns | undefined;

const hiddenPatterns = (): HiddenPatterns =>
  built ??= {
    hidden:
      /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}|\r(?!\n)|(?![\t\n\r\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\u{13430}-\u{1343F}])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2028\u2029]/uy,
    needed: anyOf([
      // Joiners in scripts whose letters change their shape.
      /(?<=(?=[\p{L}\p{M}])(?!\p{Default_Ignorable_Code_Point})[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Mong}\p{scx=Phag}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Newa}\p{scx=Tirh}\p{scx=Gran}\p{scx=Shrd}\p{scx=Kthi}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}])[\u200C\u200D]/uy,
      // Places to break a line in scripts without spaces.
      /(?<=(?=[\p{L}\p{M}])[\p{scx=Khmr}\p{scx=Mymr}\p{scx=Thai}\p{scx=Laoo}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}])\u200B(?=\p{L})(?=[\p{scx=Khmr}\p{scx=Mymr}\p{scx=Thai}\p{scx=Laoo}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}])/uy,
      // Marks of direction beside a letter that is written from right to left. They turn nothing but neighbouring signs.
      /(?<=(?=\p{L})[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}])[\u061C\u200E\u200F]/uy,
      /[\u061C\u200E\u200F](?=\p{L})(?=[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}])/uy,
      // Forms of Mongolian letters, of ideographs, of Burmese and Phags-pa letters, and of mathematical signs.
      /(?<=(?=\p{L})\p{sc=Mong})(?:[\u180B-\u180D\u180F]|\u180E(?=\p{L})(?=\p{sc=Mong}))/uy,
      /(?<=\p{sc=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]/uy,
      /(?<=[\p{sc=Mymr}\p{sc=Phag}\p{Sm}])\uFE00/uy,
      // The order of vowel signs in Hebrew.
      /(?<=(?!\p{Default_Ignorable_Code_Point})\p{M})\u034F(?!\p{Default_Ignorable_Code_Point})(?=\p{M})/uy,
      // How a file is encoded, said before its front matter.
      /(?<![^\n])\uFEFF(?=---\r?\n)/uy,
      // Emoji: as a picture or as text, as a key, and joined to others.
      /(?<=(?![0-9#*])[\p{Emoji}\p{Extended_Pictographic}])[\uFE0E\uFE0F]/uy,
      /(?<=[0-9#*])\uFE0F(?=\u20E3)/uy,
      /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})/uy,
    ]),
  };

/** One pattern for all of them: a text of nothing but hidden characters asks for each. */
function anyOf(places: readonly RegExp[]): RegExp {
  return new RegExp(places.map(({ source }) => source).join("|"), "uy");
}

/** What common texts hardly contain: all that may be hidden is among it, and is found in a twentieth of the time. */
const RARE =
  /[^\t\n -~\u00A0-\u00AC\u00AE-\u034E\u0350-\u061B\u061D-\u115E\u1161-\u17B3\u17B6-\u180A\u1810-\u200A\u2010-\u2027\u202F-\u205F\u2070-\u3163\u3165-\uD7FF\uFF01-\uFF9F]/g;

/** A text with another text for each character that nobody sees, unless its script or an emoji needs it. */
export function replaceHidden(text: string, replace: (character: string) => string): string {
  let [safe, end] = ["", 0];
  RARE.lastIndex = 0;
  for (let rare; (rare = RARE.exec(text)) !== null;) {
    const at = rare.index;
    const patterns = hiddenPatterns();
    const hidden = matchAt(patterns.hidden, text, at);
    const found = hidden ?? String.fromCodePoint(text.codePointAt(at)!);
    RARE.lastIndex = at + found.length;
    patterns.needed.lastIndex = at;
    if (hidden === undefined || hidden.length > 2 || patterns.needed.test(text)) continue;
    safe += text.slice(end, at) + replace(hidden);
    end = at + hidden.length;
  }
  return end === 0 ? text : safe + text.slice(end);
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** A text in which all that nobody would see is visible. For a text without it, the same text. */
export function markHidden(text: string): string {
  return replaceHidden(text, symbolOf);
}

/** A value with all its texts so. */
export function markTexts<T>(value: T): T;
export function markTexts(value: unknown): unknown {
  if (typeof value === "string") return markHidden(value);
  if (Array.isArray(value)) return value.map(markTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, markTexts(each)]));
}

/** A text of several lines that is safe to show. The mark before the text of a file is not part of it. */
export function safeText(text: string): string {
  return markHidden(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"));
}

/** The same JSON, with what nobody would see in its texts escaped. */
export function escapeControls(json: string): string {
  return replaceHidden(
    json,
    (character) =>
      character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  );
}

/**
 * The lines of a text. A line ends at LF, CR LF or CR, as in Markdown, YAML and Git. U+2028, U+2029 and NEL are
 * characters of a line, although `.`, `^` and `$` stop at two of them: a pattern for a line has the flag `s`.
 */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|[\r\n]/);
}

/** The same lines, each with its end: joined, they are the text, byte for byte. */
export function splitKeepingEnds(text: string): string[] {
  return text.split(/(?<=\n|\r(?!\n))/);
}

/** Nearly every text is already so. */
const ONE_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** A message with its source and its file, which is the subject of one that begins with a verb: `x.toml is ignored`. */
export function withPlace(
  { origin, path, message }: { readonly origin?: string; readonly path?: string; readonly message: string },
): string {
  const isPredicate = path !== undefined && /^(?:is|applies) /.test(message);
  const about = isPredicate ? `${path} ${message}` : [path, message].filter(Boolean).join(": ");
  return origin ? `${origin}: ${about}` : about;
}

/** A text on one line, with single spaces. */
export function oneLine(text: string): string {
  if (ONE_LINE.test(text)) return text;
  return safeText(text.replaceAll(/\s+/g, " ").trim());
}

/** A text cut to one line of at most `max` characters, never in the middle of a character. */
export function shorten(text: string, max = 200): string {
  const line = oneLine(text);
  return line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A text with the login of every URL in it masked, also behind one slash. The user of ssh is not a secret. */
export function hideLogins(text: string): string {
  return text.replaceAll(
    /(?<!\w)(\w*:\/\/|(?:https?|ssh|ftp|git):\/)([^\s/"]+)@/g,
    (whole, scheme: string, login: string) =>
      scheme === "ssh://" && /^[\w.+-]+$/.test(login) ? whole : `${scheme}***@`,
  );
}

/** Unicode has symbols for the ASCII control characters; all others share the replacement character. */
function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
}

/** `agents`, `stories`. */
export function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The first of some names, and how many more there are: `1-2, 1-3 and 4 more`. A single one more is named, too. */
export function fewOf(names: readonly string[], max = 3): string {
  const more = names.length - max;
  const rest = more <= 0 ? "" : ` and ${more === 1 ? names[max] : `${more} more`}`;
  return names.slice(0, max).join(", ") + rest;
}

/** `1 agent`, `2 agents`; an irregular plural is given. */
export function counted(count: number, singular: string, plural = pluralOf(singular)): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/**
 * What stands in a command: one operand, which is not a flag; words, flags among them; or a part that is a command line
 * already, unless that could not be written.
 */
export type CommandValue = string | { readonly args: readonly string[] } | {
  readonly line: string | undefined;
};

/**
 * A command line to paste into a shell: the literal parts are ours, every value is one word. Undefined if a value cannot
 * be written so that each of the shells reads it as that word and nothing else: sh, bash, zsh, fish, PowerShell and cmd.
 */
export function command(parts: TemplateStringsArray, ...values: readonly CommandValue[]): string | undefined {
  const words = values.flatMap((value) => {
    if (typeof value === "string") return [value.startsWith("-") ? undefined : shellWord(value)];
    return "line" in value ? [value.line] : [joinWords(value.args.map(shellWord))];
  });
  return words.includes(undefined) ? undefined : String.raw({ raw: parts }, ...words);
}

function joinWords(words: readonly (string | undefined)[]): string | undefined {
  return words.includes(undefined) ? undefined : words.join(" ");
}

/** What stands in the place of a command that cannot be written. */
export const NO_COMMAND = "(no command is given: a name in it has characters that shells interpret)";

/** What to do, with the command that does it, or why none is given. */
export function withCommand(what: string, line: string | undefined): string {
  return line === undefined ? `${what} ${NO_COMMAND}` : `${what}: ${line}`;
}

/**
 * How a word is quoted. What is in double quotes is the same to all shells as long as nothing expands there. Single quotes
 * are for what would: they stop it in all but cmd, which has no such quotes and runs what follows an `&` or `|`. No
 * character is ever escaped, because what escapes it in one shell ends the quotes in another. PowerShell takes curly
 * quotes for straight ones.
 */
const QUOTES: readonly (readonly [quote: string, fits: RegExp])[] = [
  ["", /^[\w./:-][\w./:@+=-]*$/],
  ['"', /^[^"“”„$`\\!%]+$/],
  ["'", /^[^'‘’‚‛"“”„\\&|<>^]+$/],
];

/** More would not be a name. */
const MAX_WORD = 1_000;

function shellWord(text: string): string | undefined {
  // Windows takes both slashes.
  const word = /^[A-Za-z]:\\/.test(text) ? text.replaceAll("\\", "/") : text;
  // A line that is printed has single spaces.
  if (word.length > MAX_WORD || oneLine(word) !== word) return undefined;
  const quote = QUOTES.find(([, fits]) => fits.test(word))?.[0];
  return quote === undefined ? undefined : quote + word + quote;
}

/** The 32-bit FNV-1a hash of a text: the same on every machine and in every version. It protects nothing. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
