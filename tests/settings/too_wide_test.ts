/**
 * Which folders are too wide to become a project by accident?
 *
 * The home folder, every folder above it and whole disks, under every name that they have.
 */
import assert from "node:assert/strict";
import { callerFolder } from "../../src/base/host.ts";
import { isTooWide } from "../../src/base/paths.ts";
import { chooseRoot } from "../../src/serve/handshake/client_roots.ts";
import type { SettingsInput } from "../../src/settings/mod.ts";
import { resolveConfig } from "../support/config.ts";
import { failureOf } from "../support/failures.ts";
import { runCli } from "../support/program.ts";
import { verifies } from "../support/requirements.ts";
import { withTree } from "../support/trees.ts";

const WINDOWS = Deno.build.os === "windows";

/** Two links: the home folder's name, and a name for the disk. */
const LINKS: Readonly<Record<string, string>> = { "/home/ann": "/data/people/ann", "/all": "/" };

function realName(path: string): string {
  const link = Object.keys(LINKS).find((one) => path === one || path.startsWith(`${one}/`));
  return link === undefined ? path : `${LINKS[link]}${path.slice(link.length)}`;
}

function configOf(input: Partial<SettingsInput>) {
  return resolveConfig({
    args: [],
    cwd: "/home/ann/shop",
    home: "/home/ann",
    os: "linux",
    contentDir: "/opt/bmad-mcp/content",
    env: () => undefined,
    readSettings: () => undefined,
    findFolder: realName,
    ...input,
  });
}

Deno.test(
  verifies("rights:too-wide", "home, a folder above it and a disk are no project under any of their names"),
  () => {
    for (const cwd of ["/home/ann", "/data/people/ann", "/home", "/data/people", "/data", "/", "/all"]) {
      assert.equal(configOf({ cwd }).project, undefined, cwd);
    }
    for (const cwd of ["/home/ann/shop", "/data/people/ann/shop", "/data/people/bob", "/srv", "/home2"]) {
      assert.equal(configOf({ cwd }).project, cwd);
    }
  },
);

Deno.test(verifies("rights:too-wide", "systems that ignore case compare names without it"), () => {
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
  verifies("rights:too-wide", "a client's root that is home or above it, or a link to it, is refused"),
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

Deno.test(verifies("rights:too-wide", "a name for the whole disk is refused where it is given"), () => {
  for (const args of [["--project", "/all"], ["--path", "/all"]]) {
    const { code } = failureOf(() => configOf({ args }));
    assert.equal(code, "invalid-config", args.join(" "));
  }
  assert.equal(
    failureOf(() => configOf({ env: (name) => name === "BMAD_ROOT" ? "/all" : undefined })).code,
    "invalid-config",
  );
  for (const folder of ["/home/ann", "/data/people", "/all"]) {
    assert.equal(failureOf(() => configOf({ args: ["--git-cache", folder] })).code, "invalid-config", folder);
  }
});

Deno.test(
  verifies("rights:init-cwd", "INIT_CWD counts only for a task of the program's own checkout"),
  () =>
    withTree({ "checkout/deno.json": "{}", "project/a.md": "" }, (root) => {
      const checkout = `${root}/checkout`, project = `${root}/project`;
      assert.equal(callerFolder(checkout, checkout, project), project);
      assert.equal(callerFolder(project, checkout, "/elsewhere"), project);
      assert.equal(callerFolder(checkout, checkout, undefined), checkout);
    }),
);

Deno.test(
  verifies("rights:init-cwd", "a script runner's INIT_CWD does not choose the project"),
  () =>
    withTree({ "mine/.bmad-mcp.toml": 'mode = "local"\n', "other/a.md": "" }, async (root) => {
      const { stdout } = await runCli(["config", "--json"], {
        cwd: `${root}/mine`,
        env: { INIT_CWD: `${root}/other` },
      });
      assert.equal(JSON.parse(stdout).project, Deno.realPathSync(`${root}/mine`));
    }),
);
