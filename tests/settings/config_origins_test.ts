/** Which folders does the program look in, in which order, and what does it keep the right to read? */
import assert from "node:assert/strict";
import { configOf, type Told } from "../support/config.ts";
import { parseGitLocation } from "../../src/settings/locations/git.ts";
import { findHome } from "../../src/process/host.ts";

const WINDOWS = {
  cwd: "C:\\Users\\ann\\shop",
  home: "C:\\Users\\ann",
  os: "windows",
  env: { APPDATA: "C:\\Users\\ann\\AppData\\Roaming", LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local" },
} as const;

const PROJECT_FILE = "/home/ann/shop/.bmad-mcp.toml";

function originsOf(told: Told): readonly string[] {
  return configOf(told).origins.map(({ origin: { id, priority, location } }) =>
    `${id} ${priority} ${location}`
  );
}

const EVERYTHING: Told = {
  args: ["/srv/one", "git+https://example.org/o/r", "/srv/two"],
  env: { BMAD_ROOT: "/srv/three:git+ssh://git@example.org/o/r#main:/sub" },
};

Deno.test(
  "a mode picks its origins, each with its number, the best first [origins:modes, origins:embedded-only-auto, origins:priority-order]",
  () => {
    const all = [
      "project 1 /home/ann/shop",
      "cli 2 /srv/one",
      "cli-2 2 /srv/two",
      "env 3 /srv/three",
      "user 4 /home/ann/.bmad",
      "user-2 4 /home/ann/.claude/skills",
      "user-3 4 /home/ann/.agents/skills",
      "git 5 git+https://example.org/o/r",
      "git-2 5 git+ssh://git@example.org/o/r#main:/sub",
      "package 9 latest",
    ];
    const table: Readonly<Record<string, readonly string[]>> = {
      auto: all,
      local: all.slice(0, 1),
      user: all.slice(4, 7),
      strict: [...all.slice(1, 4), ...all.slice(7, 9)],
    };
    for (const [mode, origins] of Object.entries(table)) {
      const args = [...EVERYTHING.args!, "--mode", mode];
      assert.deepEqual(originsOf({ ...EVERYTHING, args }), origins, mode);
    }
    assert.deepEqual(originsOf({ args: ["--mode=strict"] }), []);
  },
);

Deno.test("an origin says how it is opened", () => {
  assert.deepEqual(configOf(EVERYTHING).origins.map(({ access }) => access), [
    { via: "folder", path: "/home/ann/shop" },
    { via: "folder", path: "/srv/one" },
    { via: "folder", path: "/srv/two" },
    { via: "folder", path: "/srv/three" },
    { via: "folder", path: "/home/ann/.bmad", caches: ["cache"] },
    { via: "shared-skills", path: "/home/ann/.claude/skills" },
    { via: "shared-skills", path: "/home/ann/.agents/skills" },
    { via: "git", repository: parseGitLocation("git+https://example.org/o/r") },
    { via: "git", repository: parseGitLocation("git+ssh://git@example.org/o/r#main:/sub") },
    { via: "pack", pack: "latest", contentDir: "/opt/bmad-mcp/content", isFallback: true },
  ]);
});

Deno.test("the copies of repositories are no part of the folder that they are kept in", () => {
  const { origins } = configOf({ args: ["--path", "/srv/one", "--git-cache", "/srv/one/_bmad/copies"] });
  const cachesIn = (path: string) =>
    origins.flatMap(({ access }) => access.via === "folder" && access.path === path ? [access.caches] : []);
  assert.deepEqual(cachesIn("/srv/one"), [["_bmad/copies"]]);
  assert.deepEqual(cachesIn("/home/ann/.bmad"), [["cache"]]);
});

Deno.test("the latest pack is embedded by default [origins:embedded-choice]", () => {
  const packOf = (told: Told) =>
    configOf(told).origins.flatMap(({ access }) => (access.via === "pack" ? [access.pack] : []));
  assert.deepEqual(packOf({}), ["latest"]);
  assert.deepEqual(packOf({ args: ["--pack=v4"] }), ["v4"]);
  assert.deepEqual(packOf({ env: { BMAD_PACK: "none" } }), []);
});

Deno.test("BMAD_ROOT names paths and git URLs [origins:env-root]", () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["/a", ["/a"]],
    ["/a:b:~/c", ["/a", "/home/ann/shop/b", "/home/ann/c"]],
    [":/a::/b:", ["/a", "/b"]],
    ["git+https://h/o/r#v1:/sub", ["git+https://h/o/r#v1:/sub"]],
    ["/a:git+file:///srv/r.git", ["/a", "git+file:///srv/r.git"]],
    ["git+ssh://git@h:22/o/r:git+https://h/r#x:/y", ["git+ssh://git@h:22/o/r", "git+https://h/r#x:/y"]],
    ["/team/git+notes:/b", ["/team/git+notes", "/b"]],
    ["git+https://ann:pw@h/o/r#x:/y:/b:c", ["git+https://ann:pw@h/o/r#x:/y", "/b", "/home/ann/shop/c"]],
  ];
  for (const [BMAD_ROOT, roots] of table) {
    const { settings, provenance } = configOf({ env: { BMAD_ROOT } });
    assert.deepEqual([settings.roots, provenance.roots], [roots, "BMAD_ROOT"]);
  }
  const BMAD_ROOT = "D:\\bmad;git+https://h/r:/sub;more";
  assert.deepEqual(configOf({ ...WINDOWS, env: { BMAD_ROOT } }).settings.roots, [
    "D:/bmad",
    "git+https://h/r:/sub",
    "C:/Users/ann/shop/more",
  ]);
});

