/** What happens if a configured memory or repository cannot be reached? */
import assert from "node:assert/strict";
import { refusal, says } from "../../support/answers.ts";
import { clientHere, ERAS } from "../../support/client.ts";
import { runCli } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const NOBODY = "127.0.0.1:9";

const PROJECT = {
  "_bmad/own/skills/bmad-good/SKILL.md": "---\nname: bmad-good\ndescription: Works\n---\nDo it.\n",
  "_bmad/_memory/shared-context.md": "",
};

for (const era of ERAS) {
  Deno.test(
    `a ${era} client learns which memory is missing [errors:unavailable-says-rest, memory:qdrant]`,
    () =>
      withTree(PROJECT, async (cwd) => {
        const env = { BMAD_QDRANT_URL: `http://${NOBODY}`, BMAD_NO_EMBEDDER: "1" };
        await using client = await clientHere({ era, cwd, env, args: ["--pack", "none"] });
        const memory = { type: "decisions", agent: "dev", text: "Keep it small" };
        for (
          const [tool, args] of [["remember_structured", memory], ["recall_structured", {
            query: "small",
          }]] as const
        ) {
          const said = await refusal(client, args, tool);
          assert.match(
            said,
            /^Project memory is unavailable: Qdrant at http:\/\/127\.0\.0\.1:9 cannot be reached/,
          );
          assert.match(said, /Everything else still works$/);
        }
        await says(client, { operation: "read", workflow: "bmad-good" }, /Do it\./);
      }),
  );
}

Deno.test("a command names the origins that cannot be served [errors:unavailable-says-rest]", () =>
  withTree({ ...PROJECT, "empty/": "" }, async (cwd) => {
    const unreachable = [
      [`${cwd}/nowhere`, /^bmad-mcp warn: Folder not found: \S+\/nowhere\. Everything else is served\n$/],
      [
        `${cwd}/empty`,
        /^bmad-mcp warn: No BMAD content found in \S+\/empty\. Everything else is served\n$/,
      ],
      [`git+https://${NOBODY}/x.git`, /Cannot open git\+https:\S+: [^]*\. Everything else is served\n$/],
    ] as const;
    for (const [path, told] of unreachable) {
      const { code, stdout, stderr } = await runCli(["list", "skills"], { cwd, env: { BMAD_ROOT: path } });
      assert.equal(code, 0);
      assert.match(stdout, /bmad-good/);
      assert.match(stderr, told);
    }
  }));
