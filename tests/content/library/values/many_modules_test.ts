/**
 * Does the work for a configuration grow only as fast as the number of modules and of values?
 */
import assert from "node:assert/strict";
import { resolveConfig } from "../../../../src/content/library/values/config.ts";
import { resolveValues, valueDiagnostics } from "../../../../src/content/library/values/customize.ts";
import { type Library, openLibrary } from "../../../../src/content/library/mod.ts";
import type { Tree } from "../../../../src/content/tree/mod.ts";
import { assertEnds } from "../../../support/cpu.ts";
import { opening } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";
import { withTree } from "../../../support/trees.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A project with so many modules, each with a skill and its configuration, and nothing of the core. */
const projectOf = (modules: number, more: Readonly<Record<string, string>> = {}) => ({
  "_bmad/_config/manifest.yaml": `installation:\n  version: 6.12.0\nmodules:\n${
    numbers(modules).map((at) => `  - name: m${at}\n`).join("")
  }`,
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    numbers(modules).map((at) => `s${at},s${at},Does it,m${at},_bmad/m${at}/s${at}/SKILL.md\n`).join(""),
  ...Object.fromEntries(
    numbers(modules).flatMap((at) => [
      [`_bmad/m${at}/s${at}/SKILL.md`, `---\nname: s${at}\ndescription: Does it\n---\nSee {own_3}.\n`],
      [`_bmad/m${at}/config.yaml`, `user_name: Ann\nown_${at}: ${at}\n`],
    ]),
  ),
  ...more,
});

/** A tree that counts how often the disk is asked. */
function counting(tree: Tree): { readonly tree: Tree; asked(): number } {
  let asked = 0;
  const count = <A extends readonly unknown[], T>(ask: (...args: A) => T) => (...args: A) => {
    asked++;
    return ask(...args);
  };
  return {
    tree: { ...tree, list: count(tree.list), stat: count(tree.stat), read: count(tree.read) },
    asked: () => asked,
  };
}

/** How often the disk is asked for what some work on a project with so many modules needs. */
function questions(modules: number, work: (library: Library) => unknown): Promise<number> {
  return withTree(projectOf(modules), async (dir) => {
    const { tree, asked } = counting(opening("project", 1, dir).tree);
    const library = await openLibrary([
      { ...opening("project", 1, dir), tree },
      opening("cli", 2, `${dir}/none`),
    ]);
    const before = asked();
    work(library);
    return asked() - before;
  });
}

const WORK: Readonly<Record<string, (library: Library) => unknown>> = {
  "the values of one skill": (library) => resolveValues(library, library.effective[0]!),
  "the whole configuration": (library) => resolveConfig(library),
};

for (const [what, work] of Object.entries(WORK)) {
  Deno.test(verifies("config:limits", `the disk is asked a few times per module: ${what}`), async () => {
    const [few, many] = [await questions(20, work), await questions(80, work)];
    assert.ok(many <= 4.5 * few, `${few} questions for 20 modules, ${many} for 80`);
  });
}

Deno.test(
  verifies("config:limits", "a table of many values is looked up, not copied, per value"),
  async () => {
    const config = `[core]\n${numbers(2_000).map((at) => `c${at} = 1\n`).join("")}` +
      `[modules.m0]\n${numbers(4_000).map((at) => `k${at} = 1\n`).join("")}`;
    await withTree(projectOf(3, { "_bmad/config.toml": config }), async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
      assertEnds("a skill", 1_000, () => resolveValues(library, library.effective[0]!));
    });
  },
);

Deno.test(
  verifies("config:limits", "the values of at most 200 modules are read, and doctor says so"),
  async () => {
    await withTree(projectOf(230), async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
      const modules = Object.keys(resolveConfig(library)["modules"] as object);
      assert.ok(modules.length <= 200, `${modules.length} modules`);
      const told = (await valueDiagnostics(library)).filter(({ code }) => code === "limit-reached");
      assert.deepEqual(told.map(({ message }) => message), [
        "only the values of the first 200 of 230 modules are read",
      ]);
    });
    await withTree(projectOf(20), async (dir) => {
      const found = await valueDiagnostics(await openLibrary([opening("project", 1, dir)]));
      assert.deepEqual(found.filter(({ code }) => code === "limit-reached"), []);
    });
  },
);

Deno.test(
  verifies("config:limits", "a file of values over 64 KB is left out, and its reader is told"),
  async () => {
    const long = `[workflow]\nmode = "quick"\n${numbers(9_000).map((at) => `k${at} = 1\n`).join("")}`;
    const files = projectOf(2, {
      "_bmad/m0/s0/customize.toml": '[workflow]\nmode = "slow"\n',
      "_bmad/custom/s0.toml": long,
    });
    await withTree(files, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
      const { customization, problems } = resolveValues(library, library.effective[0]!);
      assert.deepEqual(customization, { workflow: { mode: "slow" } });
      assert.deepEqual(problems, ["_bmad/custom/s0.toml is ignored: it is longer than 65536 characters"]);
      const told = (await valueDiagnostics(library)).filter(({ code }) => code === "limit-reached");
      assert.deepEqual(told.map(({ path }) => path), ["_bmad/custom/s0.toml"]);
    });
  },
);
