/** Does every fact that a team writes into the kit's files come out of some tool, however it is written down? */
import assert from "node:assert/strict";
import { openNotes } from "../../../../src/project/kit/files/mod.ts";
import { KIT_NAMES, kitTools, openKit } from "../../../support/kit.ts";
import { withTree } from "../../../support/trees.ts";

type Fact = () => string;

/** How a team writes: the same files, in another form. */
interface Style {
  readonly shared: (fact: Fact) => string;
  readonly decisions: (fact: Fact) => string;
  readonly learnings: (fact: Fact) => string;
  readonly museum: (fact: Fact) => string;
  readonly settings: (fact: Fact) => string;
}

const HEADINGS = ["Projet", "Stack Technique", "Architecture", "API", "Équipe", "Conventions"];
const TOPICS = [...HEADINGS, "Points de vigilance", "Requêtes inter-agents", "Décisions", "Météo"];
const ENGLISH = ["Project", "Tech stack", "Architecture", "Team", "Conventions", "Pitfalls", "Deployment"];

const chapters = (headings: readonly string[], body: (heading: string) => string, signs = "##") =>
  headings.map((heading) => `${signs} ${heading}\n\n${body(heading)}\n`).join("\n");

const yaml = (fact: Fact) =>
  `project:\n  name: ${fact()}\n  stack: [${fact()}, ${fact()}]\n  team: {lead: ${fact()}}\nuser: {name: ${fact()}}\n` +
  `infrastructure: {host: ${fact()}}\nmemory: {backend: ${fact()}}\nagents:\n  archetype: ${fact()}\n` +
  `  custom_agents:\n    - {name: ${fact()}, domain: ${fact()}}\ninstalled_archetypes: [${fact()}]\n` +
  `session_branch: main\nodd key: ${fact()}\n`;

