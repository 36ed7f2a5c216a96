/** Which folder is the project, where none is named? On real folders and with the real git. */
import assert from "node:assert/strict";
import { denoHost } from "../../src/process/host.ts";
import type { PathInfo } from "../../src/base/paths.ts";
import type { Config } from "../../src/settings/plan/mod.ts";
import { resolveConfig } from "../support/config.ts";
import { runGit } from "../support/git.ts";
import { type TreeFile, withTree } from "../support/trees.ts";

type Look = (path: string) => PathInfo | undefined;

interface Start {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: string;
  readonly clientRoot?: string;
  readonly look?: Look;
}

/** The configuration of a start in a folder; the home lies elsewhere. */
function start(
  dir: string,
  cwd: string,
  { args = [], env = {}, home = "home", ...more }: Start = {},
): Config {
  const host = denoHost(dir);
  const look = more.look ?? host.look;
  return resolveConfig({
    ...host,
    ...more,
    look,
    args,
    cwd: cwd === "" ? dir : `${dir}/${cwd}`,
    home: `${dir}/${home}`,
    contentDir: `${dir}/content`,
    env: (name) => env[name],
  });
}

const found = (dir: string, cwd: string, more?: Start): string | undefined =>
  start(dir, cwd, more).project?.slice(dir.length + 1);

const SPRINT = "development_status:\n  epic-1: in-progress\n  1-1-book: in-progress\n";
const MANIFEST = "installation:\n  version: 6.12.0\n";

function repository(folder: string): void {
  runGit(folder, "init", "--quiet", "--initial-branch=main");
  runGit(folder, "add", "--all");
  runGit(folder, "commit", "--quiet", "--allow-empty", "--message=Begin");
}

/** By a sign: what lies in `shop`, and whether it also counts where there is no repository. */
const SIGNS: Readonly<
  Record<string, readonly [files: Readonly<Record<string, TreeFile>>, isAlone: boolean]>
> = {
  "an installation": [{ "_bmad/_config/manifest.yaml": MANIFEST }, true],
  "an installation of another name": [{ ".bmad/_cfg/manifest.yaml": MANIFEST }, true],
  "an early one": [{ "bmad/_cfg/agent-manifest.csv": "name\n" }, true],
  "one of v4": [{ ".bmad-core/core-config.yaml": "" }, true],
  "a bare folder of an installation": [{ "_bmad/": "" }, false],
  "a bare hidden one": [{ ".bmad/": "" }, false],
  "a bare one of v4": [{ ".bmad-core/": "" }, false],
  "the kit's successor": [{ "_grimoire/": "" }, false],
  "an output folder": [{ "_bmad-output/": "" }, false],
  "a sprint": [{ "_bmad-output/implementation-artifacts/sprint-status.yaml": SPRINT }, true],
  "a spec folder": [{ "_bmad-output/specs/spec-a/stories.yaml": "[]\n" }, true],
  "tickets": [{ "_bmad-output/initiative-a/epic-a/tickets.toml": "" }, true],
  "flat skills": [{ ".windsurf/skills/map/bmod.toml": "[skill]\n" }, true],
  "a settings file": [{ ".bmad-mcp.toml": "maxResult = 4096\n" }, true],
};
const NO_SIGNS: Readonly<Record<string, Readonly<Record<string, TreeFile>>>> = {
  "a folder that is called bmad": { "bmad/agents/scout.md": "# Scout\n" },
  "skills of others": { ".claude/skills/poems/SKILL.md": "# Poems\n" },
  "a file of the name": { "_bmad": "text" },
  "a link to an installation elsewhere": { "_bmad": { link: "../../other/_bmad" } },
  "a link to nothing": { "_bmad-output": { link: "none" } },
  "nothing but our own records": { "_bmad-output/.bmad-work/lock": "" },
};

const inFolder = (folder: string, files: Readonly<Record<string, TreeFile>>) =>
  Object.fromEntries(Object.entries(files).map(([path, file]) => [`${folder}/${path}`, file]));

