/** Does the program work whatever TMPDIR says? */
import assert from "node:assert/strict";
import { say } from "../support/answers.ts";
import { startClient } from "../support/client.ts";
import { withRepositories } from "../support/git.ts";
import { runCli } from "../support/program.ts";
import { POSIX } from "../support/run.ts";

const AGENT = "---\nname: captain\ndescription: The captain\n---\n# Captain\n";

Deno.test("git, tools, scripts and memory work with any TMPDIR [binary:tmpdir]", POSIX, async (t) => {
  await withRepositories(async ({ dir, make }) => {
    const { address } = make("team", { "agents/captain.md": AGENT });
    const [cwd, locked] = [`${dir}/project`, `${dir}/locked`];
    await Deno.mkdir(`${cwd}/_bmad`, { recursive: true });
    await Deno.writeTextFile(`${cwd}/_bmad/config.toml`, '[core]\noutput_folder = "out"\n');
    await Deno.mkdir(locked, { mode: 0 });
    const folders = { empty: "", relative: "tmp", missing: `${dir}/missing`, unreadable: locked };
    try {
      for (const [kind, TMPDIR] of Object.entries(folders)) {
        await t.step(kind, async () => {
          const env = { TMPDIR, BMAD_GIT_CACHE: `${dir}/cache-${kind}` };
          const { code, stdout, stderr } = await runCli(["list", "agents", "--path", address], {
            cwd,
            env,
          });
          assert.equal(code, 0, stderr);
          assert.match(stdout, /\bcaptain\b/);

          const args = ["--toolsets", "bmad,work,memory"];
          await using client = await startClient({ era: "2025", cwd, env, args });
          const script = `memlog.py init --workspace {project-root}/out/${kind}`;
          assert.match(await say(client, { script }, "bmad_work"), /^\{"ok": true, /);
          const memory = { type: "decisions", agent: "pm", text: `Ships sail with ${kind} holds.` };
          assert.match(await say(client, memory, "remember_structured"), /^Remembered/);
        });
      }
      // A relative folder is not made in the project.
      assert.deepEqual([...Deno.readDirSync(cwd)].map(({ name }) => name).toSorted(), ["_bmad", "out"]);
    } finally {
      await Deno.chmod(locked, 0o700);
    }
  });
});
