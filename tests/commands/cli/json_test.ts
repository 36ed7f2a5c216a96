/** Does --json print what docs/json.schema.json promises? Every command that takes it runs in a setup with all cases. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { pathsOf, SHAPES } from "../../../docs/json_schema.ts";
import { httpPlaces } from "../../../src/base/http_state.ts";
import { userFolders } from "../../../src/base/paths.ts";
import { prepareHttpState } from "../../../src/process/http_state.ts";
import { openRecordFile } from "../../../src/process/record_file.ts";
import { runGit } from "../../support/git.ts";
import { runHere } from "../../support/program.ts";
import { packageOf } from "../../support/tar.ts";
import { treeTest } from "../../support/trees.ts";

interface ShapeOptions {
  /** Paths of objects whose keys are data: one shape stands for all their members. */
  readonly maps: readonly string[];
  readonly free: readonly string[];
}

type JsonShape = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

function shapeOf(values: readonly unknown[], { maps, free }: ShapeOptions): JsonShape {
  const shape: Record<string, string> = {};
  const walk = (path: string, found: readonly unknown[], mark: string) => {
    const plain = path.replaceAll("?", "");
    if (path !== "") shape[path + mark] = free.includes(plain) ? typeName(found, 1) : typeName(found, 2);
    if (free.includes(plain)) return;
    const members = found.filter(Array.isArray).flat();
    if (members.some(isObject)) walkFields(`${path}[]`, members.filter(isObject));
    const objects = found.filter(isObject);
    if (maps.includes(plain)) walk(`${path}.*`, objects.flatMap(Object.values), "");
    else walkFields(path, objects);
  };
  const walkFields = (path: string, objects: readonly Fields[]) => {
    for (const key of new Set(objects.flatMap(Object.keys))) {
      const having = objects.filter((object) => Object.hasOwn(object, key));
      const mark = having.length < objects.length ? "?" : "";
      walk(path === "" ? key : `${path}.${key}`, having.map((object) => object[key]), mark);
    }
  };
  walk("", values, "");
  return shape;
}

function typeName(values: readonly unknown[], depth: number): string {
  const names = new Set(values.map((value) => nameOf(value, depth)));
  // A list that happens to be empty says nothing about its members.
  if (names.size > 1) names.delete("list");
  return names.size > 3 ? "any" : [...names].sort((a, b) => rank(a) - rank(b)).join(" or ");
}

function nameOf(value: unknown, depth: number): string {
  if (value === null) return "null";
  if (Array.isArray(value)) {
    if (value.length === 0 || depth < 2) return "list";
    const member = typeName(value, depth - 1);
    return `list of ${member === "object" ? "objects" : member}`;
  }
  const names: Readonly<Record<string, string>> = {
    string: "text",
    number: "number",
    boolean: "yes or no",
    object: "object",
  };
  return names[typeof value]!;
}

