/** Which projects are found below a folder, and what is planned for each? On real folders and with the real git. */
import assert from "node:assert/strict";
import { ignoredText, type SettingsInput } from "../../src/settings/mod.ts";
import { denoHost } from "../../src/process/host.ts";
import type { Config } from "../../src/settings/plan/mod.ts";
import { resolveConfig } from "../support/config.ts";
import { runGit } from "../support/git.ts";
import { type TreeFile, withTree } from "../support/trees.ts";

type Files = Readonly<Record<string, TreeFile>>;

function start(dir: string, cwd = "shop", more: Partial<SettingsInput> = {}): Config {
  const host = denoHost(dir);
  return resolveConfig({
    ...host,
    args: [],
    cwd: `${dir}/${cwd}`,
    home: `${dir}/home`,
    contentDir: `${dir}/content`,
    env: () => undefined,
    ...more,
  });
}

const OUTPUT = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const LEDGER = "development_status:\n  epic-1: in-progress\n  1-1-book: in-progress\n";
const MANIFEST = "installation:\n  version: 6.12.0\n";

const withShop = (files: Files, fn: (dir: string) => void | Promise<void>, isRepository = true) =>
  withTree({ "home/": "", ...files }, async (dir) => {
    if (isRepository) runGit(`${dir}/shop`, "init", "--quiet");
    await fn(dir);
  });

const projectsAt = (names: readonly string[]): Files =>
  Object.fromEntries(names.map((name) => [`shop/${name}/${OUTPUT}`, LEDGER]));

const namesIn = ({ siblings }: Config) => siblings.map(({ name }) => name);

Deno.test("projects are found within three levels, sorted, and not inside one another [place:found]", () =>
  withShop(
    {
      ...projectsAt(["web", "packages/b", "packages/a", "teams/red/shop", "x/y/z/deep", "web/inner"]),
      "shop/packages/v4/.bmad-core/core-config.yaml": "",
      "shop/packages/set/.bmad-mcp.toml": "",
      "shop/packages/plain/src/": "",
    },
    (dir) => {
      const config = start(dir);
      assert.deepEqual(namesIn(config), [
        ...["packages/a", "packages/b", "packages/set", "packages/v4", "teams/red/shop", "web"],
      ]);
      assert.deepEqual([config.name, config.isCurrent, config.mayChange], ["shop", false, false]);
    },
  ));

Deno.test("what git ignores, what tools keep, worktrees and links are left out [place:found]", () =>
  withShop(
    {
      ...projectsAt(["kept", "build/out", "node_modules/pkg", ".cache/x", "vendor/lib", "a/dist", "b/dist"]),
      "shop/.gitignore": "build/\n",
      "shop/a/.gitignore": "/dist\n",
      "shop/tree/.git": "gitdir: /srv/shop/.git/worktrees/tree\n",
      [`shop/tree/${OUTPUT}`]: LEDGER,
      "elsewhere/": "",
      [`other/${OUTPUT}`]: LEDGER,
    },
    async (dir) => {
      await Deno.symlink(`${dir}/other`, `${dir}/shop/link`);
      await Deno.symlink(`${dir}/shop/kept`, `${dir}/shop/again`);
      assert.deepEqual(namesIn(start(dir)), ["b/dist", "kept"]);
    },
  ));

Deno.test("a folder of repositories has those with a manifest or a ledger [place:found]", () =>
  withShop(
    {
      "shop/one/_bmad/_config/manifest.yaml": MANIFEST,
      [`shop/two/${OUTPUT}`]: LEDGER,
      "shop/three/_bmad/notes.md": "",
      "shop/four/_bmad/": "",
    },
    (dir) => {
      runGit(`${dir}/shop/four`, "init", "--quiet");
      assert.deepEqual(namesIn(start(dir)), ["four", "one", "two"]);
    },
    false,
  ));

Deno.test("at most 200 projects are served, and at most 1,000 folders looked at [place:found]", async () => {
  const names = Array.from({ length: 205 }, (_, at) => `p${String(at).padStart(3, "0")}`);
  await withShop(projectsAt(names), (dir) => {
    const { siblings, projects } = start(dir);
    assert.deepEqual([siblings.length, projects!.limit], [200, "200 projects"]);
  });
  const folders = Array.from({ length: 1_001 }, (_, at) => [`shop/f${at}/`, ""]);
  await withShop({ ...Object.fromEntries(folders), ...projectsAt(["z/late"]) }, (dir) => {
    const { siblings, projects } = start(dir);
    assert.deepEqual([siblings.length, projects!.limit], [0, "1000 folders"]);
    // Where the top has work of its own, a start pays for fewer.
    Deno.mkdirSync(`${dir}/shop/_bmad-output`);
    Deno.writeTextFileSync(`${dir}/shop/_bmad-output/prd.md`, "");
    assert.equal(start(dir).projects!.limit, "200 folders");
  });
});

