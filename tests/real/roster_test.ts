/**
 * Do help and party mode without an installation get what BMAD's own installer and scripts would give them?
 *
 * The help catalogue is compared with the file that the installer of 6.12.0 writes, the roster with what the scripts of
 * that version print, before and after a team and a user customize it. The scripts need Python 3.11.
 */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import {
  executeEntry,
  type Library,
  listFiles,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../src/content/library/mod.ts";
import { rawText } from "../../src/content/library/files/reading.ts";
import { qualifiedName } from "../../src/base/model.ts";
import { parseCsv } from "../../src/content/parse.ts";
import { clientHere } from "../support/client.ts";
import { installation, type InstallVersion, sourceTree } from "../support/installs.ts";
import { opening, openSource } from "../support/library.ts";
import { NO_PYTHON, PYTHON } from "../support/python.ts";
import { copyTree, treeTest, withTree } from "../support/trees.ts";

const INSTALL = { version: "6.12.0", tools: "claude-code" } as const;

const textOf = async (library: Library, uri: string) => (await readResource(library, uri)).text!;

const openFolder = (dir: string) => openLibrary([opening("project", 1, dir)]);

const openSources = async () =>
  await openLibrary([opening("package", 6, await sourceTree("bmad-method@6.12.0"))]);

Deno.test("the help catalogue is the installer's [resources:virtual-manifests]", async () => {
  const written = await Deno.readTextFile(`${await installation(INSTALL)}/_bmad/_config/bmad-help.csv`);
  const made = await textOf(await openSources(), "{project-root}/_bmad/_config/bmad-help.csv");
  assert.equal(made, written);
  assert.equal(parseCsv(made).value.length, 28);
});

treeTest("an installation that lost its help catalogue gets the same one back", {}, async (dir) => {
  await copyTree(await installation(INSTALL), dir);
  const path = `${dir}/_bmad/_config/bmad-help.csv`;
  const written = await Deno.readTextFile(path);
  await Deno.remove(path);
  assert.equal(await textOf(await openFolder(dir), "bmad://_cfg/bmad-help.csv"), written);
});

Deno.test("everything that help and party mode of each generation read exists", async (t) => {
  const versions: readonly InstallVersion[] = ["6.0.4", "6.1.0", "6.2.0", "6.5.0", "6.8.0", "6.12.0"];
  for (const version of versions) {
    await t.step(version, async () => {
      const project = await installation(version);
      const library = await openFolder(project);
      const catalogue = await textOf(library, "{project-root}/_bmad/_config/bmad-help.csv");
      assert.equal(catalogue, await Deno.readTextFile(`${project}/_bmad/_config/bmad-help.csv`));
      const { agents } = JSON.parse(await textOf(library, "bmad://roster/agents"));
      const { value: [, ...rows] } = parseCsv(
        await textOf(library, "{project-root}/_bmad/_config/agent-manifest.csv"),
      );
      assert.ok(rows.length >= 5);
      assert.equal(Object.keys(agents).length, rows.length);
      for (const { name, icon, title, description } of Object.values<Record<string, string>>(agents)) {
        assert.ok(name && icon && title && description, name);
      }
      for (const module of ["core", "bmm"]) {
        assert.match(await textOf(library, `{project-root}/_bmad/${module}/config.yaml`), /^user_name: /m);
        assert.match(await textOf(library, `{project-root}/_bmad/${module}/module-help.csv`), /^module,/);
      }
    });
  }
});

Deno.test("the sources of an older generation have a complete catalogue with the newest columns", async () => {
  const library = await openSource(await sourceTree("bmad-method@6.0.4"));
  const { value: [header, ...rows] } = parseCsv(await textOf(library, "bmad://_config/bmad-help.csv"));
  const written = parseCsv(
    await Deno.readTextFile(
      `${await installation("6.0.4")}/_bmad/_config/bmad-help.csv`,
    ),
  ).value;
  const code = (head: readonly string[], name: string) => (row: readonly string[]) => row[head.indexOf(name)];
  assert.deepEqual(
    rows.map(code(header!, "menu-code")).sort(),
    written.slice(1).map(code(written[0]!, "code")).sort(),
  );
});

/** The scripts of BMAD need `tomllib`, which Python has since 3.11. */
const ignore = NO_PYTHON;

async function run(dir: string, script: string, ...args: readonly string[]): Promise<unknown> {
  const { success, stdout, stderr } = await new Deno.Command(PYTHON, {
    args: ["-B", `${dir}/${script}`, "--project-root", dir, ...args],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

const PARTY = ".claude/skills/bmad-party-mode";
const FORGE = ".claude/skills/bmad-forge-idea";

async function compare(
  libraries: readonly Library[],
  dir: string,
  parties: readonly string[],
): Promise<void> {
  const party = (...args: readonly string[]) =>
    run(dir, `${PARTY}/scripts/resolve_party.py`, "--skill", `${dir}/${PARTY}`, ...args);
  const answers: Readonly<Record<string, unknown>> = {
    "roster": await party(),
    "roster/parties": await party("--list-groups"),
    "roster/agents": await run(dir, "_bmad/scripts/resolve_config.py", "--key", "agents"),
    "roster/personas": await run(dir, `${FORGE}/scripts/resolve_personas.py`, "--skill", `${dir}/${FORGE}`),
    ...Object.fromEntries(
      await Promise.all(
        parties.map(async (id) => [`roster/parties/${id}`, await party("--party", id)] as const),
      ),
    ),
  };
  for (const [path, answer] of Object.entries(answers)) {
    for (const library of libraries) {
      assert.deepEqual(JSON.parse(await textOf(library, `bmad://${path}`)), answer, path);
    }
  }
}

Deno.test("without an installation the roster is that of the version's scripts", { ignore }, async () => {
  await withTree({}, async (dir) => {
    await copyTree(await installation(INSTALL), dir);
    const libraries = [await openSources(), await openFolder(dir)];
    await compare(libraries, dir, ["code-review-crew", "anti-consensus-club", "nowhere"]);
  });
});

Deno.test("a team's and a user's agents and parties count as for the scripts", { ignore }, () =>
  withTree({
    "_bmad/custom/config.user.toml": '[agents.bmad-agent-pm]\ntitle = "Boss"\n',
    "_bmad/custom/bmad-party-mode.toml": `
[[workflow.party_members]]
code = "sec-hawk"
name = "Hawk"

[[workflow.party_members]]
code = "analyst"
persona = "Counts twice."
model = "small"

[[workflow.party_members]]
code = "cook"

[[workflow.party_groups]]
id = "kitchen"
members = ["Cook", "WINSTON", "mary", "ux-designer", "ghost"]
memory = true

[[workflow.party_groups]]
id = "street"
name = "The Street"
scene = "Whoever passes by."
`,
    "_bmad/custom/bmad-party-mode.user.toml":
      '[workflow]\ndefault_party = "kitchen"\nparty_mode = "subagent"\nparty_memory = false\n',
  }, async (dir) => {
    await copyTree(`${await installation(INSTALL)}/.claude`, `${dir}/.claude`);
    const custom = `${dir}/_bmad/custom`;
    await Deno.rename(custom, `${dir}/ours`);
    await copyTree(`${await installation(INSTALL)}/_bmad`, `${dir}/_bmad`);
    await copyTree(`${dir}/ours`, custom);
    await Deno.writeTextFile(
      `${custom}/config.toml`,
      '[agents.kay]\nname = "Kay"\nteam = "guests"\ndescription = "Keeps tokens."\n',
    );
    await compare([await openFolder(dir)], dir, ["kitchen", "street", "code-review-crew"]);
  }));

Deno.test("a client without any project gets the roster of all embedded modules", async () => {
  await using client = await clientHere({ era: "2026" });
  const { members } = JSON.parse((await client.readResource("bmad://roster")).contents[0].text);
  assert.deepEqual(
    members.map(({ name, module }: Record<string, string>) => `${module} ${name}`),
    ["bmm Mary", "bmm John", "bmm Sally", "bmm Winston", "bmm Amelia", "tea Murat"],
  );
});

Deno.test("every script that a skill of 6.12.0 calls has a substitute of its own, and its source can be read", async () => {
  const library = await openSources();
  const lines = (await textOf(library, "bmad://scripts")).split("\n").filter((line) => line.startsWith("- "));
  const named = lines.map((line) => /^- (\S+?)(?: --[\w -]+)?: (.*) Source: (\S+)$/.exec(line)!);
  const scripts = [...new Set(named.map(([, script]) => script!))].sort();
  // Whatever lies in a folder of scripts and is meant to be called; the other helps the first two.
  const shipped = listFiles(library).map(({ uri }) => /\/scripts\/(\w+\.py)$/.exec(uri)?.[1])
    .filter((name) => name !== undefined && name !== "config_utils.py");
  assert.deepEqual(scripts, shipped.sort());
  for (const [line, , instead, uri] of named) {
    assert.doesNotMatch(instead!, /do what it says by hand/, line);
    assert.match(await textOf(library, uri!), /^(#|""")/);
  }
});

Deno.test("a skill of 6.12.0 adds at most 120 tokens [tool:execute-overhead]", async () => {
  const library = await openSources();
  const called = new Map<string, string>();
  for (const entry of library.effective) {
    const executed = await executeEntry(library, entry, {});
    const raw = rawText(library, entry);
    // A launcher is delivered as the workflow that it leads to.
    const text = executed.includes(raw.trimEnd())
      ? raw
      : await textOf(library, `bmad://rendered/${qualifiedName(entry)}/workflow.md`);
    const [, values = ""] = /\nAlready resolved [^\n]*\n([\s\S]*?)\nFiles: /.exec(executed) ?? [];
    const tokens = countTokens(executed) - countTokens(text) - countTokens(values);
    assert.ok(tokens <= 120, `${entry.id}: ${tokens}`);
    const [, open = ""] = /\nif you cannot run a script:\n((?: {2}.*\n)*)/.exec(executed) ?? [];
    const scripts = Array.from(open.matchAll(/^ {2}([\w.]+\.py.*?):/gm), ([, script]) => script!);
    called.set(entry.id, scripts.join(", "));
    // Nothing that is left to do is called done.
    const [, done] = /^Already resolved \(skip the steps that (.*)\):$/m.exec(executed)!;
    for (const script of scripts) assert.ok(!` ${done},`.includes(` ${script},`), `${entry.id}: ${script}`);
    assert.doesNotMatch(done!, /\*/);
  }
  assert.equal(library.effective.length, 50);
  assert.equal(called.get("bmad-party-mode"), "resolve_party.py, memlog.py");
  assert.equal(called.get("bmad-retrospective"), "sprint_status.py, git_evidence.py");
  assert.equal(called.get("bmad-agent-analyst"), "");
  assert.equal(called.get("bmad-help"), "");
});

Deno.test("a party of 6.5 and 6.8, which reads the agents of the configuration, is told where they are", async () => {
  for (const version of ["6.5.0", "6.8.0"] as const) {
    const library = await openFolder(await installation(version));
    const executed = await executeEntry(library, resolveEntry(library, { name: "bmad-party-mode" }), {});
    assert.match(executed, /\n {2}resolve_config\.py --key agents: Read bmad:\/\/roster\/agents\n/);
    const [, uri] = /^- resolve_config\.py --key agents: Read (\S+)\. /m.exec(
      await textOf(library, "bmad://scripts"),
    )!;
    const { agents } = JSON.parse(await textOf(library, uri!));
    assert.equal(agents["bmad-agent-tech-writer"].name, "Paige");
  }
});

Deno.test("a party before 6.3 comes with its agents and paths [tool:execute-party]", async (t) => {
  for (const version of ["6.0.4", "6.1.0", "6.2.0"] as const) {
    await t.step(
      version,
      () =>
        withTree(
          { "own/_bmad/house/agents/keeper.md": "---\nname: keeper\n---\n\n# Keeper\n" },
          async (own) => {
            const dir = await installation(version);
            const openings = [opening("project", 1, dir), opening("cli", 2, `${own}/own`)];
            const library = await openLibrary(openings, { project: dir });
            const party = resolveEntry(library, { name: "party-mode" });
            const executed = await executeEntry(library, party, {});
            const [, uri, csv] = /\n=== agents, [^\n]*: (\S+) ===\n([^]*)$/.exec(executed) ?? [];
            assert.equal(await textOf(library, uri!), csv);
            const path = `${dir}/_bmad/_config/agent-manifest.csv`;
            const rows = rowsByName(csv!);
            const written = rowsByName(await Deno.readTextFile(path));
            assert.deepEqual(Object.keys(rows), [...Object.keys(written), "keeper"]);
            for (const [name, row] of Object.entries(written)) {
              for (const field of ["displayName", "title", "icon", "role", "identity", "module"]) {
                assert.equal(rows[name]![field], row[field]!.replaceAll("&apos;", "'"), `${name} ${field}`);
              }
            }
            const [, folder] = /\n {2}installed_path: (.*)\n/.exec(executed) ?? [];
            const [, manifest] = /\n {2}agent_manifest_path: (.*)\n/.exec(executed) ?? [];
            const isCompiled = version === "6.0.4";
            assert.deepEqual(
              [folder, manifest],
              isCompiled ? [`${dir}/${party.folder}`, path] : [undefined, undefined],
            );
            // What the text names is there, and can be opened as it is spelled.
            assert.match(
              await textOf(library, "{project-root}/_bmad/_config/agent-manifest.csv"),
              /^name,displayName/,
            );
          },
        ),
    );
  }
});

Deno.test("the paths of a party in the home folder can be opened from any project", async () => {
  const home = await installation("6.0.4");
  const library = await openLibrary([opening("user", 4, home)], { project: "/home/ann/shop" });
  const executed = await executeEntry(library, resolveEntry(library, { name: "party-mode" }), {});
  const [, folder, manifest] = /\n {2}installed_path: (.*)\n {2}agent_manifest_path: (.*)\n/.exec(executed) ??
    [];
  assert.match(await textOf(library, `${folder}/steps/step-01-agent-loading.md`), /^# Step 1/);
  assert.match(await textOf(library, manifest!), /^name,displayName/);
});

function rowsByName(csv: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const { value: [head = [], ...rows] } = parseCsv(csv);
  const named = rows.map((row) => Object.fromEntries(head.map((column, at) => [column, row[at] ?? ""])));
  return Object.fromEntries(named.map((row) => [row["name"]!, row]));
}
