/**
 * Words that hold a sentence together and say nothing about its subject.
 *
 * Fewer than the fillers of a content search (src/base/terms.ts): a memory may well be about `user` or `new`.
 */
import type { Language } from "../../../base/terms.ts";

const FUNCTION_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(
    ("a am an and are as at be been but by can could did do does for from had has have he her his how i if in into " +
      "is it its me my no not of on or our she should so than that the their them then there these they this to " +
      "was we were what when where which who why will with would you your")
      .split(" "),
  ),
  fr: new Set(
    ("a ai ait as au auquel aura auront aussi aux avait avec avez avoir avons ayant c car ce ceci cela celle celles " +
      "celui ces cet cette ceux ci comme comment d dans de des desquels dont du duquel elle elles en est et etaient " +
      "etait etant ete etes etre eu eux il ils j je l la laquelle le lequel les lesquelles lesquels leur leurs lui m " +
      "ma mais me mes moi mon n ne ni nos notre nous on ont ou par pas pour qu que quel quelle quelles quels qui quoi " +
      "s sa se sera seront serait ses si soi soient soit sommes son sont sur t ta te tes toi ton tu un une vos votre " +
      "vous y")
      .split(" "),
  ),
};

/** Expects lower case without accents. */
export function isFunctionWord(word: string, language: Language): boolean {
  return FUNCTION_WORDS[language].has(word);
}
