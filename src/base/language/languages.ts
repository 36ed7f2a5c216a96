/**
 * Which words say nothing in a language, and what the forms of a word have in common. The rules only make forms equal
 * (`tests`, `testing`). Memory files hold stems: after a change here, older memories match fewer questions.
 */
import { GERMAN } from "./german.ts";
import { createStemmer, cutEnding, type Ending, type LanguageRules, wordsIn } from "./rules.ts";

const ENGLISH: LanguageRules = {
  functionWords: wordsIn(
    "a am an and are as at be been but by can could did do does for from had has have he her his how i if " +
      "in into is it its me my no not of on or our she should so than that the their them then there these " +
      "they this to was we were what when where which who why will with would you your",
  ),
  fillers: wordsIn(
    "about all any get give im just let lets like need new now please show some up us use user using want " +
      "whats",
  ),
  stem: createStemmer(englishStem),
};

const PLURALS: readonly Ending[] = [
  [/sses$/, 2, "ss"],
  [/ies$/, 2, "y"],
  [/(?<=[cs]h|[xz])es$/, 3],
  [/(?<![sui])s$/, 3],
];
const VERB_FORMS: readonly Ending[] = [
  [/ing$(?<=[aeiouy].*ing)/, 3],
  [/ed$(?<=[aeiouy].*ed)/, 3],
];
const ENGLISH_NOUNS: readonly Ending[] = [
  [/(?<=analy)(?:sis|ses?|ze?)$/, 5],
  [/i[sz]ations?$/, 3],
  [/ations?$/, 4],
  [/(?<=[st])ions?$/, 4],
  [/ators?$/, 4],
  [/ates?$/, 4],
  [/at$/, 4],
  [/i[sz]e?$/, 4],
  [/ments?$/, 4],
  [/ness$/, 4],
  [/ability$/, 4],
  [/able$/, 4],
  [/ive$/, 5],
  [/ally$/, 4],
  [/ly$/, 4],
  [/al$/, 5],
  [/ers?$/, 5],
  [/e$/, 3],
];

function englishStem(word: string): string {
  const singular = cutEnding(word, PLURALS);
  const plain = cutEnding(singular, VERB_FORMS);
  // `planning` is from `plan`, but `pressing` from `press`.
  const single = plain === singular ? plain : plain.replace(/([bdgmnprt])\1$/, "$1");
  return withoutNounEndings(single).replace(/(?<=..)y$/, "i");
}

/** `implementation` has two endings. */
function withoutNounEndings(word: string): string {
  const shorter = cutEnding(word, ENGLISH_NOUNS);
  return shorter === word ? word : withoutNounEndings(shorter);
}

const FRENCH: LanguageRules = {
  functionWords: wordsIn(
    "a ai ait as au auquel aura auront aussi aux avait avec avez avoir avons ayant c car ce ceci cela celle " +
      "celles celui ces cet cette ceux ci comme comment d dans de des desquels dont du duquel elle elles en " +
      "est et etaient etait etant ete etes etre eu eux il ils j je l la laquelle le lequel les lesquelles " +
      "lesquels leur leurs lui m ma mais me mes moi mon n ne ni nos notre nous on ont ou par pas pour qu " +
      "que quel quelle quelles quels qui quoi s sa se sera seront serait ses si soi soient soit sommes son " +
      "sont sur t ta te tes toi ton tu un une vos votre vous y",
  ),
  fillers: wordsIn(
    "aide aider besoin dois faire faut peut peux plait sans svp veut veux voudrais",
  ),
  stem: createStemmer(frenchStem),
};

const FRENCH_ENDINGS: readonly Ending[] = [
  [/(?:is)?ation$/, 3],
  [/(?:at)?(?:eur|rice)$/, 4],
  [/e?ment$/, 4],
  [/(?:ee?|er|ez|ent|ant|ait|aient)$/, 3],
  [/i[rt]$/, 4],
];

function frenchStem(word: string): string {
  const singular = word.replace(/aux$/, "al").replace(/(?<=...)[sx]$/, "");
  return cutEnding(singular, FRENCH_ENDINGS).replace(/([lnt])\1$/, "$1");
}

