/**
 * What axe-core finds on a page: an expression for the page itself, and what it gives.
 */

/** One rule that is broken. */
export interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly where: readonly string[];
}

/** The text of axe-core, which defines `axe` in the page. */
export async function axeSource(): Promise<string> {
  return await Deno.readTextFile(new URL(import.meta.resolve("axe-core")));
}

/** Gives the violations that hinder somebody. */
export const SERIOUS = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)) })))`;
