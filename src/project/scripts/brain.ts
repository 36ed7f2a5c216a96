/** The page needs no network and runs only its own script. */
import { LIMITS } from "../limits.ts";
import { type CatalogueFile, catalogueScript, mergeExtras, type Row } from "./catalogue.ts";
import {
  type Kind,
  printable,
  printed,
  refuse,
  type Script,
  type ScriptResult,
  type ScriptWorld,
  writeTarget,
} from "./script.ts";
import { pathText, pythonJson } from "./python.ts";
import { Markup, markup } from "../../base/markup.ts";
import { sha256 } from "../../base/text.ts";
import { asValues, parseJson } from "../../base/values.ts";

const SHOWN = ["category", "technique_name", "description"];

const catalogue: Script = catalogueScript({
  name: "brain.py",
  about: "Serves the techniques of brainstorming",
  noun: "technique",
  file: "assets/brain-methods.csv",
  fields: [...SHOWN, "detail", "provenance", "good_for", "audience"],
  called: "technique_name",
  shown: SHOWN,
  random: { about: "Draw entries at random", example: "-n 3" },
  commands: {
    html: {
      about: "Write a page to choose from",
      example: "--out FILE",
      args: [{ names: ["--out"], help: "The file of the page" }],
    },
  },
  isWriter: (values) => values.command === "html" && Boolean(values.one("out")),
  add: (rows, extras, world) =>
    isBefore611(world) ? [...rows, ...extras] : mergeExtras(rows, extras, "technique_name"),
  show,
  run: (values, rows, world) => writePage(values.one("out"), rows, world),
});

export const brain: Script = {
  ...catalogue,
  rules: (world) => isBefore611(world) ? "6.10.0" : undefined,
};

/** Before 6.11, additions replace nothing. */
function isBefore611({ skill }: ScriptWorld): boolean {
  return !(skill?.read("scripts/brain.py")?.includes("merge_extra") ?? true);
}

function show(rows: readonly Row[], file: CatalogueFile, isJson: boolean): ScriptResult {
  const complaints: string[] = [];
  const details = new Map<string, string | undefined>();
  const shown = printable(
    rows.values().map((row) => {
      const { technique_name, category, description, detail: path } = row;
      const text = path ? details.getOrInsertComputed(path, () => file.beside(path)) : undefined;
      if (path && text === undefined) {
        complaints.push(`# detail file not found for ${technique_name}: ${path}\n`);
      }
      const detail = (text ?? "").trim();
      if (isJson) {
        return pythonJson({ category, technique_name, description, ...detail === "" ? {} : { detail } });
      }
      return `## ${technique_name}  [${category}]\n${description}${detail === "" ? "" : `\n\n${detail}`}`;
    }),
  );
  const stdout = isJson ? `[${shown.join(", ")}]` : shown.join("\n\n");
  return { status: 0, stdout: `${stdout}\n`, stderr: complaints.join("") };
}

const PAGE_STYLE: string = `
:root{color-scheme:light dark;--line:light-dark(#d8dbe4,#3a3f4d)}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;font:16px/1.5 system-ui,sans-serif}
header,main{max-width:72rem;margin:auto;padding:1rem}
h1{font-size:1.4rem;margin:0}
h2{font-size:1rem;border-bottom:2px solid var(--hue);grid-column:1/-1;margin:1rem 0 0}
.bar,nav{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:.5rem 0}
nav a{color:inherit;text-decoration:none;border-left:.5rem solid var(--hue);padding-left:.4rem}
input[type=number]{width:4rem}
textarea{width:100%;font:inherit}
section{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:.6rem}
.card,.invent{display:flex;gap:.6rem;align-items:flex-start;border:1px solid var(--line);border-radius:.5rem;padding:.6rem}
.card:has(:checked),.invent:has(:checked){outline:2px solid var(--hue)}
.invent{border-style:dashed}
.card svg{width:2.2rem;height:2.2rem;flex:none;color:var(--hue)}
.card b,.card small{display:block}
`;

