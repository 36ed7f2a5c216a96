/** Which stories can go on at the same time, and does the answer have all that each of them needs? */
import assert from "node:assert/strict";
import { filesNamedIn } from "../../../../src/project/work/formats/mod.ts";
import { runHere } from "../../../support/program.ts";
import { BMM } from "../../../support/bmm_project.ts";
import { treeTest } from "../../../support/trees.ts";

const sprint = (rows: string) => ({ "shop/out/impl/sprint-status.yaml": `development_status:\n${rows}` });
const shop = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`shop/${path}`, text]));

const FILES = {
  "shop/.git/HEAD": "ref: refs/heads/main\n",
  "shop/.git/objects/": "",
  "shop/.git/refs/": "",
  ...shop(BMM),
  ...sprint(
    "  1-1-a: ready-for-dev\n  1-2-b: ready-for-dev\n  1-3-c: ready-for-dev\n  1-4-d: ready-for-dev\n" +
      "  1-5-e: ready-for-dev\n",
  ),
  "shop/out/impl/1-1-a.md":
    "# Story 1.1: A\n\n## Dev Notes\n\nChange `src/app.ts` and `out/impl/notes.md`.\n",
  "shop/out/impl/1-2-b.md": "# Story 1.2: B\n\n## File List\n\n- src/app.ts (modified)\n- src/b.ts\n",
  "shop/out/impl/1-3-c.md": "---\ndepends_on: [1-1]\n---\n# Story 1.3: C\n",
  "shop/out/impl/1-4-d.md": "# Story 1.4: D\n\n| File | What |\n| --- | --- |\n| `src/d.ts` | all of it |\n",
};

interface Packet {
  readonly is: string;
  readonly why: string;
  readonly worktree?: string;
  readonly claim?: string;
  readonly changes?: readonly string[];
  readonly story?: { readonly ref: string };
}

async function nextIn(dir: string, ...args: readonly string[]) {
  const run = await runHere(["next", "--json", "--pack", "none", ...args], { cwd: `${dir}/shop` });
  return JSON.parse(run.stdout) as {
    readonly next: readonly Packet[];
    readonly overlaps: readonly unknown[];
  };
}

const refs = ({ next }: { readonly next: readonly Packet[] }) => next.map(({ story }) => story?.ref);

treeTest("a wave leaves out what collides [team:waves]", FILES, async (dir) => {
  const wave = await nextIn(dir, "--count", "5", "--by", "Ann");
  assert.deepEqual(refs(wave), ["1-1", "1-4", "1-5"]);
  assert.deepEqual(wave.overlaps, [{ ref: "1-2", with: "1-1", files: ["src/app.ts"] }]);
  assert.deepEqual(wave.next.map(({ changes }) => changes), [["src/app.ts"], ["src/d.ts"], []]);
  assert.equal(wave.next[1]!.worktree, "git worktree add ../shop-1-4-d -b 1-4-d");
  assert.match(wave.next[1]!.claim!, / claim 1-4 --by Ann$/);
  await Deno.rename(`${dir}/shop/.git`, `${dir}/.git`);
  const inFolder = (await nextIn(dir, "--count", "2")).next[1]!.worktree!;
  assert.ok(inFolder.endsWith(`${dir.slice(dir.lastIndexOf("/") + 1)}-1-4-d -b 1-4-d`), inFolder);
  assert.ok(inFolder.startsWith("git worktree add ../../"), inFolder);
  assert.deepEqual(refs(await nextIn(dir, "--count", "2")), ["1-1", "1-4"]);
  assert.deepEqual(refs(await nextIn(dir)), ["1-1"]);
  assert.equal((await nextIn(dir)).next[0]!.worktree, undefined);
  const { stdout } = await runHere(["next", "--count", "5", "--pack", "none"], { cwd: `${dir}/shop` });
  assert.match(stdout, /\nChanges: src\/app\.ts\n/);
  assert.match(stdout, /\nChanges: unknown: its documents name no files yet\n/);
  assert.match(stdout, /\n\nNot at the same time:\n- 1-2 B: like 1-1, it changes src\/app\.ts$/m);
});

