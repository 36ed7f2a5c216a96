/**
 * Does `verify-scripts` say what was compared, what differs and what could not be run?
 */
import assert from "node:assert/strict";
import { sourceTree } from "../../support/installs.ts";
import { runHere } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { NO_ORIGINALS } from "../../support/scripts.ts";
import { withTree } from "../../support/trees.ts";

Deno.test(
  verifies("upstream:verify-scripts", "what cannot be compared is named with its reason"),
  () =>
    withTree({ "shop/_bmad/scripts/render_skill.py": "print()\n" }, async (dir) => {
      const ask = (...words: string[]) => runHere(["verify-scripts", "--project", `${dir}/shop`, ...words]);
      const { code, stdout } = await ask();
      assert.equal(code, 2);
      assert.match(
        stdout,
        /^· render_skill\.py {2}in no release .*; not compared: ours answers with a resource/,
      );
      assert.match(stdout, /\nNothing was compared\.\n$/);
      assert.match((await ask("memlog.py")).stderr, /No installed script named "memlog\.py"/);
    }),
);

Deno.test({
  name: verifies(
    "upstream:verify-scripts",
    "a difference is shown with its call, from where the answers part",
  ),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const source = await sourceTree("bmad-method@6.12.0");
    const memlog = await Deno.readTextFile(`${source}/src/scripts/memlog.py`);
    const files = { "shop/_bmad/scripts/memlog.py": memlog.replaceAll('"entries"', '"lines"') };
    await withTree(files, async (dir) => {
      const args = ["verify-scripts", "memlog.py", "--count", "12", "--project", `${dir}/shop`];
      const { code, stdout } = await runHere(args, { env: { PATH: Deno.env.get("PATH") ?? "" } });
      assert.equal(code, 1, stdout);
      assert.match(
        stdout,
        /^✗ memlog\.py {2}in no release that ours was compared with; 12 calls, \d+ differ\n {4}memlog\.py /,
      );
      assert.match(stdout, /ours, stdout: .*entries.*\n {6}the original's: .*lines/);
      assert.match(
        stdout,
        /1 script compared by Python 3\.\S+ on 12 generated calls \(seed 1\): 0 the same, 1 different\.\n$/,
      );
    });
  },
});
