/** Does an update say what it changes before it switches, and can it be taken back? */
import assert from "node:assert/strict";
import { startClient } from "../../support/client.ts";
import { agentFile, sourcesTest, withSources } from "../../support/sources.ts";
import { packageOf } from "../../support/tar.ts";
import { writeTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

const skill = (name: string, text: string) =>
  `---\nname: ${name}\ndescription: ${name} it.\n---\n\n${text}\n`;

Deno.test("a repository is updated and taken back [add:update, add:rollback]", () =>
  withSources(async ({ make, run, json, lock, project, file }) => {
    const team = make("team", {
      "agents/captain.md": agentFile("captain", "First orders."),
      "agents/cook.md": agentFile("cook"),
      "skills/bmad-sail/SKILL.md": skill("bmad-sail", "Sail."),
      "skills/bmad-sail/customize.toml": '[workflow]\nroute = "north"\nspeed = 1\n',
      "skills/bmad-row/SKILL.md": skill("bmad-row", "Row."),
      "skills/bmad-row/customize.toml": "[workflow]\nseats = 2\n",
    });
    await writeTree(project, {
      "_bmad/custom/bmad-sail.toml": '[workflow]\nroute = "south"\nspeed = 3\nnever = "there"\n',
      "_bmad/custom/bmad-row.user.toml": "[workflow]\nseats = 4\n",
      "_bmad/bmm/agents/own.md": agentFile("own"),
    });
    await run("add", team.folder);
    const first = team.git("rev-parse", "main");
    const second = team.commit({
      "agents/captain.md": agentFile("captain", "Second orders."),
      "agents/cook.md": null,
      "agents/medic.md": agentFile("medic"),
      "skills/bmad-sail/customize.toml": '[workflow]\nroute = "north"\n',
      "skills/bmad-row": null,
    });
    const pinned = async () => JSON.parse(await Deno.readTextFile(lock)).sources[team.address];
    const before = await Deno.readTextFile(lock);
    const listed = await Deno.readTextFile(file);

    const dry = await run("update", "--diff", "--dry-run");
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /\n {2}changed agent custom\/captain \(captain\.md\)\n/);
    assert.match(dry.stdout, /\n-First orders\.\n\+Second orders\.\n/);
    assert.match(dry.stdout, /\nNothing was changed \(--dry-run\)\.\n$/);
    assert.equal(await Deno.readTextFile(lock), before);

    const { items: [update] } = await json("update", "team", "--diff");
    assert.deepEqual(
      [update.outcome, update.before, update.after],
      ["updated", `commit ${first.slice(0, 10)}`, `commit ${second.slice(0, 10)}`],
    );
    const changes = update.changes.map(({ name, change }: Record<string, string>) => `${change} ${name}`);
    assert.deepEqual(changes.sort(), [
      "added custom/medic",
      "changed custom/bmad-sail",
      "changed custom/captain",
      "removed custom/bmad-row",
      "removed custom/cook",
    ]);
    // What had no effect before, and what still has one, is not reported.
    assert.deepEqual(
      update.customizations.map(({ name, reason }: Record<string, string>) => [name, reason]).sort(),
      [
        ["custom/bmad-row", "it is gone"],
        ["custom/bmad-sail", "it has no workflow.speed any more"],
      ],
    );
    assert.match(update.customizations[0].file, /\/shop\/_bmad\/custom\/bmad-/);
    assert.deepEqual(await pinned(), { commit: second, previous: { commit: first } });
    assert.match((await run("execute", "captain")).stdout, /Second orders\./);
    assert.match((await run("update")).stdout, /: unchanged, commit /);

    // The way back needs neither the repository nor the network.
    await Deno.rename(team.folder, `${team.folder}.gone`);
    const back = await run("update", "--rollback", "--offline");
    assert.match(back.stdout, /: commit \w+ → commit \w+: 5 items changed\n(?: .*\n)+Switched back in /);
    assert.deepEqual(await pinned(), { commit: first });
    assert.match((await run("execute", "captain")).stdout, /First orders\./);
    const again = await run("update", "--rollback");
    assert.deepEqual([again.code, again.stdout], [2, ""]);
    assert.match(again.stderr, /No earlier version to go back to/);

    // A repository that cannot be reached stays as it is.
    const failed = await run("update");
    assert.equal(failed.code, 3);
    assert.match(failed.stdout, /team\.git: failed: .*does not appear to be a git repository/);
    assert.deepEqual(await pinned(), { commit: first });
    assert.equal(await Deno.readTextFile(file), listed);
  }));

Deno.test("an archive is updated from its file, and taken back [add:update, add:rollback]", () =>
  withSources(async ({ run, json, project, lock }) => {
    const archive = (version: string, text: string) =>
      packageOf({
        "package.json": JSON.stringify({ name: "ops", version }),
        "agents/captain.md": agentFile("captain", text),
      });
    await Deno.writeFile(`${project}/ops.tgz`, await archive("1.0.0", "First orders."));
    await run("add", "./ops.tgz");
    await Deno.writeFile(`${project}/ops.tgz`, await archive("1.1.0", "Second orders."));
    const { items: [update] } = await json("update");
    assert.deepEqual([update.before, update.after, update.changes.length], [
      "version 1.0.0",
      "version 1.1.0",
      1,
    ]);
    assert.match((await run("execute", "captain")).stdout, /Second orders\./);
    await Deno.remove(`${project}/ops.tgz`);
    assert.equal((await run("update", "--rollback")).code, 0);
    assert.match((await run("execute", "captain")).stdout, /First orders\./);
    const [pin] = Object.values(JSON.parse(await Deno.readTextFile(lock)).sources);
    assert.equal((pin as { version: string }).version, "1.0.0");
  }));

sourcesTest("a running server serves each change [add:live]", async ({ make, run, project, env }) => {
  const team = make("team", { "agents/captain.md": agentFile("captain", "First orders.") });
  await using client = await startClient({ era: "2026", cwd: project, env });
  await client.listen([]);
  const prompts = async () => (await client.listPrompts()).map(({ name }) => name);
  await prompts();
  const notified = async (
    isWanted: (names: readonly string[]) => boolean,
    ...args: readonly string[]
  ) => {
    let from = client.notices.length;
    assert.equal((await run(...args)).code, 0, args.join(" "));
    for (let names: readonly string[] = []; !isWanted(names);) {
      await until(
        `the client was notified after ${args.join(" ")}`,
        () =>
          client.notices.slice(from).some(({ method }) => method === "notifications/prompts/list_changed"),
        client.stderr,
      );
      from = client.notices.length;
      names = await prompts();
    }
  };
  const orders = async () =>
    JSON.stringify(await client.callTool("bmad", { operation: "execute", name: "captain" }));
  const isWithout = (name: string) => (names: readonly string[]) => names.length > 0 && !names.includes(name);
  await notified((names) => names.includes("bmad-captain"), "add", team.folder);
  assert.match(await orders(), /First orders/);
  team.commit({
    "agents/captain.md": agentFile("captain", "Second orders."),
    "agents/cook.md": agentFile("cook"),
  });
  await notified((names) => names.includes("bmad-cook"), "update");
  assert.match(await orders(), /Second orders/);
  await notified(isWithout("bmad-cook"), "update", "--rollback");
  assert.match(await orders(), /First orders/);
  await notified(isWithout("bmad-captain"), "remove", "team");
});