const PAGE_SCRIPT: string = String.raw`
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const cards = all(".card");
  const goals = all("#goals input[value]");
  const isChosen = (card) => card.querySelector("input").checked;
  const count = (id) => Math.max(0, Math.min(20, Number.parseInt(byId(id).value, 10) || 0));
  const plural = (number, noun) => number + " " + noun + (number === 1 ? "" : "s");
  let drawn = [];

  const filter = () => {
    const terms = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = goals.filter((goal) => goal.checked).map((goal) => goal.value);
    for (const card of cards) {
      const text = (card.dataset.category + " " + card.textContent).toLowerCase();
      const tags = card.dataset.goals.split("|");
      card.hidden = !terms.every((term) => text.includes(term)) ||
        wanted.length > 0 && !wanted.some((goal) => tags.includes(goal)) ||
        byId("proven").checked && card.dataset.proven === undefined;
    }
    for (const section of all("section")) section.hidden = section.querySelector(".card:not([hidden])") === null;
  };

  const draw = () => {
    const pool = cards.filter((card) => !isChosen(card) && !card.hidden);
    drawn = drawn.filter((card) => pool.includes(card)).slice(0, count("random"));
    const rest = pool.filter((card) => !drawn.includes(card));
    while (drawn.length < count("random") && rest.length > 0) {
      drawn.push(rest.splice(Math.floor(Math.random() * rest.length), 1)[0]);
    }
  };

  const compose = () => {
    const techniques = [...cards.filter(isChosen), ...drawn].map((card, at) =>
      (at + 1) + ". " + (drawn.includes(card) ? "(random pick) " : "") + card.querySelector("b").textContent + " · " +
      card.dataset.category + "\n   " + card.querySelector("span > span").textContent
    );
    const more = [
      ...count("invent") > 0 ? ["invent " + plural(count("invent"), "new technique")] : [],
      ...all(".invent input:checked").map((one) => "invent 1 new technique in the spirit of " + one.dataset.invent),
      ...count("choose") > 0 ? ["you choose " + plural(count("choose"), "technique") + " for my goal"] : [],
    ];
    const mode = byId("mode").value;
    const isOpen = techniques.length + more.length === 0;
    const open = mode === "Ideate for me" ? "The choice of techniques is yours." : "Suggest three or four techniques.";
    return [
      "Start a brainstorming session with this choice.",
      "Facilitation mode: " + mode + ".",
      ...techniques.length > 0 ? ["Techniques:\n" + techniques.join("\n")] : [],
      ...more.length > 0 ? ["Also: " + more.join("; ") + "."] : [],
      ...isOpen ? [open] : [],
    ].join("\n\n");
  };

  const update = () => {
    filter();
    draw();
    byId("prompt").value = compose();
    byId("said").value = "";
  };

  const copyByHand = () => {
    byId("prompt").select();
    return document.execCommand("copy");
  };

  byId("copy").addEventListener("click", async () => {
    let isCopied = false;
    try {
      await navigator.clipboard.writeText(byId("prompt").value);
      isCopied = true;
    } catch {
      isCopied = copyByHand();
    }
    byId("said").value = isCopied ? "Copied. Paste it into the chat." : "Copy the text below yourself.";
  });
  document.addEventListener("input", update);
  update();
})();
`;

const PAGE_TITLE = "Brainstorming techniques";
const PAGE: Kind = {
  ends: [".html"],
  isOwn: (text) =>
    [PAGE_TITLE, "BMad Method Brainstorming Selection"].some((title) =>
      text.includes(`<title>${title}</title>`)
    ),
};

async function writePage(out: string | undefined, rows: readonly Row[], world: ScriptWorld) {
  if (!out) return refuse("`html` needs --out PATH: the page goes to a file, never to stdout.");
  const page = await brainPage(rows, world.skill?.read("assets/brain-icons.json"));
  await writeTarget(world, world.files.pathOf("out", out), page, PAGE);
  const categories = new Set(rows.map(({ category }) => category)).size;
  return printed(`wrote ${pathText(out)} (${rows.length} techniques, ${categories} categories)\n`);
}

const GOALS: ReadonlyMap<string, string> = new Map([
  ["feature", "features"],
  ["novel", "new concepts"],
  ["strategy", "strategy"],
  ["planning", "plans"],
  ["diagnosis", "finding causes"],
  ["personal", "personal matters"],
  ["unstuck", "getting unstuck"],
]);

const MODES = [
  ["Facilitator", "you have the ideas, it asks"],
  ["Creative Partner", "you take turns"],
  ["Ideate for me", "it has the ideas"],
];