Deno.test("the nearest folder with something of BMAD is the project [place:upwards]", async () => {
  for (const [what, [files]] of Object.entries(SIGNS)) {
    await withTree({ ...inFolder("mono/shop", files), "mono/shop/src/deep/": "" }, (dir) => {
      repository(`${dir}/mono`);
      assert.equal(found(dir, "mono/shop/src/deep"), "mono/shop", what);
      assert.equal(found(dir, "mono/shop"), "mono/shop", what);
      assert.equal(found(dir, "mono"), "mono", what);
    });
  }
  for (const [what, files] of Object.entries(NO_SIGNS)) {
    await withTree({
      ...inFolder("mono/shop", files),
      "mono/shop/src/deep/": "",
      "other/_bmad/_config/manifest.yaml": MANIFEST,
    }, (dir) => {
      repository(`${dir}/mono`);
      assert.equal(found(dir, "mono/shop/src/deep"), "mono", what);
    });
    await withTree({ ...inFolder("shop", files), "shop/src/": "" }, (dir) => {
      assert.equal(found(dir, "shop/src"), "shop/src", what);
    });
  }
});

Deno.test("without a repository, a name alone shows no project [place:upwards]", async () => {
  for (const [what, [files, isAlone]] of Object.entries(SIGNS)) {
    await withTree({ ...inFolder("shop", files), "shop/src/deep/": "" }, (dir) => {
      assert.equal(found(dir, "shop/src/deep"), isAlone ? "shop" : "shop/src/deep", what);
      assert.equal(found(dir, "shop"), "shop", what);
    });
  }
});

Deno.test("else it is the top of the repository, worktree or submodule [place:upwards]", () =>
  withTree({ "clone/app/src/a.md": "a", "library/src/b.md": "b" }, (dir) => {
    repository(`${dir}/clone`);
    repository(`${dir}/library`);
    assert.equal(found(dir, "clone/app/src"), "clone");
    runGit(`${dir}/clone`, "worktree", "add", "--quiet", "../login", "-b", "login");
    assert.equal(found(dir, "login/app/src"), "login");
    const add = ["submodule", "--quiet", "add", `${dir}/library`, "lib"];
    runGit(`${dir}/clone`, "-c", "protocol.file.allow=always", ...add);
    Deno.mkdirSync(`${dir}/clone/_bmad`);
    assert.equal(found(dir, "clone/lib/src"), "clone/lib");
    const { place } = start(dir, "clone/app/src");
    assert.deepEqual([place?.sign, place?.isAbove, place?.isElsewhere], ["_bmad", true, true]);
    // What is no repository is passed, as git does.
    Deno.mkdirSync(`${dir}/clone/app/.git`);
    assert.equal(found(dir, "clone/app/src"), "clone");
  }));

Deno.test("a part of an installation or its output belongs to the project above [place:upwards]", () =>
  withTree({
    "clone/_bmad/bmm/agents/": "",
    "clone/_bmad/_config/custom/demo/.bmad-core/core-config.yaml": "",
    "clone/_bmad-output/implementation-artifacts/poc/_bmad/": "",
    "clone/packages/api/_bmad/": "",
    "clone/packages/api/src/": "",
  }, (dir) => {
    repository(`${dir}/clone`);
    for (const folder of ["_bmad", "_bmad/bmm/agents", "_bmad/_config/custom/demo", "_bmad-output"]) {
      assert.equal(found(dir, `clone/${folder}`), "clone", folder);
    }
    assert.equal(found(dir, "clone/_bmad-output/implementation-artifacts/poc"), "clone");
    assert.equal(found(dir, "clone/packages/api/src"), "clone/packages/api");
    // A repository of its own is nobody's part.
    repository(`${dir}/clone/_bmad-output/implementation-artifacts/poc`);
    assert.equal(
      found(dir, "clone/_bmad-output/implementation-artifacts/poc"),
      "clone/_bmad-output/implementation-artifacts/poc",
    );
  }));

