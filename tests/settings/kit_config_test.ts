/** When do the tool sets for memory and runs come on, and what may a start with them write and run? */
import assert from "node:assert/strict";
import type { Told } from "../support/config.ts";
import { configOnDisk, PROJECT } from "./disk.ts";
import { type Config, KITS } from "../../src/settings/plan/mod.ts";
import { TOOL_NEEDS } from "../../src/serve/handshake/tool_needs.ts";
import { TOOLS } from "../../src/serve/mcp/toolsets.ts";

const FILE = /\.(?:md|db|json|yaml)$/;

/** A start in a project that has these files and folders; a link is `folder -> target`. */
function configOf(line: string, paths: readonly string[] = [], given: Told = {}): Config {
  const disk = paths.map((path) => {
    const [at = "", target] = path.split(" -> ");
    return target !== undefined ? [at, `-> ${target}`] : [FILE.test(at) ? at : `${at}/`, ""];
  });
  return configOnDisk(line, Object.fromEntries(disk), { env: { PATH: "/usr/bin" }, ...given });
}

const KEPT = "_bmad/_memory/shared-context.md";

Deno.test("memory and runs come on where the project keeps them [toolsets:self-activation]", () => {
  for (const { base, output } of KITS) {
    const memory = ["shared-context.md", "failure-museum.md", "memory.db", "dev-learnings.md"];
    for (const sign of [...memory.map((name) => `${base}/_memory/${name}`), `${output}/.runs`]) {
      const { settings, provenance, kit } = configOf("", [sign]);
      const others = settings.toolsets.filter((set) => set !== "work");
      assert.deepEqual(others, ["bmad", "memory", "runs"], sign);
      assert.equal(provenance.toolsets, `default, and ${PROJECT}/${sign}`);
      assert.deepEqual(kit, { base, output, root: PROJECT, sign });
    }
  }
  const learnings = "_bmad/_memory/agent-learnings";
  assert.equal(configOf("", [`${learnings}/dev.md`]).kit?.sign, learnings);
  assert.equal(configOf("", ["project-context.yaml"]).kit?.sign, "project-context.yaml");
  assert.equal(configOf("", ["_grimoire/x", "project-context.yaml"]).kit?.base, "_grimoire");
  // A stock installation has a memory folder of its own beside those of a kit.
  assert.equal(configOf("", ["_bmad/_memory", "_grimoire/_memory/memories.json"]).kit?.base, "_grimoire");
  for (
    const folders of [
      [],
      ["_bmad/bmm"],
      ["_bmad-output/planning"],
      ["_memory/shared-context.md"],
      ["sub/_bmad/_memory/shared-context.md"],
      ["_bmad/_memory"],
      ["_bmad/_memory/config.yaml"],
      ["_bmad/_memory/tech-writer-sidecar/documentation-standards.md"],
      ["_bmad/_memory/sage-sidecar/sage-learnings.md"],
      ["_bmad/_memory/agent-learnings"],
    ]
  ) {
    const { settings, provenance } = configOf("", folders);
    assert.deepEqual(settings.toolsets.filter((set) => set !== "work"), ["bmad"], folders.join());
    assert.equal(provenance.toolsets, "default");
  }
});

Deno.test("a set with a plus comes beside the defaults [toolsets:self-activation]", () => {
  for (const given of ["+memory", "default,memory", "+memory,+bmad"]) {
    const { toolsets } = configOf(`--toolsets ${given}`, []).settings;
    assert.deepEqual(toolsets.filter((set) => set !== "work"), ["default", "bmad", "memory"], given);
  }
  const { settings, provenance } = configOf("--toolsets +workflows", [KEPT]);
  const others = settings.toolsets.filter((set) => set !== "work");
  assert.deepEqual(others, ["default", "bmad", "workflows", "memory", "runs"]);
  assert.equal(provenance.toolsets, `--toolsets, and ${PROJECT}/${KEPT}`);
  assert.throws(() => configOf("--toolsets +memry", []), /expected all, or a comma-separated list/);
});

