/** Is a ping answered soon while long work is under way, on large and on hostile projects? */
import assert from "node:assert/strict";
import { pause } from "../../src/base/work.ts";
import { BMM } from "../support/bmm_project.ts";
import { withStories } from "../support/board.ts";
import { flatSource } from "../support/flat.ts";
import { ATTACKS } from "../support/hostile_templates.ts";
import { startSession } from "../support/program.ts";
import { type TreeFile, writeTree } from "../support/trees.ts";

type Files = Readonly<Record<string, TreeFile>>;

/** What docs/security.md promises, for a machine as fast as the one it was measured on. */
const LIMIT_MS = 200;
/** What `calibrate` takes there. Shared machines are half as fast for seconds at a time. */
const REFERENCE_MS = 220;

function calibrate(): number {
  const start = performance.now();
  const words = Array.from({ length: 200_000 }, (_, at) => `k${at * 7919 % 200_000}`).sort();
  JSON.parse(JSON.stringify(words));
  return performance.now() - start;
}
const EVERY_MS = 20;

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** So often a short call is sent instead of a ping. */
const PINGS_PER_CALL = 5;
const SHORT: Call = { name: "bmad", arguments: { operation: "list", query: "modules" } };

async function longestPing(cwd: string, params: Call): Promise<number> {
  await using program = await startSession(["--pack", "none", "--toolsets", "all"], { cwd });
  await program.send({ id: "first", method: "tools/call", params: SHORT });
  await program.next("first");
  await program.send({ id: "long", method: "tools/call", params });
  let isDone = false;
  const answer = program.next("long").finally(() => isDone = true);
  let worst = 0;
  for (let id = 1; !isDone; id++) {
    const isShort = id % PINGS_PER_CALL === 0;
    const sent = performance.now();
    await program.send(isShort ? { id, method: "tools/call", params: SHORT } : { id, method: "ping" });
    await program.next(id);
    worst = Math.max(worst, performance.now() - sent);
    await pause(EVERY_MS);
  }
  assert.ok((await answer).result !== undefined, JSON.stringify(await answer).slice(0, 300));
  return worst;
}

const work = (args: Readonly<Record<string, unknown>>): Call => ({ name: "bmad_work", arguments: args });
const DOCTOR: Call = { name: "bmad", arguments: { operation: "list", query: "doctor" } };
const CHECK = work({ operation: "check" });
const CONTEXT = work({ operation: "context", story: "1-1" });

const LINE = "- A sentence about the harbour, the boats and FR3, with a [link](docs/a.md#b) and `code`.\n";
const megabyte = (line: string) => line.repeat(Math.floor(1_000_000 / line.length));
const many = (count: number, of: (at: number) => readonly [string, TreeFile]): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => of(at)));

const LAUNCHER = (id: string) =>
  `---\nname: ${id}\ndescription: Renders.\n---\n\nuv run {project-root}/_bmad/scripts/render_skill.py --skill {skill-root}\n`;

const customized = (id: string, values: number): Files => ({
  [`.agents/skills/${id}/SKILL.md`]: LAUNCHER(id),
  [`.agents/skills/${id}/workflow.md`]: "{% if true %}{% endif %}Hello\n",
  [`.agents/skills/${id}/bmod.toml`]: '[skill]\nbmod = "bmod-method"\n',
  [`.agents/skills/${id}/customize.toml`]: `[workflow]\n${
    Array.from({ length: values }, (_, at) => `key_${at} = "a value"\n`).join("")
  }`,
});
const launch = (id: string): Call => ({ name: "bmad", arguments: { operation: "execute", workflow: id } });

export const PROJECTS: Readonly<
  Record<string, { readonly files: () => Files; readonly calls: readonly Call[] }>
