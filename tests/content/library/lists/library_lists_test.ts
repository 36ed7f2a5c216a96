/** Do lists and searches show all content, and nothing that is hidden or overridden? */
import assert from "node:assert/strict";
import {
  diagnose,
  listLibrary,
  type ListRequest,
  openLibrary,
  readEntry,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { listNext } from "../../../../src/project/work/next/mod.ts";
import { treeTest, withTree } from "../../../support/trees.ts";
import { opening, openShop, projectTest } from "../../../support/library.ts";

async function linesOf(request: ListRequest): Promise<readonly string[]> {
  return (await listLibrary(await openShop(), request, { next: listNext })).map(({ name, about }) =>
    `${name}: ${about}`
  );
}

Deno.test(
  "a row has a name, a line and facts [tool:list-agents-fields, tool:list-workflows-fields]",
  async () => {
    const library = await openShop();
    const rowsOf = async (what: string) =>
      (await listLibrary(library, { what }))
        .map(({ name, about, data, record }) => ({ name, about, data, record }));
    assert.deepEqual(await rowsOf("agents"), [{
      name: "bmm/bmad-agent-scout",
      about: "Rhea, My Scout: Finds the way. Use when the user asks for Rhea or a scout.",
      data: {
        name: "scout",
        id: "bmad-agent-scout",
        module: "bmm",
        displayName: "Rhea",
        title: "My Scout",
        description: "Finds the way. Use when the user asks for Rhea or a scout.",
        kind: "skill",
        origin: "project",
        icon: "🧭",
        role: "Finds a way through unknown country.",
        toolName: "bmm-scout",
      },
      record: { path: ".claude/skills/bmad-agent-scout/SKILL.md", author: "", source: "both" },
    }]);
    assert.deepEqual((await rowsOf("workflows"))[0], {
      name: "bmm/bmad-map",
      about: "Draw Map: Draws a map of the ground.",
      data: {
        name: "map",
        id: "bmad-map",
        module: "bmm",
        displayName: undefined,
        title: "Draw Map",
        description: "Draws a map of the ground.",
        kind: "skill",
        origin: "project",
        phase: "plan",
        category: "planning",
        standalone: true,
        agents: ["scout"],
      },
      record: { path: ".claude/skills/bmad-map/SKILL.md", author: "", source: "both" },
    });
  },
);

Deno.test("a list has filters, and no shims [tool:list-filters, tool:list-hides-shims]", async () => {
  const table: readonly (readonly [ListRequest, readonly string[]])[] = [
    [{ what: "workflows" }, ["bmm/bmad-map", "bmm/bmad-route", "core/bmad-notes"]],
    [{ what: "workflow" }, ["bmm/bmad-map", "bmm/bmad-route", "core/bmad-notes"]],
    [{ what: " Workflows " }, ["bmm/bmad-map", "bmm/bmad-route", "core/bmad-notes"]],
    [{ what: "skills" }, ["bmm/bmad-agent-scout", "bmm/bmad-map", "bmm/bmad-route", "core/bmad-notes"]],
    [{ what: "tasks" }, ["core/bmad-notes"]],
    [{ what: "workflows", module: "BMM" }, ["bmm/bmad-map", "bmm/bmad-route"]],
    [{ what: "workflows", category: "planning" }, ["bmm/bmad-map"]],
    [{ what: "workflows", category: "implementation" }, ["bmm/bmad-route"]],
    [{ what: "workflows", origin: "project" }, ["bmm/bmad-map"]],
    [{ what: "workflows", category: "analysis" }, []],
    [{ what: "teams" }, []],
    [{ what: "knowledge" }, []],
  ];
  const library = await openShop();
  for (const [request, names] of table) {
    assert.deepEqual(
      (await listLibrary(library, request)).map(({ name }) => name).sort(),
      names,
      JSON.stringify(request),
    );
  }
});

Deno.test("a list of modules has their counts and origins", async () => {
  assert.deepEqual(await linesOf({ what: "modules" }), [
    "core: BMad Core 6.12.0: 0 agents, 1 other item (project)",
    "bmm: BMad Method 6.12.0: 1 agent, 2 other items (project)",
  ]);
});

Deno.test("a list of sources has every origin, highest priority first, with its content", async () => {
  assert.deepEqual(await linesOf({ what: "sources" }), [
    "project: priority 1, 3 items (installed skills 6.12.0): /shop",
    "cli: priority 2, 4 items (source tree): /team",
  ]);
});

Deno.test(
  "conflicts: who wins, and broken references [tool:list-conflicts, closure:dangling-shown]",
  async () => {
    assert.deepEqual(await linesOf({ what: "conflicts" }), [
      "bmm/bmad-agent-scout: 2 files differ: project .claude/skills/bmad-agent-scout/SKILL.md and " +
      "cli bmm/agents/bmad-agent-scout/SKILL.md; project wins over cli: priority 1 before 2",
      "bmm/bmad-map: 7 files differ: project .claude/skills/bmad-map/SKILL.md and " +
      "cli bmm/plan/bmad-map/SKILL.md; project wins over cli: priority 1 before 2",
      "bmad://bmm/module-help.csv: project wins over cli: priority 1 before 2",
      "bmad://_config/skill-manifest.csv: refers to _bmad/bmm/plan/bmad-lost/SKILL.md, which is missing",
      "bmad://bmm/bmad-agent-scout/SKILL.md: refers to references/way.md, which is missing",
    ]);
  },
);

Deno.test("the files of an item that differ between two origins are named, missing ones included", () => {
  const skill = "---\nname: bmad-map\ndescription: Draws maps\n---\n";
  const ours = {
    "module.yaml": "code: fw\n",
    "skills/bmad-map/SKILL.md": skill,
    "skills/bmad-map/same.md": "Same\n",
    "skills/bmad-map/changed.md": "Ours\n",
    "skills/bmad-map/ours.md": "Only here\n",
  };
  const theirs = {
    "module.yaml": "code: fw\n",
    "skills/bmad-map/SKILL.md": skill,
    "skills/bmad-map/same.md": "Same\n",
    "skills/bmad-map/changed.md": "Them\n",
    "skills/bmad-map/theirs.md": "Only there\n",
  };
  return withTree(ours, (first) =>
    withTree(theirs, async (second) => {
      const library = await openLibrary([opening("cli", 2, first), opening("env", 3, second)]);
      assert.deepEqual((await listLibrary(library, { what: "conflicts" })).map(({ data }) => data), [{
        what: "thing",
        name: "fw/bmad-map",
        wins: "cli",
        shadowed: ["env"],
        why: "cli wins over env: priority 2 before 3",
        files: [`${first}/skills/bmad-map/SKILL.md`, `${second}/skills/bmad-map/SKILL.md`],
        overridden: { name: "fw/bmad-map", origin: "env" },
        differing: [
          "bmad://fw/bmad-map/changed.md",
          "bmad://fw/bmad-map/ours.md",
          "bmad://fw/bmad-map/theirs.md",
        ],
      }]);
    }));
});

projectTest("a workflow is read with its author [tool:workflow-author]", {
  "bmad/bmm/workflows/map/workflow.yaml": 'name: map\nauthor: "Rhea"\n',
  "bmad/bmm/workflows/route/workflow.md": "---\nname: route\nauthor: Otto\n---\nGo.\n",
  "bmad/bmm/skills/bmad-notes/SKILL.md":
    "---\nname: bmad-notes\ndescription: Notes\nmetadata:\n  author: Ida\n---\nWrite.\n",
  "bmad/bmm/workflows/plain/workflow.md": "---\nname: plain\n---\nRest.\n",
}, async (library) => {
  const found = await Promise.all(library.effective.map(async (entry) => {
    const { data, text, sheet } = await readEntry(library, entry);
    const facts = sheet.filter(({ label }) => label === "author").map(({ text }) => text);
    return [entry.name, data["author"], /^author: (.*)$/m.exec(text)?.[1], ...facts];
  }));
  assert.deepEqual(found.sort(), [
    ["map", "Rhea", "Rhea", "Rhea"],
    ["notes", "Ida", "Ida", "Ida"],
    ["plain", "", undefined],
    ["route", "Otto", "Otto", "Otto"],
  ]);
});

projectTest("a fix contains no command that a project's manifest brings along", {
  "_bmad/_config/manifest.yaml": 'installation: {version: "6.12.0; rm -r x"}\nmodules: [bmm, "$(reboot)"]\n',
  "_bmad/_config/skill-manifest.csv": "",
  ".claude/skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Maps\n---\n",
}, async (library, dir) => {
  const [issue] = await diagnose(library);
  assert.equal(issue!.fix, `Correct ${dir}/_bmad/_config/skill-manifest.csv, or install BMAD again`);
});

treeTest("what comes from a repository is corrected there, and its address is no folder [cli:doctor]", {
  "_bmad/_config/manifest.yaml": "installation: {version: 6.12.0}\nmodules: [bmm]\n",
  "_bmad/_config/skill-manifest.csv":
    "canonicalId,name,description,module,path\nbmad-a,bmad-a,A,bmm,_bmad/bmm/bmad-a/SKILL.md\n",
}, async (dir) => {
  const address = "https://git.example.org/team/bmad.git";
  for (const kind of ["git", "npm"] as const) {
    const issues = await diagnose(await openLibrary([opening(kind, 5, dir, address)]));
    const fixes = issues.filter(({ path }) => path !== undefined).map(({ fix }) => fix);
    assert.deepEqual([...new Set(fixes)], [`Have it corrected in ${address}`]);
  }
});

Deno.test("the doctor shows issues and broken references [closure:dangling-shown]", async () => {
  assert.deepEqual(await linesOf({ what: "doctor" }), [
    "verdict: 1 warning",
    "project: priority 1, 3 items (installed skills 6.12.0): /shop",
    "cli: priority 2, 4 items (source tree): /team",
    "warning: project: _bmad/_config/skill-manifest.csv: 1 of 4 skills in the manifest is missing (bmm/bmad-lost). " +
    "Install its skills again: npx -y bmad-method@6.12.0 install --directory /shop --modules bmm " +
    "--tools claude-code --yes",
    "references: 12 references, 2 broken",
    "bmad://_config/skill-manifest.csv: refers to _bmad/bmm/plan/bmad-lost/SKILL.md, which is missing",
    "bmad://bmm/bmad-agent-scout/SKILL.md: refers to references/way.md, which is missing",
    "next: next step unknown: no project folder is served",
  ]);
});

Deno.test("next lists the steps in order of their phases [tool:list-next]", async () => {
  const lines = [
    "next step unknown: no project folder is served",
    "bmm/bmad-map: plan (required, after bmad-notes, before bmad-route): Use it when the ground is known.",
    "bmm/bmad-route: ship (after bmad-map): Use it when there is a map.",
  ];
  assert.deepEqual(await linesOf({ what: "next" }), lines);
  assert.deepEqual(await linesOf({ what: "next", module: "bmm" }), lines);
  assert.deepEqual(await linesOf({ what: "next", module: "core" }), lines.slice(0, 1));
  assert.deepEqual(await linesOf({ what: "next", category: "planning" }), lines.slice(0, 2));
});

Deno.test("a list of resources takes a glob and a module [tool:list-filters]", async () => {
  const urisOf = async (request: Omit<ListRequest, "what">) =>
    (await listLibrary(await openShop(), { what: "resources", ...request })).map(({ name }) => name).sort();
  assert.deepEqual(await urisOf({ pattern: "**/SKILL.md", module: "core" }), [
    "bmad://core/bmad-notes/SKILL.md",
  ]);
  assert.deepEqual(await urisOf({ pattern: "bmad://bmm/bmad-map/*" }), [
    "bmad://bmm/bmad-map/SKILL.md",
    "bmad://bmm/bmad-map/customize.toml",
  ]);
  assert.deepEqual(await urisOf({ pattern: "bmm/*.csv" }), ["bmad://bmm/module-help.csv"]);
  assert.deepEqual(await urisOf({ pattern: "*.nothing" }), []);
  assert.equal((await urisOf({})).length, 39);
  assert.deepEqual(await urisOf({ pattern: "roster*" }), ["bmad://roster"]);
  const [first] = await listLibrary(await openShop(), { what: "resources", pattern: "scripts/*" });
  assert.deepEqual(first, {
    name: "bmad://scripts/resolve_config.py",
    about: "18 bytes",
    data: { uri: "bmad://scripts/resolve_config.py", mimeType: "text/plain", size: 18, origin: "cli" },
  });
});

Deno.test("an unknown list is refused with the known ones", async () => {
  const library = await openShop();
  const known =
    ("agents, workflows, tasks, tools, skills, teams, templates, checklists, knowledge, config, " +
      "modules, resources, sources, conflicts, doctor, next, usage").split(", ");
  for (const [what, problem] of [["__proto__", 'Unknown list "__proto__"'], ["", "Missing list"]] as const) {
    const message = `${problem}. Use one of ${known.join(", ")}`;
    await assert.rejects(() => listLibrary(library, { what }), {
      failure: { code: "invalid-input", problem: message },
      message,
    }, what);
  }
  await assert.rejects(() => listLibrary(library, { what: "agens" }), {
    message: 'Unknown list "agens". Did you mean agents?',
  });
  await assert.rejects(() => listLibrary(library, { what: "workflows", category: "cooking" }), {
    failure: {
      code: "invalid-input",
      field: "category",
      problem: 'expected one of analysis, planning, solutioning, implementation, other, got "cooking"',
    },
  });
});

projectTest("a module may have only templates, or only other files", {
  "_bmad/bmm/agents/cook.md": "---\nname: cook\n---\n# Cook\n",
  "_bmad/noagents/templates/story.md": "# Story\n",
  "_bmad/prompts/ask.md": "Ask.\n",
}, async (library) => {
  const listed = async (what: string, module: string) =>
    (await listLibrary(library, { what, module })).map(({ name }) => name);
  assert.deepEqual(await listed("templates", "noagents"), ["noagents/story"]);
  assert.deepEqual(await listed("resources", "NoAgents"), ["bmad://noagents/templates/story.md"]);
  assert.deepEqual(await listed("agents", "noagents"), []);
  assert.deepEqual(await listed("resources", "prompts"), ["bmad://prompts/ask.md"]);
  for (const module of ["__proto__", "constructor", "noagent"]) {
    await assert.rejects(() => listLibrary(library, { what: "templates", module }), {
      message: `Unknown module "${module}". Use one of bmm`,
    });
  }
});

Deno.test("a named folder without content is reported, a project without content is not", () =>
  withTree({ "README.md": "Nothing here.\n" }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir), opening("cli", 2, dir, "/named")]);
    assert.deepEqual(library.diagnostics, [{
      level: "warning",
      code: "no-content",
      message: "No BMAD content found in /named",
      origin: "cli",
    }]);
    assert.deepEqual(await listLibrary(library, { what: "agents" }), []);
  }));

