/**
 * Does the comparison of native scripts with installed ones find what differs, and say what it could not compare?
 */
import assert from "node:assert/strict";
import { installedScripts } from "../../../src/project/scripts/mod.ts";
import { GENERATORS, NOT_COMPARED } from "../../../src/project/verify/cases.ts";
import { type Verification, verifyScripts } from "../../../src/project/verify/mod.ts";
import { SCRIPTS } from "../../../src/project/scripts/mod.ts";
import { systemTimer } from "../../../src/base/work.ts";
import { sourceTree } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { NO_ORIGINALS, skillAt, worldOf } from "../../support/scripts.ts";
import { copyTree, listTree, withTree } from "../../support/trees.ts";

const PACKAGE = await sourceTree("bmad-method@6.12.0");
const ARCHITECTURE = ".claude/skills/bmad-architecture";

/** A project with the scripts of all skills and one of a skill; `change` changes it. */
async function verify(
  change: (root: string) => Promise<void>,
  { path = Deno.env.get("PATH") ?? "", names = [] as readonly string[], calls = 6 } = {},
): Promise<Verification> {
  return await withTree(
    { "project/.claude/skills/": "", "project/_bmad/": "", "cache/": "" },
    async (dir) => {
      const root = `${dir}/project`;
      await copyTree(`${PACKAGE}/src/scripts`, `${root}/_bmad/scripts`);
      await copyTree(`${PACKAGE}/src/bmm-skills/plan/bmad-architecture`, `${root}/${ARCHITECTURE}`);
      await change(root);
      const before = await listTree(root);
      const world = worldOf(root, { skills: [skillAt(`${root}/${ARCHITECTURE}`)] });
      const bash = path === "" ? { PATH: `${dir}/bin` } : { PATH: path };
      const found = await verifyScripts({
        plan: { folder: `${dir}/cache`, environment: bash },
        root,
        installed: await installedScripts(world),
        names,
        calls,
        seed: 1,
        now: Date.now,
        after: systemTimer.after,
      });
      assert.deepEqual(await listTree(root), before, "the project stays as it is");
      assert.deepEqual(await listTree(`${dir}/cache`), [], "nothing is left");
      return found;
    },
  );
}

function resultsOf({ scripts }: Verification): Readonly<Record<string, string>> {
  return Object.fromEntries(
    scripts.map(({ name, calls, differences, problem }) =>
      [name, problem ?? `${differences.length} of ${calls}`] as const
    ),
  );
}

Deno.test({
  name: verifies("upstream:verify-scripts", "scripts that were compared answer alike, and others are named"),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const found = await verify(() => Promise.resolve());
    assert.match(found.python!, /^Python 3\.\d+/);
    assert.deepEqual(resultsOf(found), {
      "memlog.py": "0 of 6",
      "lint_spine.py": "0 of 6",
      "resolve_config.py": "0 of 6",
      "resolve_customization.py": "0 of 6",
      "render_skill.py": NOT_COMPARED["render_skill.py"],
    });
  },
});

Deno.test({
  name: verifies(
    "upstream:verify-scripts",
    "a script that answers otherwise is named, with the call and both answers",
  ),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const found = await verify(async (root) => {
      const file = `${root}/${ARCHITECTURE}/scripts/lint_spine.py`;
      await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replaceAll('"high"', '"severe"'));
      await Deno.writeTextFile(`${root}/_bmad/scripts/memlog.py`, "import nowhere_to_be_found\n");
    }, { names: ["lint_spine.py", "memlog.py"] });
    const [memlog, spine] = found.scripts.toSorted((a, b) => a.name < b.name ? 1 : -1);
    assert.equal(memlog!.problem, "Python has no module nowhere_to_be_found");
    assert.deepEqual([spine!.release, spine!.rules], [undefined, "6.12.0"]);
    const [first] = spine!.differences;
    assert.match(first!.call, /^lint_spine\.py --workspace w/);
    const [ours, theirs] = [first!.ours, first!.theirs].map((one) => JSON.stringify(one));
    assert.ok(ours!.includes("high") && theirs!.includes("severe"), `${ours} ${theirs}`);
  },
});

Deno.test("without Python nothing is compared, and the reason is given", async () => {
  const found = await verify(() => Promise.resolve(), { path: "", names: ["memlog.py"] });
  assert.deepEqual([found.python, resultsOf(found)], [undefined, {
    "memlog.py": "there is no Python 3.11 or newer",
  }]);
});

Deno.test("every native script has generated input, or a reason why it has none", () => {
  const known = [...Object.keys(GENERATORS), ...Object.keys(NOT_COMPARED)].sort();
  assert.deepEqual(known, SCRIPTS.map(({ name }) => name).sort());
});
