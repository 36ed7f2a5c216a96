/** Do lists, ambiguous answers and completions begin with what was used, and is usage saved only on request? */
import assert from "node:assert/strict";
import { facts, refusal, say } from "../../support/answers.ts";
import { clientHere, ERAS, type ProgramClient } from "../../support/client.ts";
import { type ProgramOptions, runCli } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const skill = (id: string, about: string) => `---\nname: ${id}\ndescription: ${about}\n---\nDo it well.\n`;

const NAMES = { blue: ["plan", "dig", "sow"], red: ["plan", "hoe", "mow"] } as const;
const PROJECT = Object.fromEntries(
  Object.entries(NAMES).flatMap(([module, names]) =>
    names.map((name) => [
      `bmad/${module}/skills/bmad-${name}/SKILL.md`,
      skill(`bmad-${name}`, `Works on ${module} things`),
    ])
  ),
);
const PLAIN = ["bmad-dig", "bmad-sow", "bmad-hoe", "bmad-mow", "blue/bmad-plan", "red/bmad-plan"];

const SKILLS = { operation: "list", query: "skills" };

async function idsOf(client: ProgramClient, args: Readonly<Record<string, unknown>> = SKILLS) {
  const { items } = await facts(client, args);
  return (items as readonly { id: string; module: string }[]).map(({ id, module }) =>
    id === "bmad-plan" ? `${module}/${id}` : id
  );
}

for (const era of ERAS) {
  Deno.test(`usage of a ${era} client orders lists alone [ranking:memory, ranking:query-relevance]`, () =>
    withTree(PROJECT, async (cwd) => {
      await using client = await clientHere({ era, cwd, args: ["--pack", "none"] });
      assert.deepEqual((await idsOf(client)).toSorted(), PLAIN.toSorted());
      const before = await idsOf(client);
      assert.deepEqual(await idsOf(client), before);
      const found = await idsOf(client, { operation: "search", query: "blue dig" });
      assert.equal(found[0], "bmad-dig");

      // To list, to search and to ask for what is not there is no use.
      await refusal(client, { operation: "execute", skill: "weed" });
      assert.deepEqual(await idsOf(client), before);
      await say(client, { operation: "read", skill: "mow" });
      await say(client, { operation: "execute", skill: "sow", message: "Beans" });
      await say(client, { operation: "execute", skill: "sow", message: "Peas" });
      const used = ["bmad-sow", "bmad-mow"];
      assert.deepEqual(await idsOf(client), [...used, ...before.filter((id) => !used.includes(id))]);
      assert.deepEqual(await idsOf(client, { operation: "search", query: "blue dig" }), found);
      // A prompt delivers the same, and so uses it.
      await client.getPrompt("bmad-hoe");
      await client.getPrompt("bmad-hoe");
      assert.deepEqual((await idsOf(client)).indexOf("bmad-hoe") < 2, true);
    }));

  Deno.test(`a ${era} client is offered first what it used [ranking:query-relevance]`, () =>
    withTree(PROJECT, async (cwd) => {
      await using client = await clientHere({ era, cwd, args: ["--pack", "none"] });
      const candidates = async () =>
        [...(await refusal(client, { operation: "execute", skill: "plan" })).matchAll(/^- (\w+)\//gm)]
          .map(([, module]) => module);
      assert.deepEqual(await candidates(), ["blue", "red"]);
      await say(client, { operation: "execute", skill: "red/plan" });
      assert.deepEqual(await candidates(), ["red", "blue"]);
    }));

  treeTest(`names of a ${era} client complete by usage [ranking:query-relevance]`, PROJECT, async (cwd) => {
    await using client = await clientHere({ era, cwd, args: ["--pack", "none"] });
    const ref = {
      type: "ref/resource",
      uri: "bmad://{module}/workflows/{workflow}/workflow.yaml",
    } as const;
    const values = (value: string) => client.complete(ref, { name: "workflow", value });
    const before = await values("");
    assert.deepEqual(before, [...before].sort());
    assert.ok(before.includes("mow"));
    await say(client, { operation: "execute", skill: "mow" });
    assert.deepEqual(await values(""), ["mow", ...before.filter((name) => name !== "mow")]);
    // What begins as it was typed still comes first.
    assert.deepEqual((await values("d"))[0], "dig");
  });
}

Deno.test("usage survives restarts if asked for [ranking:memory, ranking:shown]", () =>
  withTree({ ...PROJECT, "state/keep": "" }, async (dir) => {
    const env = { XDG_STATE_HOME: `${dir}/state` };
    const options: ProgramOptions = { cwd: dir, env };
    const file = `${dir}/state/bmad-mcp/usage/uses.json`;
    const list = async (...args: readonly string[]) => {
      const { stdout } = await runCli(["list", "skills", "--pack", "none", ...args], options);
      return stdout.split("\n").filter(Boolean).map((line) => line.split("\t")[0]);
    };
    const before = await list();
    const execute = ["execute", "mow", "--pack", "none"];
    assert.equal((await runCli(execute, options)).code, 0);
    await assert.rejects(Deno.stat(`${dir}/state/bmad-mcp`), Deno.errors.NotFound);

    const { code, stderr } = await runCli([...execute, "--remember-usage"], options);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(
      await Deno.readTextFile(file),
      /^\{"version":1,"uses":\{"red\/bmad-mow":\[1,\d+\]\}\}\n$/,
    );
    assert.deepEqual(await list(), before);
    const after = ["red/bmad-mow", ...before.filter((name) => name !== "red/bmad-mow")];
    assert.deepEqual(await list("--remember-usage"), after);
    const usage = ["list", "usage", "--pack", "none"];
    const shown = await runCli([...usage, "--remember-usage"], options);
    assert.match(shown.stdout, /^red\/bmad-mow\tused 1 time, last \d{4}-\d\d-\d\d \d\d:\d\d UTC\n$/);
    assert.equal(shown.stderr, "");
    assert.match((await runCli(usage, options)).stderr, /^No usage\.\nUses are not remembered.*config set/);

    // A server keeps it too, and one that may not write still reads it.
    const kept = await Deno.readTextFile(file);
    {
      await using client = await clientHere({
        era: "2026",
        ...options,
        args: ["--pack", "none", "--remember-usage", "--read-only"],
      });
      assert.equal((await idsOf(client))[0], "bmad-mow");
      await say(client, { operation: "execute", skill: "dig" });
      await client.close();
      assert.equal(client.stderr(), "");
    }
    assert.equal(await Deno.readTextFile(file), kept);
    {
      await using client = await clientHere({
        era: "2025",
        ...options,
        env: { ...env, BMAD_REMEMBER_USAGE: "yes" },
        args: ["--pack", "none"],
      });
      await say(client, { operation: "execute", skill: "dig", message: "in secret" });
      await client.close();
    }
    const text = await Deno.readTextFile(file);
    assert.match(text, /blue\/bmad-dig/);
    assert.doesNotMatch(text, /secret/);
  }));
