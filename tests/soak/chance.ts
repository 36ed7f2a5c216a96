/**
 * Reproducible random numbers for tests.
 */
export { type Chance, chanceFrom } from "../../src/base/chance.ts";
