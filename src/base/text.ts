/**
 * Untrusted text, made safe to print on a terminal and to show on a page.
 *
 * Names and descriptions come from files of unknown authors. A character that steers what shows it (moves a
 * cursor, sets a title, turns the order of writing) is shown as a picture of itself instead. What else a page needs,
 * it does itself.
 */

/** Control characters; line feeds and tabs are left to the caller. */
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g;

/** A text of several lines that is safe to show. */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(CONTROL, symbolOf);
}

/** The same JSON, with the control characters in its texts escaped. */
export function escapeControls(json: string): string {
  return json.replaceAll(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Nearly every text is already so. */
const ONE_LINE = /^[!-~]+(?: [!-~]+)*$/;

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

/** Unicode has symbols for the ASCII control characters; the others share the replacement character. */
function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
}

/** `agents`, `stories`. */
export function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** `1 agent`, `2 agents`; an irregular plural is given. */
export function counted(count: number, singular: string, plural = pluralOf(singular)): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** A word for a shell: what is in it, such as the name of a file, is not run. */
export function shellWord(text: string): string {
  return /^[\w./@+:][\w./@+:-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The 32-bit FNV-1a hash of a text: the same on every machine and in every version. It protects nothing. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
