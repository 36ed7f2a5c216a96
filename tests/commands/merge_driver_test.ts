/** Does the merge driver do what git asks of one? */
import assert from "node:assert/strict";
import { mergeDriver } from "../../src/commands/merge_driver.ts";
import { denoHost } from "../../src/process/host.ts";
import type { RightsInForce, WantedRights } from "../../src/base/model.ts";
import { LIMITS } from "../../src/project/limits.ts";
import { CONFLICTS, DRAFT } from "../../src/project/work/merge/mod.ts";
import { runCli } from "../support/program.ts";
import { type TreeFile, withTree } from "../support/trees.ts";

const BASE = "development_status:\n  1-1-a: backlog\n  1-2-b: backlog\n";
const OURS = BASE.replace("1-1-a: backlog", "1-1-a: review");
const THEIRS = BASE.replace("1-1-a: backlog", "1-1-a: done").replace("1-2-b: backlog", "1-2-b: review");

/** Runs the driver in this process; returns its status, what it wrote and which rights it kept. */
async function merge(files: Readonly<Record<string, TreeFile>>, ...words: readonly string[]) {
  return await withTree(files, (dir) => {
    let [kept, said] = [undefined as WantedRights | undefined, ""];
    const host = {
      ...denoHost(dir),
      cwd: dir,
      args: ["merge-driver", ...words],
      writeErr: (text: string) => void (said += text),
    };
    const code = mergeDriver(host, (wanted) => {
      kept = wanted;
      return { sandboxed: true, ...wanted, refused: [] } satisfies RightsInForce;
    });
    const bytes = Deno.readFileSync(`${dir}/A`);
    const rights = kept && { ...kept, read: kept.read.map(named(dir)), write: kept.write.map(named(dir)) };
    return { code, said, bytes, text: new TextDecoder().decode(bytes), rights };
  });
}

const named = (dir: string) => (path: string) => path.replace(`${dir}/`, "");

Deno.test("a merge ends with 0, a conflict with a status of its own, and both in silence [team:merge-driver]", async () => {
  const files = { O: BASE, A: OURS, B: THEIRS };
  const words = ["O", "A", "B", "7", "out/sprint-status.yaml"];
  const clean = await merge(files, ...words);
  assert.deepEqual([clean.code, clean.text, clean.said], [0, THEIRS, ""]);
  assert.deepEqual(clean.rights, {
    read: ["O", "A", "B", `A${DRAFT}`],
    write: ["A", `A${DRAFT}`],
    run: [],
    net: false,
  });

  const back = { ...files, O: BASE.replace("1-1-a: backlog", "1-1-a: review"), A: BASE };
  const conflict = await merge(back, "O", "A", "B", "9", "sprint-status.yaml");
  assert.equal(conflict.code, CONFLICTS);
  assert.match(conflict.text, /^<{9} ours\n {2}1-1-a: backlog\n={9}\n {2}1-1-a: done\n>{9} theirs\n/m);
  assert.equal(conflict.said, "");

  const odd: readonly Readonly<Record<string, TreeFile>>[] = [{ B: { link: "nowhere" } }, { "B/": "" }, {}];
  for (const third of odd) {
    const refused = await merge({ O: BASE, A: OURS, ...third }, ...words);
    assert.deepEqual([refused.code, refused.text], [2, OURS]);
  }
});

Deno.test("what fails, is too large or no text leaves our side as it was [team:merge-untouched]", async () => {
  const words = ["O", "A", "B", "7", "sprint-status.yaml"];
  const files = { O: BASE, A: OURS, B: THEIRS };
  const failed = await merge({ ...files, [`A${DRAFT}/kept`]: "" }, ...words);
  assert.deepEqual([failed.code, failed.text], [2, OURS]);
  assert.match(failed.said, /^bmad-mcp: sprint-status\.yaml: /);
  const large = (times: number) => `${THEIRS}${"#".repeat(times * LIMITS.source.textLength)}\n`;
  for (const other of [large(1), large(3), "c\0"]) {
    const left = await merge({ ...files, B: other }, ...words);
    assert.deepEqual([left.code, left.text, left.said], [2, OURS, ""]);
  }
});

Deno.test("other encodings are merged by lines [team:merge-driver]", async () => {
  const bytes = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  const latin = (text: string) => bytes(`# caf\xe9\n${text}`);
  const merged = await merge(
    { O: latin("a\nb\nc\nd\n"), A: latin("A\nb\nc\nd\n"), B: latin("a\nb\nc\n\xfcd\n") },
    "O",
    "A",
    "B",
    "7",
    "sprint-status.yaml",
  );
  assert.deepEqual([merged.code, merged.bytes], [0, latin("A\nb\nc\n\xfcd\n")]);
});

Deno.test("the program merges before it reads any setting [team:merge-driver]", async () => {
  const files = { O: BASE, A: OURS, B: THEIRS, "home/.config/bmad-mcp/config.toml": "not = [valid" };
  await withTree(files, async (dir) => {
    const words = ["merge-driver", "O", "A", "B", "7", "--help"];
    const env = { HOME: `${dir}/home`, XDG_CONFIG_HOME: `${dir}/home/.config` };
    const { code, stdout, stderr } = await runCli(words, { cwd: dir, env });
    // A file of that name is merged, too, by its lines.
    assert.deepEqual([code, stdout, stderr], [CONFLICTS, "", ""]);
    await Deno.writeTextFile(`${dir}/A`, OURS);
    const named = await runCli(["merge-driver", "O", "A", "B", "7", "sprint-status.yaml"], { cwd: dir, env });
    assert.deepEqual([named.code, named.stderr], [0, ""]);
    assert.equal(await Deno.readTextFile(`${dir}/A`), THEIRS);
  });
});