function rank(name: string): number {
  return name === "null" ? 1 : 0;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const agent = (name: string, more = "") =>
  `---\ndescription: About it\nname: ${name}\n---\nRead ./gone.md${more}.\n`;

const CHECKOUT = fileURLToPath(new URL("../../../deno.json", import.meta.url));

const HELD = { by: "Ann", until: "2099-01-01T00:00:00Z" };
const OF_SPRINT = { ledger: "_bmad-output/implementation-artifacts/sprint-status.yaml" };

const UPGRADE = {
  "package.json": '{ "version": "7.0.0" }',
  "src/bmm-skills/module.yaml": "code: bmm\nname: Method\nwater:\n  prompt: Where?\n  default: sea\n",
  "src/bmm-skills/bmad-chart/SKILL.md": agent("bmad-chart", " twice"),
  "src/bmm-skills/bmad-chart/customize.toml": "[workflow]\npaper = 1\n",
  "src/bmm-skills/bmad-chart/scripts/draw.py": "print(1)\n",
  "src/bmm-skills/bmad-chart/scripts/memlog.py": "print(1)\n",
  "src/bmm-skills/bmad-agent-architect/SKILL.md": agent("bmad-agent-architect"),
  "src/bmm-skills/v6-shims/bmad-create-architecture/SKILL.md":
    "---\nname: bmad-create-architecture\ndescription: Deprecated — use bmad-architecture.\nmetadata:\n  lifecycle: shim\n---\nForward.\n",
  "src/bmm-skills/bmad-architecture/SKILL.md": agent("bmad-architecture"),
};

/** A project with an agent that overrides another, one of its own, a broken file and a binary file; and a home with
 * clients in every state. */
const SETUP = {
  "shop/bmad/bmm/agents/architect.md": agent("architect"),
  "shop/bmad/bmm/skills/bmad-chart/SKILL.md": agent(
    "bmad-chart\nauthor: Rhea",
    ", {project-root}/_bmad/bmm/data/inks.csv",
  ),
  "shop/bmad/bmm/skills/bmad-chart/customize.toml": '[workflow]\nink = "red"\n',
  "home/.bmad/custom/bmad-chart.toml": '[workflow]\nink = "blue"\n',
  "team/bmm/data/inks.csv": "name\nred\n",
  "shop/bmad/bmm/skills/bmad-chart/chart.png": new Uint8Array([0x89, 0x50, 0, 0xff]),
  "shop/bmad/bmm/skills/bmad-bad/SKILL.md": "---\nname: [\n---\n",
  "team/bmm/agents/architect.md": agent("architect", " twice"),
  "ops/agents/medic.md": agent("medic"),
  "ops.tgz": await packageOf({ "package.json": '{ "version": "1.0.0" }', "agents/cook.md": agent("cook") }),
  ...Object.fromEntries(Object.entries(UPGRADE).map(([path, text]) => [`upgrade/${path}`, text])),
  "upgrade.tgz": await packageOf(UPGRADE),
  "home/.cursor/mcp.json": '{ "mcpServers": { "bmad": { "command": "/gone/bmad-mcp", "args": ["serve"] } } }',
  "home/.codex/config.toml": '[mcp_servers.bmad]\ncommand = "fly"\nargs = ["away"]\n',
  "home/.codex/hooks.json": '{ "hooks": { "SessionStart": [{ "hooks": [' +
    '{ "type": "command", "command": "npx -y @a/bmad-mcp@9.9.9 prime --hook" }] }] } }',
  "home/.cursor/hooks.json":
    '{ "version": 1, "hooks": { "sessionStart": [{ "command": "/gone/bmad-mcp prime --hook" }] } }',
  "home/.gemini/settings.json": "{}",
  "home/.qwen/settings.json": JSON.stringify({
    mcpServers: { bmad: { command: "npx", args: ["deno", "task", "--config", CHECKOUT, "start"] } },
  }),
  "home/.kiro/settings/mcp.json":
    '{ "mcpServers": { "bmad": { "url": "http://127.0.0.1:8080/mcp" }, "b": { "command": "bmad-mcp-server" } } }',
  "home/.config/opencode/opencode.json": "{ nonsense",
  "shop/.bmad-mcp.toml": "rememberUsage = true\n",
  "shop/_bmad-output/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: done\n  1-1-a: review\n  1-2-b: odd\n  1-3-c: ready-for-dev\n  1-4-e: done\n  epic-1-retrospective: optional\n" +
    "  epic-2: in-progress\n  2-1-d: ready-for-dev\n" +
    "action_items:\n  - epic: 1\n    action: Rest\n    owner: Ann\n    status: open\n",
  "shop/_bmad-output/implementation-artifacts/1-1-a.md":
    "---\nstatus: done\nowner: Ann\nafter: [1-2]\ncovers: [FR1]\nblocked_reason: Rain\nbaseline_commit: abcdef0\n---\n## Acceptance Criteria\n1. Dry\n",
  "shop/_bmad-output/implementation-artifacts/1-3-c.md":
    "---\nowner: Ann\n---\nIn `src/c.ts`.\n\n## Acceptance Criteria\n\n1. It works\n",
  "shop/_bmad-output/implementation-artifacts/1-4-e.md":
    "Status: done\n\n## Review Findings\n\n- [x] [High][Review][Patch] It leaks [src/c.ts:3] — found 2026-01-01 by Ann — fixed 2026-01-02 by Bob: a seal\n",
  "shop/_bmad-output/implementation-artifacts/2-1-d.md":
    "# Story 2.1: D\n\nStatus: in-progress\n\nIn `src/c.ts`.\n",
  "shop/.git/HEAD": "ref: refs/heads/main\n",
  "shop/.git/objects/": "",
  "shop/.git/refs/": "",
  "shop/.git/bmad/claims.json": JSON.stringify({
    claims: [
      { ...OF_SPRINT, ...HELD, story: "1-3-c", worktree: ".", seat: { id: "gone", name: "zed" } },
      { ...OF_SPRINT, ...HELD, story: "1-1-a", worktree: "login", seat: { id: "here", name: "zed" } },
    ],
  }),
  "shop/.git/bmad/seats/here.txt": "",
  "shop/.git/bmad/began.json": JSON.stringify({
    stories: ["1-1-a", "1-3-c"].map((story) => ({
      ...OF_SPRINT,
      story,
      commit: "a".repeat(40),
      accepted: ["FR1 a"],
    })),
  }),
  "shop/.git/bmad/stories.json": JSON.stringify({
    stories: [{
      ...OF_SPRINT,
      story: "1-1-a",
      state: "done",
      by: "Ann",
      head: "1".repeat(40),
      worktree: "login",
      at: "2026-07-01T10:00:00Z",
    }],
  }),
  "shop/_bmad-output/implementation-artifacts/work-log.jsonl": [
    { did: "claim", worktree: "login", forced: true },
    { did: "ask", question: 1, text: "Why?" },
    { did: "find", finding: "f1234567", severity: "high", text: "It leaks" },
    { did: "settle", finding: "f1234567", verdict: "fixed", text: "It leaks" },
    { did: "force", from: "in-progress", to: "review", reasons: ["It rains."] },
  ].map((deed) =>
    JSON.stringify({ ...OF_SPRINT, story: "1-1-a", at: "2026-01-01T00:00:00Z", by: "Ann", ...deed })
  ).join("\n"),
  "shop/_bmad-output/implementation-artifacts/open-questions.md":
    "- **Q1** Why?\n  - Story: 1-4-e\n  - To: Ann\n  - A: So\n  - Asked: 2026-01-01 by Bob\n- **Q1** Who?\n" +
    "\n## Answered\n\n- **Q2** When?\n  - Story: 1-3-c\n  - To: Ann\n  - A: Now\n  - Asked: 2026-01-01 by Bob\n" +
    "  - Answer: Now\n  - Answered: 2026-01-02 by Ann\n- Q3: Where?\n",
  "shop/_bmad-output/.bmad-work/forced.jsonl": JSON.stringify({
    ...OF_SPRINT,
    story: "1-1-a",
    at: "2026-01-01T00:00:00Z",
    by: "Ann",
    to: "review",
    reasons: ["It rains."],
  }),
  "shop/_bmad-output/planning-artifacts/notes.md": "---\nstatus: draft\n---\n# Notes\n\nThey count.\n",
  "shop/_bmad-output/planning-artifacts/epics.md": "## Epic 1: A (FR1)\n### Story 1.1: A\n",
  "shop/_bmad-output/initiative-x/initiative-x.md": "# X\n",
  "shop/_bmad-output/initiative-x/epic-y/epic-y.md":
    "---\ntype: epic\nowner: Ann\nafter: [epic-z]\n---\nFR1\n",
  "shop/_bmad-output/initiative-x/epic-z/epic-z.md": "---\ntype: epic\n---\n",
  "shop/_bmad-output/initiative-x/epic-y/tickets.toml": '[[entry]]\nid = 1\ntype = "story"\ntitle = "Q"\n',
  "shop/_bmad-output/initiative-x/epic-y/story-q.md": "---\nid: 1\ntype: story\n---\n",
  "shop/_bmad-output/initiative-x/epic-y/story-q-plan.md": "---\nticket: 1\nstatus: built\n---\n",
  "traced/_bmad-output/implementation-artifacts/sprint-status.yaml": "development_status:\n  1-1-a: review\n",
  "traced/_bmad-output/implementation-artifacts/1-1-a.md":
    "---\nbaseline_commit: HEAD\n---\nCovers: FR1\n\n## Acceptance Criteria\n1. Dry\n\n## File List\n- tests/a_test.ts\n\n" +
    "## Review Findings\n\n- [ ] [Review][Patch][Low] A [a.ts:1] — found 2026-01-01 by Ann — accepted 2026-01-02 by Bob: soon\n- [x] [Review][Defer][Low] B [b.ts:1] — found 2026-01-01 by Ann — deferred 2026-01-02 by Bob: old\n",
  "traced/_bmad-output/planning-artifacts/prd.md": "# PRD\n\n- FR1: Dry\n",
  "traced/tests/a_test.ts": "// AC1\n",
  "core/module.yaml": "code: core\nname: Core\n",
  "core/bmad-spec/SKILL.md":
    "---\nname: bmad-spec\ndescription: Spec\n---\nSee ./ux-foo-bar-2026-05-23/DESIGN.md.\n",
  "team/bmm/notes.md": "One\n",
  "shop/bmad/bmm/notes.md": "Other\n",
  "shop/bmad/.notes": "Hidden\n",
};

const LINES: Readonly<Record<string, readonly string[]>> = {
  "list agents": ["list agents"],
  "list workflows": ["list workflows"],
  "list skills": ["list skills"],
  "list config": ["list config"],
  "list sources": ["list sources --path git+file://DIR/ops --path git+file://DIR/nowhere"],
  "list conflicts": ["list conflicts"],
  "list doctor": ["list doctor"],
  "list modules": ["list modules"],
  "list resources": ["list resources"],
  "list next": ["list next", "next --all --by Ann", "next --all --by Ann --count 5"],
  "next": ["next", "next --by Ann", "next --by Ann --count 5"],
  "check": ["check"],
  "validate PATH": ["validate .", "validate DIR/core"],
  "new KIND NAME": ["new agent gardener"],
  "export NAME": ["export chart --to skill"],
  "trace [STORY|REQUIREMENT]": ["trace --stale", "trace --stale --project DIR/traced"],
  "review STORY": [
    "review 1-1 --lens tests --project DIR/traced --allow-git",
    "review 1-1 --project DIR/traced",
  ],
  "finding STORY TEXT|ID": [
    "finding 1-1 'No lock is taken here' --severity high --file a.ts:1 --project DIR/traced",
    "finding 1-1 'No lock is taken here' --verdict rejected --reason 'It has' --by Ann --project DIR/traced",
    "finding 1-1 'No lock is taken here' --verdict fixed --reason 'It has' --by Bob --project DIR/traced",
    "finding 1-1 'Returns 500' --severity high --file a.ts:1 --by Ann --project DIR/traced",
    "finding 1-1 'Here two get the same: no lock is taken' --severity high --file a.ts:1 --project DIR/traced",
  ],
  "evidence STORY COMMAND": [
    "evidence 1-1 'npm test' --before failed",
    "evidence 1-1 'npm run lint' --after passed",
  ],
  "ask [STORY] QUESTION": [
    "ask 1-3 'When?'",
    "ask 1-1 'Wet?' --choices Yes,No --to Ann --project DIR/traced",
    "ask 'Dry?' --project DIR/traced",
  ],
  "answer": ["answer"],
  "answer NUMBER TEXT": ["answer 1 B --project DIR/traced", "answer 2 Yes --project DIR/traced"],
  "context STORY": ["context 1-1", "context 1-1 --budget 1"],
  "board": ["board", "board --project DIR/traced"],
  "board STORY": ["board 1-1", "board 1-3", "board 1-4", "board epic-y.1", "board 1-1 --project DIR/traced"],
  "board EPIC": ["board epic-1", "board epic-y", "board epic-1 --project DIR/traced"],
  "mark": ["mark epic-y.1 done --force", "mark 1-2 in-progress --by Bob --force"],
  "claim|release": ["claim 1-2 --by Bob", "release 1-2 --by Bob"],
  "log": ["log"],
  "plan": ["plan --epic 1 --title B"],
  "reconcile": ["reconcile"],
  "add SOURCE": ["add git+file://DIR/ops", "add DIR/ops.tgz"],
  "add": ["add"],
  "preview SOURCE": ["preview DIR/upgrade --diff", "preview DIR/upgrade.tgz"],
  "sources": ["sources", "sources --path git+file://DIR/ops --path git+file://DIR/nowhere"],
  "modules": ["modules"],
  "update": ["update"],
  "remove SOURCE": ["remove ops.tgz", "remove ops"],
  "conflicts": ["conflicts"],
  "show NAME": [
    "show analyst",
    "show prd",
    "show bmm/architect",
    "show bmm/architect --origin cli",
    "show chart --remember-usage",
  ],
  "show URI": ["show bmad://bmm/bmad-chart/SKILL.md", "show bmad://bmm/bmad-chart/chart.png"],
  "diff NAME": ["diff bmm/architect", "diff chart"],
  "search WORDS": ["search architecture", "search count", "search leaks", "search manifest"],
  "execute NAME": ["execute chart"],
  "call TOOL": [`call bmad '{"operation":"list","query":"modules"}'`],
  "doctor": [
    "doctor --log-file x.log --path git+file://DIR/ops --path git+file://DIR/nowhere",
    "doctor --pack none",
    "doctor --path nowhere",
    "doctor --mode strict",
  ],
  "cache list": ["cache list --path git+file://DIR/ops"],
  "cache update": ["cache update --path git+file://DIR/ops", "cache update --path git+file://DIR/nowhere"],
  "cache clear": ["cache clear"],
  "token add": ["token add Ann --projects shop --expires 90d"],
  "token list|revoke": ["token list", "token revoke Ann"],
  "record": ["record"],
  "memory remember": ["memory remember --type decisions --agent dev --tags a 'Tokens end soon'"],
  "memory recall": ["memory recall tokens"],
  "memory list": ["memory list"],
  "memory backup FILE": ["memory backup DIR/memory.json"],
  "memory restore FILE": ["memory restore DIR/memory.json"],
  "memory status": ["memory status"],
  "team init|status|remove": [
    "team init --project DIR/ops",
    "team status --project DIR/ops",
    "team remove --project DIR/ops",
  ],
  "install --list": ["install --list"],
  "install|uninstall CLIENT": [
    "install codex gemini opencode jetbrains",
    "install zed --project .",
    "install kiro --replace",
    "install qwen --hooks",
    "install amp --skill",
    "uninstall cursor",
  ],
  "config": ["config", "config --project ."],
  "config get SETTING": ["config get mode"],
  "config set|unset|trust|untrust": ["config set maxFiles 50000", "config unset maxFiles"],
  "list usage": ["list usage --remember-usage"],
  "version": ["version"],
};

/** The words of such a line; quotes hold several together. */
const wordsIn = (line: string) => line.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ""));