Deno.test({
  name: "only real folders lead upwards [place:limits]",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTree({
      "clone/_bmad/": "",
      "clone/src/deep/": "",
      "clone/src/up": { link: ".." },
      "other/src": { link: "../clone/src" },
      "other/_bmad/_config/manifest.yaml": MANIFEST,
    }, (dir) => {
      repository(`${dir}/clone`);
      assert.equal(found(dir, "other/src/deep"), "clone");
      assert.equal(found(dir, "clone/src/up/src/deep"), "clone");
      assert.equal(found(dir, "clone", { clientRoot: `${dir}/other/src/deep` }), "clone");
      assert.equal(found(dir, "home/none", { env: { CLAUDE_PROJECT_DIR: `${dir}/other/src` } }), "clone");
    }),
});

Deno.test("the walk leaves neither the repository nor the owner, and reaches nothing too wide [place:limits]", () =>
  withTree({
    "_bmad/_config/manifest.yaml": MANIFEST,
    ".bmad-mcp.toml": 'mode = "user"\n',
    "home/ann/_bmad/_config/manifest.yaml": MANIFEST,
    "home/ann/notes/trip/": "",
    "srv/_bmad/_config/manifest.yaml": MANIFEST,
    "srv/shop/src/": "",
    "clone/src/": "",
  }, (dir) => {
    const at = (cwd: string, more?: Start) => found(dir, cwd, { home: "home/ann", ...more });
    repository(`${dir}/home/ann`);
    repository(`${dir}/clone`);
    // A dotfiles repository and an installation in the home folder make nothing in it a part of theirs.
    assert.equal(at("home/ann/notes/trip"), "home/ann/notes/trip");
    assert.match(
      start(dir, "home/ann/notes/trip", { home: "home/ann" }).place!.end!,
      /\/home\/ann is your home/,
    );
    assert.equal(at("home/ann"), undefined);
    assert.equal(at("clone/src"), "clone");
    assert.equal(at("srv/shop/src"), "srv");
    const host = denoHost(dir);
    const ownedBy = (uidOf: (path: string) => number): Look => (path) => {
      const seen = host.look(path);
      return seen && { ...seen, owner: { uid: uidOf(path), gid: 0 } };
    };
    const shared = ownedBy((path) => path === `${dir}/srv` || path === `${dir}/clone` ? 1 : 2);
    assert.equal(at("srv/shop/src", { look: shared }), "srv/shop/src");
    assert.equal(at("clone/src", { look: shared }), "clone/src");
    assert.match(start(dir, "srv/shop/src", { look: shared }).place!.end!, /\/srv belongs to another user$/);
    // In a folder for all users, such as /tmp, anybody may put what looks like a project.
    const planted = ownedBy((path) => path.includes("_bmad") ? 1 : 0);
    assert.equal(at("srv/shop/src", { look: planted }), "srv/shop/src");
    Deno.mkdirSync(`${dir}/clinic/.agents/skills/map`, { recursive: true });
    Deno.mkdirSync(`${dir}/clinic/src`);
    Deno.writeTextFileSync(`${dir}/clinic/.agents/skills/map/bmod.toml`, "[skill]\n");
    assert.equal(at("clinic/src"), "clinic");
    assert.equal(
      at("clinic/src", { look: ownedBy((path) => path.includes(".agents") ? 1 : 0) }),
      "clinic/src",
    );
    const git = ownedBy((path) => path.includes(".git") ? 1 : 0);
    assert.equal(at("clone/src", { look: git }), "clone/src");
  }));

Deno.test("whoever works in another user's folders, as root does, finds no project in their home [place:limits]", () => {
  const folders = [
    "/",
    "/root",
    "/home",
    "/home/ann",
    "/home/ann/.git",
    "/home/ann/_bmad",
    "/home/ann/notes",
  ];
  const project = (home: string, cwd: string) => {
    const look: Look = (path) =>
      folders.includes(path)
        ? { kind: "folder", real: path, owner: { uid: path.startsWith("/home/ann") ? 1_000 : 0, gid: 0 } }
        : undefined;
    return resolveConfig({
      args: [],
      cwd,
      home,
      os: "linux",
      contentDir: "/opt/bmad-mcp/content",
      env: () => undefined,
      readSettings: () => undefined,
      readHead: (path) => path === "/home/ann/_bmad/config.toml" ? "[core]\n" : undefined,
      look,
      findFolder: (path) => look(path)?.real,
      namesIn: (path) =>
        folders.filter((one) => one.slice(0, one.lastIndexOf("/")) === path.replace(/\/$/, ""))
          .map((one) => one.slice(one.lastIndexOf("/") + 1)),
    }).project;
  };
  assert.equal(project("/root", "/home/ann/notes"), "/home/ann/notes");
  assert.equal(project("/home/ann", "/home/ann/notes"), "/home/ann/notes");
  assert.equal(project("/home/bob", "/home/ann/notes"), "/home/ann/notes");
  assert.equal(project("/root", "/root"), undefined);
});

