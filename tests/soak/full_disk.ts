/** A full disk that holds the project, its memory, the log and the user's state. */
import assert from "node:assert/strict";
import { canWriteIn } from "../../src/process/private_folder.ts";
import { startClient } from "../support/client.ts";
import { runCli } from "../support/program.ts";
import { withTree } from "../support/trees.ts";
import { command } from "./machine.ts";

export function fullDisk(): Promise<void> {
  return withTree({ "small/": "" }, async (dir) => {
    const small = `${dir}/small`;
    await command("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", small);
    try {
      await Deno.mkdir(`${small}/project/_bmad/_memory`, { recursive: true });
      await Deno.mkdir(`${small}/state`);
      await using client = await startClient({
        era: "2025",
        args: [
          ...["--project", `${small}/project`, "--log-file", `${small}/log.txt`, "--log-level", "debug"],
          "--no-embedder",
          "--remember-usage",
          "--toolsets",
          "bmad,memory",
        ],
        env: { XDG_STATE_HOME: `${small}/state` },
      });
      const remember = (text: string) =>
        client.callTool("remember_structured", { type: "decisions", agent: "dev", text });
      const recall = async (query: string) =>
        JSON.stringify(await client.callTool("recall_structured", { query }));
      assert.notEqual((await remember("The harbour opens at dawn.")).isError, true);
      await fill(`${small}/filler`);
      for (let n = 0; n < 20; n++) {
        const refused = await remember(`Ship ${n} came in. ${crypto.randomUUID().repeat(200)}`);
        if (refused.isError) assert.match(refused.content[0]!.text, /memory|disk|space|full/i);
        else assert.match(await recall(`ship ${n}`), new RegExp(`Ship ${n} came in`));
        const served = await client.callTool("bmad", { operation: "execute", agent: "analyst" });
        assert.notEqual(served.isError, true);
      }
      const last = await remember(`Too much. ${crypto.randomUUID().repeat(400)}`);
      assert.equal(last.isError, true, "the disk was not full");
      assert.match(await recall("harbour"), /opens at dawn/);
      const { stderr } = await runCli(["token", "add", "ana"], { env: { XDG_STATE_HOME: `${small}/state` } });
      assert.match(stderr, /Cannot write \S+\/state\/bmad-mcp\/http\S*: the disk is full/);
      assert.equal(canWriteIn(`${small}/state`), false);
      await Deno.remove(`${small}/filler`);
      assert.notEqual((await remember("There is room again.")).isError, true);
      assert.match(await recall("room"), /room again/);
      assert.match(await recall("harbour"), /opens at dawn/);
    } finally {
      await command("umount", "-l", small);
    }
  });
}

async function fill(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true });
  for (let size = 65_536; size >= 1;) {
    try {
      if (file.writeSync(new Uint8Array(size)) < size) size = Math.floor(size / 2);
    } catch {
      size = Math.floor(size / 2);
    }
  }
}
