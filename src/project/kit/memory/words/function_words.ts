/**
 * Words that hold a sentence together and say nothing about its subject, and the language that they suggest.
 *
 * Fewer than the fillers of a content search (src/base/terms.ts): a memory may well be about `user` or `new`. Many of them
 * mean something in another language (`die`, `war`, `van`) or as an abbreviation (`AI`, `OS`): those say nothing only
 * where the words around them are of their language.
 */
import type { Language } from "../../../../base/terms.ts";

/** A language whose function words are known. Of English and French, endings and meanings are, too. */
export type TextLanguage = Language | "de" | "es" | "pt" | "it" | "nl";

const FUNCTION_WORDS: Readonly<Record<TextLanguage, ReadonlySet<string>>> = {
  en: wordsIn(
    "a am an and are as at be been but by can could did do does for from had has have he her his how i if in into " +
      "is it its me my no not of on or our she should so than that the their them then there these they this to " +
      "was we were what when where which who why will with would you your",
  ),
  fr: wordsIn(
    "a ai ait as au auquel aura auront aussi aux avait avec avez avoir avons ayant c car ce ceci cela celle celles " +
      "celui ces cet cette ceux ci comme comment d dans de des desquels dont du duquel elle elles en est et etaient " +
      "etait etant ete etes etre eu eux il ils j je l la laquelle le lequel les lesquelles lesquels leur leurs lui m " +
      "ma mais me mes moi mon n ne ni nos notre nous on ont ou par pas pour qu que quel quelle quelles quels qui quoi " +
      "s sa se sera seront serait ses si soi soient soit sommes son sont sur t ta te tes toi ton tu un une vos votre " +
      "vous y",
  ),
  de: wordsIn(
    "aber als alle allem allen aller alles also am an auch auf aus bei beim bin bis bist da dabei damit dann darf das " +
      "dass dein deine dem den denn der deren des dessen die dies diese diesem diesen dieser dieses doch dort du durch " +
      "durfen ein eine einem einen einer eines er es etwas fur gegen gibt hab habe haben hat hatte hatten ich ihm ihn " +
      "ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem " +
      "keinen keiner konnen man mehr mein meine mich mir mit muss mussen nach nicht nie noch nun nur ob oder ohne schon " +
      "sehr sein seine seinem seinen seiner seit sich sie sind so soll sollen sollte sondern uber um und uns unser " +
      "unsere unserem unseren unter viel viele vom von vor wann war waren warum was weil welche welchem welchen welcher " +
      "welches wem wen wenn wer werde werden wessen wie wieder will wir wird wo woher wohin wollen womit wovon wozu " +
      "wurde wurden zu zum zur zwischen",
  ),
  es: wordsIn(
    "a al algo algun alguna algunas alguno algunos aquel aquella aqui asi aun aunque bien cada como con cual cuales " +
      "cuando cuanta cuantas cuanto cuantos de debe deben deber del desde donde durante e el ella ellas ellos en entre " +
      "era eran es esa esas ese eso esos esta estaba estan estar estas este esto estos fue fueron ha habia han hasta hay " +
      "la las le les lo los mas me mi mis mucha muchas mucho muchos muy nada ni no nos nosotros nuestra nuestras " +
      "nuestro nuestros o os otra otras otro otros para pero poder por porque puede pueden pues que quien quienes se " +
      "sea ser si sido sin sino sobre son su sus tal tambien tan tanto te tiene tienen toda todas todo todos tu tus un " +
      "una unas uno unos usted y ya yo",
  ),
  pt: wordsIn(
    "a algum alguma ao aos aquela aquele aqui as ate cada com como da das de dela dele deve devem do dos e ela elas ele " +
      "eles em entre era essa essas esse esses esta estao estas este estes eu foi foram ha isso isto ja lhe mais mas me " +
      "mesmo meu minha muita muito na nas nao nem no nos nossa nossas nosso nossos num numa o onde os ou para pela pelas " +
      "pelo pelos pode podem por porque qual quais quando quanta quantas quanto quantos que quem sao se sem ser seu seus " +
      "so sua suas tambem te tem ter teu tua um uma umas uns voce",
  ),
  it: wordsIn(
    "a ad agli ai al alla alle allo anche che chi ci come con cosa cui da dagli dai dal dalla dalle dallo degli dei del " +
      "della delle dello deve devono di dove e ed era erano essere fra gli ha hanno ho i il in io la le lei lo loro lui " +
      "ma me mi mia mie miei mio ne nei nel nella nelle nello noi non nostra nostre nostri nostro o ogni per perche piu " +
      "possono puo quale quali quando quanta quante quanti quanto quella quelle quelli quello questa queste questi " +
      "questo se sei senza si sia siamo siano sono sta su sua sue sugli sui sul sulla sulle suo suoi tra tu tua tuo " +
      "tutta tutte tutti tutto un una uno viene vengono voi vostra vostro",
  ),
  nl: wordsIn(
    "aan al alle als bij dan dat de der des deze die dit door dus een en er geen haar had heb hebben heeft hem het hier " +
      "hij hoe hoeveel hun ik in is ja je jullie kan kunnen maar mag me meer men met mijn moet moeten mogen na naar niet " +
      "niets nog nu of om omdat onder ons onze ook op over te tegen toch toen tot u uit uw van veel voor waar waarom " +
      "wanneer want waren was wat we wel welk welke werd wie wij wil word worden wordt zal ze zelf zich zij zijn zo " +
      "zonder zou",
  ),
};
const LANGUAGES = Object.keys(FUNCTION_WORDS) as readonly TextLanguage[];

