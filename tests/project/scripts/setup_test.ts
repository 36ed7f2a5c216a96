/**
 * Does `setup.py --status` say what is installed, what it needs and what comes next?
 */
import assert from "node:assert/strict";
import { commandOf, runScript } from "../../../src/project/scripts/mod.ts";
import {
  compareVersions,
  isNewEnough,
  orderableVersion,
} from "../../../src/project/scripts/setup_versions.ts";
import { FLAT_SKILLS, flatSource, NEWEST_SKILLS } from "../../support/flat.ts";
import { verifies } from "../../support/requirements.ts";
import { worldOf } from "../../support/scripts.ts";
import { listTree, type TreeFile, withTree } from "../../support/trees.ts";

// deno-lint-ignore no-explicit-any
type Json = any;
type Files = Readonly<Record<string, TreeFile>>;

const SKILLS = ".agents/skills";
const SOURCE = flatSource("tickets", SKILLS);
const at = (path: string) => SOURCE[`${SKILLS}/${path}`] as string;

/** What setup leaves in a project. */
const RUNTIME: Files = {
  "_bmad/config.toml":
    '[core]\nproject_name = "Shop"\n[modules.tea]\ntest_framework = "auto"\ntea_use_mocks = "true"\n' +
    '[modules.notes]\nchangelog = "C.md"\n',
  "_bmad/custom/.gitignore": "*.user.toml\n",
  "_bmad/custom/config.user.toml": '[modules.tea]\nnickname = "T"\n',
  "_bmad/scripts/resolve_config.py": at("bmad/scripts/resolve_config.py"),
  "_bmad/scripts/setup.py": at("bmad/scripts/setup.py"),
  "_bmad/method/scripts/tickets.py": at("bmad-ticket/scripts/tickets.py"),
  ...Object.fromEntries(["core-tools", "tea", "notes"].map((code) => [`_bmad/${code}/scripts/.gitkeep`, ""])),
  "_bmad-output/": "",
};

async function status(files: Files, ...args: readonly string[]): Promise<Json> {
  return await withTree({ ...SOURCE, ...files }, async (root) => {
    const before = await listTree(root);
    const line = ["setup.py", "--status", "--project-root", ".", "--skill", `${SKILLS}/bmad`, ...args];
    const { status, stdout, stderr } = await runScript(commandOf(line), worldOf(root));
    assert.equal(status, 0, stderr);
    assert.deepEqual(await listTree(root), before);
    return JSON.parse(stdout);
  });
}

Deno.test(verifies("work:setup-status", "a project that setup has finished is current"), async () => {
  const report = await status(RUNTIME);
  assert.deepEqual([report.current, report.next, report.problems], [true, null, []]);
  assert.deepEqual(report.bmad, { skill: "bmad", version: "6.13.0-next", module: "core-tools" });
  assert.deepEqual(
    report.modules.map((
      { module, skills, scripts, update }: Json,
    ) => [module, skills, scripts, update.state]),
    [
      ["core-tools", FLAT_SKILLS["core-tools"], "current", "could-not-check"],
      ["method", [...FLAT_SKILLS.method, ...NEWEST_SKILLS.method], "current", "could-not-check"],
      ["notes", NEWEST_SKILLS.notes, "current", "could-not-check"],
      ["tea", NEWEST_SKILLS.tea, "current", "could-not-check"],
    ],
  );
  assert.deepEqual([report.shared_scripts, report.custom_gitignore, report.bmad_exists], [
    "current",
    "current",
    true,
  ]);
});