treeTest("what is held keeps its files [team:waves]", FILES, async (dir) => {
  const claim = async (...args: readonly string[]) =>
    (await runHere(["claim", ...args, "--pack", "none"], { cwd: `${dir}/shop` })).stdout;
  assert.doesNotMatch(await claim("1-1", "--by", "Ann"), /Note/);
  assert.deepEqual(refs(await nextIn(dir, "--count", "5", "--by", "Bob")), ["1-4", "1-5"]);
  // One's own comes first.
  assert.deepEqual(refs(await nextIn(dir, "--count", "5", "--by", "Ann")), ["1-1", "1-4", "1-5"]);
  assert.match(
    await claim("1-2", "--by", "Bob"),
    /\nNote: like 1-1-a, which Ann holds, it changes src\/app\.ts\.\n$/,
  );
  for (const story of ["1-4", "1-5"]) await claim(story, "--by", "Cat");
  const none = await nextIn(dir, "--count", "3", "--by", "Dan");
  assert.deepEqual(none.next.map(({ is }) => is), ["held"]);
});

treeTest("what is left changes the files of what is under way [team:waves]", {
  ...FILES,
  ...sprint("  1-1-a: ready-for-dev\n  1-2-b: ready-for-dev\n"),
}, async (dir) => {
  await runHere(["claim", "1-1", "--by", "Ann", "--pack", "none"], { cwd: `${dir}/shop` });
  const [only, ...others] = (await nextIn(dir, "--count", "3", "--by", "Bob")).next;
  assert.deepEqual(others, []);
  assert.equal(only!.is, "held");
  assert.match(only!.why, /under way: 1-2-b changes src\/app\.ts, as 1-1-a does$/);
});

treeTest("the board says which stories are free [team:waves]", FILES, async (dir) => {
  const run = await runHere(["call", "bmad_work", '{"operation":"board"}'], { cwd: `${dir}/shop` });
  assert.match(run.stdout, /^0 of 5 stories are done\.\nFree now: 1-1, 1-2, 1-4, 1-5\.\n/);
});

Deno.test("the files that a document names are those of lists and code spans, without documents", () => {
  const text = [
    "# Story",
    "Uses `src/a.ts`, `lib/b.py:12`, `npm test`, `docs/prd.md`, `out/impl/x.yaml` and `{project-root}/src/c.go`.",
    "Not `https://x.y/z.ts`, nor `../up.ts` or `*.ts`.",
    "## File List",
    "- src/d.rs (new)",
    "- out/impl/1-1-a.md",
  ].join("\n");
  assert.deepEqual([...filesNamedIn("out/impl/1-1-a.md", text, ["out"])], [
    "src/d.rs",
    "src/a.ts",
    "lib/b.py",
    "src/c.go",
  ]);
});

treeTest("what is kept back keeps nothing back, and hostile documents cost little [team:waves]", {
  ...FILES,
  ...sprint(Array.from({ length: 1_000 }, (_, at) => `  1-${at + 1}-s: ready-for-dev\n`).join("")),
  ...Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [
      `shop/out/impl/1-${at + 1}-s.md`,
      `# S\n\n\`l/${at}.c\` \`l/${at + 1}.c\` \`src/a\u001b[31m\u202eb.ts\`\n`,
    ]),
  ),
}, async (dir) => {
  const held = await runHere(["claim", "1-1-s", "--by", "Zed", "--pack", "none"], { cwd: `${dir}/shop` });
  assert.equal(held.code, 0, held.stderr);
  const wave = await nextIn(dir, "--count", "3", "--by", "Ann");
  // 1-2 shares a file with 1-1, which is held; 1-3 shares one with 1-2 alone.
  assert.deepEqual(refs(wave), ["1-3", "1-5", "1-7"]);
  assert.deepEqual(wave.next[0]!.changes, ["l/2.c", "l/3.c"]);
  const { code, stderr } = await runHere(["next", "--count", "51"], { cwd: `${dir}/shop` });
  assert.equal(code, 2);
  assert.match(stderr, /expected a whole number from 1 to 50/);
});
