/**
 * The page on which a person chooses techniques and copies the choice into the chat: one file that needs no network.
 *
 * Every value is escaped. Icons come as markup from the skill's own file; markup that is more than plain shapes is not
 * used. The page allows itself only its own style and script.
 */
import { asValues, parseJson } from "../../base/values.ts";
import type { Row } from "./catalogue.ts";
import { PAGE_SCRIPT, PAGE_STYLE } from "./brain_page_parts.ts";
import { escapeHtml } from "./linked_cell.ts";
import { printable } from "./program.ts";

/** What the tags of `good_for` are called. */
const GOALS: Readonly<Record<string, string>> = {
  feature: "features",
  novel: "new concepts",
  strategy: "strategy",
  planning: "plans",
  diagnosis: "finding causes",
  personal: "personal matters",
  unstuck: "getting unstuck",
};

/** The stances that the skill knows, by the names it expects. */
const MODES: Readonly<Record<string, string>> = {
  Facilitator: "you have the ideas, it asks",
  "Creative Partner": "you take turns",
  "Ideate for me": "it has the ideas",
};

export const PAGE_TITLE = "Brainstorming techniques";

/** The page for these techniques. `icons` is the text of the skill's file of icons. */
export async function brainPage(rows: readonly Row[], icons: string | undefined): Promise<string> {
  const look = readIcons(icons);
  const groups = [...Map.groupBy(rows, ({ category }) => category!)].sort(([a], [b]) => a < b ? -1 : 1);
  const categories = groups.map(([name, members], at) => ({
    members,
    id: `c${at}`,
    title: titleOf(name),
    ...look.category(name),
  }));
  const style = `${PAGE_STYLE}${categories.map(({ id, hue }) => `.${id}{--hue:${hue}}\n`).join("")}`;
  const sections = printable(
    categories.values().map(({ members, id, title, glyph }) => {
      const cards = printable(
        members.values().map((row) => card(row, title, [glyph, look.technique(row.technique_name!)])),
      );
      return `<section class="${id}" id="${id}"><h2>${escapeHtml(title)} <small>${members.length}</small></h2>
${cards.join("\n")}
<label class="invent"><input type="checkbox" data-invent="${
        escapeHtml(title)
      }"> Invent one in the spirit of ${escapeHtml(title)}</label>
</section>`;
    }),
  );
  const tags = new Set(rows.flatMap(goalsOf));
  const goals = [...Object.keys(GOALS).filter((tag) => tags.delete(tag)), ...[...tags].sort()];
  const policy = `default-src 'none'; style-src ${await hashOf(style)}; script-src ${await hashOf(
    PAGE_SCRIPT,
  )}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${PAGE_TITLE}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Choose your brainstorming techniques</h1>
<p>${rows.length} techniques in ${categories.length} categories. Choose three or four, copy the prompt, paste it into the chat.</p>
<div class="bar"><label>Search <input id="search" type="search"></label>
<label>Mode <select id="mode">${
    Object.entries(MODES).map(([mode, hint]) => `<option value="${mode}">${mode}: ${hint}</option>`).join("")
  }</select></label>
${numberField("random", "Random")}${numberField("invent", "Invented")}${
    numberField("choose", "Chosen by the AI")
  }
<button id="copy" type="button">Copy prompt</button> <output id="said"></output></div>
<div class="bar" id="goals">${
    goals.map((tag) =>
      `<label><input type="checkbox" value="${escapeHtml(tag)}"> ${escapeHtml(goalText(tag))}</label>`
    ).join("\n")
  }
<label><input type="checkbox" id="proven"> proven only</label></div>
<nav>${
    categories.map(({ id, title }) => `<a class="${id}" href="#${id}">${escapeHtml(title)}</a>`).join("\n")
  }</nav>
<textarea id="prompt" readonly rows="5" aria-label="Prompt"></textarea>
</header>
<main>
${sections.join("\n")}
</main>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function numberField(id: string, title: string): string {
  return `<label>${title} <input id="${id}" type="number" min="0" max="20" value="0"></label>\n`;
}

function card(row: Row, title: string, icons: readonly string[]): string {
  const tags = goalsOf(row);
  const isProven = row.provenance!.toLowerCase() === "classic";
  const good = tags.length === 0
    ? ""
    : `<small>Good for ${escapeHtml(tags.map(goalText).join(", "))}</small>`;
  return `<label class="card" data-category="${escapeHtml(title)}" data-goals="${
    escapeHtml(tags.join("|"))
  }"${isProven ? " data-proven" : ""}><input type="checkbox">${
    icons.map((icon) => `<svg viewBox="0 0 44 44" aria-hidden="true">${icon}</svg>`).join("")
  }<span><b>${escapeHtml(row.technique_name!)}</b> <span>${
    escapeHtml(row.description!)
  }</span> ${good}</span></label>`;
}

function goalText(tag: string): string {
  return Object.hasOwn(GOALS, tag) ? GOALS[tag]! : tag;
}

function goalsOf({ good_for }: Row): readonly string[] {
  return good_for!.split("|").filter((tag) => tag !== "");
}

/** `speculative_future` as `Speculative Future`. */
function titleOf(category: string): string {
  return category.replaceAll(/[_-]/g, " ").replaceAll(
    /\p{L}+/gu,
    (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase(),
  );
}

const ANY_CATEGORY = '<circle cx="22" cy="22" r="10" fill="none" stroke="currentColor" stroke-width="2"/>';
const ANY_TECHNIQUE =
  '<path d="M22 12 32 22 22 32 12 22Z" fill="none" stroke="currentColor" stroke-width="2"/>';
const HUE = /^#[0-9a-f]{6}$/i;
const ATTRIBUTE =
  ' (?:[cr]?[xy][12]?|r|d|width|height|points|transform|opacity|fill(?:-[a-z]+)?|stroke(?:-[a-z]+)?)="[\\w .,#()+-]*"';
const SHAPES = new RegExp(
  `^(?:<(?:circle|ellipse|g|line|path|polygon|polyline|rect)(?:${ATTRIBUTE})* ?/?>|</(?:g|path)>)+$`,
);
const MAX_ICON = 5000;

/** The icons and colours of categories and techniques; plain ones where the file has none that can be used. */
function readIcons(text: string | undefined) {
  const all = asValues(parseJson(text ?? ""));
  const tableOf = (name: string) => new Map(Object.entries(asValues(all[name])));
  const [categories, techniques] = [tableOf("categories"), tableOf("techniques")];
  const icon = (given: unknown, otherwise: string) =>
    typeof given === "string" && given.length <= MAX_ICON && SHAPES.test(given) ? given : otherwise;
  return {
    category: (name: string) => {
      const { hue, glyph } = asValues(categories.get(name));
      return {
        hue: typeof hue === "string" && HUE.test(hue) ? hue : `hsl(${degreesOf(name)} 58% 48%)`,
        glyph: icon(glyph, ANY_CATEGORY),
      };
    },
    technique: (name: string) => icon(techniques.get(name), ANY_TECHNIQUE),
  };
}

/** The same colour for a name every time. */
function degreesOf(name: string): number {
  return [...name].reduce((sum, one) => (sum * 31 + one.codePointAt(0)!) % 360, 7);
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${new Uint8Array(digest).toBase64()}'`;
}