/** Short words that mean nothing in English, not even as an abbreviation. */
const CERTAIN = wordsIn("auf bei een el gli het ich ist nao que uma una und vom von wer wie wir zum zur");
/** Short words that mean something in English only as a name or an abbreviation. */
const LIKELY = wordsIn("aus bis che das dat del dem den der ein las los sie zij");
/** Long words that mean something in English. */
const UNCERTAIN = wordsIn(
  "algo alle allen also come door dove onder over para pode quali todo todos uber want word",
);

function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** Expects lower case without accents. */
export function isFunctionWord(word: string, language: TextLanguage): boolean {
  return FUNCTION_WORDS[language].has(word);
}

const isOfOthers = (word: string) =>
  LANGUAGES.some((language) => language !== "en" && language !== "fr" && FUNCTION_WORDS[language].has(word));

/** Whether a word is a function word of one of these languages, and nothing else in English or French. */
export function isFunctionWordAnywhere(word: string): boolean {
  return (word.length > 3 ? !UNCERTAIN.has(word) : CERTAIN.has(word)) && isOfOthers(word);
}

/** What letters and signs say of the language. */
const SIGNS: readonly (readonly [sign: RegExp, language: TextLanguage, weight: number])[] = [
  [/[¿¡]/, "es", 2],
  [/ñ/i, "es", 1],
  [/ß/, "de", 1],
  [/[äöü]/i, "de", 0.5],
  [/[ãõ]/i, "pt", 1],
];
/** How much a word that may mean something in English says of another language, and two such words together. */
const DOUBTFUL = 0.3, TOGETHER = 0.4;
/** Less than this, and a text is English or French; less than that, and its doubtful words count after all. */
const LEAST = 0.4, SURE = 0.9;
/** A longer text is judged by its beginning. */
const MAX_WORDS = 200;

/** The language of a text, and its words that say something. */
export interface Reading {
  readonly language: TextLanguage;
  readonly told: readonly string[];
}

/** Reads the words of a text, which is in the language that is `likely` if its function words suggest no other. */
export function readWords(text: string, words: readonly string[], likely: Language): Reading {
  const scores = new Map<TextLanguage, number>();
  const foreign = new Map<TextLanguage, Set<string>>();
  const add = (language: TextLanguage, weight: number) =>
    scores.set(language, (scores.get(language) ?? 0) + weight);
  for (const word of words.slice(0, MAX_WORDS)) {
    const having = LANGUAGES.filter((language) => FUNCTION_WORDS[language].has(word));
    for (const language of having) {
      const isSure = language === "en" || language === "fr" || isFunctionWordAnywhere(word);
      add(language, (isSure ? 1 : LIKELY.has(word) ? 2 * DOUBTFUL : DOUBTFUL) / having.length);
      if (!having.includes(likely)) foreign.getOrInsertComputed(language, () => new Set()).add(word);
    }
  }
  for (const [sign, language, weight] of SIGNS) if (sign.test(text)) add(language, weight);
  for (const [language, own] of foreign) if (own.size > 1) add(language, TOGETHER);
  const scoreOf = (language: TextLanguage) => scores.get(language) ?? 0;
  const known = Math.max(scoreOf("en"), scoreOf("fr"));
  const others = LANGUAGES.filter((language) => scoreOf(language) >= LEAST && scoreOf(language) > known);
  const language = others.sort((a, b) => scoreOf(b) - scoreOf(a))[0] ?? likely;
  if (language === "fr") return { language, told: words };
  const isTold = (word: string) =>
    !isFunctionWordAnywhere(word) && (scoreOf(language) < SURE || !isFunctionWord(word, language));
  return { language, told: words.filter(isTold) };
}
