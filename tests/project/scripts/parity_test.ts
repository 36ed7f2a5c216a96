/** Do native scripts answer as BMAD's own, in each release that changed one? */
import assert from "node:assert/strict";
import { verifyScripts } from "../../../.github/upstream/verify_scripts.ts";
import { type SourcePackage, sourceTree } from "../../support/installs.ts";
import { findRuamel } from "../../support/python.ts";
import { compareOriginal, originalsIn, PARITY } from "../../support/script_parity.ts";
import { NO_ORIGINALS } from "../../support/scripts.ts";
import { withTree } from "../../support/trees.ts";

async function compare(name: string, version: string, python?: string): Promise<void> {
  const folder = await sourceTree(`bmad-method@${version}` as SourcePackage);
  const original = originalsIn(folder).find((one) => one.name === name)!;
  const [first] = await compareOriginal(folder, original, { version, ...python && { python } });
  if (first !== undefined) assert.deepEqual(first.ours, first.theirs, first.call);
}

for (const { name, version } of PARITY) {
  Deno.test({
    name: `${name} answers as that of ${version} [work:same-answers, work:older-rules]`,
    ignore: NO_ORIGINALS,
    fn: () => compare(name, version),
  });
}

for (const name of ["sprint_plan.py", "sprint_status.py"]) {
  const python = findRuamel();
  Deno.test({
    name: `${name} answers as that of 6.12.0`,
    ignore: python === undefined,
    fn: () => compare(name, "6.12.0", python),
  });
}

Deno.test({
  name: "a script that differs is named with both answers [upstream:verify-scripts]",
  ignore: NO_ORIGINALS,
  fn: async () => {
    const scripts = `${await sourceTree("bmad-method@6.12.0")}/src/scripts`;
    const [memlog, config] = ["memlog.py", "resolve_config.py"].map((name) =>
      Deno.readTextFileSync(`${scripts}/${name}`)
    );
    await withTree({
      "_bmad/scripts/memlog.py": memlog!.replaceAll('"entries"', '"lines"'),
      "_bmad/scripts/resolve_config.py": config!,
      "_bmad/scripts/lint_spine.py": "import nowhere_to_be_found\n",
      "_bmad/scripts/config_utils.py": Deno.readTextFileSync(`${scripts}/config_utils.py`),
    }, async (dir) => {
      const { status, text } = await verifyScripts(dir, []);
      assert.equal(status, 1);
      assert.match(text, /^✗ memlog\.py: \d+ answers differ\n {2}memlog\.py \{"args":\["init"/m);
      assert.match(text, /^ {2}ours: {3}.*entries.*\n {2}theirs: .*lines/m);
      assert.match(text, /^· lint_spine\.py: not compared, .*No module named 'nowhere_to_be_found'$/m);
      assert.match(text, /^✓ resolve_config\.py: same answers$/m);
      assert.equal((await verifyScripts(dir, ["brain.py"])).status, 2);
    });
  },
});
