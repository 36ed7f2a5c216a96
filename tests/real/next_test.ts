/** Is the right workflow recommended in real projects, at every stage? */
import assert from "node:assert/strict";
import { openApp } from "../../src/app.ts";
import { denoHost } from "../../src/process/host.ts";
import { resolveEntry } from "../../src/content/library/mod.ts";
import { describeArtefacts, listNext } from "../../src/project/work/next/mod.ts";
import { callTool } from "../../src/serve/mcp/mod.ts";
import { resolveConfig } from "../support/config.ts";
import { facts, say } from "../support/answers.ts";
import { clientHere, ERAS } from "../support/client.ts";
import { installation, type InstallVersion, type SourcePackage, sourceTree } from "../support/installs.ts";
import { openProject } from "../support/library.ts";
import { runHere } from "../support/program.ts";
import { copyTree, treeTest, withTree } from "../support/trees.ts";

const PLANNING = "_bmad-output/planning-artifacts";
const BUILDING = "_bmad-output/implementation-artifacts";

const sprint = (first: string, second: string, third: string, retrospective = "optional") =>
  [
    "development_status:",
    "  epic-1: in-progress",
    `  1-1-sign-up: ${first}`,
    `  1-2-sign-in: ${second}`,
    `  epic-1-retrospective: ${retrospective}`,
    "  epic-2: backlog",
    `  2-1-pay: ${third}`,
    `  epic-2-retrospective: ${retrospective}`,
    "",
  ].join("\n");

const status = (word: string) => `---\nstatus: ${word}\n---\n# Text\n`;

type Stage = readonly [adds: Readonly<Record<string, string>>, next: string, why: RegExp];

const STAGES: Readonly<Partial<Record<InstallVersion, readonly Stage[]>>> = {
  "6.12.0": [
    [
      {},
      "bmad-prd",
      /^bmad-prd is the first required step; no prd in _bmad-output\/planning-artifacts yet$/,
    ],
    [
      { [`${PLANNING}/briefs/brief-shop/brief.md`]: status("final") },
      "bmad-prd",
      / is the first required step/,
    ],
    [
      { [`${PLANNING}/prds/prd-shop/prd.md`]: status("draft") },
      "bmad-prd",
      /prd\.md is not marked as finished$/,
    ],
    [{ [`${PLANNING}/prds/prd-shop/prd.md`]: status("final") }, "bmad-architecture", /^bmad-prd is done/],
    [{ [`${PLANNING}/research/technical-architecture.md`]: "x" }, "bmad-architecture", /^bmad-prd is done/],
    [
      { [`${PLANNING}/architecture/arch-shop/ARCHITECTURE.md`]: status("final") },
      "bmad-create-epics-and-stories",
      /^bmad-architecture is done/,
    ],
    [
      { [`${PLANNING}/epics.md`]: "---\nstepsCompleted: [1, 2]\n---\n" },
      "bmad-sprint-planning",
      /epics\.md; if that is not finished, continue with bmad-create-epics-and-stories$/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("backlog", "backlog", "backlog") },
      "bmad-build",
      /^story 1-1-sign-up is first in the backlog; 0 of 3 stories in \S+ are done$/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("done", "in-progress", "review") },
      "bmad-build",
      /^story 1-2-sign-in is in progress; 1 of 3/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("done", "ready-for-dev", "review") },
      "bmad-code-review",
      /^story 2-1-pay is ready for review/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("done", "done", "ready-for-dev") },
      "bmad-build",
      /^story 2-1-pay is ready for development; 2 of 3/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("done", "done", "done") },
      "bmad-retrospective",
      /epic 1 has no retrospective yet \(optional\)$/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("done", "done", "done", "done") },
      "all done",
      /^3 of 3 stories/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("done", "lost", "done", "done") },
      "unknown",
      /^2 of 3 stories in \S+ are done; sprint-status\.yaml, line 4: story 1-2-sign-in has the unknown status "lost"\. Fix that line$/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("done", "awaiting-operator", "backlog") },
      "bmad-build",
      /^story 2-1-pay is first in the backlog; 1 of 3 .*; blocked: 1-2-sign-in \(awaiting-operator\)$/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("done", "done", "backlog") },
      "bmad-build",
      /^story 2-1-pay is first in the backlog; [^]*; epic 1 has no retrospective yet \(optional\)$/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: "development_status:\n  1-1-a: done\n 1-2-b: [\n" },
      "unknown",
      /; sprint-status\.yaml, line 3: the YAML cannot be parsed: .*\. Fix that line, or have bmad-sprint-planning write the file again$/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: "development_status: [\n" },
      "unknown",
      /^\S+sprint-status\.yaml, line \d: the YAML cannot be parsed: .* bmad-sprint-planning write the file again$/,
    ],
  ],
  "6.5.0": [
    [{}, "bmad-create-prd", / is the first required step/],
    [{ [`${PLANNING}/prd.md`]: "x" }, "bmad-create-architecture", /^bmad-create-prd has left/],
    [{ [`${PLANNING}/prd-validation-report.md`]: "x" }, "bmad-create-architecture", /prd\.md; if/],
    [
      { [`${PLANNING}/architecture.md`]: "x" },
      "bmad-create-epics-and-stories",
      /^bmad-create-architecture has left/,
    ],
    [{ [`${PLANNING}/epics.md`]: "x" }, "bmad-check-implementation-readiness", /^bmad-create-epics/],
    [
      { [`${PLANNING}/implementation-readiness-report-2026-01-01.md`]: "x" },
      "bmad-sprint-planning",
      /^bmad-check-implementation-readiness has left/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("backlog", "backlog", "backlog") },
      "bmad-create-story",
      /^story 1-1-sign-up is first in the backlog/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("drafted", "backlog", "backlog") },
      "bmad-dev-story",
      /is ready/,
    ],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("review", "backlog", "backlog") },
      "bmad-code-review",
      /review/,
    ],
  ],
  "6.0.4": [
    [{}, "create-prd", / is the first required step/],
    [{ [`${PLANNING}/prd.md`]: "x" }, "create-architecture", /^create-prd has left/],
    [
      { [`${BUILDING}/sprint-status.yaml`]: sprint("in-progress", "backlog", "backlog") },
      "dev-story",
      /progress/,
    ],
  ],
};