Deno.test(
  verifies("work:setup-status", "what is missing has its command, the most urgent one first"),
  async () => {
    const bare = await status({});
    assert.deepEqual([bare.current, bare.next, bare.bmad_exists], [false, "bmad setup", false]);
    assert.deepEqual([bare.shared_scripts, bare.custom_gitignore], ["missing", "missing"]);
    assert.deepEqual(bare.pending_questions.map(({ module, key, scope }: Json) => [module, key, scope]), [
      ["notes", "changelog", "team"],
      ["tea", "test_framework", "team"],
      ["tea", "tea_use_mocks", "team"],
      ["tea", "nickname", "user"],
    ]);
    const stale = await status(
      { ...RUNTIME, "_bmad/method/scripts/tickets.py": "old\n" },
      "--module",
      "bmod-method",
    );
    assert.deepEqual([stale.module, stale.modules[0].scripts, stale.next], [
      "method",
      "stale",
      "bmad setup method",
    ]);
    const record = (more: string) =>
      `[bmod]\ncode = "x"\nversion = "1.0.0"\nupdate_source = "github:a/b/skills"\n${more}`;
    const lacking = await status({
      ...RUNTIME,
      [`${SKILLS}/bmod-x/bmod.toml`]: record(
        'skills = ["bmad-gone"]\nrequired_skills = [{ skill = "bmad", version = "7.0.0", source = "github:c/d" }, "bmad-none"]\n' +
          'recommended_skills = [{ skill = "bmad-prd", version = "6.13.0", source = "github:c/d" }]\n',
      ),
      [`${SKILLS}/lost/bmod.toml`]: '[skill]\nbmod = "bmod-lost"\nsource = "github:e/f"\n',
      [`${SKILLS}/bmad-local/bmod.toml`]: '[skill]\nbmod = "bmod-x"\nsource = "github:a/b"\n',
    });
    assert.equal(lacking.next, "npx skills add e/f --skill bmod-lost");
    assert.deepEqual(
      lacking.unmet_requirements.map((
        { requires, state, installed, install }: Json,
      ) => [requires, state, installed, install]),
      [
        ["bmad", "outdated", "6.13.0-next", "npx skills update"],
        ["bmad-none", "missing", null, "npx skills add a/b --skill bmad-none"],
      ],
    );
    // A build that goes before a release has what the release will have.
    assert.deepEqual(lacking.unmet_recommendations, []);
    assert.deepEqual(lacking.modules.find(({ module }: Json) => module === "x").absent_skills, ["bmad-gone"]);
    assert.deepEqual(lacking.problems.map(({ kind, skill }: Json) => [kind, skill]), [[
      "membership",
      "bmad-local",
    ]]);
  },
);

Deno.test(verifies("work:setup-status", "copies, retired skills and traces of 6.x are found"), async () => {
  const report = await status(
    {
      ...RUNTIME,
      ".claude/skills/bmad-prd/bmod.toml": '[skill]\nbmod = "bmod-method"\nsource = "github:a/b"\n',
      ".claude/skills/bmod-method/bmod.toml": at("bmod-method/bmod.toml").replace("6.13.0-next", "6.14.0"),
      ".claude/skills/bmad": { link: "../../.agents/skills/bmad" },
      ".cursor/skills/bmad-help/SKILL.md": "# Old\n",
      ".claude/skills/bmad-sprint-planning/SKILL.md": "# Older\n",
      "_bmad/custom/bmad-help.toml": "[workflow]\n",
      "_bmad/custom/bmad-preview-ticketing.user.toml": "[workflow]\n",
      "_bmad/custom/bmad-ticket.user.toml": "[workflow]\n",
      "_bmad/custom/bmad-distillator.toml": "[workflow]\n",
      "_bmad/_config/manifest.yaml": "x: 1\n",
    },
    "--root",
    SKILLS,
    "--root",
    ".claude/skills",
    "--root",
    "/etc",
  );
  assert.deepEqual(
    report.duplicate_skills.map((
      { skill, used, newer_copy_unused }: Json,
    ) => [skill, used, newer_copy_unused]),
    [
      ["bmad-prd", `${SKILLS}/bmad-prd`, true],
      ["bmod-method", `${SKILLS}/bmod-method`, true],
    ],
  );
  assert.deepEqual(
    report.retired_skills.map(({ skill, renamed_to, paths }: Json) => [skill, renamed_to, paths]),
    [
      ["bmad-help", "bmad", [".cursor/skills/bmad-help"]],
      ["bmad-sprint-planning", null, [".claude/skills/bmad-sprint-planning"]],
    ],
  );
  assert.deepEqual(report.custom_renames, [{
    from: "_bmad/custom/bmad-help.toml",
    to: "_bmad/custom/bmad.toml",
  }]);
  assert.deepEqual(report.custom_not_renamed.map(({ to }: Json) => to), [
    "_bmad/custom/bmad-ticket.user.toml",
  ]);
  assert.deepEqual(report.custom_unused.map(({ skill }: Json) => skill), ["bmad-distillator"]);
  assert.deepEqual([report.legacy_leftovers, report.next], [["_config/manifest.yaml"], "bmad setup"]);
});

