/** Does a running server notice that sources were added, removed or updated? */
import assert from "node:assert/strict";
import { denoHost } from "../../../src/process/host.ts";
import { type Live, openLive } from "../../../src/content/live/mod.ts";
import type { SettingsInput } from "../../../src/settings/mod.ts";
import { resolveConfig } from "../../support/config.ts";
import { type HandClock, handClock } from "../../support/live.ts";
import { withTree, writeTree } from "../../support/trees.ts";

const skill = (name: string) => `---\nname: bmad-${name}\ndescription: The ${name}.\n---\n\nDo it.\n`;

interface Scene {
  readonly dir: string;
  readonly clock: HandClock;
  readonly live: Live;
  list(...folders: readonly string[]): Promise<void>;
  served(): Promise<readonly string[]>;
}

function withLists(fn: (scene: Scene) => Promise<void>, find?: (path: string) => boolean): Promise<void> {
  const files = {
    "shop/.claude/skills/bmad-own/SKILL.md": skill("own"),
    ...Object.fromEntries(
      ["one", "two"].map((name) => [`${name}/skills/bmad-${name}/SKILL.md`, skill(name)]),
    ),
  };
  return withTree(files, async (dir) => {
    const clock = handClock();
    const settings = `${dir}/home/.config/bmad-mcp/config.toml`;
    const list = async (...folders: readonly string[]) => {
      const sources = folders.map((folder) => JSON.stringify(`${dir}/${folder}`)).join(", ");
      await writeTree(`${dir}/home`, { ".config/bmad-mcp/config.toml": `sources = [${sources}]\n` });
    };
    await list("one");
    const { readSettings, findFolder } = denoHost(dir);
    const input: SettingsInput = {
      args: ["--pack", "none"],
      cwd: `${dir}/shop`,
      home: `${dir}/home`,
      os: Deno.build.os,
      contentDir: `${dir}/none`,
      env: (name) => name === "XDG_CONFIG_HOME" ? `${dir}/home/.config` : undefined,
      readSettings,
      findFolder: (path) => find?.(path) === false ? undefined : findFolder(path),
    };
    const config = resolveConfig(input);
    const names = [settings, settings.replace("toml", "lock.json")];
    assert.deepEqual(names.filter((name) => !config.rights.read.includes(name)), []);
    const live = openLive(config, clock);
    await fn({
      dir,
      clock,
      live,
      list,
      served: async () => {
        clock.advance(1_000);
        return await live.ask(({ effective }) => effective.map(({ id }) => id).sort());
      },
    });
  });
}

Deno.test("sources that are added, removed or replaced count without a restart [add:live]", () =>
  withLists(async ({ list, served, live, clock, dir }) => {
    assert.deepEqual(await served(), ["bmad-one", "bmad-own"]);
    const changes: boolean[] = [];
    const off = live.onChange(({ entries }) => changes.push(entries));
    clock.advance(500);
    await live.check();
    await list("one", "two");
    assert.deepEqual(await served(), ["bmad-one", "bmad-own", "bmad-two"]);
    // The other source gets the id of the first one.
    await list("two");
    assert.deepEqual(await served(), ["bmad-own", "bmad-two"]);
    assert.deepEqual(changes, [true, true]);
    await list();
    assert.deepEqual(await served(), ["bmad-own"]);
    await Deno.remove(`${dir}/home/.config/bmad-mcp/config.toml`);
    await list("one");
    assert.deepEqual(await served(), ["bmad-one", "bmad-own"]);
    off();
  }));

Deno.test("a list that is invalid or unreadable changes nothing else [add:live]", () =>
  withLists(
    async ({ list, served, dir, live }) => {
      assert.deepEqual(await served(), ["bmad-one", "bmad-own"]);
      await list("one", "two");
      assert.deepEqual(await served(), ["bmad-one", "bmad-own"]);
      const file = `${dir}/home/.config/bmad-mcp/config.toml`;
      await Deno.writeTextFile(file, "sources = [\n");
      assert.deepEqual(await served(), ["bmad-one", "bmad-own"]);
      assert.equal(live.reloads().failed, 1);
      // Files of the project are still followed.
      await writeTree(`${dir}/shop`, { ".claude/skills/bmad-new/SKILL.md": skill("new") });
      assert.deepEqual(await served(), ["bmad-new", "bmad-one", "bmad-own"]);
      assert.equal(live.reloads().failed, 1);
      await list();
      assert.deepEqual(await served(), ["bmad-new", "bmad-own"]);
    },
    (path) => !path.endsWith("/two"),
  ));
