/**
 * Does every writer say in plain words which path cannot be written, and what to do, when the system refuses?
 *
 * The refusals are real: a read-only mount, a full disk, permissions, a folder in the place of a file. Root ignores
 * permissions, so the program gives up that privilege; what this machine cannot do is skipped.
 */
import assert from "node:assert/strict";
import { command, whyNoDenial, whyNoMounts, withoutOverride } from "../../soak/machine.ts";
import { startClient } from "../../support/client.ts";
import { type ProgramOptions, runCli } from "../../support/program.ts";
import { listTree, withTree, writeTree } from "../../support/trees.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const EPICS =
  "# Epics\n\n## Epic 1: One\n\n### Story 1.1: Boats\n\nText.\n\n### Story 1.2: Nets\n\n### Story 1.3: Sails\n";
const STORY = "# Story 1.1: Boats\n\nStatus: in-progress\n\n## Tasks\n\n- [ ] Build\n";

/** A planned sprint in which a story file is ahead of its ledger, so that every writer has something to write. */
const PROJECT = {
  "_bmad/bmm/config.yaml":
    "output_folder: out\nplanning_artifacts: out/plan\nimplementation_artifacts: out/impl\n",
  "out/plan/epics.md": EPICS,
  "out/impl/1-1-boats.md": STORY,
  [LEDGER]:
    "project: x\ndevelopment_status:\n  epic-1: in-progress\n  1-1-boats: ready-for-dev\n  1-2-nets: backlog\n",
  "out/log/.memlog.md": "---\ntopic: x\n---\n",
  "_bmad-output/": "",
};
const RECORDS = { "out/.bmad-work/.gitignore": "*\n" };

/** Every call of `bmad_work` that writes. */
const CALLS: readonly Readonly<Record<string, unknown>>[] = [
  { operation: "mark", story: "1-2", status: "ready-for-dev" },
  { operation: "claim", story: "1-2", by: "Ann" },
  { operation: "release", story: "1-2", force: true },
  { operation: "plan" },
  { operation: "reconcile" },
  ...[
    "memlog.py init --workspace out/new",
    "memlog.py append --workspace out/log --type idea --text x",
    `sprint_status.py update --file ${LEDGER} --epic 1 --set-retro-done`,
    `sprint_plan.py generate --epic-file out/plan/epics.md --status-file ${LEDGER} ` +
    "--stories-dir out/impl --project x --date 2026-01-01",
  ].map((script) => ({ operation: "script", script })),
];

/** How the system refuses, and what the message must say of it. */
interface Obstacle {
  readonly name: string;
  readonly reason: RegExp;
  readonly unable: string | undefined;
  readonly start?: ProgramOptions;
  readonly files?: Readonly<Record<string, string>>;
  raise(project: string): Promise<void>;
  clear?(project: string): Promise<void>;
}

const noMounts = await whyNoMounts();
const noDenial = await whyNoDenial();
const remount = (how: string) => (project: string) => command("mount", "-o", `remount,${how}`, project);
const READ_ONLY = {
  reason: /the file system is read-only\. Mount it writable/,
  unable: noMounts,
  raise: remount("ro"),
  clear: remount("rw"),
};

const OBSTACLES: readonly Obstacle[] = [
  { ...READ_ONLY, name: "a read-only mount" },
  { ...READ_ONLY, name: "a read-only mount with our records", files: RECORDS },
  {
    name: "a full disk",
    reason: /the disk is full\. Free some space/,
    unable: noMounts,
    raise: async (project) => {
      await Deno.writeTextFile(`${project}/filler`, "");
      for (let size = 65_536; size >= 1; size >>= 1) {
        try {
          for (;;) await Deno.writeFile(`${project}/filler`, new Uint8Array(size), { append: true });
        } catch {
          // No more of this size fits.
        }
      }
    },
    clear: (project) => Deno.remove(`${project}/filler`),
  },
  {
    name: "folders of another owner",
    reason: /permission denied\. Check who owns it/,
    unable: noDenial,
    start: withoutOverride(),
    files: RECORDS,
    raise: () => Promise.resolve(),
  },
  {
    name: "a lock of another owner",
    reason: /\/out\/\.bmad-work\/lock: permission denied\. Check who owns it/,
    unable: noDenial,
    start: withoutOverride(),
    files: { ...RECORDS, "out/.bmad-work/lock": "" },
    raise: (project) => Deno.chmod(`${project}/out/.bmad-work/lock`, 0),
  },
];