const SPANISH: LanguageRules = {
  functionWords: wordsIn(
    "a al algo algun alguna algunas alguno algunos aquel aquella aqui asi aun aunque bien cada como con " +
      "cual cuales cuando cuanta cuantas cuanto cuantos de debe deben deber del desde donde durante e el " +
      "ella ellas ellos en entre era eran es esa esas ese eso esos esta estaba estan estar estas este esto " +
      "estos fue fueron ha habia han hasta hay la las le les lo los mas me mi mis mucha muchas mucho muchos " +
      "muy nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero " +
      "poder por porque puede pueden pues que quien quienes se sea ser si sido sin sino sobre son su sus " +
      "tal tambien tan tanto te tiene tienen toda todas todo todos tu tus un una unas uno unos usted y ya " +
      "yo",
  ),
  endings: /(?<=^[a-z]{4,40})(?:[aeo]s?|[aei]r|[ae]n|ad[ao]s?|id[ao]s?|s)$/,
};

const PORTUGUESE: LanguageRules = {
  functionWords: wordsIn(
    "a algum alguma ao aos aquela aquele aqui as ate cada com como da das de dela dele deve devem do dos e " +
      "ela elas ele eles em entre era essa essas esse esses esta estao estas este estes eu foi foram ha " +
      "isso isto ja lhe mais mas me mesmo meu minha muita muito na nas nao nem no nos nossa nossas nosso " +
      "nossos num numa o onde os ou para pela pelas pelo pelos pode podem por porque qual quais quando " +
      "quanta quantas quanto quantos que quem sao se sem ser seu seus so sua suas tambem te tem ter teu tua " +
      "um uma umas uns voce",
  ),
  endings: /(?<=^[a-z]{4,40})(?:[aeo]s?|[aei]r|[ae]m|ad[ao]s?|id[ao]s?|s)$/,
};

const ITALIAN: LanguageRules = {
  functionWords: wordsIn(
    "a ad agli ai al alla alle allo anche che chi ci come con cosa cui da dagli dai dal dalla dalle dallo " +
      "degli dei del della delle dello deve devono di dove e ed era erano essere fra gli ha hanno ho i il " +
      "in io la le lei lo loro lui ma me mi mia mie miei mio ne nei nel nella nelle nello noi non nostra " +
      "nostre nostri nostro o ogni per perche piu possono puo quale quali quando quanta quante quanti " +
      "quanto quella quelle quelli quello questa queste questi questo se sei senza si sia siamo siano sono " +
      "sta su sua sue sugli sui sul sulla sulle suo suoi tra tu tua tuo tutta tutte tutti tutto un una uno " +
      "viene vengono voi vostra vostro",
  ),
  endings: /(?<=^[a-z]{4,40})(?:[aeio]|[aei]re|ano|ono|at[aeio]|it[aeio])$/,
};

const DUTCH: LanguageRules = {
  functionWords: wordsIn(
    "aan al alle als bij dan dat de der des deze die dit door dus een en er geen haar had heb hebben heeft " +
      "hem het hier hij hoe hoeveel hun ik in is ja je jullie kan kunnen maar mag me meer men met mijn moet " +
      "moeten mogen na naar niet niets nog nu of om omdat onder ons onze ook op over te tegen toch toen tot " +
      "u uit uw van veel voor waar waarom wanneer want waren was wat we wel welk welke werd wie wij wil " +
      "word worden wordt zal ze zelf zich zij zijn zo zonder zou",
  ),
  endings: /(?<=^[a-z]{4,40})(?:en|e[rt]?|[st])$/,
};

export type Language = "en" | "fr" | "de" | "es" | "pt" | "it" | "nl";

export const RULES: Readonly<Record<Language, LanguageRules>> = {
  en: ENGLISH,
  fr: FRENCH,
  de: GERMAN,
  es: SPANISH,
  pt: PORTUGUESE,
  it: ITALIAN,
  nl: DUTCH,
};

export function isFunctionWord(word: string, language: Language): boolean {
  return RULES[language].functionWords.has(word);
}

export function isFiller(word: string, language: Language): boolean {
  return isFunctionWord(word, language) || (RULES[language].fillers?.has(word) ?? false);
}

export function stemOf(word: string, language: Language): string {
  return (RULES[language].stem ?? ENGLISH.stem!)(word);
}

export function bareForms(word: string, language: Language): readonly string[] {
  const { endings } = RULES[language];
  return endings === undefined ? [] : [word.replace(endings, "")];
}