Deno.test("the project is what was named, else the working folder [origins:project-root-order]", () => {
  const BMAD_PROJECT_ROOT = "/srv/variable";
  const CLAUDE_PROJECT_DIR = "/srv/claude";
  const table: readonly (readonly [Told, string | undefined, string])[] = [
    [{}, "/home/ann/shop", "default"],
    [{ env: { CLAUDE_PROJECT_DIR } }, "/srv/claude", "CLAUDE_PROJECT_DIR"],
    [{ env: { CLAUDE_PROJECT_DIR, BMAD_PROJECT_ROOT } }, "/srv/variable", "BMAD_PROJECT_ROOT"],
    [{ args: ["--project", "../flag"], env: { BMAD_PROJECT_ROOT } }, "/home/ann/flag", "--project"],
    [{ args: ["--project=~/flag"] }, "/home/ann/flag", "--project"],
    [{ args: ["--project", "~"] }, "/home/ann", "--project"],
  ];
  for (const [told, project, source] of table) {
    const config = configOf(told);
    assert.deepEqual([config.project, config.provenance.project], [project, source]);
    assert.equal(config.files[0]?.path, `${project}/.bmad-mcp.toml`);
  }
});

Deno.test("a project's file can name folders inside the project only [rights:project-file-inside]", () => {
  const inside = configOf({
    files: { [PROJECT_FILE]: 'paths = ["bmad", "./a/../b", "/home/ann/shop/c"]' },
  });
  assert.deepEqual(inside.settings.paths, ["/home/ann/shop/bmad", "/home/ann/shop/b", "/home/ann/shop/c"]);
  const outside = ["/etc", "..", "../shop-two", "~/secrets", "bmad/../../x", "git+https://example.org/o/r"];
  for (const path of outside) {
    const { settings, ignored } = configOf({ files: { [PROJECT_FILE]: `paths = ["bmad", "${path}"]` } });
    assert.deepEqual(settings.paths, [], path);
    assert.deepEqual(ignored, [{
      setting: "paths",
      source: `${PROJECT_FILE}:1`,
      reason: "it names something outside the project",
      needsTrust: true,
      isInvalid: false,
    }]);
  }
  const files = { "C:/Users/ann/shop/.bmad-mcp.toml": 'paths = ["bmad"]' };
  assert.deepEqual(configOf({ ...WINDOWS, files }).settings.paths, ["C:/Users/ann/shop/bmad"]);
});

Deno.test("the user's folders are where each system keeps them", () => {
  const fileOf = (told: Told) => configOf(told).files.at(-1)?.path;
  assert.equal(fileOf({}), "/home/ann/.config/bmad-mcp/config.toml");
  assert.equal(fileOf({ env: { XDG_CONFIG_HOME: "/xdg" } }), "/xdg/bmad-mcp/config.toml");
  assert.equal(fileOf({ os: "darwin" }), "/home/ann/Library/Application Support/bmad-mcp/config.toml");
  assert.equal(fileOf(WINDOWS), "C:\\Users\\ann\\AppData\\Roaming/bmad-mcp/config.toml");
  assert.deepEqual(configOf({ home: undefined }).files, [{ path: PROJECT_FILE, found: false }]);
});

Deno.test("a path of Windows is taken in every way of writing it", () => {
  const table: readonly (readonly [string, string])[] = [
    ["D:\\team", "D:/team"],
    ["d:/team/x/..", "D:/team"],
    ["..\\other", "C:/Users/ann/other"],
    ["~\\bmad", "C:/Users/ann/bmad"],
    ["sub\\.\\dir", "C:/Users/ann/shop/sub/dir"],
    ["\\team", "C:/team"],
    ["/team", "C:/team"],
    ["c:team", "C:/Users/ann/shop/team"],
    ["D:team", "D:/team"],
    ["\\\\?\\D:\\team", "D:/team"],
    ["//?/D:/team", "D:/team"],
  ];
  for (const [path, absolute] of table) {
    assert.deepEqual(configOf({ ...WINDOWS, args: [path] }).settings.paths, [absolute]);
  }
});