async function brainPage(rows: readonly Row[], icons: string | undefined): Promise<string> {
  const look = readIcons(icons);
  const groups = [...Map.groupBy(rows, ({ category }) => category!)].sort(([a], [b]) => a < b ? -1 : 1);
  const categories = groups.map(([name, members], at) => ({
    members,
    id: `c${at}`,
    title: formatTitle(name),
    ...look.category(name),
  }));
  const style = `${PAGE_STYLE}${categories.map(({ id, hue }) => `.${id}{--hue:${hue}}\n`).join("")}`;
  const sections = printable(
    categories.values().map(({ members, id, title, glyph }) => {
      const cards = printable(
        members.values().map((row) => card(row, title, [glyph, look.technique(row.technique_name!)]).text),
      );
      return markup`<section class="${id}" id="${id}"><h2>${title} <small>${members.length}</small></h2>
${new Markup(cards.join("\n"))}
<label class="invent"><input type="checkbox" data-invent="${title}"> Invent one in the spirit of ${title}</label>
</section>`.text;
    }),
  );
  const tags = new Set(rows.flatMap(readGoals));
  const goals = [...GOALS.keys().filter((tag) => tags.delete(tag)), ...[...tags].sort()];
  const [styleHash, scriptHash] = await Promise.all([style, PAGE_SCRIPT].map(hashText));
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${styleHash}; script-src ${scriptHash}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${PAGE_TITLE}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header>
<h1>Choose your brainstorming techniques</h1>
<p>${rows.length} techniques in ${categories.length} categories. Choose three or four, copy the prompt, paste it into the chat.</p>
<div class="bar"><label>Search <input id="search" type="search"></label>
<label>Mode <select id="mode">${
    MODES.map(([mode, hint]) => markup`<option value="${mode}">${mode}: ${hint}</option>`)
  }</select></label>
${
    NUMBERS.map(([id, title]) =>
      markup`<label>${title} <input id="${id}" type="number" min="0" max="20" value="0"></label>\n`
    )
  }
<button id="copy" type="button">Copy prompt</button> <output id="said"></output></div>
<div class="bar" id="goals">${
    goals.map((tag) => markup`<label><input type="checkbox" value="${tag}"> ${goalText(tag)}</label>\n`)
  }<label><input type="checkbox" id="proven"> proven only</label></div>
<nav>${categories.map(({ id, title }) => markup`<a class="${id}" href="#${id}">${title}</a>\n`)}</nav>
<textarea id="prompt" readonly rows="5" aria-label="Prompt"></textarea>
</header>
<main>
${new Markup(sections.join("\n"))}
</main>
<script>${new Markup(PAGE_SCRIPT)}</script>
</body>
</html>
`.text;
}

const NUMBERS = [["random", "Random"], ["invent", "Invented"], ["choose", "Chosen by the AI"]] as const;

function card(row: Row, title: string, icons: readonly Markup[]): Markup {
  const tags = readGoals(row);
  const isProven = row.provenance!.toLowerCase() === "classic";
  return markup`<label class="card" data-category="${title}" data-goals="${tags.join("|")}"${
    isProven && " data-proven"
  }><input type="checkbox">${icons}<span><b>${row.technique_name}</b> <span>${row.description}</span> ${
    tags.length > 0 && markup`<small>Good for ${tags.map(goalText).join(", ")}</small>`
  }</span></label>`;
}

function goalText(tag: string): string {
  return GOALS.get(tag) ?? tag;
}

function readGoals({ good_for }: Row): readonly string[] {
  return good_for!.split("|").filter((tag) => tag !== "");
}

function formatTitle(category: string): string {
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

function readIcons(text: string | undefined) {
  const all = asValues(parseJson(text ?? ""));
  const readTable = (name: string) => new Map(Object.entries(asValues(all[name])));
  const [categories, techniques] = [readTable("categories"), readTable("techniques")];
  const icon = (given: unknown, otherwise: string) => {
    const isPlain = typeof given === "string" && given.length <= LIMITS.scripts.icon && SHAPES.test(given);
    return new Markup(`<svg viewBox="0 0 44 44" aria-hidden="true">${isPlain ? given : otherwise}</svg>`);
  };
  return {
    category: (name: string) => {
      const { hue, glyph } = asValues(categories.get(name));
      const ofName = [...name].reduce((sum, one) => (sum * 31 + one.codePointAt(0)!) % 360, 7);
      return {
        hue: typeof hue === "string" && HUE.test(hue) ? hue : `hsl(${ofName} 58% 48%)`,
        glyph: icon(glyph, ANY_CATEGORY),
      };
    },
    technique: (name: string) => icon(techniques.get(name), ANY_TECHNIQUE),
  };
}

async function hashText(text: string): Promise<Markup> {
  return new Markup(`'sha256-${Uint8Array.fromHex(await sha256(text)).toBase64()}'`);
}
