/**
 * Which words run something, or become something else, if they are pasted into a command line as they are? And how do
 * shells that a machine may not have read a line?
 */

/** Every kind of word that a manifest, a ledger, a folder or a person may give us. `PWNED` is what must not appear. */
export const HOSTILE_WORDS: readonly string[] = [
  ..."x; touch PWNED¦x && touch PWNED¦x | touch PWNED¦x & touch PWNED¦$(touch PWNED)".split("¦"),
  ..."`touch PWNED`".split("¦"),
  ...["x\ntouch PWNED", "x\r\ntouch PWNED\n", "x\u2028touch PWNED", "x\u0085touch PWNED", "x\0; touch PWNED"],
  ...["'; touch PWNED; '", '"; touch PWNED; "', "\\'; touch PWNED; #", "a\\", "a'b", 'a"b', "it's & it's"],
  ...["’; touch PWNED; ‘", "‛; touch PWNED; #", "“; touch PWNED; ”", '„ & touch PWNED & "'],
  ..."> PWNED|< PWNED|x>PWNED|^& touch PWNED|%COMSPEC% & touch PWNED|%PATH%|!touch".split("|"),
  ..."$HOME|~|*".split("|"),
  ...["{touch,PWNED}", "a,b", "@a", "@(touch PWNED)", "#x", "(touch PWNED)", "[x]", "?", "=x", "!!"],
  ...["-x", "--upload-pack=touch PWNED", "-", "--", ""],
  ...[" ", " a", "a ", "a  b", "a\tb", "a\u00A0b", "a\u200Bb", "a\u202Eb", "a\u{E0041}", "a\uD800"],
  ...["a b", "Ünïcode 家", "my shop/it", "C:\\Users\\Ann Lee\\x", "C:\\a & touch PWNED", "x".repeat(2_000)],
];

/** The words that cmd.exe sees, or the sign that would end the command. Only a double quote quotes there. */
export function cmdSpecial(line: string): string | undefined {
  let isQuoted = false;
  for (const sign of line) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[&|<>^\n\r]/.test(sign)) return sign;
  }
  return isQuoted ? '"' : undefined;
}

/** The words that PowerShell sees, or an error for what it would run, expand or bind. */
export function powershellWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]!;
    const family = ["'‘’‚‛", '"“”„'].find((quotes) => quotes.includes(sign));
    if (family !== undefined) {
      const end = line.slice(at + 1).search(new RegExp(`[${family}]`)) + at + 1;
      if (end <= at || family.includes(line[end + 1] ?? " ")) throw new Error("an open or doubled quote");
      const inside = line.slice(at + 1, end);
      if (family.startsWith('"') && /[$`]/.test(inside)) throw new Error(`expands ${inside}`);
      word = (word ?? "") + inside;
      at = end;
    } else if (sign === " ") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/[;|&<>(){}$`,\n\r]/.test(sign) || (word === undefined && /[@#]/.test(sign))) {
      throw new Error(`has ${sign}`);
    } else word = (word ?? "") + sign;
  }
  return word === undefined ? words : [...words, word];
}

/** The words that fish sees. In single quotes, a backslash escapes a quote. */
export function fishWords(line: string): readonly string[] {
  const words: string[] = [];
  const token = /\s+|'((?:\\['\\]|[^'])*)'|"((?:\\["\\$]|[^"$])*)"|([^\s'"$();&|<>*?{}~#\\]+)/gy;
  let word: string | undefined;
  while (token.lastIndex < line.length) {
    const found = token.exec(line);
    if (found === null) throw new Error(`cannot read ${line}`);
    const [whole, single, double, bare] = found;
    if (/^\s/.test(whole)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + (single?.replaceAll(/\\(['\\])/g, "$1") ?? double ?? bare!);
  }
  return word === undefined ? words : [...words, word];
}