const OF_TICKETS: readonly string[] = [
  "isUnrefined",
  "unknown",
  "tracked",
  ...["store", "id", "url", "backlog", "in-progress", "review", "done", "dropped"].map((key) =>
    `tracked.${key}`
  ),
];

/** Only a remote can tell that a branch was deleted there. */
const OF_CLONES = "elsewhere.problem";

const RARE_NEXT = [
  "next[].or",
  // Of generations in which one step prepares a story and another builds it.
  "next[].begin",
  "next[].reread",
  "next[].settle",
  "held[].findings",
  "held[].stale",
  ...[
    "findings",
    "stale",
    "baseline",
    "reason",
    "note",
    "due",
    "forced",
    "forced.at",
    "forced.by",
    "forced.reasons",
    // What is held elsewhere, or waits for an answer, is not next.
    "claim.place",
    "claim.active",
    "elsewhere",
    "elsewhere.by",
    "elsewhere.on",
    "elsewhere.problem",
    "elsewhere.state",
    "questions",
    ...OF_TICKETS,
  ]
    .map((key) => `next[].story.${key}`),
];

/** In a clone without the skills of its installation. */
const STAND_IN = ["items[].version", "items[].installed"];

/** Where a place has several projects: projects_test.ts. */
const OF_PLACES = [
  "projects",
  ...["items", "skipped", "limit"].map((key) => `projects.${key}`),
  ...["name", "folder", "isCurrent", "mayChange"].map((key) => `projects.items[].${key}`),
  ...["path", "reason"].map((key) => `projects.skipped[].${key}`),
];

