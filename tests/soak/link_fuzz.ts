/**
 * Can a link in a project give the program a right outside of it, keep it from starting, or lead a write astray?
 *
 * Each arrangement puts a link, a file, a folder or nothing in the place of something that a start plans rights for.
 * The plan is made over the real disk; now and then the program itself is started and asked to write all it can.
 */
import assert from "node:assert/strict";
import { BmadError } from "../../src/base/errors.ts";
import { denoHost } from "../../src/process/host.ts";
import { resolveConfig } from "../support/config.ts";
import { startSession } from "../support/program.ts";
import { listTree, withTree } from "../support/trees.ts";
import type { Chance } from "../support/chance.ts";
import { inRounds } from "../support/property.ts";

const PLANNED = [
  ...["", "/.runs", "/.runs/main", "/contracts", "/.bmad-work", "/.bmad-work/lock"].map((at) =>
    `_bmad-output${at}`
  ),
  ...["", "-wal", "-shm", "-journal"].map((ending) => `_bmad/_memory/memory.db${ending}`),
  ...["_bmad", "_bmad/_memory", "_bmad/local", "_grimoire-output", "out", "out/plan", "out/.bmad-work"],
  ...["docs", "docs/stories", "docs/.bmad-work", ".bmad-core", "build", "build/runs"],
  ...".git .git/bmad .git/bmad/.lock .git/commondir .git/config .bmad-mcp.toml".split(" "),
  ...".bmad-mcp.lock.json .bmad-mcp.toml.bmad-mcp-new".split(" "),
  ...["bmad.log", "bmad.log.1", "bmad.log.3", "logs", ".cache", ".cache/git"],
  ...".agents .agents/skills .claude .claude/skills/mine mine.zip mine.zip.unfinished".split(" "),
  "mine",
].map((path) => `project/${path}`).concat(
  "packages _bmad .git .git/bmad .bmad-mcp.toml".split(" ").map((path) => `place/${path}`),
  ["api", "web"].flatMap((name) =>
    ". _bmad-output _bmad-output/.bmad-work _bmad _bmad/_memory .bmad-mcp.toml .git".split(" ")
      .map((path) => `place/packages/${name}/${path}`.replace(/\/\.$/, ""))
  ),
  [".bmad", ".bmad/cache", ".bmad/cache/git", ".local/state", ".local/state/bmad-mcp", ".claude/skills"]
    .map((path) => `home/${path}`),
  ["memory", "usage"].map((path) => `home/.local/state/bmad-mcp/${path}`),
  [".config", ".config/bmad-mcp", ".config/bmad-mcp/config.toml"].map((path) => `home/${path}`),
);

/** Where a link leads; `@` is the folder of everything, and `~` the link's own name. */
const TARGETS = {
  project: [
    ..."@/outside @/outside/file.txt @/outside/none @/outside/none/deep @/chain @/home".split(" "),
    "/etc",
    ..."/ .. ../outside @/project . @/project/docs @/project/docs/notes.md".split(" "),
    "@/project/none",
    "@/project/.git",
    "@/project/.git/hooks",
    "@/project/node_modules",
    "@/project/_bmad",
    "@/project/src",
    ..."@/place @/place/packages @/place/packages/web @/place/packages/web/_bmad-output".split(" "),
    ...["~", "@/project/loop", "@/project/docs/notes.md/x", "@/home/.bashrc", "@/home/.claude"],
  ],
  // What is the user's may be a link to whatever else is.
  home: ["@/home/dots", "@/home/dots/file", "@/home/none", "~", "@/home/loop"],
};

const PLAIN = ["a file", "a folder", "nothing"] as const;

/** The command lines whose rights are planned; the second part may fail, with a message. */
const LINES = {
  serving: [
    "",
    "--toolsets all",
    "--toolsets all --allow-git --allow-exec",
    "--log-file bmad.log --remember-usage",
    "--log-file logs/a.log",
    "git+https://example.org/x.git",
    "--mode user",
    "--read-only",
    "--path ../home/dots",
    "list agents",
    "doctor",
    "check",
    "memory list",
    "script memlog.py",
    "call bmad_work",
    "call create_delivery_contract",
    "mark packages/web:1-1 review",
    "cache clear",
  ],
  failing: [
    "--git-cache .cache/git git+https://example.org/x.git",
    "new skill mine",
    "new agent mine --module ours",
    "export dev --to zip --out mine.zip",
    "export dev --to skill --out mine --force",
    "config set mode user",
  ],
};

const CONFIGS: readonly Readonly<Record<string, string>>[] = [
  {},
  {
    "project/_bmad/config.toml":
      '[core]\noutput_folder = "out"\n[modules.bmm]\nplanning_artifacts = "out/plan"\n',
  },
  {
    "project/_bmad/config.toml": '[core]\noutput_folder = "docs"\n',
    "project/project-context.yaml": "runs_directory: build/runs\n",
  },
  { "project/.bmad-core/core-config.yaml": "devStoryLocation: docs/stories\n" },
  { "project/.agents/skills/one/bmod.toml": "[bmod]\n" },
  { "place/.bmad-mcp.toml": 'projects = ["packages/web", "packages/api", "../outside", "/etc"]\n' },
];