Deno.test("a backslash, a drive and a tilde before a backslash mean nothing but on Windows", () => {
  for (const path of ["a\\b", "~\\x", "C:/team", "\\\\server\\x"]) {
    assert.deepEqual(configOf({ args: [path] }).settings.paths, [`/home/ann/shop/${path}`]);
  }
  assert.deepEqual(configOf({ args: ["//srv//x"] }).settings.paths, ["/srv/x"]);
});

Deno.test("a folder of a Windows network share is refused with a way out", () => {
  const advice =
    /network shares are not supported: map it to a drive letter \(net use Z: \\\\SERVER\\SHARE\)/;
  for (const path of ["\\\\server\\share\\team", "//server/share", "\\\\?\\UNC\\server\\share"]) {
    assert.throws(() => configOf({ ...WINDOWS, args: [path] }), advice);
    assert.throws(() => configOf({ ...WINDOWS, args: ["--project", path] }), advice);
    assert.throws(() => configOf({ ...WINDOWS, env: { BMAD_ROOT: path } }), advice);
  }
});

Deno.test("a working folder or a home on a Windows network share is left alone with a warning", () => {
  const cwd = "\\\\server\\share\\shop";
  const { project, warnings, rights } = configOf({ ...WINDOWS, cwd, home: "\\\\server\\homes\\ann" });
  assert.equal(project, undefined);
  assert.deepEqual(rights.read.filter((folder) => /server/.test(folder)), []);
  assert.deepEqual(warnings.map((warning) => warning.replace(/ is on .*/, "")), [
    `The working folder ${cwd}`,
    "The home folder \\\\server\\homes\\ann",
  ]);
  const named = configOf({ ...WINDOWS, cwd, args: ["--project", "D:\\shop"] });
  assert.deepEqual([named.project, named.warnings], ["D:/shop", []]);
});

Deno.test("the home folder of Windows is the one that Windows names", () => {
  const env = (name: string) => ({ HOME: "/c/Users/ann", USERPROFILE: "C:\\Users\\ann" })[name];
  assert.equal(findHome(env, "windows"), "C:\\Users\\ann");
  assert.equal(findHome(env, "linux"), "/c/Users/ann");
  assert.equal(findHome((name) => name === "HOME" ? "D:\\ann" : undefined, "windows"), "D:\\ann");
});

Deno.test("readable are the origins, our own folders, the lists of sources and the embedded content", () => {
  const kept = ["memory", "usage"].map((name) => `/home/ann/.local/state/bmad-mcp/${name}`);
  const lists = ["toml", "lock.json"].map((ending) => `/home/ann/.config/bmad-mcp/config.${ending}`);
  assert.deepEqual(configOf(EVERYTHING).rights.read, [
    "/home/ann/shop",
    "/srv/one",
    "/srv/two",
    "/srv/three",
    "/home/ann/.bmad",
    "/home/ann/.claude/skills",
    "/home/ann/.agents/skills",
    ...kept,
    "/opt/bmad-mcp/content",
    ...lists,
  ]);
  const ofProject = ["/home/ann/shop", "/home/ann/.bmad", ...kept, "/opt/bmad-mcp/content"];
  assert.deepEqual(configOf({ args: ["--mode=local"] }).rights.read, ofProject);
  assert.deepEqual(configOf({ cwd: "/", home: undefined }).rights.read, ["/opt/bmad-mcp/content"]);
});

Deno.test("only what uses things with --remember-usage may write, and only where uses are kept", () => {
  const usage = "/home/ann/.local/state/bmad-mcp/usage";
  const table: readonly (readonly [args: string, writes: boolean, folder?: string])[] = [
    ["", false],
    ["execute analyst", false],
    ["--remember-usage", true, usage],
    ["execute analyst --remember-usage", true, usage],
    ["show analyst --remember-usage", true, usage],
    ["list agents --remember-usage", false, usage],
    ["search tests --remember-usage", false, usage],
    ["--remember-usage --read-only", false, usage],
  ];
  for (const [args, writes, folder] of table) {
    const { rights, usageFolder } = configOf({ args: args.split(" ").filter(Boolean) });
    assert.deepEqual([rights.write, usageFolder], [writes ? [usage] : [], folder], args);
  }
  assert.equal(configOf({ args: ["--remember-usage"], home: undefined }).usageFolder, undefined);
});

Deno.test("a folder that the project's file names is readable only as a part of the project", () => {
  for (const text of ['paths = ["bmad"]', 'paths = ["."]', 'paths = ["bmad"]\nmode = "strict"']) {
    const { read } = configOf({ files: { [PROJECT_FILE]: text } }).rights;
    assert.deepEqual(read.filter((folder) => folder.startsWith("/home/ann/shop")), ["/home/ann/shop"], text);
  }
});
