/** Does `brain.py` serve its catalogue as BMAD's own script does, and is its page complete and safe? */
import assert from "node:assert/strict";
import { brain } from "../../../src/project/scripts/brain.ts";
import { isWriting } from "../../../src/project/scripts/script.ts";
import { sourceTree } from "../../support/installs.ts";
import { runNative, skillAt } from "../../support/scripts.ts";
import { type TreeFile, withTree } from "../../support/trees.ts";

const CATALOGUE = `category,technique_name,description,detail,provenance,good_for,audience
wild_side,Chaos,"Break it, then look",more/chaos.md,classic,novel|own,solo
deep,Five Whys,Ask "why" five times,,,,
deep,Gone,Lost,none.md,,,
`;
const FILES = { "c/brain.csv": CATALOGUE, "c/more/chaos.md": "\r\nFirst.\r\nThen.\n" };

async function run(files: Record<string, TreeFile>, ...args: readonly string[]) {
  return await withTree({ ...FILES, ...files }, async (root) => {
    const ran = await runNative(brain, root, ["--file", "c/brain.csv", ...args]);
    return { ...ran, page: await Deno.readTextFile(`${root}/out/new/p.html`).catch(() => "") };
  });
}

Deno.test("the page is written with its folders, and only with --out", async () => {
  const { stdout, page } = await run({}, "html", "--out", "out/new/./p.html");
  assert.equal(stdout, "wrote out/new/p.html (3 techniques, 2 categories)\n");
  for (const text of ["Chaos", "Five Whys", "Gone", "Wild Side", "Deep", "new concepts", "own"]) {
    assert.ok(page.includes(text), text);
  }
  assert.ok(page.includes("Ask &#34;why&#34; five times") || page.includes("Ask why"), "escaped");
  assert.equal(isWriting(brain, ["html", "--out", "x"]), true);
  assert.equal(isWriting(brain, ["html"]), false);
  assert.equal((await run({}, "html")).status, 2);
});

/** What a browser would run or load in a page, apart from its one script: other elements, handlers, addresses. */
function activeParts(page: string): readonly string[] {
  const tags = page.replace(/<script>[^]*?<\/script>/, "").match(/<(?:"[^"]*"|[^">])*>/g) ?? [];
  return tags.filter((tag) => {
    const names = tag.replaceAll(/"[^"]*"/g, "");
    return /^<(?:script|iframe|object|embed|img|image|link|base|form)\b/i.test(tag) ||
      /\son\w+=|\sstyle=/i.test(names) ||
      /\s(?:href|src)="[^#]/i.test(tag);
  });
}

Deno.test("nothing in the catalogue becomes active [work:brain-page]", async () => {
  const attack = `"><script>alert(1)</script><img src=x onerror=alert(2)>`;
  const quoted = `"${attack.replaceAll('"', '""')}"`;
  const icons = {
    categories: {
      [attack]: { hue: "red;}</style><script>x</script>", glyph: "<script>alert(3)</script>" },
      safe: { hue: "#123456", glyph: '<circle cx="1" onclick="x"/>' },
    },
    techniques: {
      [attack]: '<path d="M0 0"/><image href="https://example.org/x"/>',
      fine: '<path d="M1 1"/>',
    },
  };
  const rows = [[quoted, quoted, quoted, "", quoted, quoted, ""], ["safe", "fine", "x", "", "", "", ""]];
  const text = `category,technique_name,description,detail,provenance,good_for,audience\n${
    rows.map((row) => row.join()).join("\n")
  }\n`;
  const files: Record<string, string> = {
    "assets/brain-methods.csv": text,
    "assets/brain-icons.json": JSON.stringify(icons),
  };
  const skill = { name: "s", location: "bmad://core/s", read: (path: string) => files[path] };
  await withTree({}, async (root) => {
    await runNative(brain, root, ["html", "--out", "out/p.html"], "", { skill });
    const page = await Deno.readTextFile(`${root}/out/p.html`);
    assert.deepEqual(activeParts(page), []);
    assert.equal(page.match(/<script>/g)?.length, 1);
    assert.ok(page.includes('<path d="M1 1"/>') && page.includes("--hue:#123456"), "plain icons are used");
    assert.match(page, /default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'"/);
    const [, script] = /<script>([^]*?)<\/script>/.exec(page)!;
    assert.doesNotThrow(() => new Function(script!));
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
    assert.ok(page.includes(`script-src 'sha256-${new Uint8Array(digest).toBase64()}'`));
  });
});

Deno.test("the page of BMAD's own catalogue has every technique with its icon", async () => {
  const skill = skillAt(`${await sourceTree("bmad-method@6.12.0")}/src/core-skills/bmad-brainstorming`);
  await withTree({}, async (root) => {
    const written = await runNative(brain, root, ["html", "--out", "out/p.html"], "", { skill });
    const page = await Deno.readTextFile(`${root}/out/p.html`);
    const listed = await runNative(brain, root, ["--json", "list", "--all"], "", { skill });
    const names: readonly { technique_name: string }[] = JSON.parse(listed.stdout);
    assert.equal(written.stdout, `wrote out/p.html (${names.length} techniques, 13 categories)\n`);
    assert.equal(page.match(/class="card"/g)?.length, names.length);
    const icons: { techniques: Record<string, string> } = JSON.parse(skill.read("assets/brain-icons.json")!);
    const missing = names.filter(({ technique_name }) =>
      !page.includes(icons.techniques[technique_name] ?? "?")
    );
    assert.deepEqual(missing, []);
    assert.deepEqual(activeParts(page), []);
  });
});