const SPEC = "_bmad-output/specs/spec-shop";
const STORIES = '- id: "1"\n  title: Sign up\n- id: "2"\n  title: Pay\n';

const SPEC_STAGES: readonly Stage[] = [
  [
    { [`${SPEC}/SPEC.md`]: "---\nid: SPEC-shop\n---\n# Shop\n" },
    "bmad-build",
    /^bmad-build can build \S+\/spec-shop\/SPEC\.md; if it needs several stories, let bmad-spec split it first$/,
  ],
  [
    { [`${SPEC}/stories.yaml`]: STORIES },
    "bmad-build",
    /^story spec-shop\/1 is first in the backlog; 0 of 2 stories in _bmad-output\/specs\/spec-shop\/stories\.yaml are done$/,
  ],
  [
    { [`${SPEC}/stories/1-sign-up.md`]: status("in-review") },
    "bmad-code-review",
    /^story spec-shop\/1 is ready/,
  ],
  [
    { [`${SPEC}/stories/1-sign-up.md`]: status("done") },
    "bmad-build",
    /^story spec-shop\/2 is first.*1 of 2/,
  ],
  [{ [`${SPEC}/stories/2-pay.md`]: status("done") }, "all done", /^2 of 2 stories in .* are done/],
  [{ [`${SPEC}/stories.yaml`]: "- id: [\n" }, "unknown", /stories\.yaml, line \d: the YAML cannot be parsed/],
];

const story = (word: string) => `# Story\n\n## Status\n\n${word}\n\n## Story\n`;

