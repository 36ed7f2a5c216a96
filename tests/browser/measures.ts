/**
 * What a page fails for some readers, as expressions that are evaluated in the page itself: what axe-core finds, and texts
 * with a contrast below 4.5, the measure of WCAG 2.
 */

export async function axeSource(): Promise<string> {
  return await Deno.readTextFile(new URL(import.meta.resolve("axe-core")));
}

export const SERIOUS = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)) })))`;

export const CONTRASTS = `(() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => {
    const part = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(at).backgroundColor);
      if (a > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = new Set();
  const look = (element, colour, what) => {
    const [one, other] = [light(parse(colour)), light(behind(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) found.add(what + ": " + ratio.toFixed(2));
  };
  for (const element of document.querySelectorAll("body, body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    const name = element.tagName.toLowerCase() + "." + element.className;
    if (hasText) look(element, getComputedStyle(element).color, name);
    if (element.placeholder) look(element, getComputedStyle(element, "::placeholder").color, name + "::placeholder");
  }
  return [...found];
})()`;
