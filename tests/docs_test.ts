/** Are the documents true? */
import assert from "node:assert/strict";
import { FILLED, PAGES } from "../docs/generate.ts";
import { schemaOf } from "../src/serve/api/schema.ts";
import { renderPicture, runsOf } from "../docs/picture.ts";
import embedded from "../bmad-embedded/packages.json" with { type: "json" };
import { MEMORY_TYPES } from "../src/base/model.ts";
import { CLIENTS } from "../src/commands/clients/mod.ts";
import { ROOMS } from "./layers.ts";
import { LAYOUT_NAMES } from "../src/content/inventory/mod.ts";

const ROOT = new URL("../", import.meta.url);

Deno.test("a generated page is what its table says", async () => {
  for (const [name, render] of Object.entries(PAGES)) {
    const written = await Deno.readTextFile(new URL(`docs/${name}`, ROOT));
    assert.equal(written, render(), `docs/${name} is out of date: run deno task docs`);
  }
});

Deno.test("the schema of --json says what its table says", () => {
  const schema = schemaOf({
    total: "number",
    items: [{ "name?": "text or null: as written", tags: "list of text" }],
    counts: { "*": "number" },
    "extra?": "any",
  });
  const name = { type: ["string", "null"], description: "as written" };
  const tags = { type: "array", items: { type: "string" } };
  assert.deepEqual(schema, {
    type: "object",
    properties: {
      total: { type: "number" },
      items: {
        type: "array",
        items: { type: "object", properties: { name, tags }, required: ["tags"] },
      },
      counts: { type: "object", additionalProperties: { type: "number" } },
      extra: {},
    },
    required: ["total", "items", "counts"],
  });
});

Deno.test("the generated parts of a page are what their tables say", async () => {
  for (const [name, fill] of Object.entries(FILLED)) {
    const written = await Deno.readTextFile(new URL(name, ROOT));
    assert.equal(written, fill(written), `${name} is out of date: run deno task docs`);
  }
});