const V4_STAGES: readonly Stage[] = [
  [{}, "pm", /^pm \*create-prd is the first required step; no prd in docs yet$/],
  [{ "docs/brief.md": "x" }, "pm", / is the first required step/],
  [
    { "docs/prd.md": "# PRD\n" },
    "architect",
    /^pm \*create-prd has left docs\/prd\.md; if that is not finished/,
  ],
  [
    { "docs/architecture.md": "x" },
    "po",
    /^architect \*create-full-stack-architecture has left docs\/architecture\.md/,
  ],
  [
    {
      "docs/prd/index.md": "x",
      "docs/prd/epic-1-shop.md": "# Epic 1: Shop\n\n## Story 1.1: Sign up\n\n## Story 1.2: Pay\n",
    },
    "sm",
    /^po \*shard-prd has left docs\/prd\/epic-1-shop\.md and docs\/prd\/index\.md/,
  ],
  [
    { "docs/stories/1.1.sign-up.md": story("Draft") },
    "po",
    /^story 1\.1\.sign-up is a draft to be approved: \S+\.md; 0 of 2/,
  ],
  [
    { "docs/stories/1.1.sign-up.md": story("Approved") },
    "dev",
    /^story 1\.1\.sign-up is ready for development/,
  ],
  [
    { "docs/stories/1.1.sign-up.md": story("Ready for Review") },
    "qa",
    /^story 1\.1\.sign-up is ready for review/,
  ],
  [{ "docs/stories/1.1.sign-up.md": story("Done") }, "sm", /^story 1-2 is first in the backlog; 1 of 2/],
  [{ "docs/stories/1.2.pay.md": story("Done") }, "all done", /^2 of 2 stories in .* are done/],
];

const PROJECTS: readonly (readonly [version: InstallVersion, stages: readonly Stage[], name?: string])[] = [
  ...(Object.entries(STAGES) as [InstallVersion, readonly Stage[]][]),
  ["6.12.0", SPEC_STAGES, "with a spec"],
  ["4.44.3", V4_STAGES],
];

