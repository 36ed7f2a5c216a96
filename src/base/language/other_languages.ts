/** Languages of which only the function words and the commonest endings are known. */
import { type LanguageRules, wordsIn } from "./rules.ts";

export const SPANISH: LanguageRules = {
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

export const PORTUGUESE: LanguageRules = {
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

export const ITALIAN: LanguageRules = {
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

export const DUTCH: LanguageRules = {
  functionWords: wordsIn(
    "aan al alle als bij dan dat de der des deze die dit door dus een en er geen haar had heb hebben heeft " +
      "hem het hier hij hoe hoeveel hun ik in is ja je jullie kan kunnen maar mag me meer men met mijn moet " +
      "moeten mogen na naar niet niets nog nu of om omdat onder ons onze ook op over te tegen toch toen tot " +
      "u uit uw van veel voor waar waarom wanneer want waren was wat we wel welk welke werd wie wij wil " +
      "word worden wordt zal ze zelf zich zij zijn zo zonder zou",
  ),
  endings: /(?<=^[a-z]{4,40})(?:en|e[rt]?|[st])$/,
};