> = {
  "2,000 stories": {
    files: () => ({}),
    calls: [CHECK, CONTEXT, work({ operation: "trace" }), DOCTOR, work({ operation: "next" })],
  },
  "10,000 stories in one ledger": {
    files: () => ({
      "out/impl/sprint-status.yaml": `project: Harbour\ndevelopment_status:\n${
        Array.from({ length: 10_000 }, (_, at) =>
          `  ${at % 900 + 1}-${Math.floor(at / 900) + 1}-a-story: backlog\n`).join("")
      }`,
    }),
    calls: [work({ operation: "mark", story: "1-1", status: "ready-for-dev", force: true }), CHECK],
  },
  "documents of a megabyte": {
    files: () => ({
      ...many(
        40,
        (at) => [`out/plan/prd-${at}.md`, megabyte(`${at % 3 === 0 ? "## " : ""}Part ${at}: ${LINE}`)],
      ),
      ...many(
        5,
        (at) => [`out/impl/9-${at}-large.md`, `# Story 9.${at}: Large\n\nStatus: done\n\n${megabyte(LINE)}`],
      ),
    }),
    calls: [CHECK, CONTEXT],
  },
  "one line of a megabyte": {
    files: () =>
      many(40, (at) => [`out/plan/prd-${at}.md`, `# ${at}\n\n${megabyte("the harbour FR3 (AC: 1) | a ")}`]),
    calls: [CHECK, CONTEXT],
  },
  "white space and odd line ends": {
    files: () => ({
      ...many(20, (at) => [`out/plan/prd-space-${at}.md`, `# ${at}\n${megabyte(" \t")}x`]),
      ...many(20, (at) => [`out/plan/prd-ends-${at}.md`, `# ${at}\n${megabyte("\u2028\r")}x`]),
      ...many(
        20,
        (
          at,
        ) => [`out/impl/8-${at}-odd.md`, `# Story 8.${at}: Odd\n\nStatus: done\n\n${megabyte("- [x] a\r")}`],
      ),
    }),
    calls: [CHECK, CONTEXT],
  },
  "a deep tree": {
    files: () =>
      many(400, (at) => [`out/plan/${"d/".repeat(at)}note.md`, `# Note ${at}\n\n${LINE.repeat(20)}`]),
    calls: [CHECK, CONTEXT, DOCTOR],
  },
  "90 modules": {
    files: () => ({
      ...many(90, (at) => [`_bmad/m${at}/config.yaml`, `user_name: Ann\nown_${at}: ${at}\n`]),
      ...many(90, (at) => [`_bmad/m${at}/module-help.csv`, "module,skill\n"]),
      ...many(90, (at) => [
        `_bmad/m${at}/skills/s${at}/SKILL.md`,
        `---\nname: s${at}\ndescription: Does it\n---\nSee {own_3}.\n`,
      ]),
      "_bmad/_config/manifest.yaml": `installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\n${
        Array.from({ length: 90 }, (_, at) => `  - name: m${at}\n`).join("")
      }`,
      "_bmad/config.toml": `[modules.bmm]\n${
        Array.from({ length: 5_000 }, (_, at) => `k${at} = 1\n`).join("")
      }`,
    }),
    calls: [launch("s3"), DOCTOR],
  },
  "long customizations": {
    files: () => ({
      ...flatSource("tickets", ".agents/skills"),
      ...customized("bmad-long", 2_800),
      ...customized("bmad-longer", 14_000),
    }),
    calls: [launch("bmad-long"), launch("bmad-longer"), DOCTOR],
  },
  "hostile launchers": {
    files: () =>
      Object.assign(
        flatSource("tickets", ".agents/skills"),
        ...Object.entries(ATTACKS).map(([what, text], at): Files => ({
          [`.agents/skills/bmad-l${at}/SKILL.md`]: LAUNCHER(`bmad-l${at}`),
          [`.agents/skills/bmad-l${at}/workflow.md`]: `{% if true %}{% endif %}${text}`,
          [`.agents/skills/bmad-l${at}/bmod.toml`]: '[skill]\nbmod = "bmod-method"\n',
          [`.agents/skills/bmad-l${at}/customize.toml`]: `[workflow]\nmode = "${what.slice(0, 5)}"\n`,
        })),
      ),
    calls: [DOCTOR],
  },
};

export async function pingsMeanwhile(): Promise<string> {
  const late: string[] = [];
  let longest = 0;
  for (const [what, { files, calls }] of Object.entries(PROJECTS)) {
    await withStories(2_000, async (cwd) => {
      await writeTree(cwd, { ...BMM, ...files() });
      for (const call of calls) {
        let best = Infinity;
        // The best of three, each by how fast the machine is then.
        for (let round = 0; round < 3 && best > LIMIT_MS; round++) {
          const before = calibrate();
          const waited = await longestPing(cwd, call);
          best = Math.min(best, waited / Math.max(1, Math.min(before, calibrate()) / REFERENCE_MS));
        }
        longest = Math.max(longest, best);
        if (best > LIMIT_MS) {
          late.push(`${what}, ${Object.values(call.arguments).join(" ")}: ${best.toFixed(0)} ms`);
        }
      }
    });
  }
  if (late.length > 0) throw new Error(`a ping waited for longer than ${LIMIT_MS} ms: ${late.join("; ")}`);
  return `a ping waited ${longest.toFixed(0)} ms (at most ${LIMIT_MS})`;
}