for (const { name, reason, unable, start = {}, files = {}, raise, clear } of OBSTACLES) {
  Deno.test({
    name: `${name} is reported with a path and a fix, by every writer [work:refused-write]`,
    ignore: unable !== undefined,
    fn: async () => {
      const dir = await Deno.realPath(await Deno.makeTempDir());
      const isMount = clear !== undefined;
      if (isMount) await command("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", dir);
      try {
        await writeTree(dir, { ...PROJECT, ...files });
        if (name === "folders of another owner") await command("chmod", "-R", "a-w", dir);
        await raise(dir);
        const before = await stateOf(dir);
        const check = (text: string, about: unknown) => {
          assert.match(text, /^(?:bmad-mcp: )?Cannot write \S*out\/\S+: /, JSON.stringify(about));
          assert.match(text, reason, JSON.stringify(about));
          assert.doesNotMatch(text, /os error|Internal error/, JSON.stringify(about));
        };
        {
          await using client = await startClient({
            era: "2025",
            cwd: dir,
            args: ["--toolsets", "bmad,work"],
            ...start,
          });
          for (const call of CALLS) {
            const { content: [first], isError } = await client.callTool("bmad_work", call);
            assert.equal(isError, true, JSON.stringify(call));
            check(first!.text, call);
          }
        }
        for (const args of [["mark", "1-2", "ready-for-dev"], ["plan"]]) {
          const { code, stderr } = await runCli(args, { cwd: dir, ...start });
          assert.equal(code, 3, stderr);
          check(stderr, args);
        }
        assert.deepEqual(await stateOf(dir), before);
      } finally {
        if (isMount) await command("umount", "-l", dir);
        else await command("chmod", "-R", "u+rwX", dir);
        await Deno.remove(dir, { recursive: true });
      }
    },
  });
}

Deno.test({
  name: "a ledger in a folder of another owner is not written, and the mark says why [work:refused-write]",
  ignore: noDenial !== undefined,
  fn: () =>
    withTree({ ...PROJECT, ...RECORDS }, async (cwd) => {
      await Deno.chmod(`${cwd}/out/impl`, 0o555);
      const before = await stateOf(cwd);
      const { code, stderr } = await runCli(["mark", "1-2", "ready-for-dev"], { cwd, ...withoutOverride() });
      assert.equal(
        stderr,
        `bmad-mcp: Cannot write ${LEDGER}: permission denied. ` +
          "Check who owns it and its folder, and their permissions\n",
      );
      assert.equal(code, 3);
      assert.deepEqual(await stateOf(cwd), before);
      await Deno.chmod(`${cwd}/out/impl`, 0o755);
    }),
});

Deno.test({
  name: "memory, runs, new items and our own settings are refused in the same words [work:refused-write]",
  ignore: noMounts !== undefined,
  fn: async () => {
    const dir = await Deno.realPath(await Deno.makeTempDir());
    await command("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", dir);
    try {
      await writeTree(`${dir}/p`, { ...PROJECT, "_bmad/_memory/": "" });
      await writeTree(dir, {
        "state/": "",
        "home/": "",
        "more/agents/ann.md": "# Ann\n",
      });
      await READ_ONLY.raise(dir);
      const env = { XDG_STATE_HOME: `${dir}/state`, HOME: `${dir}/home` };
      const said = async (...args: readonly string[]) => {
        const { code, stderr } = await runCli(args, { cwd: `${dir}/p`, env });
        return [code, stderr.replaceAll(dir, "DIR")];
      };
      const refused = (path: string) => [
        3,
        `bmad-mcp: Cannot write ${path}: the file system is read-only. ` +
        "Mount it writable, or work on a writable copy\n",
      ];
      const [code, text] = await said("memory", "remember", "--type", "decisions", "x");
      assert.equal(code, 3);
      assert.match(
        String(text),
        /^bmad-mcp: Project memory is unavailable: DIR\S+ and DIR\S+ cannot be written\. Check/,
      );
      assert.deepEqual(
        await said("call", "update_run", '{"action":"start"}', "--toolsets", "bmad,runs"),
        refused("_bmad-output/.runs/.lock"),
      );
      assert.deepEqual(await said("new", "skill", "nets"), refused("_bmad/local/skills/nets/SKILL.md"));
      assert.deepEqual(await said("add", `${dir}/more`), refused("DIR/home/.config/bmad-mcp"));
      assert.deepEqual(
        await said("export", "analyst", "--to", "zip"),
        refused("DIR/p/analyst.zip"),
      );
    } finally {
      await command("umount", "-l", dir);
      await Deno.remove(dir);
    }
  },
});

/** All names with their sizes, and the ledger's text. Our lock and the empty folder of our records do not count. */
async function stateOf(project: string): Promise<readonly string[]> {
  const names = (await listTree(project)).filter((line) => !line.includes(".bmad-work"));
  return [...names, await Deno.readTextFile(`${project}/${LEDGER}`)];
}
