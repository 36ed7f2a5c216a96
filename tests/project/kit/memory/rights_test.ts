/** Does the embedder work with the rights that remain after the others are dropped? */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CONTENT } from "../../../support/recall.ts";

const PROBE = fileURLToPath(new URL("../../../support/memory_probe.ts", import.meta.url));
const RIGHTS = ["--no-prompt", "--cached-only", "--allow-read=/", "--allow-write=/", "--allow-run=git"];

Deno.test("the embedder needs no right but to read the content [memory:offline]", async () => {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...RIGHTS, PROBE, CONTENT],
    env: { NO_COLOR: "1" },
  }).output();
  assert.equal(new TextDecoder().decode(stdout), "384 numbers\n", new TextDecoder().decode(stderr));
});