Deno.test("a walk is short: it ends after 40 folders [place:limits]", () => {
  const deep = Array.from({ length: 45 }, (_, at) => `d${at}`).join("/");
  return withTree({ [`shop/${deep}/`]: "", "shop/.bmad-mcp.toml": "" }, (dir) => {
    assert.equal(found(dir, `shop/${deep}`), `shop/${deep}`);
    const near = deep.split("/").slice(0, 39).join("/");
    assert.equal(found(dir, `shop/${near}`), "shop");
  });
});

Deno.test("what a user names is exact, what a client says begins a walk [place:upwards, origins:project-root-order]", () =>
  withTree({ "one/_bmad/": "", "one/src/": "", "two/_bmad/": "", "two/src/": "" }, (dir) => {
    repository(`${dir}/one`);
    repository(`${dir}/two`);
    const [src, other] = [`${dir}/one/src`, `${dir}/two/src`];
    const cases: readonly (readonly [Start, string])[] = [
      [{ args: ["--project", src] }, "one/src"],
      [{ env: { BMAD_PROJECT_ROOT: src } }, "one/src"],
      [{ env: { CLAUDE_PROJECT_DIR: src } }, "one"],
      [{ env: { CLAUDE_PROJECT_DIR: src }, clientRoot: other }, "one"],
      [{ clientRoot: src }, "one"],
      [{ args: ["sources", "--project"] }, "two"],
    ];
    for (const [given, project] of cases) {
      assert.equal(found(dir, "two/src", given), project, JSON.stringify(given));
    }
  }));

Deno.test("settings, trust, memory and rights are those of the project that was found [place:upwards]", () =>
  withTree({
    "clone/_bmad/": "",
    "clone/.bmad-mcp.toml": 'maxResult = 2048\nreadOnly = true\nlogLevel = "debug"\n',
    "clone/src/": "",
    "home/": "",
  }, (dir) => {
    repository(`${dir}/clone`);
    const of = (cwd: string, ...args: readonly string[]) => start(dir, cwd, { args });
    const [top, below] = ["clone", "clone/src"].map((cwd) => of(cwd, "--toolsets", "all"));
    assert.equal(below!.settings.maxResult, 2_048);
    assert.deepEqual(below!.ignored, top!.ignored);
    assert.deepEqual(below!.rights, top!.rights);
    assert.deepEqual(below!.memory, top!.memory);
    assert.deepEqual(below!.team, top!.team);
    assert.equal(below!.ignored.some(({ needsTrust }) => needsTrust), true);
    const trusted = (...words: readonly string[]) => {
      const change = of("clone/src", "config", ...words).ownChange;
      return change !== undefined && "folder" in change ? change.folder.slice(dir.length + 1) : undefined;
    };
    assert.equal(trusted("trust", "."), "clone");
    assert.equal(trusted("untrust", "."), "clone");
    assert.equal(trusted("trust", "../src"), "clone/src");
    assert.equal(trusted("trust", `${dir}/clone/src`), "clone/src");
  }));

Deno.test("paths that a user types stay relative to where they stand [place:upwards]", () =>
  withTree({ "clone/_bmad/": "", "clone/src/": "", "home/": "" }, (dir) => {
    repository(`${dir}/clone`);
    const of = (...args: readonly string[]) => start(dir, "clone/src", { args });
    assert.equal(of("export", "dev", "--to", "zip").exporting?.path, `${dir}/clone/src/dev.zip`);
    assert.equal(of("--path", "more").settings.paths[0], `${dir}/clone/src/more`);
    assert.equal(of("new", "agent", "mine").creating?.root, `${dir}/clone`);
  }));
