/** Which folders are too wide to become a project by accident? */
import assert from "node:assert/strict";
import { callerFolder } from "../../src/process/host.ts";
import { isTooWide } from "../../src/base/paths.ts";
import { chooseRoot } from "../../src/serve/handshake/mod.ts";
import { configOf, type Told } from "../support/config.ts";
import { failureOf } from "../support/failures.ts";
import { PROGRAM, runCli } from "../support/program.ts";
import { withTree } from "../support/trees.ts";

const REPOSITORY = new URL("../../", import.meta.url).pathname;
const WINDOWS = Deno.build.os === "windows";

const LINKS: Readonly<Record<string, string>> = { "/home/ann": "/data/people/ann", "/all": "/" };

function realName(path: string): string {
  const link = Object.keys(LINKS).find((one) => path === one || path.startsWith(`${one}/`));
  return link === undefined ? path : `${LINKS[link]}${path.slice(link.length)}`;
}

const told = (input: Told) => configOf({ findFolder: realName, ...input });

Deno.test("home and wider folders are no project [rights:too-wide]", () => {
  for (const cwd of ["/home/ann", "/data/people/ann", "/home", "/data/people", "/data", "/", "/all"]) {
    assert.equal(told({ cwd }).project, undefined, cwd);
  }
  for (const cwd of ["/home/ann/shop", "/data/people/ann/shop", "/data/people/bob", "/srv", "/home2"]) {
    assert.equal(told({ cwd }).project, cwd);
  }
  const windows = { home: "C:\\Users\\ann", os: "windows" } as const;
  const mac = { home: "/Users/ann", os: "darwin" } as const;
  for (
    const given of [
      { cwd: "/", home: undefined },
      { ...windows, cwd: "C:\\" },
      { ...windows, cwd: "C:\\Users\\ann" },
      { ...windows, cwd: "c:\\users\\ANN" },
      { ...mac, cwd: "/users/Ann" },
    ]
  ) {
    const { project, origins, files } = configOf(given);
    assert.equal(project, undefined, given.cwd);
    assert.ok(!origins.some(({ origin }) => origin.kind === "project"));
    assert.ok(!files.some(({ path }) => path.endsWith("/.bmad-mcp.toml")));
  }
  assert.equal(configOf({ cwd: "/home/Ann" }).project, "/home/Ann");
});

Deno.test("systems that ignore case compare names without it [rights:too-wide]", () => {
  const mac = { home: "/Users/Ann", os: "darwin" } as const;
  const windows = { home: "C:\\Users\\Ann", os: "windows" } as const;
  for (const folder of ["/users/ann", "/USERS", "/Users/ann/"]) assert.ok(isTooWide(folder, mac), folder);
  for (const folder of ["c:/users", "C:\\USERS\\ANN", "\\\\?\\C:\\Users"]) {
    assert.ok(isTooWide(folder, windows), folder);
  }
  assert.ok(!isTooWide("/users/ann", { ...mac, os: "linux" }));
  assert.ok(!isTooWide("C:/Users/Ann/shop", windows));
});

Deno.test(
  "a client's root at home or above is refused [rights:too-wide]",
  { ignore: WINDOWS },
  () =>
    withTree({
      "data/people/ann/shop/readme.md": "",
      "home": { link: "data/people/ann" },
      "up": { link: "data" },
    }, (root) => {
      const host = {
        os: "linux",
        home: `${root}/home`,
        contentDir: `${root}/content`,
        findFolder: (path: string) => {
          try {
            return Deno.realPathSync(path);
          } catch {
            return undefined;
          }
        },
      } as const;
      const choose = (path: string) => chooseRoot([{ uri: `file://${root}${path}` }], host);
      for (const path of ["", "/data", "/data/people", "/data/people/ann", "/home", "/up"]) {
        assert.equal(choose(path), undefined, path);
      }
      assert.equal(choose("/home/shop"), Deno.realPathSync(`${root}/data/people/ann/shop`));
    }),
);

