/** Does a path lead to its file as an item spells it, and does a path of the user's project say so? */
import assert from "node:assert/strict";
import {
  type Calls,
  executeEntry,
  type Library,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { opening, projectTest, testsOver, withProject } from "../../../support/library.ts";
import { withTree } from "../../../support/trees.ts";

const PLAN = "_bmad/bmm/workflows/plan";

const PROJECT = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\n",
  "_bmad/bmm/config.yaml":
    "planning_artifacts: '{project-root}/out/planning'\nproject_knowledge: docs\nuser_name: Ann\n",
  "_bmad/core/config.yaml": "output_folder: '{project-root}/out'\nuser_name: Ann\n",
  "_bmad/core/tasks/review-prose.xml": "<task/>",
  "_bmad/core/workflows/party/workflow.md": "---\nname: party\n---\nOpen `./steps/step-01-invite.md`.\n",
  "_bmad/core/workflows/party/steps/step-01-invite.md": "Invite.\n",
  [`${PLAN}/workflow-buy.md`]: "---\nname: buy\n---\nOpen `./buy-steps/step-01.md`.\n",
  [`${PLAN}/workflow-sell.md`]: "---\nname: sell\n---\nOpen `./sell-steps/step-01.md`.\n",
  [`${PLAN}/buy-steps/step-01.md`]: "Use `../data/prices.csv`, then `./step-02.md`.\n",
  [`${PLAN}/buy-steps/step-02.md`]: "Buy.\n",
  [`${PLAN}/buy-steps/deep/step-09.md`]: "Deep.\n",
  [`${PLAN}/sell-steps/step-01.md`]: "Then `./step-02.md`.\n",
  [`${PLAN}/sell-steps/step-02.md`]: "Sell.\n",
  [`${PLAN}/data/prices.csv`]: "a\n",
  [`_bmad/bmm/workflows/data/prices.csv`]: "elsewhere\n",
};

async function follow(library: Library, reference: string, item?: string): Promise<string> {
  const of = item === undefined ? undefined : resolveEntry(library, { name: item });
  const read = readResource(library, reference, { of });
  return await read.then(({ uri }) => uri.replace("bmad://bmm/workflows/", ""), (error) => error.message);
}

const shopTest = testsOver((fn: (library: Library, dir: string) => Promise<void>) =>
  withProject(PROJECT, fn)
);

shopTest(
  "a path is found as the item's files spell it [resources:spelled]",
  async (library) => {
    const cases = [
      ["./buy-steps/step-01.md", "plan/buy-steps/step-01.md"],
      ["step-09.md", "plan/buy-steps/deep/step-09.md"],
      ["./deep/step-09.md", "plan/buy-steps/deep/step-09.md"],
      ["{installed_path}/buy-steps/step-02.md", "plan/buy-steps/step-02.md"],
      // Of several, the one that this item's own texts lead to.
      ["./step-02.md", "plan/buy-steps/step-02.md"],
      ["../data/prices.csv", "plan/data/prices.csv"],
      // A file of another item, which refers to its own.
      ["./steps/step-01-invite.md", "bmad://core/workflows/party/steps/step-01-invite.md"],
    ] as const;
    for (const [reference, path] of cases) {
      assert.equal(await follow(library, reference, "buy"), path, reference);
    }
    assert.equal(await follow(library, "step-02.md", "sell"), "plan/sell-steps/step-02.md");
    // The same in the form of a URI, for clients that can only read resources.
    for (const reference of ["./step-02.md", "step-02.md"]) {
      assert.equal(await follow(library, `bmad://bmm/buy/${reference}`), "plan/buy-steps/step-02.md");
    }
  },
);

projectTest("of several files that fit equally, none is chosen, and the item's own come first", {
  ...PROJECT,
  [`${PLAN}/workflow-buy.md`]: "---\nname: buy\n---\n",
  "_bmad/bmm/workflows/a/step-02.md": "Another.\n",
}, async (library) => {
  const own = `bmad://bmm/workflows/plan`;
  assert.equal(
    await follow(library, "./step-02.md", "buy"),
    `No resource named "./step-02.md". Did you mean ${own}/buy-steps/step-02.md, ` +
      `${own}/sell-steps/step-02.md or bmad://bmm/workflows/a/step-02.md? List the resources to see all of them`,
  );
});

