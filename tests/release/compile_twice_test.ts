/** Do two builds of one commit give the same binary? */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { compileTarget } from "../../.github/release/compile.ts";
import { buildNpmPackage } from "../../.github/release/npm.ts";
import { describeRelease } from "../../.github/release/release.ts";
import { ownTarget, programName } from "../../.github/release/targets.ts";
import { COMMIT, sharedBundle } from "../support/bundle.ts";
import { type Payload, readPayload } from "../support/payload.ts";
import { copySources, listSources } from "../support/clean_copy.ts";
import { withTree } from "../support/trees.ts";

async function build(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "compile", "--commit", COMMIT],
    cwd: folder,
    env: { DENORT_BIN: Deno.execPath(), NO_COLOR: "1", ...env },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return await Deno.readFile(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!);
}

const OWN = ownTarget();
const sources = listSources();

Deno.test({
  name: "a clean copy of the repository gives the same binary [binary:reproducible]",
  ignore: sources === undefined,
  fn: () =>
    withTree({ "copy/much/deeper/": "" }, async (dir) => {
      const ours = `${dir}/${programName(OWN)}`;
      await compileTarget((await sharedBundle()).folder, OWN, ours, Deno.execPath());
      const one = readPayload(await Deno.readFile(ours));
      const copy = `${dir}/copy/much/deeper`;
      await copySources(sources!, copy);
      // Variables that switch things on in a binary must not get into it.
      const two = readPayload(await build(copy, { OTEL_DENO: "true", DENO_V8_FLAGS: "--max-lazy" }));
      const facts = ({ files }: Payload) => files.map(({ path, time, hash }) => `${path} ${time} ${hash}`);
      assert.deepEqual(two.settings, one.settings);
      assert.deepEqual(facts(two), facts(one));
      assert.equal(two.hash, one.hash);
      // The npm package is packed from the same folder.
      const [first, second] = await Promise.all(
        [(await sharedBundle()).folder, `${copy}/dist`].map((stage) =>
          buildNpmPackage(describeRelease("alice/bmad-mcp"), stage)
        ),
      );
      assert.deepEqual(
        createHash("sha256").update(second!).digest(),
        createHash("sha256").update(first!).digest(),
      );
    }),
});