Deno.test("whoever names tool sets or tools has chosen [toolsets:self-activation]", () => {
  const folders = [KEPT];
  assert.deepEqual(configOf("--toolsets bmad", folders).settings.toolsets, ["bmad"]);
  assert.deepEqual(configOf("--tools list_tasks", folders).settings.toolsets, ["bmad"]);
  assert.deepEqual(configOf("--toolsets memory").settings.toolsets, ["memory"]);
  const readSettings = (path: string) => path.startsWith(PROJECT) ? 'toolsets = ["bmad"]' : undefined;
  assert.deepEqual(configOf("", [...folders, ".bmad-mcp.toml"], { readSettings }).settings.toolsets, [
    "bmad",
  ]);
  // Where the project is not served, it switches nothing on.
  for (const line of ["--mode user", "--mode strict"]) {
    const { settings, kit } = configOf(line, folders);
    assert.deepEqual([settings.toolsets, kit], [["bmad"], undefined], line);
  }
});

const RUNS = `${PROJECT}/_bmad-output/.runs`;
const CONTRACTS = `${PROJECT}/_bmad-output/contracts`;
const OUTPUT = `${PROJECT}/_bmad-output`;

/** A command line, the folders that are there, and what may be written and run. */
const RIGHTS: readonly (readonly [
  line: string,
  folders: readonly string[],
  write: readonly string[],
  run: readonly string[],
])[] = [
  ["", [], [], []],
  ["", ["_bmad-output/.runs"], [RUNS, CONTRACTS], []],
  ["", [KEPT], [OUTPUT], []],
  ["", [KEPT, "_bmad-output/x"], [RUNS, CONTRACTS], []],
  ["--read-only --allow-exec", ["_bmad-output/.runs"], [], []],
  ["--toolsets memory", ["_bmad-output/.runs"], [], []],
  ["--toolsets all", ["_bmad-output/x"], [RUNS, CONTRACTS], []],
  [
    "--toolsets runs --exclude-tools spawn_subagent_task,update_run,answer_subagent_task",
    ["_bmad-output/x"],
    [CONTRACTS],
    [],
  ],
  ["--tools spawn_subagent_task", ["_bmad-output/x"], [RUNS], []],
  ["--tools get_workflow_status", ["_bmad-output/.runs"], [], []],
  ["--allow-exec", [], [], []],
  ["--allow-exec", ["_bmad-output/.runs"], [RUNS, CONTRACTS], ["bash"]],
  ["--allow-exec --tools run_completion_contract", ["_bmad-output/.runs"], [], ["bash"]],
  ["--allow-exec --exclude-tools run_completion_contract", ["_bmad-output/.runs"], [RUNS, CONTRACTS], []],
  ["list agents", ["_bmad-output/.runs"], [], []],
  ["doctor --allow-exec", ["_bmad-output/.runs"], [], []],
  ["call get_workflow_status", ["_bmad-output/.runs"], [], []],
  ["call spawn_subagent_task", ["_bmad-output/.runs"], [RUNS], []],
  ["call spawn_subagent_task --read-only", ["_bmad-output/.runs"], [], []],
  ["call spawn_subagent_task --exclude-tools spawn_subagent_task", ["_bmad-output/.runs"], [], []],
  ["call run_completion_contract", ["_bmad-output/.runs"], [], []],
  ["call run_completion_contract --allow-exec", ["_bmad-output/.runs"], [], ["bash"]],
  ["--mode strict --toolsets runs", ["_bmad-output/.runs"], [], []],
  ["", ["_grimoire-output/.runs"], [
    `${PROJECT}/_grimoire-output/.runs`,
    `${PROJECT}/_grimoire-output/contracts`,
  ], []],
  // A link is asked for by its real name, and only inside the project.
  ["", [KEPT, "_bmad-output -> /home/ann/shop/out", "out/x"], [
    `${PROJECT}/out/.runs`,
    `${PROJECT}/out/contracts`,
  ], []],
  ["", [KEPT, "_bmad-output -> /etc"], [], []],
  ["", [KEPT, "_bmad-output/.runs -> /etc"], [CONTRACTS], []],
  ["", [KEPT, "_bmad-output -> /home/ann/shopping"], [], []],
];