Deno.test("nothing of a project is read to find it [place:found]", () =>
  withShop(projectsAt(["a", "b"]), (dir) => {
    const read: string[] = [];
    const host = denoHost(dir);
    const readHead: SettingsInput["readHead"] = (path) => {
      read.push(path.slice(dir.length + 1));
      return host.readHead(path);
    };
    assert.equal(start(dir, "shop", { readHead }).siblings.length, 2);
    assert.deepEqual(read.filter((path) => path.includes("_bmad")), []);
  }));

Deno.test("a hostile neighbour is named, and harms no other [place:found, place:hostile]", () =>
  withShop(projectsAt(["bad", "good", "huge", "odd"]), async (dir) => {
    const host = denoHost(dir);
    const odd: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      bad: { uid: 4711 },
      huge: { names: [], folders: [], problem: "has too many files" },
    };
    const list: SettingsInput["list"] = (path) => {
      const found = host.list(path);
      return found && { ...found, ...odd[path.slice(`${dir}/shop/`.length)] };
    };
    await Deno.remove(`${dir}/shop/odd`, { recursive: true });
    await new Deno.Command("mkfifo", { args: [`${dir}/shop/odd`, `${dir}/shop/good/.bmad-mcp.toml`] })
      .output();
    const { siblings, projects } = start(dir, "shop", { list });
    assert.deepEqual(siblings.map(({ name }) => name), ["good"]);
    assert.deepEqual(projects!.skipped, [
      { path: "bad", reason: "belongs to another user" },
      { path: "huge", reason: "has too many files" },
    ]);
  }));

Deno.test("`projects` in the settings replaces the search [place:setting]", () =>
  withShop({
    ...projectsAt(["packages/api", "packages/web", "deep/er/and/deeper"]),
    [`other/${OUTPUT}`]: LEDGER,
    "shop/.bmad-mcp.toml": 'projects = ["packages/web", "deep/er/and/deeper"]\n',
  }, async (dir) => {
    assert.deepEqual(namesIn(start(dir)), ["deep/er/and/deeper", "packages/web"]);
    // Also for somebody who stands in one of them, or in one that is not listed.
    assert.deepEqual(namesIn(start(dir, "shop/packages/web")), ["deep/er/and/deeper"]);
    await Deno.writeTextFile(`${dir}/shop/.bmad-mcp.toml`, 'projects = ["../other", "packages/api"]\n');
    const { siblings, ignored } = start(dir);
    assert.ok(siblings.every(({ project }) => !project!.endsWith("/other")));
    assert.deepEqual(ignored.map(({ setting }) => setting), ["projects"]);
  }));

Deno.test("a folder in `projects` that cannot be one is named at each start [place:setting]", () =>
  withShop({ ...projectsAt(["packages/my api", "web"]), "shop/.bmad-mcp.toml": "" }, (dir) => {
    const reasons: Readonly<Record<string, readonly [RegExp, siblings: number]>> = {
      "package/my api": [/shop\/package\/my api is not a folder$/, 0],
      "packages/*": [/shop\/packages\/\* is not a folder$/, 0],
      ".": [/shop is the place itself, not a project in it$/, 0],
      'web", "wep': [/shop\/wep is not a folder$/, 1],
    };
    for (const [path, [reason, siblings]] of Object.entries(reasons)) {
      Deno.writeTextFileSync(`${dir}/shop/.bmad-mcp.toml`, `\nprojects = ["${path}"]\n`);
      for (const name of ["board", "serve"]) {
        const config = start(dir, "shop", { args: [name] });
        assert.equal(config.siblings.length, siblings, path);
        assert.deepEqual(config.ignored.map(({ setting, source }) => `${setting} ${source}`), [
          `projects ${dir}/shop/.bmad-mcp.toml:2`,
        ]);
        assert.match(config.ignored[0]!.reason, reason, config.ignored[0]!.reason);
        assert.match(ignoredText(config.ignored[0]!), /^Ignored projects in .*Correct or remove line 2 of/);
      }
    }
    Deno.writeTextFileSync(`${dir}/shop/.bmad-mcp.toml`, 'projects = [".", "web"]\n');
    assert.deepEqual([start(dir).ignored, start(dir, "shop/web").ignored], [[], []]);
  }));

Deno.test("a new project is seen without a restart, and can be read alone [place:found]", () =>
  withShop(projectsAt(["a"]), async (dir) => {
    const config = start(dir);
    const [a] = config.findSiblings();
    await Deno.mkdir(`${dir}/shop/b/_bmad-output/implementation-artifacts`, { recursive: true });
    await Deno.writeTextFile(`${dir}/shop/b/${OUTPUT}`, LEDGER);
    const [first, second] = config.findSiblings();
    assert.equal(first, a, "the configuration of a known project stays");
    assert.deepEqual([second?.name, second?.mayChange, second?.rights.write], ["b", false, []]);
    await Deno.remove(`${dir}/shop/a`, { recursive: true });
    assert.deepEqual(config.findSiblings().map(({ name }) => name), ["b"]);
  }));

