/**
 * German words as documents and stories share them: without endings, and compounds with their parts.
 *
 * `Fahrscheinkauf`, `Fahrscheine kaufen` and `gekaufter Fahrschein` are about the same. Which parts a compound has is
 * learned from the documents themselves, so no list of words is needed. Words come without accents: `fuer` is `fur`.
 */

/** What holds sentences together; also what tells the language. */
const FILLERS = new Set(
  ("aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da dabei " +
    "damit danach dann das dass dazu dein dem den denn der des deshalb dessen die dies diese diesem diesen dieser " +
    "dieses doch dort du durch ein eine einem einen einer eines er es etwa euch fur gegen haben hat hatte hier ich ihm " +
    "ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja je jede jedem jeden jeder jedes kann kein keine keinen " +
    "konnen man mehr mein meine mich mir mit moglich mochte muss mussen nach nicht nichts noch nur ob oder ohne sein " +
    "seine seinem seinen seiner seit sich sie sind so soll sollen sondern sowie statt uber um und uns unser unsere unter " +
    "viel vom von vor war waren wegen weil welche welcher wenn wer werden wie wieder will wir wird worden wurde wurden " +
    "zu zum zur zwischen")
    .split(" "),
);

/** Whether a German word says nothing about the subject. */
export function isGermanFiller(word: string): boolean {
  return FILLERS.has(word);
}

/** Endings of words that are made from others, each with how many letters must remain. */
const DERIVED = /(?<=.{4})(?:ung|ier|igkeit|keit|heit|lich|isch)$/;

/** The common part of a word's forms. */
export function germanStem(word: string): string {
  // Double letters come and go with endings.
  const plain = word.replaceAll("ß", "ss").replaceAll(/([a-z])\1/g, "$1");
  if (plain.length < 4 || /[^a-z]/.test(plain)) return plain;
  // `gebucht` is from `buchen`, but `Gerät` is not from `rät`.
  const begun = plain.length > 6 && /^ge.*t(?:e[mnrs]?)?$/.test(plain) ? plain.slice(2) : plain;
  const bare = withoutEndings(begun);
  const derived = bare.replace(DERIVED, "");
  return derived === bare ? bare : withoutEndings(derived);
}

/** The most endings that are removed one after another; with more, a compound would lose a part of its last word. */
const MAX_ENDINGS = 3;

function withoutEndings(word: string): string {
  let stem = word;
  for (let count = 0; count < MAX_ENDINGS; count++) {
    const { length } = stem;
    if (length > 5 && /(?:em|er|nd)$/.test(stem)) stem = stem.slice(0, -2);
    else if (length > 4 && stem.endsWith("t")) stem = stem.slice(0, -1);
    else if (length > 3 && /[esn]$/.test(stem)) stem = stem.slice(0, -1);
    else break;
  }
  return stem;
}

const [MIN_COMPOUND, MAX_COMPOUND] = [8, 40];
const [MIN_PART, MIN_HEAD] = [4, 3];

/** The parts of a compound that are words themselves, as stems; none for any other word. */
export function partsOfCompound(stem: string, isWord: (stem: string) => boolean): readonly string[] {
  if (stem.length < MIN_COMPOUND || stem.length > MAX_COMPOUND || /[^a-zß]/.test(stem)) return [];
  let [first, last]: [string | undefined, string | undefined] = [undefined, undefined];
  for (let at = MIN_PART; at <= stem.length - MIN_HEAD; at++) {
    const [before, after] = [germanStem(stem.slice(0, at)), stem.slice(at)];
    const [isBefore, isAfter] = [before.length >= MIN_PART && isWord(before), isWord(after)];
    if (isBefore && isAfter) return [before, after];
    // The longest of each, if the rest is not a word by itself.
    if (isBefore && before.length > MIN_PART) first = before;
    if (isAfter && after.length > MIN_PART) last ??= after;
  }
  return [first, last].filter((part) => part !== undefined);
}
