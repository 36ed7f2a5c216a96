export function asksToRemember(text: string): boolean {
  // Here and not above: a start does not need it, and letters of all scripts take half a millisecond to prepare.
  return /^[^\p{L}]*(?:(?:please|bmad)\s+)?(?:remember|recall|memori[sz]e|memory|memories|merken?|erinnere|retiens|souviens|recuerda)(?!\p{L})/iu
    .test(text);
}
