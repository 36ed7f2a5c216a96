import assert from "node:assert/strict";
import { BENCHES, ON_REQUEST } from "../bench/run.ts";

const SHARED = [
  "bare_server",
  "big_root",
  "context_sets",
  "recall_set",
  "run",
  "support",
  "terminal",
  "walk",
];

Deno.test("deno task bench knows every bench", () => {
  const files = [...Deno.readDirSync(new URL("../bench", import.meta.url))];
  assert.deepEqual(
    files.filter(({ isFile }) => isFile).map(({ name }) => name.slice(0, -".ts".length)).sort(),
    [...BENCHES, ...Object.keys(ON_REQUEST), ...SHARED].sort(),
  );
});
