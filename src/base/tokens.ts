/** A rule of thumb that rather counts too many. */

const PER_TOKEN = { word: 6, digits: 3, signs: 3, letters: 3, symbols: 1.5 } as const;
type Kind = keyof typeof PER_TOKEN;
const SHORT = 9;
const FIRST_SYMBOL = 0x2e80;

export function tokensIn(text: string): number {
  let tokens = 0;
  let [run, kind]: [number, Kind | undefined] = [0, undefined];
  let isBlank = false;
  const close = () => {
    if (kind === undefined) return;
    tokens += kind === "word" && run <= SHORT
      ? 1
      : kind === "symbols"
      ? run / PER_TOKEN[kind]
      : Math.ceil(run / PER_TOKEN[kind]);
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const next = kindOf(code);
    if (next !== kind) {
      close();
      [run, kind] = [0, next];
    }
    run++;
    // Each break of lines is a token, several at once are one.
    if (code === 10 && !isBlank) tokens++;
    isBlank = code === 10;
  }
  close();
  return Math.ceil(tokens);
}

function kindOf(code: number): Kind | undefined {
  if (code <= 32) return undefined;
  if (code < 128) {
    const letter = code | 32;
    if (letter >= 97 && letter <= 122) return "word";
    return code >= 48 && code <= 57 ? "digits" : "signs";
  }
  return code < FIRST_SYMBOL ? "letters" : "symbols";
}
