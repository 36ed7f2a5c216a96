/** What does a client see of a bug in the program? */
import assert from "node:assert/strict";
import { says } from "../../support/answers.ts";
import { ERAS, startClient } from "../../support/client.ts";
import { PROGRAM } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const PLANT = `
const open = Deno.openSync;
Deno.openSync = function planted(path, options) {
  if (String(path).includes("flawed")) throw new TypeError("planted mistake");
  return open(path, options);
};
`;

const PROJECT = {
  "plant.js": PLANT,
  "_bmad/own/skills/bmad-good/SKILL.md": "---\nname: bmad-good\ndescription: Works\n---\nDo it.\n",
  "_bmad/own/skills/bmad-good/flawed.md": "never read",
};

for (const era of ERAS) {
  Deno.test({
    name: `a ${era} client gets the id of a log entry, and the log the stack [errors:bug-log-id]`,
    // Nothing can be planted in a binary.
    ignore: PROGRAM.file === undefined,
    fn: () =>
      withTree(PROJECT, async (cwd) => {
        const program = ["run", "--preload", `${cwd}/plant.js`, ...PROGRAM.args.slice(1)];
        const log = `${cwd}/log.txt`;
        await using client = await startClient({
          era,
          cwd,
          program,
          args: ["--pack", "none", "--log-file", log],
        });
        const uri = "bmad://own/skills/bmad-good/flawed.md";

        const failure = await client.readResource(uri).then(
          () => assert.fail("the file was read"),
          (error: { code: number; message: string }) => error,
        );
        assert.equal(failure.code, -32603);
        const id = /Internal error, see log (\w+)$/.exec(failure.message)?.[1];
        assert.ok(id !== undefined, failure.message);

        const entry = new RegExp(`error: \\[${id}\\] TypeError: planted mistake\\n +at .*planted`);
        assert.match(await Deno.readTextFile(log), entry);
        assert.match(client.stderr(), entry);
        assert.doesNotMatch(failure.message, /planted|plant\.js|at /);

        await says(client, { operation: "read", workflow: "bmad-good" }, /Do it\./);
      }),
  });
}