Deno.test("a name for the whole disk is refused where it is given [rights:too-wide]", () => {
  const windows = { os: "windows", home: "C:\\Users\\ann", cwd: "C:\\Users\\ann\\shop" } as const;
  const [project, folder] = ["a project cannot be a whole disk", "expected a folder, not a whole disk"];
  const table: readonly (readonly [Told, setting: string, source: string, problem: string])[] = [
    [{ args: ["--project", "/"] }, "project", "--project", project],
    [{ args: ["--project", "/x/.."] }, "project", "--project", project],
    [{ args: ["--project", "/all"] }, "project", "--project", project],
    [{ env: { BMAD_PROJECT_ROOT: "/" } }, "project", "BMAD_PROJECT_ROOT", project],
    [{ ...windows, args: ["--project", "C:\\"] }, "project", "--project", project],
    [{ args: ["--path", "/all"] }, "paths", "--path", folder],
    [{ args: ["/"] }, "paths", "--path", folder],
    [{ env: { BMAD_ROOT: "/a:/" } }, "roots", "BMAD_ROOT", folder],
    [{ env: { BMAD_ROOT: "/all" } }, "roots", "BMAD_ROOT", folder],
    ...["/home/ann", "/data/people", "/all"].map((path) =>
      [{ args: ["--git-cache", path] }, "gitCache", "--git-cache", "expected a dedicated folder"] as const
    ),
  ];
  for (const [given, setting, source, problem] of table) {
    const { value: _, ...failure } = failureOf(() => told(given)) as { readonly value?: string };
    assert.deepEqual(failure, { code: "invalid-config", setting, source, problem });
  }
});

Deno.test("a checkout of the program is a project only if somebody says so [rights:own-folder]", () => {
  const contentDir = "/opt/bmad-mcp/bmad-embedded/content";
  const names = { "/opt/bmad-mcp": "/data/bmad-mcp", "/link": "/data/bmad-mcp" };
  const findFolder = (path: string) => new Map(Object.entries(names)).get(path) ?? path;
  const from = (cwd: string, ...args: readonly string[]) => told({ cwd, args, contentDir, findFolder });
  for (const cwd of ["/opt/bmad-mcp", "/data/bmad-mcp", "/link"]) {
    const { project, notProject, isProjectOpen } = from(cwd);
    assert.deepEqual([project, notProject, isProjectOpen], [undefined, "holds bmad-mcp itself", true], cwd);
    assert.equal(from(cwd, "--project", ".").project, cwd);
    assert.equal(from(`${cwd}/shop`).project, `${cwd}/shop`);
    assert.deepEqual(failureOf(() => from(cwd, "new", "agent", "gardener")), {
      code: "not-allowed",
      what: "create it",
      hint: "no project is named, and the working folder holds bmad-mcp itself",
      setting: "project",
    });
    const zip = ["export", "analyst", "--to", "zip"];
    assert.throws(
      () => from(cwd, ...zip),
      /^BmadError: Missing --out: the working folder holds bmad-mcp itself/,
    );
    assert.equal(from(cwd, ...zip, "--out", "/srv/a.zip").exporting?.path, "/srv/a.zip");
  }
  assert.equal(from("/home/ann").notProject, "is your home folder, or contains it");
  assert.equal(from("/home/ann/shop").notProject, undefined);
});

Deno.test(
  "work on a project is refused in a checkout, with the fix [rights:own-folder]",
  { ignore: PROGRAM.file !== `${REPOSITORY}main.ts` },
  async () => {
    const { code, stderr } = await runCli(["board"], { cwd: REPOSITORY });
    assert.deepEqual([code, stderr], [
      3,
      "bmad-mcp: Cannot read the project's work: no project is named, and the working folder " +
      "holds bmad-mcp itself. Name one with --project DIR\n",
    ]);
  },
);

Deno.test("INIT_CWD counts only for a task of the program's own checkout [rights:init-cwd]", () =>
  withTree({ "checkout/deno.json": "{}", "project/a.md": "" }, (root) => {
    const checkout = `${root}/checkout`, project = `${root}/project`;
    assert.equal(callerFolder(checkout, checkout, project), project);
    assert.equal(callerFolder(project, checkout, "/elsewhere"), project);
    assert.equal(callerFolder(checkout, checkout, undefined), checkout);
  }));

Deno.test("a script runner's INIT_CWD does not choose the project [rights:init-cwd]", () =>
  withTree({ "mine/.bmad-mcp.toml": 'mode = "local"\n', "other/a.md": "" }, async (root) => {
    const { stdout } = await runCli(["config", "--json"], {
      cwd: `${root}/mine`,
      env: { INIT_CWD: `${root}/other` },
    });
    assert.equal(JSON.parse(stdout).project, Deno.realPathSync(`${root}/mine`));
  }));