projectTest("a customization variable leads to its file or value [resources:spelled]", {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\n",
  "_bmad/_config/skill-manifest.csv":
    "canonicalId,name,description,module,path\nbmad-x,bmad-x,X,bmm,_bmad/bmm/bmad-x/SKILL.md\n",
  "_bmad/custom/bmad-x.toml": '[workflow]\nmine = "{project-root}/docs/mine.md"\n',
  ".claude/skills/bmad-x/SKILL.md": "---\nname: bmad-x\ndescription: X\n---\nUse {workflow.form}.\n",
  ".claude/skills/bmad-x/assets/form.md": "Form.\n",
  ".claude/skills/bmad-x/customize.toml": '[workflow]\nform = "assets/form.md"\nsame = "{workflow.form}"\n' +
    'loop = "{workflow.loop}"\nmine = ""\nwords = "Be brief, please."\ndone = ""\nfacts = ["a", "b"]\n',
}, async (library) => {
  const cases = [
    ["{workflow.form}", /\/assets\/form\.md$/],
    ["{workflow.form}#lines=1-1", /\/assets\/form\.md#lines=1-1$/],
    ["{workflow.same}", /\/assets\/form\.md$/],
    ["{workflow.mine}", /^"\{project-root\}\/docs\/mine\.md" is a file of your project/],
    ["{workflow.words}", /^"\{workflow\.words\}" is a value, not a file: "Be brief, please\."$/],
    ["{workflow.done}", /^"\{workflow\.done\}" is a value, not a file: ""$/],
    ["{workflow.facts}", /is a value, not a file: \["a","b"\]$/],
    ["{workflow.loop}", /^No resource named/],
    ["{workflow.toString}", /^No resource named/],
  ] as const;
  for (const [reference, answer] of cases) {
    assert.match(await follow(library, reference, "bmad-x"), answer, reference);
  }
});

shopTest(
  "a document of the project is answered with its path [resources:project-file]",
  async (library, dir) => {
    const cases = [
      ["{planning_artifacts}/prd/prd.md", "out/planning/prd/prd.md"],
      ["{output_folder}/step-02.md", "out/step-02.md"],
      ["{project-root}/docs/step-02.md", "docs/step-02.md"],
      ["{project-root}/src/main.ts", "src/main.ts"],
      ["docs/step-02.md", "docs/step-02.md"],
      ["out/planning/step-02.md", "out/planning/step-02.md"],
      [`${dir}/docs/step-02.md`, "docs/step-02.md"],
    ] as const;
    for (const [reference, path] of cases) {
      for (const item of ["buy", undefined]) {
        assert.equal(
          await follow(library, reference, item),
          `"${reference}" is a file of your project. Read it with your own tools at ${dir}/${path}`,
        );
      }
    }
    // BMAD's own files are found by their full paths too.
    const absolute = `${dir}/${PLAN}/data/prices.csv`;
    assert.equal(await follow(library, absolute), "plan/data/prices.csv");
    for (const outside of ["/etc/passwd", `${dir}/../other/x.md`, `${dir}x/y.md`]) {
      assert.match(await follow(library, outside), /is outside the served folders$/, outside);
    }
  },
);

shopTest(
  "a missing file is answered with similar ones [resources:suggestions]",
  async (library) => {
    const cases = [
      ["core/config.yml", "bmad://core/config.yaml"],
      ["bmad://core/config.yml", "bmad://core/config.yaml"],
      ["core/missing-file.yaml", "bmad://core/config.yaml"],
      ["core/tasks/review-text.xml", "bmad://core/tasks/review-prose.xml"],
      ["review-prose-lines.xml", "bmad://core/tasks/review-prose.xml"],
    ] as const;
    for (const [reference, uri] of cases) {
      assert.match(await follow(library, reference), new RegExp(`Did you mean ${uri}\\b`), reference);
    }
    assert.doesNotMatch(await follow(library, "x.csv"), /Did you mean/);
  },
);

projectTest("the note names the call for any path of the item [tool:execute-file-note]", {
  "bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.7\n",
  "bmad/core/workflows/party/workflow.md": "---\nname: party\n---\nOpen `./steps/step-01.md`.\n",
  "bmad/core/workflows/party/steps/step-01.md": "Invite.\n",
}, async (library) => {
  const party = resolveEntry(library, { name: "party" });
  const noteFor = async (calls?: Calls) =>
    /^Files: .*$/m.exec(await executeEntry(library, party, { calls }))?.[0];
  assert.equal(
    await noteFor({ open: "open URI", openOf: 'open ITEM "PATH"', start: "start NAME" }),
    'Files: open "core/party" "PATH" with PATH as spelled, {project-root}/bmad/… too. Workflows: start ….',
  );
  // A client that can only read resources gets the item's URI.
  const byUri = await noteFor();
  assert.match(
    byUri!,
    /^Files: open "bmad:\/\/core\/party\/PATH"; \{project-root\}\/bmad\/PATH is bmad:\/\/PATH\. /,
  );
  assert.equal((await readResource(library, "bmad://core/party/steps/step-01.md")).text, "Invite.\n");
});

Deno.test("a path that fits very many files is not followed through all of them", () => {
  const steps = Array.from(
    { length: 400 },
    (_, i) => [`${PLAN}/steps-${i}/step-01.md`, `Then \`../steps-${i + 1}/step-01.md\`.\n`] as const,
  );
  const first = { [`${PLAN}/workflow-buy.md`]: "---\nname: buy\n---\nOpen `./steps-0/step-01.md`.\n" };
  return withTree({ ...PROJECT, ...first, ...Object.fromEntries(steps) }, async (dir) => {
    const project = opening("project", 1, dir);
    const read = new Set<string>();
    const tree = {
      ...project.tree,
      read: (path: string) => {
        read.add(path);
        return project.tree.read(path);
      },
    };
    const library = await openLibrary([{ ...project, tree }], { project: dir });
    assert.match(
      await follow(library, "step-01.md", "buy"),
      /^No resource named "step-01\.md"\. Did you mean /,
    );
    const followed = [...read].filter((path) => path.includes("/steps-")).length;
    assert.ok(followed > 200 && followed < 350, `${followed} files were read`);
  });
});
