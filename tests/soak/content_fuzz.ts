/**
 * Can any content crash the server, hold it up, or make it disclose a file outside the project?
 *
 * Real installations are copied, and in each round a few of their files are mutated and restored. The library is opened
 * over each mutated tree and asked some of everything; now and then the program itself is started over one.
 */
import assert from "node:assert/strict";
import { BmadError } from "../../src/base/errors.ts";
import {
  diagnose,
  executeEntry,
  type Library,
  LISTABLE,
  listLibrary,
  listResources,
  openLibrary,
  readEntry,
  readResource,
  searchLibrary,
} from "../../src/content/library/mod.ts";
import { opening } from "../support/library.ts";
import { installation, type InstallRequest } from "../support/installs.ts";
import { startSession } from "../support/program.ts";
import { copyTree, listTree, type TreeFile, writeTree } from "../support/trees.ts";
import { within } from "../support/waiting.ts";
import type { Chance } from "../support/chance.ts";
import { inRounds } from "../support/property.ts";
import { openSlowest } from "./measure.ts";

const SECRET = "THE-CANARY-SINGS-7b1d";

const INSTALLS: readonly InstallRequest[] = [
  { version: "4.44.3", tools: "claude-code" },
  { version: "6.0.4", tools: "claude-code" },
  { version: "6.12.0", tools: "claude-code" },
];

/** The third generation had no installer. */
const V3: Readonly<Record<string, TreeFile>> = {
  "bmad-agent/ide-bmad-orchestrator.cfg.md": ["Analyst", "Architect"].map((title) =>
    `## Title: ${title}\n\n- Name: Sam\n- Customize: ""\n- Description: "Thinks"\n- Persona: "${title.toLowerCase()}.md"\n` +
    `- Tasks:\n  - [Write it](tasks#write.md)\n`
  ).join("\n"),
  "bmad-agent/personas/analyst.md": "# Role: Analyst\n\n## Persona\n\n- Calm\n",
  "bmad-agent/personas/architect.md": "# Role: Architect\n\n## Persona\n\n- Strict\n",
  "bmad-agent/tasks/write.md": "# Write it\n\nUse templates/plan.md\n",
  "bmad-agent/templates/plan.md": "# {name}\n\n| a | b |\n| - | - |\n",
  "bmad-agent/checklists/done.md": "# Done\n\n- [ ] Written\n",
};

const PROGRAM_EVERY = 250;
/** The time limit of an end, on a busy machine. */
const END_MS = 5_000;

