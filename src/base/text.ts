/**
 * Text of strangers, made harmless for a terminal and for a page.
 *
 * Names and descriptions come from files that anybody may have written. A character that steers what shows it (moves a
 * cursor, sets a title, turns the order of writing) is shown as a picture of itself instead. What else a page needs,
 * it does itself.
 */

/** Everything that steers; line feeds and tabs are left to the caller. */
// deno-lint-ignore no-control-regex
const STEERING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g;

/** A text of several lines that can be shown to a person as it stands. */
export function harmless(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(STEERING, pictureOf);
}

/** A text on one line, with single spaces. */
export function oneLine(text: string): string {
  return harmless(text.replaceAll(/\s+/g, " ").trim());
}

/** Unicode has pictures for the oldest of these characters; the others share the sign for what cannot be shown. */
function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
}
