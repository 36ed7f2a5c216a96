/** What becomes of the rights when a project, or the user, has put a link where one is planned? */
import assert from "node:assert/strict";
import { denoHost } from "../../src/process/host.ts";
import type { Config } from "../../src/settings/plan/mod.ts";
import type { PathInfo } from "../../src/base/paths.ts";
import { type PlannedPath, resolveRight } from "../../src/settings/mod.ts";
import { fuzzLinks } from "../soak/link_fuzz.ts";
import { refusal, say } from "../support/answers.ts";
import { startClient } from "../support/client.ts";
import { resolveConfig } from "../support/config.ts";
import { runCli } from "../support/program.ts";
import { POSIX } from "../support/run.ts";
import { listTree, type TreeFile, withTree } from "../support/trees.ts";

function configOf(dir: string, line: string): Config {
  return resolveConfig({
    ...denoHost(dir),
    args: line.split(" ").filter(Boolean),
    cwd: `${dir}/project`,
    home: `${dir}/home`,
    contentDir: `${dir}/content`,
    env: () => undefined,
  });
}

const PROJECT: Readonly<Record<string, TreeFile>> = {
  "outside/file": "canary",
  "project/.git/HEAD": "ref: refs/heads/main\n",
  "project/docs/notes.md": "# Notes\n",
  "project/_bmad/_memory/shared-context.md": "# Shared\n",
  "home/.bmad/": "",
};

const OUT = "leads out of the project";
const FOREIGN = "belongs to a program, not to documents";
interface Case {
  readonly put: Readonly<Record<string, TreeFile>>;
  readonly line?: string;
  /** The paths for which no right is planned, and why. */
  readonly refused: readonly (readonly [path: string, reason: string])[];
}

/** A link in the project, and why no right is planned for it; `path` is what it is then called. */
const link = (at: string, target: string, reason: string, { put = {}, line = "", path = at } = {}): Case => ({
  put: { [`project/${at}`]: { link: target }, ...put },
  line,
  refused: [[path, reason]],
});
const LOG = { line: "--log-file bmad.log", put: { "home/.bashrc": "" } };
const GIT = { line: "--git-cache .cache/git git+https://example.org/x.git", path: "@/project/.cache/git" };

const CASES: readonly Case[] = [
  link("_bmad-output", "/etc", OUT),
  link("_bmad-output", "../outside", OUT),
  link("_bmad-output", "..", OUT),
  link("_bmad-output", ".", OUT),
  link("_bmad-output", "../outside/later", "is a broken link"),
  link("_bmad-output", "_bmad-output", "is a broken link"),
  link("_bmad-output", "docs/notes.md", "is not a folder"),
  link("_bmad-output", ".git", FOREIGN),
  link("_bmad-output", "_bmad", FOREIGN),
  link("_bmad-output/contracts", "../_grimoire", FOREIGN, { put: { "project/_grimoire/x": "" } }),
  link("_bmad-output/.runs", "../../outside", OUT),
  link("_bmad-output/.runs", "../.git", FOREIGN),
  link("_bmad-output/contracts", "contracts", "is a broken link"),
  link("_bmad-output/.bmad-work", "../../outside", OUT),
  link("_bmad/_memory/memory.db", "../../../outside/file", "is a link"),
  link("_bmad/_memory/memory.db-wal", "../../../outside/new", "is a broken link"),
  link("bmad.log", "../home/.bashrc", OUT, { ...LOG, path: "@/project/bmad.log" }),
  link("bmad.log.2", "../home/.bashrc", "is a link", { ...LOG, path: "@/project/bmad.log.2" }),
  link(".cache", "../outside", OUT, GIT),
  { put: { "project/_bmad-output": "" }, refused: [["_bmad-output", "is not a folder"]] },
  {
    put: { "project/_bmad/_memory/memory.db-shm/": "" },
    refused: [["_bmad/_memory/memory.db-shm", "is not a file"]],
  },
  {
    put: { "home/.local/state": { link: "none" } },
    line: "--remember-usage",
    refused: [
      ["@/home/.local/state/bmad-mcp/usage", "lies behind a broken link"],
      ["@/home/.local/state/bmad-mcp/memory", "lies behind a broken link"],
    ],
  },
];

Deno.test("no right is planned for links out; the doctor says so [rights:as-planned]", POSIX, async () => {
  for (const { put, line = "", refused } of CASES) {
    await withTree({ ...PROJECT, ...put }, (dir) => {
      const config = configOf(dir, line);
      const shown = config.refused.map(({ folder, reason }) => [folder.replace(dir, "@"), reason]);
      const what = JSON.stringify(put);
      // The file of a project's memories lies in the folder that is refused.
      assert.deepEqual(shown.filter(([path]) => !/-[0-9a-f]{8}$/.test(path!)), refused, what);
      for (const path of [...config.rights.read, ...config.rights.write]) {
        assert.ok(!path.startsWith(`${dir}/outside`) && path.startsWith(`${dir}/`), `${what}: ${path}`);
      }
    });
  }
});

Deno.test("what a user's links lead to is planned by its real name [rights:as-planned]", POSIX, async () => {
  await withTree({
    ...PROJECT,
    "home/dots/config/": "",
    "home/dots/state/": "",
    "home/.config": { link: "dots/config" },
    "home/.local/state": { link: "../dots/state" },
    "home/own.toml": "",
    "home/dots/config/bmad-mcp/config.toml": { link: "../../../own.toml" },
  }, async (dir) => {
    const { rights, memory, usageFolder } = configOf(dir, "--remember-usage --toolsets all");
    assert.equal(usageFolder, `${dir}/home/dots/state/bmad-mcp/usage`);
    assert.ok(memory!.files[1]!.startsWith(`${dir}/home/dots/state/bmad-mcp/memory/project-`));
    assert.ok(rights.read.includes(`${dir}/home/own.toml`));
    for (const path of [...rights.read, ...rights.write]) {
      assert.doesNotMatch(path, /\/home\/(?:\.config|\.local)(?:\/|$)/);
    }
    await Deno.remove(`${dir}/home/dots/config/bmad-mcp/config.toml`);
    const env = { HOME: `${dir}/home` };
    const { code, stderr } = await runCli(["config", "set", "mode", "user"], { env });
    assert.deepEqual([code, stderr.includes("Internal")], [0, false], stderr);
    assert.match(await Deno.readTextFile(`${dir}/home/dots/config/bmad-mcp/config.toml`), /mode = "user"/);
  });
});

