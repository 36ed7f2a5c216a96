/**
 * When do the tool sets for memory and runs come on, and what may a start with them write and run?
 *
 * Driven with plain values: a disk is a list of folders and links.
 */
import assert from "node:assert/strict";
import { type Config, KITS, NEEDS, resolveConfig } from "../src/config/mod.ts";
import { TOOLS } from "../src/mcp/toolsets.ts";
import { verifies } from "./support/requirements.ts";

const PROJECT = "/home/ann/shop";

/** The configuration of a start in a project that has these folders; a link is `folder -> target`. */
function configOf(
  line: string,
  folders: readonly string[] = [],
  given: Partial<Parameters<typeof resolveConfig>[0]> = {},
): Config {
  const real = new Map(
    folders.map((folder) => folder.split(" -> ")).map(([at, to]) => [`${PROJECT}/${at}`, to]),
  );
  const findFolder = (path: string): string | undefined => {
    if (path === PROJECT) return path;
    // As a system does, folder by folder.
    let at = "";
    for (const name of path.split("/").slice(1)) {
      const next = `${at}/${name}`;
      const isAbove = PROJECT.startsWith(next);
      if (!isAbove && ![...real.keys()].some((known) => known === next || known.startsWith(`${next}/`))) {
        return undefined;
      }
      at = real.get(next) ?? next;
    }
    return at;
  };
  return resolveConfig({
    args: line.split(" ").filter(Boolean),
    cwd: PROJECT,
    home: "/home/ann",
    os: "linux",
    contentDir: "/opt/bmad-mcp/content",
    env: (name) => name === "PATH" ? "/usr/bin" : undefined,
    readSettings: () => undefined,
    findFolder,
    ...given,
  });
}

Deno.test(
  verifies("toolsets:self-activation", "memory and runs come on where the project keeps them"),
  () => {
    for (const { base, output } of KITS) {
      for (const sign of [`${base}/_memory`, `${output}/.runs`]) {
        const { settings, provenance, kit } = configOf("", [sign]);
        assert.deepEqual(settings.toolsets, ["bmad", "memory", "runs"], sign);
        assert.equal(provenance.toolsets, `default, and ${PROJECT}/${sign}`);
        assert.deepEqual(kit, { base, output, root: PROJECT, sign });
      }
    }
    for (
      const folders of [[], ["_bmad/bmm"], ["_bmad-output/planning"], ["_memory"], ["sub/_bmad/_memory"]]
    ) {
      const { settings, provenance } = configOf("", folders);
      assert.deepEqual(settings.toolsets, ["bmad"], folders.join());
      assert.equal(provenance.toolsets, "default");
    }
  },
);

Deno.test(verifies("toolsets:self-activation", "whoever names tool sets or tools has chosen"), () => {
  const folders = ["_bmad/_memory"];
  assert.deepEqual(configOf("--toolsets bmad", folders).settings.toolsets, ["bmad"]);
  assert.deepEqual(configOf("--tools list_tasks", folders).settings.toolsets, ["bmad"]);
  assert.deepEqual(configOf("--toolsets memory").settings.toolsets, ["memory"]);
  const readSettings = (path: string) => path.startsWith(PROJECT) ? 'toolsets = ["workflows"]' : undefined;
  assert.deepEqual(configOf("", folders, { readSettings }).settings.toolsets, ["workflows"]);
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
  ["", ["_bmad/_memory"], [OUTPUT], []],
  ["", ["_bmad/_memory", "_bmad-output/x"], [RUNS, CONTRACTS], []],
  ["--read-only --allow-exec", ["_bmad-output/.runs"], [], []],
  ["--toolsets memory", ["_bmad-output/.runs"], [], []],
  ["--toolsets all", ["_bmad-output/x"], [RUNS, CONTRACTS], []],
  ["--toolsets runs --exclude-tools spawn_subagent_task", ["_bmad-output/x"], [CONTRACTS], []],
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
  ["", ["_bmad/_memory", "_bmad-output -> /home/ann/shop/out", "out/x"], [
    `${PROJECT}/out/.runs`,
    `${PROJECT}/out/contracts`,
  ], []],
  ["", ["_bmad/_memory", "_bmad-output -> /etc"], [], []],
  ["", ["_bmad/_memory", "_bmad-output/.runs -> /etc"], [CONTRACTS], []],
  ["", ["_bmad/_memory", "_bmad-output -> /home/ann/shopping"], [], []],
];

Deno.test(
  verifies(
    ["rights:no-net-no-run", "toolsets:contract-needs-exec"],
    "a start asks for what its tools need, and no more",
  ),
  () => {
    for (const [line, folders, write, run] of RIGHTS) {
      const { rights } = configOf(line, folders);
      assert.deepEqual([rights.write, rights.run], [write, run], `${line} in ${folders}`);
    }
  },
);

Deno.test(verifies("toolsets:contract-needs-exec", "no settings file can allow a script to be run"), () => {
  for (const place of [`${PROJECT}/.bmad-mcp.toml`, "/home/ann/.config/bmad-mcp/config.toml"]) {
    const readSettings = (path: string) => path === place ? "allowExec = true" : undefined;
    assert.throws(() => configOf("", [], { readSettings }), {
      message: /Cannot use setting allowExec = "true"/,
    }, place);
  }
  const env = (name: string) => ({ BMAD_ALLOW_EXEC: "1", PATH: "/opt/bin" })[name];
  assert.deepEqual(configOf("", [], { env }).script, { path: "/opt/bin", home: "/home/ann" });
  assert.equal(configOf("").script, undefined);
});

Deno.test("every tool that changes something says what it needs, and no other does", () => {
  const changing = Object.entries(TOOLS).flatMap(([set, tools]) =>
    tools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => `${set} ${name}`)
  );
  assert.deepEqual(NEEDS.map(({ set, tool }) => `${set} ${tool}`).sort(), changing.sort());
});
