/**
 * Requests to remember something, which people make wherever they are.
 */

/** A request to remember or to recall, in the languages that people use, at the beginning of what is asked. */
const REMEMBER =
  /^[^\p{L}]*(?:(?:please|bmad)\s+)?(?:remember|recall|memori[sz]e|memory|memories|merken?|erinnere|retiens|souviens|recuerda)(?!\p{L})/iu;

/** Whether a text asks to remember or to recall something. */
export function asksToRemember(text: string): boolean {
  return REMEMBER.test(text);
}