Deno.test("a server writes nothing through a link that leads out [rights:as-planned]", POSIX, () =>
  withTree({
    ...PROJECT,
    "project/_bmad-output": { link: "../outside" },
    "project/_bmad/config.toml": '[modules.bmm]\nplanning_artifacts = "docs/plan"\n',
  }, async (dir) => {
    const options = { cwd: `${dir}/project`, env: { HOME: `${dir}/home` } };
    {
      await using client = await startClient({ era: "2025", args: ["--pack", "none"], ...options });
      const memlog = (folder: string) => ({
        operation: "script",
        script: `memlog.py init --workspace ${folder}`,
      });
      assert.match(
        await refusal(client, memlog("docs/plan"), "bmad_work"),
        /^Cannot change the project's files: _bmad-output\/\.bmad-work leads out of the project/,
      );
      assert.match(await refusal(client, memlog("_bmad-output"), "bmad_work"), /outside|leads out/);
      await refusal(client, { from_team: "team-a", to_team: "team-b" }, "create_delivery_contract");
      const memory = { type: "decisions", agent: "dev", text: "The port is 8080" };
      assert.match(await say(client, memory, "remember_structured"), /^Remembered/);
      await client.close();
      assert.match(client.stderr(), /warn: _bmad-output leads out of the project, so it is not used\n/);
    }
    const { stdout } = await runCli(["doctor"], options);
    assert.match(stdout, /not used +_bmad-output: it leads out of the project\n/);
    assert.match(stdout, /_bmad-output leads out of the project, so it is not used\n/);
    assert.deepEqual(await listTree(`${dir}/outside`), ["file 6"]);
  }));

Deno.test("a user's own place is not written through a link [rights:as-planned]", POSIX, () =>
  withTree({
    ...PROJECT,
    "project/dev.zip": { link: "../outside/new.zip" },
    "project/out": { link: "../outside" },
    "project/.claude": { link: "../outside" },
    "project/_bmad/local": { link: "../.git" },
  }, (dir) => {
    for (
      const [line, hint] of [
        ["export dev --to zip", "it is a broken link"],
        ["export dev --to zip --out out/dev.zip", `it ${OUT}`],
        ["new skill mine", `it ${FOREIGN}`],
      ] as const
    ) {
      assert.throws(() => configOf(dir, line), ({ failure }) =>
        failure.code === "not-allowed" && failure.hint === hint);
    }
  }));

Deno.test("arrangements of links leave the rights in place [rights:as-planned]", POSIX, async () => {
  const { arrangements, rights } = await fuzzLinks(99, 38);
  assert.equal(arrangements, 99);
  assert.ok(rights > 500);
});

Deno.test("a path is judged by what is really there [rights:as-planned]", () => {
  const disk: Readonly<Record<string, PathInfo>> = {
    "/": { kind: "folder", real: "/" },
    "/p": { kind: "folder", real: "/p" },
    "/p/docs": { kind: "folder", real: "/p/docs" },
    "/p/away": { kind: "folder", real: "/srv/away" },
    "/p/dead": { kind: "dead-link", real: "/p/dead" },
    "/p/pipe": { kind: "other", real: "/p/pipe" },
    "/p/note": { kind: "file", real: "/p/docs/note" },
    "C:/": { kind: "folder", real: "C:/" },
  };
  const judge = (path: string, more: Partial<Parameters<typeof resolveRight>[0]> = {}): PlannedPath =>
    resolveRight({ path, ...more }, (at) => disk[at]);
  const within = { root: "/p", holds: "documents" } as const;
  const found = (real: string) => ({ real, grant: real, exists: true });
  assert.deepEqual(judge("/p/docs", { within }), found("/p/docs"));
  const missing = { real: "/p/docs/a/b", grant: "/p/docs/a", exists: false };
  assert.deepEqual(judge("/p/docs/a/b", { within }), missing);
  assert.deepEqual(judge("/p/away"), found("/srv/away"));
  assert.deepEqual(judge("/p/away/x"), { real: "/srv/away/x", grant: "/srv/away/x", exists: false });
  assert.deepEqual(judge("/p/away/x", { within }), { reason: OUT });
  assert.deepEqual(judge("/p", { within }), { reason: OUT });
  assert.deepEqual(judge("/p/dead"), { reason: "is a broken link" });
  assert.deepEqual(judge("/p/dead/x/y"), { reason: "lies behind a broken link" });
  assert.deepEqual(judge("/p/note/x"), { reason: "lies below something that is not a folder" });
  assert.deepEqual(judge("/p/note", { kind: "file", isPlain: true }), { reason: "is a link" });
  assert.deepEqual(judge("/p/pipe", { kind: "file" }), { reason: "is not a file" });
  assert.deepEqual(judge("/x/y"), { real: "/x/y", grant: "/x", exists: false });
  assert.deepEqual(judge("C:/x"), { real: "C:/x", grant: "C:/x", exists: false });
  assert.deepEqual(judge("D:/x"), { real: "D:/x", grant: "D:/x", exists: false });
});