const STYLES: Readonly<Record<string, Style>> = {
  "labels and bullets": {
    shared: (fact) => `# Contexte\n\n${chapters(TOPICS, () => `- **Nom** : ${fact()}\n- ${fact()}`)}`,
    decisions: (fact) =>
      `# Log\n\n## 2026-01-10 — ${fact()} [ARCH]\n\n**Why** : ${fact()}\n\n### Next\n\n${fact()}\n`,
    learnings: (fact) => `# Learnings — dev\n\n- [2026-01-01] ${fact()}\n- ${fact()}\n  ${fact()}\n`,
    museum: (fact) =>
      `# M\n\n## 🔴 Top\n\n### [2026-02-10] [dev] CC-FAIL — ${fact()}\n**Leçon** : ${fact()}\n`,
    settings: yaml,
  },
  "prose": {
    shared: (fact) =>
      `We begin with ${fact()}.\n\n# About\n\nAlso ${fact()}.\n\n${
        chapters(ENGLISH, () => `First ${fact()},\nthen ${fact()}.\n\nLast ${fact()}.`)
      }`,
    decisions: (fact) =>
      `We write ${fact()}.\n\n# Log\n\nIt says ${fact()}.\n\n## Storage\n\nWe chose ${fact()}.\n`,
    learnings: (fact) =>
      `${fact()} is first.\n\n# Notes\n\nThen ${fact()}\nand ${fact()}.\n\n## Later on\n\n${fact()}\n`,
    museum: (fact) =>
      `# M\n\nIntro ${fact()}.\n\n## Important ones\n\nOnce ${fact()}.\n\n### It broke\n\nBecause ${fact()}.\n`,
    settings: (fact) =>
      `project: ${fact()}\nuser: ${fact()}\nstack: ${fact()}\nagents: ${fact()}\nnote: ${fact()}\n`,
  },
  "tables": {
    shared: (fact) =>
      chapters(TOPICS, () => `| A | B | B |\n|---|---|---|\n| ${fact()} | ${fact()} | ${fact()} |`),
    decisions: (fact) =>
      `## All\n\n| Date | What |\n|---|---|\n| 2026-01-01 | ${fact()} |\n| 2026-01-02 | ${fact()} |\n`,
    learnings: (fact) => `| Date | Text |\n|---|---|\n| 2026-01-01 | ${fact()} |\n| | ${fact()} |\n`,
    museum: (fact) => `## 🔴 Top\n\n| Date | What |\n|---|---|\n| 2026-01-01 | ${fact()} |\n`,
    settings: (fact) =>
      `project:\n  stack: {server: ${fact()}, page: ${fact()}}\nagents: [${fact()}, ${fact()}]\n`,
  },
  "numbered lists": {
    shared: (fact) => chapters(ENGLISH, () => `1. ${fact()}\n2. ${fact()}\n   more ${fact()}\n`),
    decisions: (fact) =>
      `# Log\n\n1. 2026-01-01: ${fact()}\n2. 2026-01-02: ${fact()}\n   ${fact()}\n3. ${fact()}\n`,
    learnings: (fact) => `1. [2026-01-01] ${fact()}\n2) ${fact()}\n\n   after a blank ${fact()}\n`,
    museum: (fact) => `## 🟡 Important\n\n1. ${fact()}\n2. ${fact()}\n`,
    settings: (fact) => `project:\n  stack: ${fact()}\nuser: [${fact()}]\nmodels: {a: ${fact()}}\n`,
  },
  "first-level headings": {
    shared: (fact) =>
      chapters(TOPICS, () => `${fact()}\n\n## Below\n\n${fact()}\n\n### Deeper\n\n${fact()}`, "#"),
    decisions: (fact) => `# 2026-01-01 ${fact()}\n\n${fact()}\n\n# 2026-01-02 — b\n\n${fact()}\n`,
    learnings: (fact) => `# Auth\n\n- ${fact()}\n\n# Storage ${fact()}\n\n- ${fact()}\n`,
    museum: (fact) => `# [2026-01-01] [qa] CC-FAIL — ${fact()}\n\n${fact()}\n`,
    settings: yaml,
  },
  "no headings": {
    shared: (fact) => `- ${fact()}\n- **Nom** : ${fact()}\n\n${fact()}\n`,
    decisions: (fact) => `- [2026-01-01] ${fact()}\n  ${fact()}\n- ${fact()}\n\n${fact()}\n`,
    learnings: (fact) => `${fact()}\n${fact()}\n\n* ${fact()}\n+ ${fact()}\n`,
    museum: (fact) => `- [2026-01-01] [dev] CC-FAIL — ${fact()}\n  ${fact()}\n- ${fact()}\n`,
    settings: (fact) => `? ${fact()}\n: ${fact()}\n`,
  },
  "quotes, boxes and nested lists": {
    shared: (fact) =>
      chapters(
        TOPICS,
        () => `> ${fact()}\n\n- [x] ${fact()}\n    - ${fact()}\n        - ${fact()}\n\n\t- ${fact()}`,
      ),
    decisions: (fact) => `## Title (2026-01-01)\n\n> ${fact()}\n\n- [ ] ${fact()}\n    - ${fact()}\n`,
    learnings: (fact) => `> ${fact()}\n\n- [x] ${fact()}\n    - ${fact()}\n        - ${fact()}\n`,
    museum: (fact) =>
      `## 🟢 Micro\n\n### 2026-01-01 ${fact()}\n\n> ${fact()}\n\n#### Why\n\n- ${fact()}\n    - ${fact()}\n`,
    settings: (fact) => `project:\n  repos:\n    - {name: ${fact()}, more: {deep: [${fact()}]}}\n`,
  },
  "code and links": {
    shared: (fact) =>
      chapters(
        ENGLISH,
        () => `\`\`\`sh\n${fact()}\n\`\`\`\n\n[${fact()}](docs/${fact()}.md) and \`${fact()}\``,
      ),
    decisions: (fact) =>
      `## 01/02/2026 : ${fact()}\n\n\`\`\`\n${fact()}\n\`\`\`\n\n## 2026.02.03 ${fact()}\n`,
    learnings: (fact) =>
      `## Shell\n\n- Run \`${fact()}\`\n  \`\`\`\n  ${fact()}\n  \`\`\`\n\n\`\`\`\n${fact()}\n\`\`\`\n`,
    museum: (fact) =>
      `## 🔴 Top\n\n### [CC-FAIL] ${fact()}\n\n\`\`\`\n${fact()}\n\`\`\`\n**Impact** : ${fact()}\n**Impact** : ${fact()}\n`,
    settings: (fact) => `project: {description: "${fact()}"}\ncicd: |\n  ${fact()}\n  ${fact()}\n`,
  },
  "Windows line ends, and fields left open": {
    shared: (fact) =>
      `\uFEFF# C\r\n\r\n${
        chapters(TOPICS, () => `- **Nom** : ${fact()}\n- **Vide** : {{field}}\n- ${fact()} ({{version}})`)
          .replaceAll("\n", "\r\n")
      }`,
    decisions: (fact) => `\uFEFF## 2026-01-01 — ${fact()}\r\n\r\n${fact()}\r\n`,
    learnings: (fact) => `- [2026-01-01] ${fact()}\r\n- ${fact()}\r\n`,
    museum: (fact) =>
      `## 🔴 Top\r\n\r\n### [2026-02-10] [dev] CC-FAIL — ${fact()}\r\n**Leçon** : ${fact()}\r\n`,
    settings: (fact) => yaml(fact).replaceAll("\n", "\r\n"),
  },
  "the same heading twice, and several agents": {
    shared: (fact) =>
      chapters(["Notes", "Notes", "API", "API", "Projet", "Projet"], () => `**Nom** : ${fact()}`),
    decisions: (fact) => `## ADR-1: ${fact()}\n\n${fact()}\n\n## ADR-1: ${fact()}\n\n${fact()}\n`,
    learnings: (fact) =>
      `## dev\n\n- ${fact()} \`${fact()}\`\n\n## Builds\n\n- ${fact()}\n\n## Run tests ${fact()}\n`,
    museum: (fact) =>
      `## 🔴 Top\n\n### Odd ${fact()} — ${fact()}\n\nText ${fact()}\n\n**Cause** : ${fact()}\n\n${fact()}\n`,
    settings: (fact) => `project: {name: ${fact()}}\nagents:\n  custom_agents: {dev: {domain: ${fact()}}}\n`,
  },
  "underlined headings, and titles that say it all": {
    shared: (fact) =>
      `Context of ${fact()}\n==========\n\nTeam ${fact()}\n---\n\n${fact()}\n\nProject\n-------\n\n` +
      `### Since ${fact()}\n\n- **Name** : ${fact()}\n- **Name** : ${fact()}\n\n### Until ${fact()}\n\n` +
      `#### Then ${fact()}\n\n## We use ${fact()}\n\n## API ${fact()}\n### And ${fact()}\n`,
    decisions: (fact) =>
      `Log ${fact()}\n===\n\n## ${fact()} is the store\n\n## In ${fact()}\n\n### 2026-01-01 ${fact()}\n\n` +
      `Second ${fact()}\n---\n${fact()}\n\n### Why ${fact()}\n\n# Later ${fact()}\n\n${fact()}\n`,
    learnings: (fact) =>
      `# Learnings of ${fact()}\n\nTests ${fact()}\n---\n\n- ${fact()}\n\n## ${fact()} first\n\n### Then ${fact()}\n`,
    museum: (fact) =>
      `# Museum of ${fact()}\n\n## Never ${fact()}\n\n## 🔴 Top ${fact()}\n\n### ${fact()}\n\n#### ${fact()}\n\n` +
      `## Later\n\n### ${fact()}\n\n# Year ${fact()}\n\n${fact()}\n`,
    settings: (fact) =>
      `project: null\nuser: {${fact()}: null}\n${fact()}: null\n${fact()}: ~\nstack: {${fact()}: }\n` +
      `session_branch: {name: ${fact()}}\nruns_directory: [${fact()}]\nmemory: {${fact()}: []}\n${fact()}: {}\n`,
  },
};

