/**
 * Which packages does which command fetch? `deno task` fetches everything in deno.lock before it runs anything, so that
 * file has only what the program needs. Tests, benches, the embedded content and the compiler have their own.
 */
import assert from "node:assert/strict";
import content from "../bmad-embedded/npm/deno.json" with { type: "json" };
import list from "../bmad-embedded/packages.json" with { type: "json" };
import dev from "../deno.dev.json" with { type: "json" };
import program from "../deno.json" with { type: "json" };
import { ROOMS } from "./layers.ts";

interface Locked {
  readonly integrity: string;
  readonly dependencies?: readonly string[];
}

function readLock(path: string): Readonly<Record<string, Locked>> {
  return JSON.parse(Deno.readTextFileSync(new URL(`../${path}`, import.meta.url))).npm;
}

Deno.test("deno.json names the packages that the program imports, and no other", () => {
  const imported = Object.values(ROOMS).flatMap(({ units }) =>
    Object.values(units).flatMap(({ packages = [] }) => packages)
  );
  const packages = new Set(imported.filter((name) => !name.startsWith("node:")));
  assert.deepEqual(Object.keys(program.imports).sort(), [...packages].sort());
});

Deno.test("deno.dev.json is deno.json with more packages, at the same versions", () => {
  assert.deepEqual(dev.imports, { ...dev.imports, ...program.imports });
  for (const field of ["workspace", "nodeModulesDir", "compilerOptions", "exclude", "test"] as const) {
    assert.deepEqual(dev[field], program[field], field);
  }
  const locked = readLock("deno.dev.lock");
  for (const [name, { integrity }] of Object.entries(readLock("deno.lock"))) {
    assert.equal(locked[name]?.integrity, integrity, name);
  }
});

Deno.test("the lock file of the embedded content has its packages without their dependencies", () => {
  const specifiers = Object.values(content.imports);
  for (const { package: name, version } of Object.values(list.packs).flat()) {
    assert.ok(specifiers.includes(`npm:${name}@${version}`), `${name}@${version}`);
  }
  const locked = Object.entries(readLock("bmad-embedded/npm/deno.lock"));
  assert.deepEqual(locked.map(([name]) => `npm:${name}`).sort(), specifiers.toSorted());
  assert.deepEqual(locked.filter(([, { dependencies }]) => dependencies !== undefined), []);
});
