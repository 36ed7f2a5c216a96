/**
 * Projects in every form of a story and in random states, written from BMAD's own templates.
 *
 * The templates are read from the npm packages when a test runs. A document keeps their front matter, headings and
 * labels; what people and models would write below them is ours. What the generator knows of a story (its state, whether
 * its files disagree, whether it may be called done) comes from the row it was made from, never from our readers.
 */
import { load } from "js-yaml";
import type { FormName, State } from "../../src/project/work/formats/mod.ts";
import { type Chance, chanceFrom } from "../support/chance.ts";
import { BMM } from "./bmm_project.ts";
import { flatSource } from "./flat.ts";
import { sourceTree } from "./installs.ts";

type WorkTemplates = Awaited<ReturnType<typeof readTemplates>>;

export async function readTemplates() {
  const [v4, v60, v68, v612] = await Promise.all(
    (["4.44.3", "6.0.4", "6.8.0", "6.12.0"] as const).map((version) => sourceTree(`bmad-method@${version}`)),
  );
  const read = (path: string) => Deno.readTextFileSync(path);
  const early = `${v60}/src/bmm/workflows/4-implementation`;
  const ship = `${v612}/src/bmm-skills/ship`;
  return {
    storyFiles: [
      read(`${early}/create-story/template.md`),
      read(`${v68}/src/bmm-skills/4-implementation/bmad-create-story/template.md`),
      read(`${v612}/src/bmm-skills/v6-shims/bmad-create-story/template.md`),
    ],
    sprint: read(`${early}/sprint-planning/sprint-status-template.yaml`)
      .replace(/^development_status:\n[^]*/m, "development_status:\n"),
    buildSpec: read(`${ship}/bmad-build/spec-template.md`),
    record: read(`${ship}/bmad-build-auto/spec-template.md`),
    v4Story: documentOf(read(`${v4}/bmad-core/templates/story-tmpl.yaml`)),
    v4Core: Object.fromEntries(
      ["agents", "tasks", "checklists"].flatMap((folder) =>
        [...Deno.readDirSync(`${v4}/bmad-core/${folder}`)].map(({ name }) =>
          [`.bmad-core/${folder}/${name}`, read(`${v4}/bmad-core/${folder}/${name}`)] as const
        )
      ),
    ),
  };
}