const RARE: Readonly<Record<string, readonly string[]>> = {
  "sources": OF_PLACES,
  "config": OF_PLACES,
  "list agents": STAND_IN,
  "list workflows": STAND_IN,
  "list skills": STAND_IN,
  "list sources": ["items[].copy.version", ...OF_PLACES],
  "list conflicts": ["items[].count"],
  "search WORDS": STAND_IN,
  "add SOURCE": ["added[].note"],
  "list next": ["items[].item", ...RARE_NEXT],
  "show NAME": ["installedFrom"],
  "next": RARE_NEXT,
  // Of a story whose requirement has changed.
  "check": ["items[].settle"],
  "board": [OF_CLONES, ...OF_TICKETS].map((key) => `items[].stories[].${key}`),
  "board STORY": [OF_CLONES, "due", ...OF_TICKETS],
  "board EPIC": [OF_CLONES, "due", ...OF_TICKETS].map((key) => `stories[].${key}`),
  "review STORY": ["diff.problem"],
  "mark": ["before"],
  "memory recall": ["nearest"],
  "plan": ["unknown[].key", "unknown[].status"],
  "conflicts": ["items[].count"],
  "update": [
    "items[].location",
    "items[].problem",
    ...["name", "kind", "change", "files", "files[].file", "files[].change", "files[].diff"].map((name) =>
      `items[].changes[].${name}`
    ),
    ...["file", "name", "reason"].map((name) => `items[].customizations[].${name}`),
  ],
  "cache list": ["items[].problem"],
  "team init|status|remove": ["items[].problem", "journal", "journal.path", "journal.outcome"],
  "doctor": [
    ...OF_PLACES.map((key) => `project.${key}`),
    "binary.probes[].problem",
    "content.origins[].copy.version",
    ...["origin", "path", "code", "message"].map((name) => `content.notices[].${name}`),
  ],
};