Deno.test("a link in a document leads to a file", async () => {
  const documents = ["README.md", "CHANGELOG.md"];
  for (const dir of [".github", "docs", "docs/decisions"]) {
    for await (const { name } of Deno.readDir(new URL(dir, ROOT))) {
      if (name.endsWith(".md")) documents.push(`${dir}/${name}`);
    }
  }
  const broken: string[] = [];
  for (const document of documents) {
    const base = new URL(document, ROOT);
    const text = await Deno.readTextFile(base);
    for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const found = await Deno.stat(new URL(target!, base)).catch(() => undefined);
      if (found === undefined) broken.push(`${document} → ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

Deno.test("docs/layouts.md has a row for every layout, in the order in which they are read", async () => {
  const text = await Deno.readTextFile(new URL("docs/layouts.md", ROOT));
  const [, table] = /^\| Layout .*\n.*\n((?:\|.*\n)+)/m.exec(text)!;
  assert.deepEqual(table!.trim().split("\n").map((row) => row.split("|")[1]!.trim()), LAYOUT_NAMES);
});

/** Numbers that people wrote into sentences, each with the table that it counts. */
const COUNTS: readonly (readonly [document: string, sentence: RegExp, count: number])[] = [
  ["README.md", /another of (\w+) clients/, CLIENTS.length],
  ["docs/guide.md", /The same in (\w+) clients/, CLIENTS.length],
  ["docs/architecture.md", /(\w+) units are large and have parts/, unitsWithParts().length],
  ["docs/memory.md", /one of (\w+) types: `shared-context`/, MEMORY_TYPES.length],
];

const WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function unitsWithParts() {
  return Object.values(ROOMS).flatMap(({ units }) => Object.values(units)).filter(({ parts }) => parts);
}

Deno.test("a number in a document is that of its table", async () => {
  for (const [document, sentence, count] of COUNTS) {
    const text = (await Deno.readTextFile(new URL(document, ROOT))).replaceAll("\n", " ");
    const [, written = ""] = sentence.exec(text) ?? [];
    const known = WORDS.indexOf(written.toLowerCase());
    assert.equal(known < 0 ? Number(written) : known, count, `${document}: ${sentence}`);
  }
});

Deno.test("README and guide name the versions of the embedded packages", async () => {
  const [readme, guide] = await Promise.all(
    ["README.md", "docs/guide.md"].map((page) => Deno.readTextFile(new URL(page, ROOT))),
  );
  const [, ...named] =
    /BMAD Method (\S+) with Test Architect (\S+) and Builder (\S+), or (\S+) with `--pack v4`/.exec(
      guide!.replaceAll("\n", " "),
    )!;
  const { latest, v4 } = embedded.packs;
  assert.deepEqual(named, [...latest, v4[0]!].map(({ version }) => version));
  assert.equal(/BMAD-METHOD\) (\S+) \(/.exec(readme!)?.[1], latest[0]!.version);
});

Deno.test("the README's task commands exist", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const named = [...readme.matchAll(/deno(?:@[\d.]+)? task (?:-q |--config \S+ )*([a-z]+)/g)].map((
    [, task],
  ) => task!);
  assert.ok(
    named.includes("start") && named.includes("test"),
    "the README shows how to start and how to test",
  );
  assert.deepEqual(named.filter((task) => !Object.hasOwn(tasks, task)), []);
});

Deno.test("the picture is of this version, for light and dark, and needs nothing from elsewhere", async () => {
  const picture = await Deno.readTextFile(new URL("docs/picture.svg", ROOT));
  const { version, engines } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  assert.ok(
    picture.includes(`bmad-mcp ${version}, deno ${engines.deno}<`),
    "The picture is out of date: run deno task docs",
  );
  assert.match(picture, /@media \(prefers-color-scheme: dark\)/);
  assert.doesNotMatch(picture, /https?:\/\/(?!www\.w3\.org\/2000\/svg)|url\(|<script|<image|\/tmp\//);
});

Deno.test("a picture has the lines of a terminal in their places and colours", () => {
  assert.deepEqual(runsOf("\x1b[32m✓\x1b[39m 日本  ok"), [
    { column: 0, text: "✓", style: "good" },
    { column: 2, text: "日" },
    { column: 4, text: "本" },
    { column: 8, text: "ok" },
  ]);
  const svg = renderPicture(["\x1b[1ma <b>\x1b[22m", "c & d"], "Two lines");
  assert.match(svg, /<text x="20\.0" y="53" class="heading"[^>]*>a &lt;b&gt;<\/text>/);
  assert.match(svg, /<text x="20\.0" y="72"[^>]*>c &amp; d<\/text>/);
});

Deno.test("the README is short: what it is, pictures, how to try and install it, ten tasks [docs:readme]", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  assert.ok(
    readme.split("\n").length <= 100 && readme.split(/\s+/).length < 800,
    "it is longer than two screens",
  );
  const titles = [...readme.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  assert.deepEqual(titles.slice(0, 3), ["Try it", "Install", "Ten everyday tasks"]);
  const [tried, installed] = [...readme.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, commands]) => commands);
  assert.match(tried!, /^git clone .*\nnpx .* task -q start .*\nnpx .* task test .*\n$/);
  assert.match(installed!, /^npm install .*\nalias bmad-mcp='.*'\nbmad-mcp install\n$/);
  const [, table] = /^## Ten everyday tasks\n\n[^|]*([^]*?)\n\n/m.exec(readme)!;
  assert.equal(table!.split("\n").length, 12);
  assert.deepEqual([...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path), [
    "docs/agent.svg",
    "docs/board.png",
  ]);
  for (const picture of ["board.png", "agent.svg"]) {
    const { size } = await Deno.stat(new URL(`docs/${picture}`, ROOT));
    assert.ok(size < 150_000, picture);
  }
});

Deno.test("a link to a section of a document leads to a heading", async () => {
  const broken: string[] = [];
  const pages = ["README.md", "CHANGELOG.md"];
  for await (const { name } of Deno.readDir(new URL("docs", ROOT))) {
    if (name.endsWith(".md")) pages.push(`docs/${name}`);
  }
  const anchorsIn = async (page: URL) =>
    [...(await Deno.readTextFile(page)).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-")
    );
  for (const page of pages) {
    const base = new URL(page, ROOT);
    for (const [, target, anchor] of (await Deno.readTextFile(base)).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)) {
      const anchors = await anchorsIn(target === "" ? base : new URL(target!, base));
      if (!anchors.includes(anchor!)) broken.push(`${page} → ${target}#${anchor}`);
    }
  }
  assert.deepEqual(broken, []);
});
