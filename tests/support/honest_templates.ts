/**
 * Honest projects as the templates of several releases lay them out: stories of 6.0, builds of 6.12, v4 with its quality
 * gates, quick specs, tickets. The words are ours.
 *
 * Unlike the generator's (honest.ts), these were written from the templates alone, before the rules of a check were tried
 * on them.
 */
import type { BoardFolders } from "../../src/project/work/formats/mod.ts";
import { FOLDERS, V4_FOLDERS } from "./board.ts";
import { commitOf, type MadeCommit } from "./honest.ts";

interface Written {
  readonly folders: BoardFolders;
  readonly files: Readonly<Record<string, string>>;
  /** The newest first. */
  readonly commits: readonly MadeCommit[];
}

const START = commitOf("Initial import", undefined, { "package.json": "{}\n" });

type Files = Readonly<Record<string, string>>;

function project(
  folders: BoardFolders,
  code: Files,
  documents: Files,
  gone: readonly string[] = [],
): Written {
  const files = { "package.json": "{}\n", ...code, ...documents };
  const lost = Object.fromEntries(gone.map((path) => [path, null]));
  const commits = [commitOf("Implement it", START.id, { ...code, ...documents, ...lost }), START];
  return { folders, files, commits };
}

/** A document as the template of its release lays it out; `{start}` stands for the first commit. */
function documentAt(name: string): string {
  const text = Deno.readTextFileSync(new URL(`../fixtures/templates/${name}`, import.meta.url));
  return text.replaceAll("{start}", START.id);
}

const sprint = (rows: Readonly<Record<string, string>>) => ({
  "out/impl/sprint-status.yaml":
    "# generated: 2026-03-01\n# STATUS DEFINITIONS: see the planning skill\ngenerated: 2026-03-01\nproject: shop\n" +
    `tracking_system: file-system\n\ndevelopment_status:\n${
      Object.entries(rows).map(([key, status]) => `  ${key}: ${status}\n`).join("")
    }`,
});

const TEST = 'import { it } from "vitest";\nit("works", () => {});\n';

/** A story of 6.0 that went through two rounds: its follow-ups are part of its tasks. */
const FOLLOWED_UP = documentAt("followed_up.md");
/** A story of 6.12, reviewed by the review skill: findings below its tasks, and an appendix of what was rejected. */
const FINDINGS = documentAt("findings.md");
/** A build of 6.12 with everything that its template has. */
const BUILD = documentAt("build.md");
/** A build that was small enough for one step. */
const ONESHOT = documentAt("oneshot.md");
/** A story of v4, reviewed by its test architect, who leaves ideas for later behind. */
const V4_STORY = documentAt("v4_story.md");

const V4_GATE = `schema: 1
story: "1.1"
gate: PASS
status_reason: "All criteria have tests."
top_issues: []
waiver: { active: false }
`;

const V4_PRD = documentAt("v4_prd.md");
const EPICS = documentAt("epics.md");
/** Quick specs of 6.0 hold the plan and the record of one piece of work. */
const QUICK = documentAt("quick.md");
/** A story in Portuguese, headings and all, on Windows. */
const PORTUGUESE = documentAt("portuguese.md");
/** A story without code: documents, a pipeline and a file that is gone. */
const PIPELINE = documentAt("pipeline.md");
/** Nothing had to be changed. */
const VERIFIED = documentAt("verified.md");
/** A package of a larger repository: paths from the package, and a file that was moved. */
const PACKAGE = documentAt("package.md");

const TICKETS = {
  "out/initiative-shop/initiative-shop.md": "---\ntype: initiative\ntitle: Shop\n---\n\n# Shop\n",
  "out/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-language"\ntitle = "Language"\n',
  "out/initiative-shop/epic-language/epic-language.md":
    "---\ntype: epic\ntitle: Language\n---\n\n# Language\n",
  "out/initiative-shop/epic-language/tickets.toml":
    '[[entry]]\nid = 1\ntype = "story"\ntitle = "Remember the language"\nverify = "It stays"\n\n' +
    '[[entry]]\nid = 2\ntype = "story"\ntitle = "More languages"\nverify = "There are two more"\nafter = [1]\n',
};

const LANGUAGE = { "src/language.ts": "export const x = 1;\n", "src/language.test.ts": TEST };