export async function fuzzContent(count: number, seed: number) {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "bmad-mcp-content-" }));
  const asked = openSlowest(), ended = openSlowest();
  try {
    await Deno.writeTextFile(`${dir}/canary.md`, `---\nname: canary\n---\n${SECRET}\n`);
    const made = INSTALLS.map((request) => async (project: string) =>
      await copyTree(await installation(request), project)
    );
    const makers = [...made, (project: string) => writeTree(project, V3)];
    const projects = await Promise.all(makers.map(async (make, at) => {
      const project = `${dir}/project-${at}`;
      await make(project);
      const paths = (await listTree(project)).filter((path) => / \d+$/.test(path));
      return { project, files: paths.map((path) => path.replace(/ \d+$/, "")) };
    }));
    await inRounds(count, seed, async (chance, tree) => {
      const { project, files } = projects[tree % projects.length]!;
      const { names, restore } = await mutate(chance, project, files, `${dir}/canary.md`);
      const where = `seed ${seed + tree}, ${names.join("; ")}`;
      try {
        await askLibrary(chance, project, where, asked);
        if (tree % PROGRAM_EVERY === 0) ended.note(await askProgram(project, where), where);
      } finally {
        await restore();
      }
    });
    return { trees: count, ...asked, longestEnd: ended.slowest.ms };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function askLibrary(
  chance: Chance,
  project: string,
  where: string,
  { time }: ReturnType<typeof openSlowest>,
): Promise<void> {
  const ask = async <T>(question: string, work: () => Promise<T>): Promise<T | undefined> => {
    const answer = await time(`${question} (${where})`, work).catch((error) => {
      // A refusal is an answer.
      if (!(error instanceof BmadError)) throw new Error(`${question} failed (${where})`, { cause: error });
      return undefined;
    });
    const said = JSON.stringify(answer ?? null);
    assert.ok(!said.includes(SECRET), `${question} disclosed the canary (${where})`);
    return answer;
  };
  let library: Library | undefined;
  await ask(
    "open",
    async () => void (library = await openLibrary([opening("project", 1, project)], { project })),
  );
  const opened = library!;
  if (chance.below(4) === 0) await ask("diagnose", () => diagnose(opened));
  // Some of each: over all trees, everything is asked often.
  for (let n = 0; n < 3; n++) {
    const what = chance.pick(LISTABLE);
    await ask(`list ${what}`, () => listLibrary(opened, { what }, {}));
  }
  if (chance.below(4) === 0) await ask("search", () => searchLibrary(opened, { words: "plan the product" }));
  const resources = await ask("resources", () => listResources(opened)) ?? [];
  for (let n = 0; n < 5 && resources.length > 0; n++) {
    const { uri } = chance.pick(resources);
    await ask(`read ${uri}`, () => readResource(opened, uri));
  }
  for (let n = 0; n < 5 && opened.effective.length > 0; n++) {
    const entry = chance.pick(opened.effective);
    await ask(`show ${entry.key}`, () => readEntry(opened, entry));
    await ask(`execute ${entry.key}`, () => executeEntry(opened, entry, { message: "hi" }));
  }
}

async function askProgram(project: string, where: string): Promise<number> {
  await using program = await startSession([
    "--project",
    project,
    "--toolsets",
    "all",
    "--log-level",
    "error",
  ]);
  for (
    const [id, method, params] of [
      ["tools", "tools/list", {}],
      ["prompts", "prompts/list", {}],
      ["agents", "tools/call", { name: "bmad", arguments: { operation: "list", query: "agents" } }],
      ["doctor", "tools/call", { name: "bmad", arguments: { operation: "list", query: "doctor" } }],
    ] as const
  ) {
    await program.send({ id, method, params });
    assert.ok((await program.next(id)).result !== undefined, `${method} failed (${where})`);
  }
  assert.ok(
    !program.lines.some((line) => line.includes(SECRET)),
    `the program disclosed the canary (${where})`,
  );
  const begun = performance.now();
  await program.closeStdin();
  const ended = await within(END_MS, program.exit);
  assert.equal(ended?.code, 0, `the program did not end well (${where}): ${program.stderr()}`);
  assert.doesNotMatch(program.stderr(), /Internal|\[\w+\] (?:TypeError|RangeError|Error)/, where);
  return performance.now() - begun;
}

async function mutate(chance: Chance, project: string, files: readonly string[], canary: string) {
  const names: string[] = [], undo: (() => Promise<void>)[] = [];
  const restore = async () => {
    for (const step of undo.toReversed()) await step();
  };
  for (let n = 1 + chance.below(3); n > 0; n--) {
    const file = chance.pick(files), path = `${project}/${file}`;
    const bytes = await bytesOf(path);
    if (bytes === undefined) continue;
    const [name, change] = chance.pick(Object.entries(CHANGES));
    names.push(`${name} of ${file}`);
    const put = async () => {
      await Deno.remove(path, { recursive: true }).catch(() => {});
      await Deno.writeFile(path, bytes);
    };
    undo.push(put);
    const added = await change({ chance, path, bytes, other: `${project}/${chance.pick(files)}`, canary });
    if (added) undo.push(() => Deno.remove(added, { recursive: true }));
  }
  return { names, restore };
}

/** The bytes of a plain file; undefined for anything else: an earlier change may have made it a pipe, which would block. */
async function bytesOf(path: string): Promise<Uint8Array | undefined> {
  const found = await Deno.lstat(path).catch(() => undefined);
  return found?.isFile ? await Deno.readFile(path) : undefined;
}

interface Target {
  readonly chance: Chance;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly other: string;
  readonly canary: string;
}

const HUGE = 1_000_000;

const PUMPS = [
  ..."[{<>|#`-*&\"':,\\\n\t\r \0".split(""),
  "<agent ",
  "<item",
  "<!--",
  "```yaml\n",
  "{{",
  "{{#if a}}",
  "- ",
  "a: ",
  "&a ",
  "*a ",
  "? ",
  '"a",',
  "\n- ",
  "| a ",
  "[a.b]\n",
  "---\n",
  "://",
  "token=",
  "{project-root}/",
  "../",
  "${a}",
  "\u202e",
  "👩‍👩‍👧",
];

const ODD_NAMES = [
  "\u202egpj.md",
  "a\nb.md",
  "-rf.md",
  "%2e%2e.md",
  `${"x".repeat(240)}.md`,
  "con.md",
  " .md",
  "👩‍👩‍👧.md",
];

const insert = (bytes: Uint8Array, at: number, text: string) => {
  const added = new TextEncoder().encode(text);
  const all = new Uint8Array(bytes.length + added.length);
  all.set(bytes.subarray(0, at));
  all.set(added, at);
  all.set(bytes.subarray(at), at + added.length);
  return all;
};

const replace = async (path: string, work: () => Promise<unknown>): Promise<undefined> => {
  await Deno.remove(path);
  await work();
};

/** Each changes one file; what it added beside it is returned. */
const CHANGES: Readonly<Record<string, (target: Target) => Promise<string | undefined | void>>> = {
  "odd bytes": ({ chance, path, bytes }) => {
    const changed = bytes.slice();
    for (let n = 1 + chance.below(40); n > 0 && changed.length > 0; n--) {
      changed[chance.below(changed.length)] = chance.below(256);
    }
    return Deno.writeFile(path, changed);
  },
  "the beginning": ({ chance, path, bytes }) =>
    Deno.writeFile(path, bytes.slice(0, chance.below(bytes.length + 1))),
  "the end": ({ chance, path, bytes }) => Deno.writeFile(path, bytes.slice(chance.below(bytes.length + 1))),
  "a huge run": ({ chance, path, bytes }) => {
    const pump = chance.pick(PUMPS);
    return Deno.writeFile(
      path,
      insert(bytes, chance.below(bytes.length + 1), pump.repeat(HUGE / pump.length)),
    );
  },
  "some runs": ({ chance, path, bytes }) => {
    let changed = bytes;
    for (let n = 0; n < 5; n++) {
      const run = chance.pick(PUMPS).repeat(1 + chance.below(50));
      changed = insert(changed, chance.below(changed.length + 1), run);
    }
    return Deno.writeFile(path, changed);
  },
  "many copies": ({ path, bytes }) => {
    const text = new TextDecoder().decode(bytes);
    return Deno.writeTextFile(path, text.repeat(Math.ceil(HUGE / (text.length + 1))));
  },
  "deep nesting": ({ chance, path, bytes }) => {
    const open = chance.pick(["[", "{a: ", "- ", '{"a":', "<a>", "> ", "{{#if a}}"]);
    return Deno.writeFile(path, insert(bytes, chance.below(bytes.length + 1), open.repeat(20_000)));
  },
  "many aliases": ({ chance, path, bytes }) => {
    const rows = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    const at = chance.pick([0, Math.min(4, bytes.length)]);
    return Deno.writeFile(path, insert(bytes, at, `a0: &a0 [x]\n${rows.join("\n")}\n`));
  },
  "other content": async ({ path, other }) => {
    await Deno.writeFile(path, await bytesOf(other) ?? new Uint8Array(3));
  },
  "no file": ({ path }) => Deno.remove(path),
  "a folder": ({ path }) => replace(path, () => Deno.mkdir(`${path}/a`, { recursive: true })),
  "a link to itself": ({ path }) => replace(path, () => Deno.symlink(path, path)),
  "a link to its folder": ({ path }) => replace(path, () => Deno.symlink(".", path)),
  "a link out of the project": ({ path, canary }) => replace(path, () => Deno.symlink(canary, path)),
  "a link to the disk": ({ path }) => replace(path, () => Deno.symlink("/", path)),
  "a pipe": ({ path }) => replace(path, () => new Deno.Command("mkfifo", { args: [path] }).output()),
  "an odd name": async ({ chance, path, bytes }) => {
    const added = `${path.slice(0, path.lastIndexOf("/"))}/${chance.pick(ODD_NAMES)}`;
    if (await Deno.lstat(added).catch(() => undefined) !== undefined) return undefined;
    await Deno.writeFile(added, bytes);
    return added;
  },
};
