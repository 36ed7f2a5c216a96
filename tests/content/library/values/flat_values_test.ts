/** Which values apply to skills of the generation after 6.12, and who is in the roster? */
import assert from "node:assert/strict";
import { resolveModuleConfig } from "../../../../src/content/library/values/config.ts";
import { resolveValues } from "../../../../src/content/library/values/customize.ts";
import { diagnose, type Library, openLibrary, readResource } from "../../../../src/content/library/mod.ts";
import { type FlatForm, flatSource } from "../../../support/flat.ts";
import { opening, testsOver } from "../../../support/library.ts";
import { type TreeFile, withTree } from "../../../support/trees.ts";

type Files = Readonly<Record<string, TreeFile>>;
// deno-lint-ignore no-explicit-any
type Json = any;

function withProject<T>(
  form: FlatForm,
  files: Files,
  work: (library: Library) => T | Promise<T>,
): Promise<T> {
  return withTree(
    { ...flatSource(form, ".agents/skills"), ...files },
    async (dir) => await work(await openLibrary([opening("project", 1, dir)], { project: "/home/ann/shop" })),
  );
}

const projectTest = testsOver(withProject);

const DEFAULTS = {
  user_name: "BMad",
  project_name: "shop",
  communication_language: "English",
  document_output_language: "English",
  output_folder: "_bmad-output",
};

const FOLDERS = {
  planning_artifacts: "{project-root}/_bmad-output/planning-artifacts",
  implementation_artifacts: "{project-root}/_bmad-output/implementation-artifacts",
  project_knowledge: "{project-root}/docs",
};

Deno.test("before any setup, all keys have defaults [config:flat]", async (t) => {
  await t.step("the newest form", () =>
    withProject("tickets", {}, (library) => {
      assert.deepEqual(resolveModuleConfig(library, "method"), DEFAULTS);
      const answers = { test_framework: "auto", tea_use_mocks: "true", nickname: "T" };
      assert.deepEqual(resolveModuleConfig(library, "tea"), { ...DEFAULTS, ...answers });
      assert.deepEqual(resolveModuleConfig(library, "notes"), { ...DEFAULTS, changelog: "CHANGELOG.md" });
    }));
  await t.step("forms that keep documents in two folders", () =>
    withProject("manifests", {}, (library) => {
      assert.deepEqual(resolveModuleConfig(library, "method"), { ...DEFAULTS, ...FOLDERS });
      assert.deepEqual(resolveModuleConfig(library, "toolbox"), DEFAULTS);
    }));
});

projectTest("three layers count, an old personal file does not [config:flat]", "tickets", {
  "_bmad/config.toml":
    '[core]\nproject_name = "Shop"\noutput_folder = "out"\n[modules.tea]\ntea_use_mocks = "false"\n',
  "_bmad/config.user.toml": '[core]\nuser_name = "Old"\n',
  "_bmad/custom/config.toml": '[core]\nproject_name = "Big Shop"\n[modules.tea]\ntest_framework = "deno"\n',
  "_bmad/custom/config.user.toml":
    '[core]\nactive_initiative = "initiative-one"\n[modules.tea]\nnickname = "Al"\n',
  "_bmad/custom/bmad-prd.toml": '[workflow]\noutput = "{output_folder}/ours"\n',
}, (library) => {
  const config = resolveModuleConfig(library, "tea");
  assert.deepEqual(config, {
    ...DEFAULTS,
    project_name: "Big Shop",
    output_folder: "out",
    active_initiative: "initiative-one",
    test_framework: "deno",
    tea_use_mocks: "false",
    nickname: "Al",
  });
  const prd = library.effective.find(({ id }) => id === "bmad-prd")!;
  assert.deepEqual(resolveValues(library, prd).customization, {
    workflow: { output: "{output_folder}/ours" },
  });
});

Deno.test("an override under a former name is reported with the name that counts", () =>
  withProject("tickets", { "_bmad/custom/bmad-help.toml": "[workflow]\n" }, async (library) => {
    const issues = (await diagnose(library)).filter(({ path }) => path === "_bmad/custom/bmad-help.toml");
    assert.deepEqual(issues.map(({ message, fix }) => `${message}. ${fix}`), [
      "is ignored: the skill is now called bmad. Rename it to bmad.toml, or delete it",
    ]);
  }));

Deno.test("an override under a former name counts [config:flat, origins:flat-upgrade]", async () => {
  const files = {
    ".agents/skills/bmad-ticket/customize.toml": '[workflow]\nstore = "repo"\nstyle = "short"\n',
    "_bmad/custom/bmad-preview-ticketing.toml": '[workflow]\nstore = "team"\n',
    "_bmad/custom/bmad-preview-ticketing.user.toml": '[workflow]\nstyle = "long"\n',
  };
  const look = async (library: Library) => {
    const ticket = library.effective.find(({ id }) => id === "bmad-ticket")!;
    const issues = (await diagnose(library)).filter(({ path }) => path?.includes("preview-ticketing"));
    return {
      values: resolveValues(library, ticket).customization["workflow"],
      issues: issues.map(({ message, fix }) => `${message}. ${fix}`),
    };
  };
  const applies = (end: string) =>
    `applies to bmad-ticket, as the skill is now called, but only here. Rename it to bmad-ticket${end}`;
  await withProject("tickets", files, async (library) => {
    assert.deepEqual(await look(library), {
      values: { store: "team", style: "long" },
      issues: [applies(".toml"), applies(".user.toml")],
    });
  });
  const both = { ...files, "_bmad/custom/bmad-ticket.toml": '[workflow]\nstore = "new"\n' };
  await withProject("tickets", both, async (library) => {
    assert.deepEqual(await look(library), {
      values: { store: "new", style: "long" },
      issues: [
        "is ignored: the skill is now called bmad-ticket. Rename it to bmad-ticket.toml, or delete it",
        applies(".user.toml"),
      ],
    });
  });
});

