import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { MEMORY_FILES } from "../../src/project/kit/memory/files.ts";
import { withTree } from "../support/trees.ts";

const FOLDER = fileURLToPath(new URL("../../bmad-embedded/memory/kernels", import.meta.url));

Deno.test("the committed kernels are what the compiler makes of their source, byte for byte", () =>
  withTree({}, async (dir) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--quiet", "--allow-all", `${FOLDER}/compile.ts`, dir],
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    for (const name of [...MEMORY_FILES.kernels, MEMORY_FILES.nearest]) {
      const [compiled, committed] = [
        Deno.readFileSync(`${dir}/${name}`),
        Deno.readFileSync(`${FOLDER}/${name}`),
      ];
      assert.deepEqual(compiled, committed, `${name} differs: run \`deno task kernels\``);
    }
  }));
