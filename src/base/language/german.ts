/**
 * German: the words that say nothing, the endings, and compounds. Which parts a compound has is learned from the
 * documents, so no list of words is needed. Words come without accents: `fur`.
 */
import { type LanguageRules, wordsIn } from "./rules.ts";

export const GERMAN: LanguageRules = {
  functionWords: wordsIn(
    "aber als alle allem allen aller alles also am an auch auf aus bei beim bin bis bist da dabei damit " +
      "dann darf das dass dein deine dem den denn der deren des dessen die dies diese diesem diesen dieser " +
      "dieses doch dort du durch durfen ein eine einem einen einer eines er es etwas fur gegen gibt hab " +
      "habe haben hat hatte hatten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem " +
      "jeden jeder jedes jetzt kann kein keine keinem keinen keiner konnen man mehr mein meine mich mir mit " +
      "muss mussen nach nicht nie noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit " +
      "sich sie sind so soll sollen sollte sondern uber um und uns unser unsere unserem unseren unter viel " +
      "viele vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn " +
      "wer werde werden wessen wie wieder will wir wird wo woher wohin wollen womit wovon wozu wurde wurden " +
      "zu zum zur zwischen",
  ),
  fillers: wordsIn(
    "ander andere anderen danach dazu deshalb etwa euch hier immer je mochte moglich nichts sowie statt " +
      "wegen worden",
  ),
  endings: /(?<=^[a-zß]{4,40})(?:er[nst]?|e[nmst]?|ten?|[nst])$/,
};

const DERIVED = /(?<=.{4})(?:ung|ier|igkeit|keit|heit|lich|isch)$/;

/** Not a rule of the language: German terms are compared as English ones, because requests mix the two. */
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

/** With more, a compound would lose a part of its last word. */
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

export function partsOfCompound(stem: string, isWord: (stem: string) => boolean): readonly string[] {
  if (stem.length < MIN_COMPOUND || stem.length > MAX_COMPOUND || /[^a-zß]/.test(stem)) return [];
  let [first, last]: [string | undefined, string | undefined] = [undefined, undefined];
  for (let at = MIN_PART; at <= stem.length - MIN_HEAD; at++) {
    const [before, after] = [germanStem(stem.slice(0, at)), stem.slice(at)];
    const [isBefore, isAfter] = [before.length >= MIN_PART && isWord(before), isWord(after)];
    if (isBefore && isAfter) return [before, after];
    if (isBefore && before.length > MIN_PART) first = before;
    if (isAfter && after.length > MIN_PART) last ??= after;
  }
  return [first, last].filter((part) => part !== undefined);
}
