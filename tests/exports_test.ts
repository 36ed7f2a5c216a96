/** Does every exported name have an importer, and would we notice one that has none? */
import assert from "node:assert/strict";
import { unusedExports } from "./support/exports.ts";

const ROOT = new URL("../", import.meta.url);
const FOLDERS = ["src/", "tests/", "bench/", "docs/", ".github/", "bmad-embedded/"];

function readSources(): Record<string, string> {
  const files: Record<string, string> = { "main.ts": Deno.readTextFileSync(new URL("main.ts", ROOT)) };
  const gather = (dir: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(dir, ROOT))) {
      if (isDirectory && name !== "content") gather(`${dir}${name}/`);
      else if (name.endsWith(".ts")) {
        files[`${dir}${name}`] = Deno.readTextFileSync(new URL(`${dir}${name}`, ROOT));
      }
    }
  };
  FOLDERS.forEach(gather);
  // The only folder of that name that has sources.
  gather("src/content/");
  gather("tests/content/");
  return files;
}

Deno.test("every exported name is imported by another file", () => {
  const isChecked = (file: string) => file.startsWith("src/") || file.startsWith("tests/support/");
  assert.deepEqual(unusedExports(readSources(), isChecked), []);
});

Deno.test("an export without an importer is reported", () => {
  const files = {
    "src/a.ts": "export const used = 1;\nexport interface Unused {}\nexport { b } from './b.ts';\n",
    "src/b.ts": 'export const b = "export const notCode = 1";\n',
    "src/c.ts": 'import { used } from "./a.ts";\nconst { late } = await import("./d.ts");\n',
    "src/d.ts": "export function late() {}\nexport function early() {}\n",
  };
  assert.deepEqual(unusedExports(files, () => true), [
    "src/a.ts: Unused",
    "src/a.ts: b",
    "src/b.ts: b",
    "src/d.ts: early",
  ]);
});
