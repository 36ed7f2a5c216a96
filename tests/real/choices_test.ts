/** Which of BMAD's own skills choose among their files by an argument, and does what the user names come along? */
import assert from "node:assert/strict";
import type { App } from "../../src/app.ts";
import { findChoices } from "../../src/content/library/delivery/choices.ts";
import { openLibrary } from "../../src/content/library/mod.ts";
import { installation, sourceTree } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { openIn, Reader } from "../support/printed_reader.ts";
import { withTree } from "../support/trees.ts";

type Choices = Readonly<Record<string, readonly string[]>>;

const STEPS: Choices = {
  "C": ["steps-c/step-01-*"],
  "R": ["steps-c/step-01b-resume"],
  "V": ["steps-v/step-01-validate"],
  "E": ["steps-e/step-01-assess"],
};

const SKILLS: Readonly<Record<string, Choices>> = {
  "bmad-review": {
    "lenses=adversarial": ["references/lens-adversarial"],
    "Review the diff with the edge-case-hunter lens": ["references/lens-edge-case-hunter"],
    "the verification gap lens only": ["references/lens-verification-gap"],
    "skill:bmad-review lenses=structure": [
      "references/lens-structure",
      "references/editorial-common",
      "references/structure-models",
    ],
    "prose and adversarial lenses": [
      "references/lens-adversarial",
      "references/lens-prose",
      "references/editorial-common",
    ],
    "Review my diff": [],
  },
  "bmad-deep-recon": {
    "market research on pets": ["types/market"],
    "type=academic-lit": ["types/academic-lit"],
    "Draft a prompt, type technical": ["types/technical", "references/draft"],
    "run": ["references/run", "references/verification", "references/synthesis"],
    "Research pets for me": [],
  },
  "bmad-sprint-planning": {
    "readiness": ["references/readiness-gate"],
    "sprint planning for epic 2": ["references/readiness-gate", "references/generate-tracking"],
    "status": ["references/status-view"],
    "validate": ["references/validate"],
    "fix sprint-status.yaml": ["references/fix-sprint-status"],
    "What should we do?": [],
  },
  "bmad-party-mode": {
    "--mode auto": ["references/mode-auto", "references/mode-subagent"],
    "--mode subagent": ["references/mode-subagent"],
    "as an agent team": ["references/mode-agent-team"],
    "Talk about pets": [],
  },
  "bmad-brainstorming": {
    "facilitator mode": ["references/mode-facilitator"],
    "creative partner, about pets": ["references/mode-partner"],
    "ideate for me": ["references/mode-autonomous"],
    "Ideas about pets": [],
  },
  "bmad-prd": { "Validate docs/prd.md": ["references/validate"], "Write a PRD": [] },
  "bmad-retrospective": { "aggregate views": ["references/aggregate-views"], "Epic 1": [] },
  "bmad-code-review": {
    "the edge-case-hunter layer": ["review-prompts/edge-case-hunter"],
    "Review story 1-1": [],
  },
};

const filesIn = (text: string) =>
  Array.from(text.matchAll(/^=== chosen: bmad:\/\/[\w-]+\/[\w-]+\/(\S+)\.md ===$/gm), ([, path]) => path!);

async function checkSkill(app: App, skill: string, choices: Choices): Promise<void> {
  const reader = new Reader(app);
  for (const [message, files] of Object.entries(choices)) {
    const text = await reader.read(skill, { operation: "execute", skill, message });
    const found = filesIn(text);
    assert.equal(found.length, files.length, `${skill} ${message}: ${found}`);
    for (const [at, file] of files.entries()) {
      assert.match(found[at]!, new RegExp(`^${file.replace("*", ".+")}$`), `${skill} ${message}`);
    }
    // What was not named is neither in the text nor in the resolved values.
    if (skill === "bmad-review" && !message.includes("adversarial") && files.length > 0) {
      assert.doesNotMatch(text, /^\s*# Adversarial Lens/m);
    }
  }
  reader.check({ bmad: Object.keys(choices).length });
}

Deno.test("BMAD's own skills deliver the named parts [tool:execute-chosen]", async (t) => {
  const installed = await installation("6.12.0");
  for (const [skill, choices] of Object.entries(SKILLS)) {
    await t.step(skill, async () => {
      await checkSkill(openIn(installed, "--pack", "none"), skill, choices);
      await withTree({}, (dir) => checkSkill(openIn(dir), skill, choices));
    });
  }
  await t.step("no other skill has parts", async () => {
    const library = await openLibrary([opening("project", 1, installed)]);
    const skills = library.effective.filter((entry) => findChoices(library, entry).length > 0);
    assert.deepEqual(skills.map(({ id }) => id).sort(), Object.keys(SKILLS).sort());
  });
  await t.step("the workflows of the test architect", async () => {
    const app = openIn(
      await sourceTree("bmad-method-test-architecture-enterprise@1.27.2"),
      "--pack",
      "none",
    );
    const skills = (await app.entries()).map(({ id }) => id).filter((id) => id.startsWith("bmad-testarch-"));
    assert.equal(skills.length, 8);
    for (const skill of skills) await checkSkill(app, skill, STEPS);
  });
  await t.step("an agent whose menu has files", async () => {
    const app = openIn(await installation("6.8.0"), "--pack", "none");
    const { text } = await new Reader(app).call("bmad", { agent: "tech-writer", item: "MG" });
    assert.deepEqual(filesIn(text), ["mermaid-gen"]);
  });
});