const BASE: Readonly<Record<string, string>> = {
  // A walk upwards that went too far would take this for the project.
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/objects/": "",
  ".git/refs/": "",
  ".bmad-mcp.toml": "maxResult = 4096\n",
  "_bmad/_config/manifest.yaml": "",
  "outside/file.txt": "canary\n",
  "project/_bmad/_memory/shared-context.md": "# Shared\n",
  "project/docs/notes.md": "# Notes\n",
  "project/.git/HEAD": "ref: refs/heads/main\n",
  "project/.git/hooks/": "",
  "project/.git/objects/": "",
  "project/.git/refs/": "",
  "project/node_modules/x/": "",
  "project/src/main.ts": "",
  "place/.git/HEAD": "ref: refs/heads/main\n",
  "place/.git/objects/": "",
  "place/.git/refs/": "",
  "place/packages/api/_bmad-output/sprint-status.yaml": "development_status:\n  1-1-pay: ready-for-dev\n",
  "place/packages/web/_bmad-output/sprint-status.yaml": "development_status:\n  1-1-cart: in-progress\n",
  "home/.bashrc": "# mine\n",
  "home/.claude/settings.json": "{}\n",
  "home/dots/file": "",
  "home/.bmad/": "",
  "home/.local/state/bmad-mcp/": "",
};

const CANARIES = [
  ..."outside project/.git project/node_modules home/.claude place/.git place/packages/web".split(" "),
];

const PROGRAM_EVERY = 100;

export async function fuzzLinks(count: number, seed: number) {
  const report = { arrangements: 0, rights: 0, refused: 0, programs: 0 };
  await inRounds(count, seed, async (chance, at) => {
    const arrangement = arrangementOf(chance, at);
    await withTree({ ...BASE, ...arrangement.config }, async (dir) => {
      Deno.symlinkSync(`${dir}/outside`, `${dir}/chain`);
      for (const each of arrangement.puts) put(dir, each);
      try {
        const { rights, refused } = planOver(dir, arrangement);
        report.rights += rights;
        report.refused += refused;
        if (++report.arrangements % PROGRAM_EVERY === 0) {
          report.programs++;
          await workOver(dir, report.programs % 2 === 0 ? "place/packages/api" : "project");
        }
      } catch (error) {
        const place = JSON.stringify(arrangement);
        throw new Error(`${error instanceof Error ? error.message : error}\n${place}`, { cause: error });
      }
    });
  });
  return report;
}

interface Put {
  readonly path: string;
  readonly what: string;
}

interface Arrangement {
  readonly config: Readonly<Record<string, string>>;
  readonly puts: readonly Put[];
  readonly line: string;
  readonly cwd: string;
}

/** The project or a folder in it from which it is found; a place with several, or one of them. */
const STARTS = {
  project: ["project", "project/src", "project/docs", "project/_bmad/_memory"],
  place: ["place", "place/packages/api"],
};

const SINGLE = PLANNED.flatMap((path) => choicesFor(path).map((what): Put => ({ path, what })));
const ALL_LINES = [...LINES.serving, ...LINES.serving, ...LINES.failing];

function arrangementOf(chance: Chance, at: number): Arrangement {
  const others = Array.from({ length: chance.below(3) }, () => {
    const path = chance.pick(PLANNED);
    return { path, what: chance.pick(choicesFor(path)) };
  });
  // A step that shares no factor with the number visits all of them.
  const single = SINGLE[(at * 7_919) % SINGLE.length]!;
  const gone = chance.below(3) === 0 ? [{ path: "project/.git", what: "nothing" }] : [];
  const puts = [...gone, single, ...others];
  const starts = STARTS[single.path.startsWith("place/") ? "place" : "project"];
  return { config: chance.pick(CONFIGS), puts, line: chance.pick(ALL_LINES), cwd: chance.pick(starts) };
}

function choicesFor(path: string): readonly string[] {
  return [...TARGETS[path.startsWith("home/") ? "home" : "project"], ...PLAIN];
}