Deno.test("a start asks for what its tools need [rights:no-net-no-run, toolsets:contract-needs-exec]", () => {
  for (const [line, folders, write, run] of RIGHTS) {
    const { rights } = configOf(`${line} --exclude-tools bmad_work`, folders);
    const written = rights.write.filter((path) => !isOfMemory(path));
    assert.deepEqual([written, rights.run], [write, run], `${line} in ${folders}`);
  }
});

/** Settings, the folder of runs, what may be written, and why a folder is not used. */
const RUNS_DIRECTORIES: readonly (readonly [
  settings: string,
  runs: string | undefined,
  write: readonly string[],
  problem?: RegExp,
])[] = [
  ['runs_directory: "_bmad-output/.runs/main/"', undefined, [OUTPUT]],
  ["runs_directory: _bmad-output/.runs", undefined, [OUTPUT]],
  ["runs_directory: ./_bmad-output/.runs/feature-x", undefined, [OUTPUT]],
  ["runs_directory: build/runs/main/", "build/runs", [`${PROJECT}/build`, OUTPUT]],
  ["runs_directory: build/runs", "build/runs", [`${PROJECT}/build`, OUTPUT]],
  ["session_branch: poc\nruns_directory: 'build/runs/poc' # ours", "build/runs", [
    `${PROJECT}/build`,
    OUTPUT,
  ]],
  ["runs_directory: '{project-root}/state/.runs/x'", "state/.runs", [`${PROJECT}/state`, OUTPUT]],
  ["runs_directory: ../shared/runs", undefined, [OUTPUT], /it is outside the project$/],
  ["runs_directory: /etc", undefined, [OUTPUT], /it is outside the project$/],
  ["runs_directory: .", undefined, [OUTPUT], /it is the whole project$/],
  ["runs_directory: main", undefined, [OUTPUT], /it is the whole project$/],
  ["runs_directory: .git/hooks", undefined, [OUTPUT], /belongs to a program/],
  ["runs_directory: _bmad/_config", undefined, [OUTPUT], /belongs to a program/],
  ["runs_directory: $" + "{HOME}/x", undefined, [OUTPUT], /has a placeholder$/],
  ["runs_directory:", undefined, [OUTPUT]],
];

Deno.test("runs go where the settings say [runs:directory, rights:no-net-no-run]", () => {
  for (const [settings, runs, write, problem] of RUNS_DIRECTORIES) {
    const readHead = (file: string) => file.endsWith("/project-context.yaml") ? settings : undefined;
    const { rights, kit } = configOf("--exclude-tools bmad_work", ["project-context.yaml"], { readHead });
    const written = rights.write.filter((path) => !isOfMemory(path));
    assert.deepEqual([kit?.runs, written], [runs, write], settings);
    assert.match(kit?.runsProblem ?? "", problem ?? /^$/, settings);
  }
  // A link out of the project is not followed.
  const readHead = () => "runs_directory: build/runs";
  const folders = ["project-context.yaml", "build -> /etc"];
  const { kit } = configOf("", folders, { readHead });
  assert.match(kit?.runsProblem ?? "", /it leads out of the project$/);
});

const STATE = /^\/home\/ann\/\.local\/state\/bmad-mcp\/memory\/shop-[0-9a-f]{8}$/;
const DATABASE = `${PROJECT}/_bmad/_memory/memory.db`;

function isOfMemory(path: string): boolean {
  return STATE.test(path) || path.startsWith(DATABASE) || /\/_memory\/memory\.db/.test(path);
}