Deno.test("every fact comes out, in whatever style [memory:nothing-dropped]", async (t) => {
  for (const [name, style] of Object.entries(STYLES)) {
    await t.step(name, async () => {
      let count = 0;
      const fact = () => `fact${String(++count).padStart(3, "0")}x`;
      const state = {
        run_id: "r",
        workflow: fact(),
        variables: { a: fact(), b: [fact()] },
        session_variables: { c: fact() },
        artefacts_produced: { plan: fact() },
        steps_completed: [{ name: fact() }],
        issues: fact(),
        owner: { name: fact() },
      };
      const files = {
        "_bmad/_memory/shared-context.md": style.shared(fact),
        "_bmad/_memory/decisions-log.md": style.decisions(fact),
        "_bmad/_memory/agent-learnings/dev.md": style.learnings(fact),
        "_bmad/_memory/agent-learnings/export.md": `## qa\n\n- ${fact()}\n`,
        "_bmad/_memory/failure-museum.md": style.museum(fact),
        "project-context.yaml": style.settings(fact),
        "_bmad/_config/agent-manifest.csv": `name,style\ndev,${fact()}\ndev,${fact()}\n`,
        "_bmad-output/.runs/main/branch.json": JSON.stringify({ purpose: fact(), owner: fact() }),
        "_bmad-output/.runs/main/r/state.json": JSON.stringify(state),
        "_bmad-output/.runs/main/r/queue/t.json": JSON.stringify({
          task: fact(),
          result: fact(),
          by: fact(),
        }),
      };
      await withTree(files, async (dir) => {
        const runs = openKit(dir);
        const { chapters } = (await runs.context()).data as { chapters: { heading: string }[] };
        const sections = ["all", "stack", "agents", "decisions", "architecture"];
        const headings = chapters.map(({ heading }) => heading).filter((heading) => heading !== "");
        const told = [
          ...await Promise.all(
            [...sections, ...headings].map(async (section) => (await runs.context(section)).text),
          ),
          (await runs.learnings({ agent: "dev", limit: 1_000 })).text,
          (await runs.learnings({ agent: "qa", limit: 1_000 })).text,
          (await runs.failures({ limit: 1_000 })).text,
          runs.sessions().text,
          runs.status({}).text,
        ].join("\n");
        const all = Object.values(files).join("\n").match(/fact\d{3}x/g)!;
        assert.equal(all.length, count);
        assert.deepEqual(all.filter((one) => !told.includes(one)).map((one) => contextOf(files, one)), []);
        const notes = openNotes({ root: dir, ...KIT_NAMES[0] }, kitTools().clean)().map(({ text, tags }) =>
          [text, ...tags].join("\n")
        ).join("\n");
        const searched = Object.entries(files).filter(([path]) => path.startsWith("_bmad/_memory/"))
          .flatMap(([, text]) => text.match(/fact\d{3}x/g)!);
        assert.deepEqual(
          searched.filter((one) => !notes.includes(one)).map((one) => contextOf(files, one)),
          [],
        );
        // The short answer leaves out only what it says it does.
        const short = (await runs.context()).text;
        const context = ["shared-context.md", "decisions-log.md"].map((name) => `_bmad/_memory/${name}`);
        const facts = context.flatMap((path) => files[path as keyof typeof files].match(/fact\d{3}x/g)!);
        assert.deepEqual(
          /more characters|earlier, in/.test(short) ? [] : facts.filter((one) => !short.includes(one))
            .map((one) => contextOf(files, one)),
          [],
        );
      });
    });
  }
});