const BUILT: Readonly<Record<string, JsonShape>> = {
  "doctor": { "binary.commit": "text or null" },
  "version": { commit: "text or null" },
};

const OPTIONS = {
  maps: ["settings", "environment.settings", "counts", "memory.counts"],
  free: ["value", "customization", "settings.*.value", "environment.settings.*.value"],
};

treeTest("every command prints the documented JSON [cli:json]", SETUP, async (dir, t) => {
  for (const name of ["ops", "traced"]) {
    runGit(`${dir}/${name}`, "init", "--quiet");
    runGit(`${dir}/${name}`, "add", ".");
    runGit(`${dir}/${name}`, "commit", "--quiet", "-m", "feat(1-1): one agent");
  }
  Deno.writeTextFileSync(`${dir}/traced/_bmad-output/planning-artifacts/prd.md`, "# PRD\n\n- FR1: Wet\n");
  const story = `${dir}/traced/_bmad-output/implementation-artifacts/1-1-a.md`;
  const baseline = runGit(`${dir}/traced`, "rev-parse", "HEAD");
  Deno.writeTextFileSync(story, Deno.readTextFileSync(story).replace("HEAD", baseline));
  const options = { cwd: `${dir}/shop`, env: { HOME: `${dir}/home` } };
  writeRecord(`${dir}/home`);
  await runHere(["memory", "remember", "--tags", "a", "Something to count"], options);
  const shapes: Record<string, JsonShape> = {};
  for (const [command, lines] of Object.entries(LINES)) {
    const answers: unknown[] = [];
    for (const line of lines) {
      const words = wordsIn(line).map((word) => word.replace("DIR", dir));
      const settings = line === "version" ? [] : ["--path", `${dir}/team`];
      const { stdout, stderr } = await runHere([...words, "--json", ...settings], options);
      assert.match(stdout, /^\{/, stderr);
      answers.push(JSON.parse(stdout));
    }
    const free = command === "list doctor" ? ["items"] : OPTIONS.free;
    shapes[command] = { ...shapeOf(answers, { ...OPTIONS, free }), ...BUILT[command] };
  }

  for (const [command, shape] of Object.entries(SHAPES)) {
    await t.step(`${command}: it is as documented`, () => {
      const seen = shapes[command]!;
      const said = Object.fromEntries(pathsOf(shape).slice(1));
      const named = (shape: JsonShape) => Object.keys(shape).map((path) => path.replace(/\?$/, "")).sort();
      const rare = RARE[command] ?? [];
      const printed = [...named(seen), ...rare];
      const [missing, unknown] = [
        named(said).filter((path) => !printed.includes(path)),
        printed.filter((path) => !named(said).includes(path)),
      ];
      assert.deepEqual(
        missing,
        [],
        "in the schema, but nothing in SETUP prints it: add it there, or to RARE",
      );
      assert.deepEqual(unknown, [], "printed, but not in the schema: add it to the operation's result");
      assert.deepEqual(Object.entries(seen).filter(([path, type]) => !isPromised(path, type, said)), []);
    });
  }
});

function writeRecord(home: string): void {
  const { state } = userFolders({ home, os: Deno.build.os, env: () => undefined });
  assert.ok(prepareHttpState(state!, true));
  const deed = {
    at: 1,
    name: "Ann",
    role: "owner",
    address: "::1",
    request: "1",
    project: "shop",
    deed: "plan",
  };
  openRecordFile(httpPlaces(state!).record).add(deed);
}

Deno.test("every documented shape has a line that prints it", () => {
  assert.deepEqual(Object.keys(SHAPES).sort(), Object.keys(LINES).sort());
});

/** Whether a type fits the documented one: a field may be null or a list empty without being so here. */
function isPromised(path: string, type: string, said: JsonShape): boolean {
  const promised = said[path] ?? (path.endsWith("?") ? undefined : said[`${path}?`]) ?? "";
  return promised === type || promised === "any" ||
    (promised.endsWith(" or null") && [promised.slice(0, -" or null".length), "null"].includes(type)) ||
    (type === "list" && promised.startsWith("list of "));
}