/** Puts something in a place, unless that place is behind a link that leads elsewhere. */
function put(dir: string, { path, what }: Put): void {
  const at = `${dir}/${path}`;
  const folder = at.slice(0, at.lastIndexOf("/"));
  try {
    Deno.mkdirSync(folder, { recursive: true });
    if (Deno.realPathSync(folder) !== folder) return;
    Deno.removeSync(at, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return;
  }
  const target = what.replace(/^@/, () => dir).replace(/^~$/, () => at.slice(at.lastIndexOf("/") + 1));
  if (what === "a file") Deno.writeTextFileSync(at, "text\n");
  else if (what === "a folder") Deno.mkdirSync(at);
  else if (what !== "nothing") Deno.symlinkSync(target, at);
  // Two links that lead to each other.
  if (what.endsWith("/loop") && isMissing(target)) Deno.symlinkSync(at, target);
}

function isMissing(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch {
    return true;
  }
}

function planOver(
  dir: string,
  { line, cwd }: Arrangement,
): { readonly rights: number; readonly refused: number } {
  const contentDir = `${dir}/content`;
  let config;
  try {
    config = resolveConfig({
      ...denoHost(dir),
      args: line.split(" ").filter(Boolean),
      // As the system says it; what is gone cannot be stood in.
      cwd: realFolder(`${dir}/${cwd}`) ?? `${dir}/project`,
      home: `${dir}/home`,
      contentDir,
      env: () => undefined,
    });
  } catch (error) {
    // A user's own settings file may be anything; a project's never stops a start.
    const isUsers = error instanceof BmadError && JSON.stringify(error.failure).includes(`${dir}/home/`);
    assert.ok(error instanceof BmadError && (isUsers || LINES.failing.includes(line)), String(error));
    return { rights: 0, refused: 0 };
  }
  const { read, write } = config.rights;
  const places = [`${dir}/project`, `${dir}/place`, `${dir}/home`];
  for (const path of [...read, ...write].filter((path) => path !== contentDir)) {
    assert.ok(places.some((place) => `${path}/`.startsWith(`${place}/`)), `a right outside: ${path}`);
    assert.equal(linkIn(path), undefined, `a right for a link: ${path}`);
  }
  for (const path of write) {
    assert.ok(!places.includes(path), `a right to write all of ${path}`);
    assert.doesNotMatch(
      path.slice(dir.length),
      /^\/(?:project|place)\/(?:.*\/)?(?:\.git(?!\/bmad$)|node_modules)(?:\/|$)/,
    );
    const [, neighbour] = /\/place\/(packages\/\w+)/.exec(path.slice(dir.length)) ?? [];
    // What lies below a project at the top is its own.
    const isOwn: boolean = cwd === `place/${neighbour}` || cwd === "place" && config.isCurrent;
    assert.ok(
      neighbour === undefined || isOwn || line.includes(`${neighbour}:`),
      `a right to write beside the project: ${path}`,
    );
    if (!path.startsWith(`${dir}/home/`)) continue;
    assert.match(path.slice(dir.length), /^\/home\/(?:\.bmad|\.local|\.config|dots|none)(?:\/|$)/);
  }
  return { rights: read.length + write.length, refused: config.refused.length };
}

/** In the project: behind a link that leads out, somebody stands elsewhere. */
function realFolder(path: string): string | undefined {
  try {
    const real = Deno.realPathSync(path);
    return real === path && Deno.statSync(path).isDirectory ? real : undefined;
  } catch {
    return undefined;
  }
}

function linkIn(path: string): string | undefined {
  const names = path.split("/");
  return names.map((_, at) => names.slice(0, at + 1).join("/")).slice(1).find((part) =>
    !isMissing(part) && Deno.lstatSync(part).isSymlink
  );
}

const WRITES: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
  ["bmad_work", { operation: "script", script: "memlog.py init --workspace _bmad-output" }],
  ["bmad_work", { operation: "plan" }],
  ["bmad_work", { operation: "claim", story: "1-1", by: "Ann" }],
  ["remember_structured", { type: "decisions", agent: "dev", text: "The port is 8080" }],
  ["spawn_subagent_task", { agent: "qa", task: "Test it", output_key: "report" }],
  ["update_run", { action: "start", run_id: "run-2", agent: "dev" }],
  ["create_delivery_contract", { from_team: "team-a", to_team: "team-b", artefacts: ["docs/notes.md"] }],
];

async function workOver(dir: string, start: string): Promise<void> {
  const canaries = async () =>
    Object.fromEntries(await Promise.all(CANARIES.map(async (at) => [at, await seen(`${dir}/${at}`)])));
  // The user's own folders may be broken, too, but the settings must be readable.
  await Deno.remove(`${dir}/home/.config`, { recursive: true }).catch(() => {});
  const before = await canaries();
  const args = ["--pack", "none", "--toolsets", "all", "--log-file", "bmad.log", "--remember-usage"];
  await using program = await startSession(args, {
    cwd: realFolder(`${dir}/${start}`) ?? `${dir}/project`,
    env: { HOME: `${dir}/home` },
  });
  for (const [at, [name, args]] of WRITES.entries()) {
    await program.send({
      jsonrpc: "2.0",
      id: 100 + at,
      method: "tools/call",
      params: { name, arguments: args },
    });
    const { result, error } = await program.next(100 + at);
    assert.equal(error, undefined, name);
    assert.doesNotMatch(JSON.stringify(result), /nternal error/, name);
  }
  await program.closeStdin();
  assert.equal((await program.exit).code, 0);
  assert.deepEqual(await canaries(), before);
}

async function seen(path: string): Promise<readonly string[]> {
  try {
    const names = Deno.lstatSync(path).isDirectory ? await listTree(path) : [];
    // The one folder in a repository that is ours.
    return names.filter((name) => !(path.endsWith("/.git") && /^bmad(?:\/|$)/.test(name)));
  } catch {
    return [];
  }
}