async function checkStages(dir: string, stages: readonly Stage[]): Promise<void> {
  for (const [adds, next, why] of stages) {
    for (const [path, text] of Object.entries(adds)) {
      await Deno.mkdir(`${dir}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      await Deno.writeTextFile(`${dir}/${path}`, text);
    }
    const library = await openProject(dir);
    const { data } = (await listNext(library, {}))[0]!;
    const said = `${JSON.stringify(adds)}: ${data["id"]} ${data["why"]}`;
    assert.equal(data["id"] ?? data["standing"], next, said);
    assert.match(String(data["why"]), why, said);
  }
}

for (const [version, stages, name = ""] of PROJECTS) {
  Deno.test(`the next step of ${version} ${name} is named at every stage [tool:list-next]`, () =>
    withTree({}, async (dir) => {
      await copyTree(await installation(version), dir);
      await checkStages(dir, stages);
    }));
}

/** The alphas, which have no help catalogue. */
const ALPHAS: readonly (readonly [name: SourcePackage, stages: readonly Stage[]])[] = [
  ["bmad-method@6.0.0-alpha.7", [
    [{}, "prd", /^prd is the first required step; no prd in docs yet$/],
    [{ "docs/PRD.md": "# PRD\n" }, "create-epics-and-stories", /^prd has left docs\/PRD\.md/],
    [{ "docs/epics.md": "# Epics\n" }, "architecture", /^create-epics-and-stories has left/],
    [{ "docs/architecture.md": status("complete") }, "sprint-planning", /^architecture is done/],
    [
      { "docs/sprint-status.yaml": sprint("backlog", "backlog", "backlog") },
      "create-story",
      /^story 1-1-sign/,
    ],
    [{ "docs/sprint-status.yaml": sprint("review", "backlog", "backlog") }, "code-review", /^story 1-1-sign/],
    [
      { "docs/sprint-status.yaml": sprint("done", "done", "done") },
      "retrospective",
      /epic 1 has no retrospective yet/,
    ],
  ]],
  ["bmad-method@6.0.0-alpha.22", [
    [{}, "create-prd", /^create-prd is the first required step/],
    [{ "docs/prd.md": "# PRD\n" }, "create-architecture", /^create-prd has left/],
    [
      { "docs/sprint-status.yaml": sprint("ready-for-dev", "backlog", "backlog") },
      "dev-story",
      /^story 1-1-sign/,
    ],
  ]],
];

for (const [name, stages] of ALPHAS) {
  treeTest(`the next workflow of ${name} is known without a help catalogue [tool:list-next]`, {
    "bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha\nmodules:\n  - bmm\n",
  }, async (dir) => {
    await copyTree(`${await sourceTree(name)}/src/modules/bmm`, `${dir}/bmad/bmm`);
    await Deno.writeTextFile(`${dir}/bmad/bmm/config.yaml`, 'output_folder: "{project-root}/docs"\n');
    await checkStages(dir, stages);
    const library = await openProject(dir);
    for (const name of ["dev-story", "pm"]) {
      const lines = await describeArtefacts(library, resolveEntry(library, { name }), { now: Date.now });
      assert.match(lines.join("\n"), /^- PRD: docs\/prd\.md/im, name);
    }
  });
}

Deno.test("the list and the packet print the same call [work:next]", async (t) => {
  const calls: Readonly<Partial<Record<InstallVersion, string>>> = {
    "4.44.3": '{"operation":"execute","agent":"bmad-core/pm","item":"create-prd"}',
    "6.12.0": '{"operation":"execute","workflow":"bmm/bmad-prd"}',
  };
  for (const [version, call] of Object.entries(calls) as [InstallVersion, string][]) {
    await t.step(version, async () => {
      const dir = await installation(version);
      const host = denoHost(dir);
      const app = openApp(
        resolveConfig({ ...host, home: undefined, args: ["--project", dir], env: () => undefined }),
        host,
      );
      const ask = async (tool: string, args: Readonly<Record<string, string>>) =>
        (await callTool(app, tool, args)).content[0]!.text!;
      const listed = await ask("bmad", { operation: "list", query: "next" });
      assert.equal(/\n→ bmad (.*)$/.exec(listed)?.[1], call);
      assert.equal(/\nCall: bmad (.*)$/m.exec(await ask("bmad_work", { operation: "next" }))?.[1], call);
    });
  }
});

for (const era of ERAS) {
  Deno.test(`a ${era} client gets the next step, by the folders of a team [tool:list-next]`, () =>
    withTree({ "docs/plan/prd.md": status("final") }, async (dir) => {
      await copyTree(await installation("6.12.0"), dir);
      await Deno.writeTextFile(
        `${dir}/_bmad/custom/config.toml`,
        '[modules.bmm]\nplanning_artifacts = "{project-root}/docs/plan"\n',
      );
      await using client = await clientHere({ era, cwd: dir });
      const { items } = await facts(client, { operation: "list", query: "next" });
      assert.deepEqual([items[0].id, items[0].standing, items[0].files], [
        "bmad-architecture",
        "next",
        ["docs/plan/prd.md"],
      ]);
      // Things that the program brings along are no part of an installed module's way.
      assert.deepEqual(items.filter((item: { standing: string }) => item.standing === "next").length, 1);
      // What changes on disk counts at once.
      await Deno.writeTextFile(`${dir}/docs/plan/architecture.md`, status("final"));
      assert.match(
        await say(client, { operation: "list", query: "next" }),
        /- bmm\/bmad-create-epics-and-stories: next \(bmad-architecture is done: docs\/plan\/architecture\.md\)\n/,
      );
    }));
}

Deno.test("without an installation, the next step is the embedded one [tool:list-next]", () =>
  withTree({ [`${PLANNING}/prd.md`]: status("final"), ".git/x": "" }, async (cwd) => {
    const { code, stdout, stderr } = await runHere(["list", "next", "--limit", "1"], { cwd });
    assert.deepEqual([code, stdout.split("\n")[0]], [
      0,
      `bmm/bmad-architecture\tnext (bmad-prd is done: ${PLANNING}/prd.md)`,
    ], stderr);
    const strict = await runHere(["list", "next", "--mode", "strict", "--path", cwd], { cwd });
    assert.match(strict.stdout, /^next step unknown\t/);
  }));