Deno.test(
  verifies("work:setup-status", "broken and hostile records are problems, and nothing else"),
  async () => {
    const bad: Files = Object.fromEntries([
      "[bmod]\n",
      "x = 1\n",
      "bmod = 1\n",
      "[bmod\n",
      "[skill]\nbmod = 'a/b'\nsource = 'github:a/b'\n",
      "[skill]\nbmod = 'bmod-x'\nsource = 'ftp://x'\n",
      "[bmod]\ncode = 'scripts'\nversion = '1'\nupdate_source = 'file:x'\n",
      "[bmod]\ncode = 'm'\nversion = '1'\nupdate_source = 'file:x'\nskills = ['a', 'a']\n",
      "[bmod]\ncode = 'm'\nversion = '1'\nupdate_source = 'file:x'\nskills = 'a'\n",
      "[bmod]\ncode = 'm'\nversion = '1'\nupdate_source = 'file:x'\nrequired_skills = [{ skill = 'x' }]\n",
      "[bmod]\ncode = 'm'\nversion = '1'\nupdate_source = 'file:x'\nconfig_questions = [{ key = 'x' }]\n",
      "[skill]\nbmod = 'bmod-x'\nsource = 'github:a/b'\nscripts = ['../x.py']\n",
      `[bmod]\n${"#".repeat(70_000)}\n`,
    ].map((text, at) => [`${SKILLS}/bad-${String(at).padStart(2, "0")}/bmod.toml`, text]));
    const report = await status({
      ...RUNTIME,
      ...bad,
      [`${SKILLS}/bmod-tea/retired.toml`]: "removed = ['a', 'a']\n",
    });
    const kinds = report.problems.map(({ kind, folder }: Json) => `${kind} ${folder}`);
    assert.deepEqual(kinds, [
      ...Object.keys(bad).map((path) => `bmod-file ${path.split("/")[2]}`),
      "retired-file bmod-tea",
    ]);
    assert.deepEqual(report.modules.map(({ module }: Json) => module), [
      "core-tools",
      "method",
      "notes",
      "tea",
    ]);
    assert.equal(report.current, false);
    const local = await status({
      ...RUNTIME,
      [`${SKILLS}/bmod-z/bmod.toml`]: "[bmod]\ncode = 'z'\nversion = '1.0.0'\nupdate_source = 'file:src'\n",
      "src/bmod-z/bmod.toml": "[bmod]\ncode = 'z'\nversion = '1.1.0'\nupdate_source = 'file:src'\n",
      [`${SKILLS}/bmod-y/bmod.toml`]: "[bmod]\ncode = 'y'\nversion = '1.0.0'\nupdate_source = 'file:/etc'\n",
      [`${SKILLS}/bmod-w/bmod.toml`]: "[bmod]\ncode = 'w'\nversion = '1.0.0'\nupdate_source = 'plugin:p'\n",
    });
    const updates = Object.fromEntries(
      local.modules.map(({ module, update }: Json) => [module, update.state]),
    );
    assert.deepEqual([updates.z, updates.y, updates.w], [
      "newer-available",
      "could-not-check",
      "plugin-managed",
    ]);
    assert.equal(local.next, "npx skills update");
    const unknown = await status(RUNTIME, "--module", "nobody");
    assert.deepEqual([unknown.status, unknown.installed_modules.length], ["unknown-module", 4]);
  },
);

Deno.test("versions have the order of semantic versioning", () => {
  const sorted = [
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-a",
    "1.0.0-a.1",
    "1.0.0-b",
    "1.0.0",
    "1.0.1",
    "1.10.0",
    "2.0.0",
  ];
  for (const [one, a] of sorted.entries()) {
    for (const [other, b] of sorted.entries()) {
      assert.equal(Math.sign(compareVersions(a, b)!), Math.sign(one - other), `${a} ${b}`);
    }
  }
  for (
    const text of [
      "1",
      "1.0",
      "01.0.0",
      "1.0.0-",
      "1.0.0-dev",
      "1.0.0-01",
      "x",
      "1.0.0-a..b",
      `1.0.0-${"1.".repeat(500)}`,
    ]
  ) {
    assert.equal(orderableVersion(text), undefined, text);
  }
  assert.deepEqual([isNewEnough("6.13.0-next", "6.13.0"), isNewEnough("6.13.0-rc", "6.13.0")], [true, false]);
  assert.equal(compareVersions("1.0.0+a", "1.0.0+b"), 0);
});