const agent = (description: string) => `---\nname: scout\ndescription: ${description}\n---\n`;

const TREE = {
  "one/bmad/sea/agents/scout.md": agent("One"),
  "two/bmad/sea/agents/scout.md": agent("Two"),
  "three/bmad/sea/agents/scout.md": agent("One"),
  "four/_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\nmodules:\n  - name: sea\n",
  "four/_bmad/_config/agent-manifest.csv": "name,displayName,title,icon,role,identity,module,path\n" +
    '"scout","Scout","Scout","","Looks out","Somebody","sea","_bmad/sea/agents/scout.md"\n',
};

treeTest("a chain shows the standing of each record and the reason", TREE, async (dir) => {
  const library = await openLibrary([
    opening("project", 1, `${dir}/one`),
    opening("cli", 2, `${dir}/two`),
    opening("env", 2, `${dir}/three`),
    opening("user", 4, `${dir}/four`),
  ]);
  const chainFor = async (origin?: string) => {
    const { chain } = await readEntry(library, resolveEntry(library, { name: "scout", origin }));
    return chain.map(({ origin: { id }, standing, why, differing, isAsked }) =>
      [id, standing, why, differing, isAsked ? "asked" : ""].filter((part) =>
        part !== undefined && part !== ""
      )
    );
  };
  const missing = ["user", "missing", "listed in a manifest, but its file is missing"];
  assert.deepEqual(await chainFor(), [
    ["project", "wins", "priority 1 comes before 2", "asked"],
    ["cli", "overridden", "priority 2 comes after 1", 1],
    ["env", "overridden", "priority 2 comes after 1", 0],
    missing,
  ]);
  assert.deepEqual((await chainFor("env")).map((link) => link.at(-1)), [
    "priority 1 comes before 2",
    1,
    "asked",
    missing.at(-1),
  ]);

  const equals = await openLibrary([opening("cli", 2, `${dir}/two`), opening("env", 2, `${dir}/three`)]);
  const { chain } = await readEntry(equals, resolveEntry(equals, { name: "scout" }));
  assert.deepEqual(chain.map(({ why }) => why), ["it was named first", "cli was named first"]);
  const alone = await openLibrary([opening("cli", 2, `${dir}/two`)]);
  const only = await readEntry(alone, resolveEntry(alone, { name: "scout" }));
  assert.deepEqual(only.chain.map(({ why }) => why), ["no other source has it"]);
});

treeTest("a chain shows an item that its origin has twice", {
  "one/bmad/sea/agents/scout.md": agent("One"),
  "one/.bmad/sea/agents/scout.md": agent("Again"),
}, async (dir) => {
  const library = await openLibrary([opening("project", 1, `${dir}/one`)]);
  const { chain } = await readEntry(library, resolveEntry(library, { name: "scout" }));
  assert.deepEqual(chain.map(({ standing, why }) => [standing, why]), [
    ["wins", "it was named first"],
    ["overridden", "its source has it twice, and the first one counts"],
  ]);
});
