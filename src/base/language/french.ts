/** French: the words that say nothing, and the endings. */
import { createStemmer, cutEnding, type Ending, type LanguageRules, wordsIn } from "./rules.ts";

export const FRENCH: LanguageRules = {
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

/** The common part of a word's forms. */
function frenchStem(word: string): string {
  const singular = word.replace(/aux$/, "al").replace(/(?<=...)[sx]$/, "");
  return cutEnding(singular, FRENCH_ENDINGS).replace(/([lnt])\1$/, "$1");
}
