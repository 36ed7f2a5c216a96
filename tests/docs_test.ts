/**
 * Do the documents say what is true?
 *
 * Generated pages must equal their tables; links between documents must lead somewhere; the README must name the
 * commands that the tasks really have.
 */
import assert from "node:assert/strict";
import { PAGES } from "../docs/generate.ts";

const ROOT = new URL("../", import.meta.url);

Deno.test("a generated page is what its table says", async () => {
  for (const [name, render] of Object.entries(PAGES)) {
    const written = await Deno.readTextFile(new URL(`docs/${name}`, ROOT));
    assert.equal(written, render(), `docs/${name} is out of date: run deno task docs`);
  }
});

Deno.test("a link in a document leads to a file", async () => {
  const documents = ["README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md"];
  for (const dir of ["docs", "docs/decisions"]) {
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

Deno.test("the README's task commands exist", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const named = [...readme.matchAll(/deno@[\d.]+ task (?:--config \S+ )?([a-z]+)/g)].map(([, task]) => task!);
  assert.ok(
    named.includes("start") && named.includes("test"),
    "the README shows how to start and how to test",
  );
  assert.deepEqual(named.filter((task) => !Object.hasOwn(tasks, task)), []);
});
