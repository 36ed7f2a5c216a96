/** A text as words: the one tokenizer of every search. */

/** In lower case and without accents; `bmad-prd` is two words. */
export function wordsOf(text: string): readonly string[] {
  if (/^[a-z0-9]+$/i.test(text)) return [text.toLowerCase()];
  // `let's` is one word; a French article before an apostrophe is a word by itself.
  return withoutAccents(text).toLowerCase().replaceAll(/(?<=\p{L}\p{L})['’](?=[a-z]{1,2}\b)/gu, "")
    .match(/[\p{L}\p{N}]+/gu) ?? [];
}

export function withoutAccents(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}+/gu, "");
}

/** `getUserById`, `OrderService`; not `GitHub` and `macOS`, whose parts mean nothing on their own. */
const IDENTIFIER =
  /(?<![\p{L}\p{N}_])(?:\p{Ll}{2,}(?:\p{Lu}[\p{Ll}\p{N}]+)+|\p{L}\p{Ll}{3,}(?:\p{Lu}\p{Ll}{3,})+)/gu;

export function spellOut(text: string): string {
  const parts = (name: string) => name.replaceAll(/(?<=\p{Ll}|\p{N})(?=\p{Lu})/gu, " ");
  return text.replaceAll(IDENTIFIER, (name) => `${name} ${parts(name)}`);
}