/** A command line, the folders that are there, which file of memories may be written, and whether there is a network. */
const MEMORY_RIGHTS: readonly (readonly [
  line: string,
  folders: readonly string[],
  file: "project" | "state" | "none",
  net?: true,
])[] = [
  ["", [], "none"],
  ["", [KEPT], "project"],
  ["", ["_bmad-output/.runs"], "state"],
  ["", ["_bmad/_memory -> /etc", "_bmad-output/.runs"], "state"],
  ["--read-only", [KEPT], "none"],
  ["--toolsets runs", [KEPT], "none"],
  ["--toolsets memory --exclude-tools remember_structured", [KEPT], "none"],
  ["list agents", [KEPT], "none"],
  ["memory recall x", [KEPT], "project"],
  ["memory recall x --read-only", [KEPT], "none"],
  ["call remember_structured", [], "state"],
  ["call recall_structured", [KEPT], "none"],
  ["--qdrant-url http://q:6333", [], "none"],
  ["--qdrant-url http://q:6333", [KEPT], "project", true],
  ["--qdrant-url http://q:6333 list agents", [KEPT], "none"],
  ["--embeddings-url http://o:1/v1 --embeddings-model m", [KEPT], "project", true],
  ["--embeddings-url http://o:1/v1 --embeddings-model m --no-embedder", [KEPT], "project"],
];

Deno.test("only the memory's file is writable [memory:private, rights:no-net-no-run]", () => {
  for (const [line, folders, file, net = false] of MEMORY_RIGHTS) {
    const { rights } = configOf(`${line} --exclude-tools bmad_work`, folders);
    const written = rights.write.filter(isOfMemory);
    const beside = ["", "-wal", "-shm", "-journal"].map((ending) => `${DATABASE}${ending}`);
    const [inProject, others] = [
      written.filter((path) => !STATE.test(path)),
      written.filter((path) => STATE.test(path)),
    ];
    assert.deepEqual(inProject, file === "project" ? beside : [], `${line} in ${folders}`);
    assert.equal(others.length, file === "none" ? 0 : 1, `${line} in ${folders}`);
    assert.equal(rights.net, net, `${line} in ${folders}`);
  }
  assert.ok(configOf("memory import /tmp/in.json", []).rights.read.includes("/tmp/in.json"));
  assert.throws(() => configOf("--embeddings-url http://o:1"), /which model to use/);
  assert.throws(() => configOf("--qdrant-url ftp://x"), /expected a URL/);
  for (
    const [url, problem] of [
      ["http://me:hunter2@x", /must not contain a user or password/],
      ["http://x:6333?api_key=hunter2", /must not contain \? or #/],
      ["http://x:6333/#hunter2", /must not contain \? or #/],
      ["http://x:6333/?", /must not contain \? or #/],
    ] as const
  ) {
    for (const flag of ["--qdrant-url", "--embeddings-url"]) {
      assert.throws(
        () => configOf(`${flag} ${url}`),
        ({ message }) => problem.test(message) && !message.includes("hunter2"),
      );
    }
  }
});

Deno.test("no settings file can allow a script to be run [toolsets:contract-needs-exec]", () => {
  const own = "/home/ann/.config/bmad-mcp/config.toml";
  const readOwn = (path: string) => path === own ? "allowExec = true" : undefined;
  assert.throws(() => configOf("", [], { readSettings: readOwn }), {
    message: /^Invalid allowExec "true" in /,
  });
  for (const trusted of ["", `trusted = ["${PROJECT}"]`]) {
    const readSettings = (path: string) => path === own ? trusted : "allowExec = true";
    const { settings, ignored } = configOf("", [], { readSettings });
    assert.deepEqual([settings.allowExec, ignored[0]?.reason], [false, "no settings file can set it"]);
  }
  const env = { BMAD_ALLOW_EXEC: "1", PATH: "/opt/bin" };
  assert.deepEqual(configOf("", [], { env }).script, { path: "/opt/bin", home: "/home/ann" });
  assert.equal(configOf("").script, undefined);
});

Deno.test("every tool that changes something says what it needs, and no other does", () => {
  const changing = Object.entries(TOOLS).flatMap(([set, tools]) =>
    tools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => `${set} ${name}`)
  );
  const needy = TOOL_NEEDS.filter(({ folders, programs, memory, works }) =>
    folders ?? programs ?? works ?? memory === "writes"
  );
  assert.deepEqual(needy.map(({ set, tool }) => `${set} ${tool}`).sort(), changing.sort());
});