Deno.test("the active initiative is read under the old module too, and the core's counts", async () => {
  const old = '[modules.bmm]\nactive_initiative = "initiative-old"\nplanning_artifacts = "plans"\n';
  const files = { "_bmad/config.toml": "[core]\n", "_bmad/custom/config.user.toml": old };
  await withProject("records", files, (library) => {
    const { active_initiative, planning_artifacts } = resolveModuleConfig(library, "method");
    assert.deepEqual([active_initiative, planning_artifacts], ["initiative-old", "plans"]);
  });
  const both = { ...files, "_bmad/config.toml": '[core]\nactive_initiative = "initiative-new"\n' };
  await withProject("records", both, (library) => {
    assert.equal(resolveModuleConfig(library, "method")["active_initiative"], "initiative-new");
  });
});

const OLD: Files = {
  "_bmad/_config/manifest.yaml":
    "installation:\n  version: 6.12.0\nmodules: [core, bmm, gds]\nides: [claude-code]\n",
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    '"bmad-prd","bmad-prd","x","bmm","_bmad/bmm/plan/bmad-prd/SKILL.md"\n' +
    '"bmad-help","bmad-help","x","core","_bmad/core/bmad-help/SKILL.md"\n' +
    '"bmad-gone","bmad-gone","x","bmm","_bmad/bmm/bmad-sprint-planning/SKILL.md"\n' +
    '"bmad-game","bmad-game","x","gds","_bmad/gds/bmad-game/SKILL.md"\n',
  "_bmad/core/config.yaml": "user_name: Ann\ncommunication_language: German\noutput_folder: old\n",
  "_bmad/config.user.toml": '[core]\nuser_name = "Old"\n',
  "_bmad/config.toml": '[core]\noutput_folder = "new"\n',
  ".claude/skills/bmad-prd/SKILL.md": "---\nname: bmad-prd\ndescription: The old one.\n---\n",
  ".claude/skills/bmad-help/SKILL.md": "---\nname: bmad-help\ndescription: The old one.\n---\n",
  ".claude/skills/bmad-game/SKILL.md": "---\nname: bmad-game\ndescription: A game.\n---\n",
};

Deno.test("halfway upgraded: old answers are defaults [config:flat, origins:flat-upgrade]", async (t) => {
  await t.step("upgraded", () =>
    withProject("tickets", OLD, (library) => {
      const names = library.effective.map(({ module, id }) => `${module}/${id}`);
      assert.deepEqual(names.filter((name) => /prd|help|game|gone/.test(name)), [
        "gds/bmad-game",
        "method/bmad-prd",
      ]);
      const { user_name, communication_language, output_folder } = resolveModuleConfig(library, "method");
      assert.deepEqual([user_name, communication_language, output_folder], ["Ann", "German", "new"]);
    }));
  await t.step("not upgraded, the user's file counts", () =>
    withTree(OLD, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
      assert.equal(resolveModuleConfig(library, "bmm")["user_name"], "Old");
    }));
});

Deno.test("the roster of a record has agents, personas and groups [config:flat-roster]", async (t) => {
  const read = async (library: Library, uri: string) => JSON.parse((await readResource(library, uri)).text!);
  for (const form of ["lists", "tickets"] as const) {
    await t.step(
      form,
      () =>
        withProject(
          form,
          { "_bmad/config.toml": '[agents.bmad-mine]\nmodule = "mine"\nname = "Mia"\n' },
          async (library) => {
            const { agents } = await read(library, "bmad://roster/agents");
            const people = Object.entries(agents).map(([code, { name }]: [string, Json]) =>
              `${code}: ${name}`
            );
            const tess = form === "tickets" ? ["bmad-tea: Tess"] : [];
            assert.deepEqual(people.sort(), [
              "bmad-agent-dev: Dex",
              "bmad-agent-pm: Penny",
              "bmad-mine: Mia",
              ...tess,
            ]);
            assert.equal(agents["bmad-agent-dev"].description, "Short sentences, green tests.");
            const kitchen = await read(library, "bmad://roster/parties/kitchen");
            assert.deepEqual(kitchen.members.map(({ name }: Json) => name), ["Penny", "Dex", "Cora"]);
            assert.deepEqual([kitchen.unresolved, kitchen.scene], [[], "Late, and the oven is on."]);
          },
        ),
    );
  }
});