function documentOf(yaml: string): string {
  interface Section {
    readonly title: string;
    readonly sections?: readonly Section[];
  }
  const { template, sections } = load(yaml) as {
    readonly template: { readonly output: { readonly title: string } };
    readonly sections: readonly Section[];
  };
  const lines = (all: readonly Section[], marks: string): string =>
    all.map((one) => `${marks} ${one.title}\n\n${lines(one.sections ?? [], `${marks}#`)}`).join("");
  return `# ${template.output.title}\n\n${lines(sections, "##")}`;
}

/** How a project is written; the bytes that a change must leave alone. */
interface Writing {
  readonly newline: "\n" | "\r\n";
  readonly hasBom: boolean;
  readonly hasLastNewline: boolean;
  readonly hasComments: boolean;
}

export interface MadeStory {
  readonly ref: string;
  readonly state: State;
  /** The word in the file that decides; undefined where nothing says it. */
  readonly word?: string;
  readonly isDrifting: boolean;
  /** Whether nothing is missing before it is done. */
  readonly isComplete: boolean;
  readonly path?: string;
}

/** How far a document is: as the template has it, planned, half done, or finished. */
type Stage = "raw" | "planned" | "begun" | "finished";

interface Situation {
  readonly ledger?: string;
  readonly document?: string;
  readonly state: State;
  readonly stage?: Stage;
  readonly isDrifting?: true;
}

const RECORDS: readonly Situation[] = [
  { state: "backlog" },
  { document: "draft", state: "backlog", stage: "raw" },
  { document: "ready-for-dev", state: "ready", stage: "planned" },
  { document: "in-progress", state: "in-progress", stage: "begun" },
  { document: "blocked", state: "blocked", stage: "begun" },
  { document: "in-review", state: "review", stage: "finished" },
  { document: "done", state: "done", stage: "finished" },
];

/** What BMAD's own texts leave behind on the way, and what only a mistake leaves. */
const SITUATIONS: Readonly<Record<FormName, readonly Situation[]>> = {
  "story-file": [
    { ledger: "backlog", state: "backlog" },
    { ledger: "ready-for-dev", document: "ready-for-dev", state: "ready", stage: "planned" },
    { ledger: "drafted", document: "drafted", state: "ready", stage: "planned" },
    { ledger: "in-progress", document: "in-progress", state: "in-progress", stage: "begun" },
    { ledger: "review", document: "review", state: "review", stage: "finished" },
    { ledger: "done", document: "done", state: "done", stage: "finished" },
    { ledger: "review", document: "in-progress", state: "review", stage: "begun", isDrifting: true },
    { ledger: "in-progress", document: "review", state: "in-progress", stage: "finished", isDrifting: true },
    { ledger: "ready-for-dev", document: "done", state: "ready", stage: "finished", isDrifting: true },
  ],
  "build-spec": [
    { ledger: "backlog", state: "backlog" },
    { ledger: "backlog", document: "draft", state: "backlog", stage: "raw" },
    { ledger: "backlog", document: "ready-for-dev", state: "backlog", stage: "planned" },
    { ledger: "in-progress", document: "in-progress", state: "in-progress", stage: "begun" },
    { ledger: "in-progress", document: "in-review", state: "in-progress", stage: "finished" },
    { ledger: "review", document: "done", state: "review", stage: "finished" },
    { ledger: "done", document: "done", state: "done", stage: "finished" },
    { ledger: "done", document: "in-progress", state: "done", stage: "begun", isDrifting: true },
    { ledger: "backlog", document: "in-progress", state: "backlog", stage: "begun", isDrifting: true },
    { ledger: "in-progress", document: "done", state: "in-progress", stage: "finished", isDrifting: true },
  ],
  "spec-story": RECORDS,
  "v4-story": [
    { document: "Draft", state: "backlog", stage: "planned" },
    { document: "Approved", state: "ready", stage: "planned" },
    { document: "InProgress", state: "in-progress", stage: "begun" },
    { document: "Review", state: "review", stage: "finished" },
    { document: "Ready for Review", state: "review", stage: "finished" },
    { document: "Done", state: "done", stage: "finished" },
  ],
  "ticket": [
    ...RECORDS,
    { document: "built", state: "review", stage: "finished" },
    { document: "dropped", state: "dropped", stage: "begun" },
  ],
};

/** The forms, in the order of the releases that use them. */
export const PROJECT_FORMS = Object.keys(SITUATIONS) as readonly FormName[];

const SUBJECTS = ["Sign in", "Basket", "Größe ändern", 'Say "no"', "Pay by card", "Search"];

type Lack = "box" | "criteria" | "notes" | "record" | "question";
const LACKS: Readonly<Record<FormName, readonly Lack[]>> = {
  "story-file": ["box", "criteria", "record"],
  "build-spec": ["box", "criteria", "notes", "question"],
  "spec-story": ["box", "criteria"],
  "v4-story": ["box", "criteria", "record"],
  "ticket": ["box", "criteria", "notes", "question"],
};

const CODE = { "src/a.ts": "export {};\n", "src/a_test.ts": 'Deno.test("a", () => {});\n' };

export function freshProject(
  form: FormName,
  count: number,
  templates: WorkTemplates,
): Readonly<Record<string, string>> {
  const made = Array.from({ length: count }, (_, at): Numbered => ({
    number: at + 1,
    subject: `Part ${at + 1}`,
    situation: { state: "backlog", ledger: "backlog" },
  }));
  const plain = { newline: "\n", hasBom: false, hasLastNewline: true, hasComments: true } as const;
  const core = form === "v4-story" ? templates.v4Core : {};
  return { ...BASES[form], ...core, ...CODE, ...ledgerOf(form, templates, made, plain) };
}

export type MadeProject = ReturnType<typeof workProject>;

export function workProject(form: FormName, seed: number, templates: WorkTemplates) {
  const chance = chanceFrom(seed);
  const writing: Writing = {
    newline: chance.below(3) === 0 ? "\r\n" : "\n",
    hasBom: chance.below(4) === 0,
    hasLastNewline: chance.below(3) > 0,
    hasComments: chance.below(2) === 0,
  };
  const made = Array.from({ length: chance.below(4) + 2 }, (_, at) => {
    const situation = chance.pick(SITUATIONS[form]);
    const lack = situation.stage === "finished" && chance.below(3) === 0
      ? chance.pick(LACKS[form])
      : undefined;
    const number = at + 1;
    const subject = chance.pick(SUBJECTS);
    const path = situation.document === undefined ? undefined : pathOf(form, number);
    const text = path === undefined
      ? undefined
      : documentFor(form, templates, { ...situation, number, subject, lack, chance });
    const story: MadeStory = {
      ref: refOf(form, number),
      state: situation.state,
      word: situation.ledger ?? situation.document,
      isDrifting: situation.isDrifting === true,
      isComplete: situation.stage === "finished" && lack === undefined,
      path,
    };
    return { story, subject, number, situation, document: path === undefined ? {} : { [path]: text! } };
  });
  const texts: Record<string, string> = {
    ...ledgerOf(form, templates, made, writing),
    ...Object.assign({}, ...made.map(({ document }) => document)),
  };
  const own = Object.entries(texts).map(([path, text]) => [path, written(text, path, writing)]);
  const files: Readonly<Record<string, string>> = { ...BASES[form], ...CODE, ...Object.fromEntries(own) };
  return {
    form,
    seed,
    writing,
    files,
    stories: made.map(({ story }) => story),
  };
}

/** A text in the bytes of a project. TOML is read strictly, and BMAD's own reader wants it plain. */
function written(text: string, path: string, { newline, hasBom, hasLastNewline }: Writing): string {
  if (path.endsWith(".toml")) return text;
  const whole = hasLastNewline ? text : text.replace(/\n+$/, "");
  return (hasBom ? "\uFEFF" : "") + whole.replaceAll("\n", newline);
}

interface Numbered {
  readonly number: number;
  readonly subject: string;
  readonly situation: Situation;
}

const INITIATIVE = "out/initiative-shop";
const EPIC = `${INITIATIVE}/epic-one`;

const BASES: Readonly<Record<FormName, Readonly<Record<string, string>>>> = {
  "story-file": BMM,
  "build-spec": BMM,
  "spec-story": BMM,
  "v4-story": {
    ...Object.fromEntries(
      ["analyst", "pm", "ux-expert", "architect", "sm", "po", "dev", "qa"].map((
        agent,
      ) => [`.bmad-core/agents/${agent}.md`, `# ${agent}\n`]),
    ),
    ".bmad-core/core-config.yaml":
      "prd:\n  prdFile: docs/prd.md\n  prdSharded: false\n  prdShardedLocation: docs/prd\ndevStoryLocation: docs/stories\n",
  },
  "ticket": {
    ...flatSource("tickets", ".agents/skills") as Record<string, string>,
    "_bmad/config.toml": '[core]\noutput_folder = "out"\nactive_initiative = "initiative-shop"\n',
  },
};

export function refOf(form: FormName, number: number): string {
  if (form === "spec-story") return `spec-shop/${number}`;
  return form === "ticket" ? `1.${number}` : `1-${number}`;
}

const keyOf = (number: number) => `1-${number}-part-${number}`;

export function pathOf(form: FormName, number: number): string {
  switch (form) {
    case "story-file":
      return `out/impl/${keyOf(number)}.md`;
    case "build-spec":
      return `out/impl/spec-${keyOf(number)}.md`;
    case "spec-story":
      return `out/specs/spec-shop/stories/${number}-part.md`;
    case "v4-story":
      return `docs/stories/1.${number}.part.md`;
    case "ticket":
      return `${EPIC}/story-part-${number}-plan.md`;
  }
}

function epicOf(made: readonly Numbered[]): string {
  const stories = made.map(({ number }) =>
    `### Story 1.${number}: Part ${number}\n\nAs a customer, I want it.\n\n`
  );
  return `## Epic 1: Shop\n\nAll of it.\n\n${stories.join("")}`;
}

function ledgerOf(
  form: FormName,
  { sprint }: WorkTemplates,
  made: readonly Numbered[],
  { hasComments }: Writing,
): Record<string, string> {
  const states = made.map(({ situation }) => situation.state);
  if (form === "spec-story") {
    return {
      "out/specs/spec-shop/SPEC.md": "---\nid: SPEC-shop\ncompanions: []\nsources: []\n---\n\n# Shop\n",
      "out/specs/spec-shop/stories.yaml": made.map(({ number, subject }) =>
        `- id: "${number}"${hasComments ? " # pinned" : ""}\n  title: ${
          JSON.stringify(subject)
        }\n  description: x\n`
      ).join(""),
    };
  }
  if (form === "v4-story") {
    return { "docs/prd.md": `# PRD\n\n${epicOf(made)}`, "docs/architecture.md": "# Architecture\n" };
  }
  if (form === "ticket") {
    return {
      [`${INITIATIVE}/initiative-shop.md`]: "---\ntype: initiative\ntitle: Shop\n---\n",
      [`${INITIATIVE}/tickets.toml`]: '[[epic]]\nid = 1\nslug = "epic-one"\ntitle = "One"\n',
      [`${EPIC}/epic-one.md`]: "---\ntype: epic\ntitle: One\n---\n",
      [`${EPIC}/tickets.toml`]: made.map(({ number, subject }) =>
        `[[entry]]\nid = ${number}\ntype = "story"\ntitle = ${JSON.stringify(`${subject} ${number}`)}\n` +
        'description = "x"\nverify = "It works"\nrisk = "low"\n'
      ).join("\n"),
    };
  }
  const epic = states.every((state) => state === "done")
    ? "done"
    : states.every((state) => state === "backlog")
    ? "backlog"
    : "in-progress";
  const rows = made.map(({ number, situation }) =>
    `  ${keyOf(number)}: ${situation.ledger}${hasComments && number % 2 === 0 ? " # by Ann" : ""}\n`
  );
  return {
    "out/plan/epics.md": `# Shop - Epic Breakdown\n\n${epicOf(made)}`,
    "out/impl/sprint-status.yaml": `${
      sprint.replace(
        /^generated: .*$/m,
        `generated: 01-02-2026 10:00${hasComments ? "\nlast_updated: 01-02-2026 11:00 # by hand" : ""}`,
      )
    }` +
      `  epic-1: ${epic}\n${hasComments ? "  # the first part\n" : ""}${
        rows.join("")
      }  epic-1-retrospective: optional\n`,
  };
}

export interface Wanted extends Pick<Situation, "document" | "stage"> {
  readonly number: number;
  readonly subject: string;
  readonly lack?: Lack;
  readonly chance: Chance;
}

export function documentFor(form: FormName, templates: WorkTemplates, wanted: Wanted): string {
  switch (form) {
    case "story-file":
      return storyFile(wanted.chance.pick(templates.storyFiles), wanted);
    case "v4-story":
      return v4Story(templates.v4Story, wanted);
    case "spec-story":
      return spec(templates.record, wanted);
    default:
      return spec(templates.buildSpec, wanted, form === "ticket" ? `ticket: ${wanted.number}\n` : "");
  }
}

/** The boxes of a stage. */
function boxes({ stage, lack }: Wanted): readonly [first: string, last: string] {
  const tick = (is: boolean) => is ? "[x]" : "[ ]";
  return [
    tick(stage === "begun" || stage === "finished"),
    tick(stage === "finished" && lack !== "box"),
  ];
}

const RECORD_HEADINGS = ["Agent Model Used", "Completion Notes List"];

function storyFile(template: string, wanted: Wanted): string {
  const { document, number, subject, stage, lack } = wanted;
  const [first, last] = boxes(wanted);
  const isFinished = stage === "finished";
  const text = fillSections(template, {
    "Story": `As a customer,\nI want to ${subject.toLowerCase()},\nso that it is easy.`,
    ...(lack !== "criteria" && { "Acceptance Criteria": "1. It works\n2. Errors are shown" }),
    "Tasks / Subtasks": `- ${first} Build it (AC: 1)\n  - ${first} The model\n- ${last} Test it (AC: 2)`,
    "Dev Notes": "- Nothing beyond the architecture.",
    "Project Structure Notes": "- No conflicts.",
    "References": "- [Source: docs/a.md#b]",
    ...(isFinished && { "Agent Model Used": "some-model-4", "Completion Notes List": "- Done." }),
    ...(isFinished && { "File List": lack === "record" ? "" : "- src/a.ts\n- src/a_test.ts" }),
  });
  return text.replace(/^# .*$/m, `# Story 1.${number}: ${subject}`).replace(
    /^Status: .*$/m,
    `Status: ${document}`,
  );
}

function v4Story(template: string, wanted: Wanted): string {
  const { document, number, subject, stage, lack } = wanted;
  const [first, last] = boxes(wanted);
  const isFinished = stage === "finished";
  const isRecorded = isFinished && lack !== "record";
  return fillSections(template, {
    "Status": document!,
    "Story": `**As a** customer,\n**I want** to ${subject.toLowerCase()},\n**so that** it is easy`,
    ...(lack !== "criteria" && { "Acceptance Criteria": "1. It works\n2. Errors are shown" }),
    "Tasks / Subtasks": `- ${first} Build it (AC: 1)\n  - ${first} The model\n- ${last} Test it (AC: 2)`,
    "Dev Notes": "Nothing beyond the architecture.",
    "Testing": "Beside the code.",
    "Change Log":
      "| Date | Version | Description | Author |\n| ---- | ------- | ----------- | ------ |\n| 2025-08-01 | 1 | x | Bob |",
    ...(isRecorded && Object.fromEntries(RECORD_HEADINGS.map((name) => [name, "- some words"]))),
    ...(isRecorded &&
      { "File List": "- src/a.ts\n- src/a_test.ts", "QA Results": "### Gate Status\n\nGate: PASS" }),
  }).replace(/^# .*$/m, `# Story 1.${number}: ${subject}`);
}

function spec(template: string, wanted: Wanted, fields = ""): string {
  const { document, subject, stage, lack, chance } = wanted;
  const [first, last] = boxes(wanted);
  // Small enough for one shot: what the template says to delete is deleted.
  const isSmall = /^route:/m.test(template) && stage !== "begun" && lack === undefined &&
    chance.below(3) === 0;
  const isOpen = lack === "question";
  const bodies: Readonly<Record<string, string | null>> = stage === "raw" ? {} : {
    "Intent": `**Problem:** Nobody can ${subject.toLowerCase()}.\n\n**Approach:** Let them.`,
    "Boundaries & Constraints": isSmall ? null : "**Always:** Be quick.\n\n**Never:** Lose data.",
    "I/O & Edge-Case Matrix": null,
    "Open Questions": isOpen ? "- How long? — options: a day (short) / a year (long)" : null,
    "Code Map": isSmall ? null : "- `src/a.ts` -- all of it",
    "Tasks & Acceptance": isSmall
      ? null
      : `**Execution:**\n- ${first} \`src/a.ts\` -- build it -- needed\n- ${last} \`src/a_test.ts\` -- test it -- needed\n\n` +
        `**Acceptance Criteria:**\n${
          lack === "criteria"
            ? "- Given PRECONDITION, when ACTION, then EXPECTED_RESULT"
            : "- Given a customer, when they come, then it works"
        }`,
    "Implementation Notes": (stage === "begun" || stage === "finished") && lack !== "notes"
      ? "- One file was touched."
      : "",
    "Spec Change Log": "",
    "Review Triage Log": "",
    "Design Notes": null,
    "Verification": isSmall ? null : "**Commands:**\n- `npm test` -- expected: everything passes",
  };
  const route = isSmall && stage !== "raw" ? "oneshot" : "dispatch";
  return fillSections(template, bodies)
    .replace(/^title: .*$/m, `title: '${subject}'`)
    .replace(/^created: .*$/m, "created: '2026-05-01'")
    .replace(/^status: '[^']*'/m, `status: '${document}'`)
    .replace(/^route: '[^']*'/m, `route: '${stage === "raw" ? "" : route}'`)
    .replace(/^---\n/, `---\n${fields}`);
}

/**
 * A document from a template: a section gets the body that is given for its heading, or goes if that is null; others stay
 * as they are. Comments go with the first body, as the templates ask; tags stay.
 */
function fillSections(template: string, bodies: Readonly<Record<string, string | null>>): string {
  const isFilled = Object.keys(bodies).length > 0;
  const text = isFilled ? template.replaceAll(/<!--[^]*?-->\n?/g, "") : template;
  const [preface, ...sections] = text.split(/^(?=#{1,4} )/m);
  return [
    preface,
    ...sections.map((section) => {
      const [, heading] = /^#{1,4} (.*)/.exec(section)!;
      const body = bodies[heading!];
      if (body === undefined) return section;
      const tags = [...section.matchAll(/^<\/.*>$/gm)].map(([tag]) => `${tag}\n\n`).join("");
      const head = section.slice(0, section.indexOf("\n") + 1) || `${section}\n`;
      return (body === null ? "" : `${head}\n${body === "" ? "" : `${body}\n\n`}`) + tags;
    }),
  ].join("");
}