Deno.test("long texts are searched to their end, in pieces of one subject [memory:one]", () => {
  const paragraphs = Array.from({ length: 40 }, (_, at) => `${"filler ".repeat(30)}end${at}.`).join("\n\n");
  const long = "x".repeat(3_000);
  const files = {
    "_bmad/_memory/shared-context.md": `## Depot\n\n${paragraphs}\n\n### Yard\n\n${long} rail\n`,
    "_bmad/_memory/decisions-log.md": `## 2026-01-01 — Gauge\n\n${paragraphs}\n`,
    "_bmad-output/implementation-artifacts/1-1-load.md": `# Story\n\n## Tasks\n\n${paragraphs}\n`,
  };
  return withTree(files, (dir) => {
    const notes = openNotes({ root: dir, ...KIT_NAMES[0] }, kitTools().clean)();
    for (
      const [type, heading] of [["shared-context", "Depot"], ["decisions", "Gauge"], ["stories", "Story"]]
    ) {
      const own = notes.filter((note) => note.type === type && note.text.startsWith(heading!));
      assert.ok(own.some(({ text }) => text.endsWith("end39.")), type);
      assert.ok(own.every(({ text }) => text.length < 2_000), type);
    }
    assert.ok(notes.some(({ text }) => text.startsWith("Depot\nYard\n") && text.endsWith(" rail")));
  });
});

function contextOf(files: Readonly<Record<string, string>>, fact: string): string {
  const [path, text] = Object.entries(files).find(([, text]) => text.includes(fact))!;
  return `${path}: ${text.slice(Math.max(0, text.indexOf(fact) - 30), text.indexOf(fact) + 20)}`;
}
