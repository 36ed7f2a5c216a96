/** What is logged, where, and what never is? */
import assert from "node:assert/strict";
import { openLogFile } from "../../../src/process/log_file.ts";
import { say } from "../../support/answers.ts";
import { ERAS, startClient } from "../../support/client.ts";
import { runCli } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const SECRET = "the walrus sings at dawn";
const PROJECT = {
  ".claude/skills/bmad-sail/SKILL.md":
    `---\nname: bmad-sail\ndescription: Sail\n---\nHoist the sail: ${SECRET}.\n`,
  "logs/": "",
};

for (const era of ERAS) {
  Deno.test(
    `each request of a ${era} client has a line at debug, without its text [log:file, log:requests, log:reads]`,
    () =>
      withTree(PROJECT, async (cwd) => {
        const log = ["--log-level", "debug", "--log-file", "logs/server.log"];
        await using client = await startClient({ era, cwd, args: ["--pack", "none", ...log] });
        const text = await say(client, { operation: "execute", workflow: "sail", message: SECRET });
        assert.ok(text.includes(SECRET));
        await client.callTool("bmad", { operation: "read", agent: "nobody-there" });
        await client.readResource("bmad://skills/bmad-sail/SKILL.md");
        await client.close();
        const written = await Deno.readTextFile(`${cwd}/logs/server.log`);
        const requests = written.split("\n").filter((line) => line.includes(" request "));
        const forms = [
          /^\d{4}-\d\d-\d\dT[\d:.]+Z \d+ debug: request tools\/call bmad: [\d.]+ ms, ok, \d+ bytes$/,
          /request tools\/call bmad: [\d.]+ ms, failed, \d+ bytes$/,
          /request resources\/read bmad:\/\/skills\/bmad-sail\/SKILL\.md: [\d.]+ ms, ok, \d+ bytes$/,
        ];
        for (const form of forms) {
          assert.equal(requests.filter((line) => form.test(line)).length, 1, requests.join("\n"));
        }
        const read = `debug: read .claude/skills/bmad-sail/SKILL.md in ${await Deno.realPath(cwd)}`;
        assert.ok(written.split("\n").some((line) => line.endsWith(read)), written);
        const lines = written.trimEnd().split("\n").map((line) => line.replace(/^\S+ \d+ /, "bmad-mcp "));
        assert.deepEqual(
          client.stderr().trimEnd().split("\n"),
          lines.filter((line) => !/info: Serving/.test(line)),
        );
        assert.ok(!(written + client.stderr()).includes("walrus"), written);
      }),
  );
}

Deno.test("a full log is rotated, and old ones are deleted [log:file]", () =>
  withTree({ "log": "a".repeat(1 << 20), "log.1": "older", "log.2": "oldest" }, async (dir) => {
    const names = ["log", "log.1", "log.2"].map((name) => `${dir}/${name}`);
    const add = openLogFile(names);
    add("new");
    add("newer");
    const [now, before, last] = await Promise.all(names.map((name) => Deno.readTextFile(name)));
    assert.deepEqual([now, before!.length, last], ["new\nnewer\n", 1 << 20, "older"]);
  }));

Deno.test("only the log's own files may be written, and only if one is named [log:file]", () =>
  withTree(PROJECT, async (cwd) => {
    const rightsOf = async (...args: readonly string[]) => {
      const { code, stderr } = await runCli(["list", "skills", "--log-level", "debug", ...args], { cwd });
      assert.equal(code, 0);
      return /; can write only (.*)\n/.exec(stderr)?.[1];
    };
    const file = `${cwd}/logs/a.log`;
    assert.equal(
      await rightsOf("--log-file", "logs/a.log"),
      [file, ...[1, 2, 3].map((n) => `${file}.${n}`)].join(", "),
    );
    assert.equal(await rightsOf(), undefined);
  }));

treeTest("a log file that cannot be written is reported once and stops nothing", {}, async (cwd) => {
  const { code, stdout, stderr } = await runCli(
    ["list", "agents", "--log-level", "debug", "--log-file", "not/there/x.log"],
    { cwd },
  );
  assert.equal(code, 0);
  assert.match(stdout, /^bmm\//);
  assert.equal(stderr.match(/Cannot write the log to/g)?.length, 1, stderr);
});