export const WRITTEN: Readonly<Record<string, Written>> = {
  "a story of 6.0 whose review asked for changes that were made": project(FOLDERS, {
    "src/basket/store.ts": "export const key = 1;\n",
    "src/basket/store.test.ts": TEST,
    "package.json": '{"type":"module"}\n',
  }, {
    ...sprint({ "epic-1": "done", "1-1-keep-the-basket": "done", "epic-1-retrospective": "done" }),
    "out/impl/1-1-keep-the-basket.md": FOLLOWED_UP,
    "out/impl/epic-1-retro-2026-03-06.md":
      "# Retrospective\n\n## Action Items\n\n- [ ] Write shorter stories\n",
  }),
  "a story of 6.12 with findings, a decision and what was rejected": project(FOLDERS, {
    "src/export.ts": "export {};\n",
    "src/export.spec.ts": TEST,
  }, {
    ...sprint({ "epic-2": "in-progress", "2-3-export-orders": "done", "2-4-reports": "backlog" }),
    "out/impl/2-3-export-orders.md": FINDINGS,
    "out/impl/deferred-work.md":
      "# Deferred Work\n\n## Deferred from: code review of story-2.3 (2026-06-01)\n\n- The list of orders is slow [src/orders.ts:7] — pre-existing\n",
  }),
  "builds of 6.12 in a spec folder": project(FOLDERS, {
    ...LANGUAGE,
    "src/footer.html": "<p>Impressum</p>\n",
  }, {
    "out/specs/spec-language/SPEC.md":
      "---\nid: SPEC-language\ncompanions: []\nsources: []\n---\n\n# Language\n\n## Why\n\nVisitors leave.\n\n" +
      "## Capabilities\n\n- **CAP-1**\n  - **intent:** A visitor keeps the language.\n  - **success:** It stays.\n\n" +
      "## Non-goals\n\n- Translations of articles\n\n## Open Questions\n\n- Is Swiss German a language?\n",
    "out/specs/spec-language/stories.yaml":
      '- id: "1"\n  title: Remember the language\n  description: A cookie\n- id: "2"\n  title: Footer\n  description: One word\n',
    "out/specs/spec-language/stories/1-remember-the-language.md": BUILD,
    "out/specs/spec-language/stories/2-footer.md": ONESHOT,
  }),
  "a story of v4 with ideas for later and a gate that passed": project(V4_FOLDERS, {
    "src/stock.ts": "export {};\n",
    "src/stock.test.ts": TEST,
    "package.json": '{"name":"shop"}\n',
  }, {
    "docs/prd.md": V4_PRD,
    "docs/stories/1.1.show-the-stock.md": V4_STORY,
    "docs/qa/gates/1.1-show-the-stock.yml": V4_GATE,
  }),
  "a plan of 6.0 with a coverage map": project(FOLDERS, {
    "src/basket/store.ts": "export const key = 1;\n",
    "src/basket/store.test.ts": TEST,
    "package.json": '{"type":"module"}\n',
  }, {
    ...sprint({
      "epic-1": "in-progress",
      "1-1-keep-the-basket": "done",
      "epic-2": "backlog",
      "2-3-export-orders": "backlog",
    }),
    "out/plan/prd.md":
      "# PRD\n\n## Functional Requirements\n\n- FR1: A basket\n- FR2: An export\n- FR3: Numbers\n",
    "out/plan/epics.md": EPICS,
    "out/impl/1-1-keep-the-basket.md": FOLLOWED_UP,
  }),
  "a quick spec of 6.0": project(FOLDERS, { "src/login.ts": "export {};\n", "src/login.test.ts": TEST }, {
    "out/impl/tech-spec-rate-limit-login.md": QUICK,
  }),
  "a story in Portuguese, with the line ends of Windows": project(FOLDERS, {
    "src/pagamento.ts": "export {};\r\n",
    "src/pagamento.test.ts": TEST,
  }, {
    ...sprint({ "epic-1": "in-progress", "1-2-pagar": "done" }),
    "out/impl/1-2-pagar.md": PORTUGUESE.replaceAll("\n", "\r\n"),
  }),
  "stories without code": project(FOLDERS, {
    ".github/workflows/build.yml": "on: push\n",
    "docs/pipeline.md": "# Pipeline\n",
  }, {
    ...sprint({ "epic-3": "in-progress", "3-1-pipeline": "done", "3-2-backups": "done" }),
    "out/impl/3-1-pipeline.md": PIPELINE,
    "out/impl/3-2-backups.md": VERIFIED,
  }, ["scripts/build.sh"]),
  "a package of a larger repository": project(FOLDERS, {
    "packages/shared/src/money.ts": "export {};\n",
    "packages/shared/src/money.test.ts": TEST,
    "packages/orders/src/total.ts": "export {};\n",
  }, {
    ...sprint({ "epic-4": "in-progress", "4-1-money": "review" }),
    "out/impl/4-1-money.md": PACKAGE,
  }, ["src/money.ts"]),
  "tickets after 6.12": project(FOLDERS, LANGUAGE, {
    ...TICKETS,
    "out/initiative-shop/epic-language/story-remember-the-language-plan.md": BUILD.replace(
      "created:",
      "ticket: 1\ncreated:",
    ),
  }),
};