Deno.test("only the current project may be written, or those that the line names [place:writes]", () =>
  withShop(projectsAt(["packages/api", "packages/web"]), (dir) => {
    const writes = (cwd: string, ...args: readonly string[]) =>
      start(dir, cwd, { args }).rights.write.map((path) => path.slice(`${dir}/shop/`.length))
        .filter((path) => path.startsWith("packages")).map((path) => path.split("/")[1]).sort();
    assert.deepEqual(writes("shop", "serve"), []);
    assert.deepEqual([...new Set(writes("shop/packages/api", "serve"))], ["api"]);
    assert.deepEqual([...new Set(writes("shop", "mark", "web:1-1", "done"))], ["web"]);
    assert.deepEqual([...new Set(writes("shop", "mark", "1-1", "done"))], []);
    const both = ["serve", "--project", `${dir}/shop/packages/api`, "--project", `${dir}/shop/packages/web`];
    assert.deepEqual([...new Set(writes("shop", ...both))], ["api", "web"]);
  }));

Deno.test("each settings file needs its own trust [place:trust]", () =>
  withShop({
    ...projectsAt(["a", "b"]),
    "shop/.bmad-mcp.toml": 'paths = ["/srv/team"]\n',
    "shop/a/.bmad-mcp.toml": 'paths = ["/srv/team"]\n',
    "shop/b/.bmad-mcp.toml": 'paths = ["/srv/team"]\n',
  }, (dir) => {
    Deno.mkdirSync(`${dir}/home/.config/bmad-mcp`, { recursive: true });
    Deno.writeTextFileSync(`${dir}/home/.config/bmad-mcp/config.toml`, `trusted = ["${dir}/shop/a"]\n`);
    const counts = ({ settings: { paths } }: Config) => paths.length;
    const top = start(dir);
    assert.deepEqual([top, ...top.siblings].map(counts), [0, 1, 0]);
    const inside = start(dir, "shop/b");
    assert.deepEqual([inside, ...inside.siblings].map(counts), [0, 1]);
  }));

Deno.test("an installation at the top serves those below that have none of their own [place:shared]", () =>
  withShop({
    ...projectsAt(["packages/api", "packages/web"]),
    "shop/_bmad/_config/manifest.yaml": MANIFEST,
    "shop/packages/web/_bmad/_config/manifest.yaml": MANIFEST,
  }, (dir) => {
    const folders = ({ origins }: Config) =>
      origins.flatMap(({ access }) =>
        access.via === "folder" && access.path.startsWith(`${dir}/shop`)
          ? [access.path.slice(`${dir}/`.length)]
          : []
      );
    const top = start(dir);
    assert.deepEqual([top, ...top.siblings].map(folders), [
      ["shop"],
      ["shop/packages/api", "shop"],
      ["shop/packages/web"],
    ]);
    assert.deepEqual(folders(start(dir, "shop/packages/api")), ["shop/packages/api", "shop"]);
    assert.deepEqual(folders(start(dir, "shop/packages/web")), ["shop/packages/web"]);
    for (const args of [["script", "x"], ["serve", "--project", `${dir}/shop/packages/api`]]) {
      assert.deepEqual(folders(start(dir, "shop/packages/api", { args })), ["shop/packages/api", "shop"]);
    }
    // The installer makes empty folders; with a document, the top has work of its own.
    const output = `${dir}/shop/_bmad-output/planning-artifacts`;
    Deno.mkdirSync(output, { recursive: true });
    assert.deepEqual([start(dir).isCurrent, start(dir).mayChange], [false, false]);
    Deno.writeTextFileSync(`${output}/prd.md`, "# PRD\n");
    assert.deepEqual([start(dir).isCurrent, start(dir).mayChange], [true, true]);
    const both = ["web", "api"].flatMap((name) => ["--project", `${dir}/shop/packages/${name}`]);
    assert.deepEqual(start(dir, "home", { args: ["serve", ...both] }).siblings.map(folders), [
      ["shop/packages/api", "shop"],
    ]);
  }));

Deno.test("a project with settings that cannot be used is left out, and the top stands for none [place:hostile]", () =>
  withShop({
    ...projectsAt(["a", "b"]),
    "shop/a/.bmad-mcp.toml": "mode = [",
    "shop/b/.bmad-mcp.toml": "mode = [",
  }, (dir) => {
    const trust = (...names: readonly string[]) => {
      Deno.mkdirSync(`${dir}/home/.config/bmad-mcp`, { recursive: true });
      const list = JSON.stringify(names.map((name) => `${dir}/shop/${name}`));
      Deno.writeTextFileSync(`${dir}/home/.config/bmad-mcp/config.toml`, `trusted = ${list}\n`);
      return start(dir);
    };
    const one = trust("a");
    assert.deepEqual([namesIn(one), one.isCurrent], [["b"], false]);
    assert.deepEqual(one.projects!.broken!.map(({ path }) => path), ["a"]);
    const none = trust("a", "b");
    assert.deepEqual([namesIn(none), none.isCurrent, none.mayChange], [[], true, true]);
    assert.match(none.warnings.join("\n"), /^a is left out: .*\nb is left out: /);
  }));
