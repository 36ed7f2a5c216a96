/** Reproducible random numbers for tests. */
export { type Chance, chanceFrom } from "../support/chance.ts";
