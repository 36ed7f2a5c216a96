/**
 * How does a test get projects that tell the truth about their work?
 *
 * `honestProject` makes one from a seed, in one of the six shapes that ledgers have, and in one of many styles: lists,
 * numbered lists, nested lists and tables, several languages, both kinds of line ends, with and without a definition of
 * done, reviews, a list of files and a baseline. Its commits are data, so that no git is needed.
 */
import { createHash } from "node:crypto";
import type { BoardFolders } from "../../src/project/work/formats/mod.ts";
import type { Change, Commit } from "../../src/project/work/check/history.ts";
import { type Chance, chanceFrom } from "../support/chance.ts";
import { FOLDERS, V4_FOLDERS } from "./board.ts";

/** The six shapes of ledgers: a sprint of story files or of build specs, files alone, a spec folder, v4, tickets. */
export const SHAPES = ["sprint", "builds", "files", "specs", "v4", "tickets"] as const;
export type Shape = typeof SHAPES[number];

interface Style {
  readonly language: keyof typeof WORDS;
  readonly tasks: "flat" | "nested" | "numbered" | "table";
  readonly criteria: "numbered" | "boxes" | "given" | "table" | "headings";
  readonly files: "plain" | "code" | "table" | "grouped" | "none";
  readonly review: "none" | "findings" | "twice" | "triage";
  readonly hasDone: boolean;
  readonly hasBaseline: boolean;
  readonly isCommitted: boolean;
  readonly newline: "\n" | "\r\n";
  readonly hasBom: boolean;
  readonly hasGit: boolean;
  /** Small builds have neither criteria nor tasks, and no baseline. */
  readonly isSmall: boolean;
}

export interface Project {
  readonly shape: Shape;
  readonly style: Style;
  readonly folders: BoardFolders;
  readonly files: Record<string, string>;
  readonly commits: MadeCommit[];
  readonly stories: readonly Told[];
}

export type MadeCommit = Omit<Commit, "changes"> & { changes: Change[] };

interface Told {
  readonly ref: string;
  readonly number: number;
  readonly state: State;
  readonly path: string;
  readonly code: string;
  readonly test: string;
}

type State = "done" | "review" | "in-progress" | "ready" | "backlog";

const WORDS = {
  en: ["Acceptance Criteria", "Tasks / Subtasks", "File List", "Dev Notes", "Definition of Done"],
  fr: ["Critères d'acceptation", "Tâches", "Liste des fichiers", "Notes", "Définition de « terminé »"],
  de: ["Akzeptanzkriterien", "Aufgaben", "Dateiliste", "Hinweise", "Definition of Done"],
  es: ["Criterios de aceptación", "Tareas", "Lista de archivos", "Notas", "Definición de hecho"],
  ja: ["受け入れ基準", "タスク", "ファイル一覧", "開発メモ", "完了の定義"],
  // A language that we have no words for.
  fi: ["Hyväksymiskriteerit", "Tehtävät", "Tiedostoluettelo", "Muistiinpanot", "Valmiin määritelmä"],
} as const;

const STATES: readonly State[] = ["done", "done", "review", "in-progress", "ready", "backlog"];
const SUBJECTS = ["login", "basket", "invoice", "search", "export", "profile"];

function anyStyle(chance: Chance): Style {
  return {
    language: chance.pick(["en", "en", "en", "fr", "de", "es", "ja", "fi"]),
    tasks: chance.pick(["flat", "nested", "numbered", "table"]),
    criteria: chance.pick(["numbered", "boxes", "given", "table", "headings"]),
    files: chance.pick(["plain", "code", "table", "grouped", "none"]),
    review: chance.pick(["none", "findings", "twice", "triage"]),
    hasDone: chance.below(2) === 0,
    hasBaseline: chance.below(3) > 0,
    isCommitted: chance.below(2) === 0,
    newline: chance.below(3) === 0 ? "\r\n" : "\n",
    hasBom: chance.below(4) === 0,
    hasGit: chance.below(4) > 0,
    isSmall: chance.below(4) === 0,
  };
}

export const PLAIN: Style = {
  language: "en",
  tasks: "nested",
  criteria: "numbered",
  files: "plain",
  review: "findings",
  hasDone: true,
  hasBaseline: true,
  isCommitted: true,
  newline: "\n",
  hasBom: false,
  hasGit: true,
  isSmall: false,
};

export function honestProject(shape: Shape, seed: number, given?: Style): Project {
  const style = given ?? anyStyle(chanceFrom(seed));
  const files: Record<string, string> = {};
  const commits: MadeCommit[] = [commitOf("start", undefined, { "README.md": "# Shop\n" })];
  files["README.md"] = "# Shop\n";
  const stories = SUBJECTS.map((subject, at): Told => {
    const number = at + 1;
    const state = STATES[at]!;
    const [code, test] = [`src/${subject}.ts`, `tests/${subject}_test.ts`];
    return {
      ref: refOf(shape, number),
      number,
      state,
      path: pathOf(shape, number, subject),
      code,
      test,
    };
  });
  for (const story of stories) {
    const isBegun = story.state === "done" || story.state === "review" || story.state === "in-progress";
    const baseline = commits[0]!.id;
    const text = storyFile(shape, style, story, isBegun && style.hasBaseline ? baseline : undefined);
    if (text !== undefined) {
      files[story.path] = (style.hasBom ? "\uFEFF" : "") + text.replaceAll("\n", style.newline);
    }
    if (!isBegun) continue;
    const own: Record<string, string> = {
      [story.code]: `export const ${SUBJECTS[story.number - 1]} = ${story.number};\n`,
      [story.test]: `Deno.test("${story.code}", () => {});\n`,
    };
    Object.assign(files, own);
    // The last piece of work is not committed yet.
    const isCommitted = story.state === "done" || story.state === "review" && style.isCommitted;
    if (isCommitted) {
      const record = text === undefined ? {} : { [story.path]: files[story.path]! };
      commits.unshift(commitOf(`feat: story ${story.ref}`, baseline, { ...own, ...record }));
    }
  }
  Object.assign(files, ledgerOf(shape, stories));
  // Somebody repairs something that no story is about.
  files["src/hotfix.ts"] = "export {};\n";
  commits.unshift(commitOf("fix: a bug", commits[0]!.id, { "src/hotfix.ts": files["src/hotfix.ts"] }));
  return { shape, style, folders: shape === "v4" ? V4_FOLDERS : FOLDERS, files, commits, stories };
}

/** A commit of files with these contents; null deletes one. */
export function commitOf(
  subject: string,
  parent: string | undefined,
  files: Readonly<Record<string, string | null>>,
): MadeCommit {
  const changes = Object.entries(files).map(([path, text]) => ({
    path,
    kind: text === null ? "deleted" as const : parent === undefined ? "added" as const : "changed" as const,
    before: "0".repeat(40),
    after: text === null ? "0".repeat(40) : blobOf(text),
  }));
  const id = createHash("sha1").update(JSON.stringify([subject, parent, changes])).digest("hex");
  return { id, parents: parent === undefined ? [] : [parent], subject, changes };
}

/** The file of one story of a project, and its commit, as a test falsifies them. */
export class StoryFile {
  constructor(readonly project: Project, readonly number: number) {}

  get story(): Told {
    return this.project.stories[this.number - 1]!;
  }

  get files(): Record<string, string> {
    return this.project.files;
  }

  get commit(): MadeCommit {
    return this.project.commits.find(({ subject }) => subject.endsWith(` ${this.story.ref}`))!;
  }

  get path(): string {
    return this.story.path;
  }

  get text(): string {
    return this.files[this.path]!;
  }

  set text(text: string) {
    this.files[this.path] = text;
  }

  edit(from: string | RegExp, to: string, path: string = this.path): void {
    const text = this.files[path]!.replace(from, to);
    if (text === this.files[path]) throw new Error(`${from} is not in ${text}`);
    this.files[path] = text;
  }

  section(heading: string, body: string): void {
    const existing = new RegExp(`(^#{2,3} ${heading}\n)[^#]*`, "m");
    this.text = existing.test(this.text)
      ? this.text.replace(existing, `$1\n${body}\n\n`)
      : `${this.text}\n## ${heading}\n\n${body}\n`;
  }

  changes(kind: "added" | "deleted", path: string, after: string = "1".repeat(40)): void {
    this.commit.changes.push({ path, kind, before: "1".repeat(40), after });
  }
}

export function blobOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

function refOf(shape: Shape, number: number): string {
  if (shape === "specs") return `spec-shop/${number}`;
  return shape === "tickets" ? `1.${number}` : `1-${number}`;
}

function pathOf(shape: Shape, number: number, subject: string): string {
  if (shape === "specs") return `out/specs/spec-shop/stories/${number}-${subject}.md`;
  if (shape === "v4") return `docs/stories/1.${number}.${subject}.md`;
  if (shape === "tickets") return `out/initiative-shop/epic-one/story-${subject}-plan.md`;
  return `out/impl/${shape === "builds" ? "spec-" : ""}1-${number}-${subject}.md`;
}

const V4_WORDS: Readonly<Record<State, string>> = {
  "done": "Done",
  "review": "Ready for Review",
  "in-progress": "InProgress",
  "ready": "Approved",
  "backlog": "Draft",
};
const BUILD_WORDS: Readonly<Record<State, string>> = {
  "done": "done",
  "review": "in-review",
  "in-progress": "in-progress",
  "ready": "ready-for-dev",
  "backlog": "draft",
};
const SPRINT_WORDS: Readonly<Record<State, string>> = {
  ...BUILD_WORDS,
  review: "review",
  backlog: "backlog",
};

function storyFile(
  shape: Shape,
  style: Style,
  story: Told,
  baseline: string | undefined,
): string | undefined {
  if (story.state === "backlog") return undefined;
  const name = SUBJECTS[story.number - 1]!;
  const body = bodyOf(style, story);
  if (shape === "specs" || shape === "tickets" || shape === "builds") {
    // A build is over before its review is.
    const word = shape === "builds" && story.state === "review" ? "done" : BUILD_WORDS[story.state];
    const facts = [
      `title: '${name}'`,
      `status: ${word}`,
      ...(shape === "tickets" ? [`ticket: ${story.number}`] : []),
      ...(style.isSmall ? ["route: 'oneshot'"] : []),
      ...(baseline === undefined || style.isSmall ? [] : [`baseline_revision: ${baseline}`]),
    ];
    const isBegun = story.state !== "ready";
    const notes = `## Implementation Notes\n\n${isBegun ? "- As planned.\n" : ""}`;
    return `---\n${facts.join("\n")}\n---\n\n## Intent\n\n**Problem:** No ${name} (FR${story.number}).\n\n${
      style.isSmall ? "" : body
    }${notes}`;
  }
  const head = baseline === undefined ? "" : `---\nbaseline_commit: ${baseline}\n---\n\n`;
  const title = `# Story 1.${story.number}: ${name}\n\n`;
  const status = shape === "v4"
    ? `## Status\n\n${V4_WORDS[story.state]}\n\n`
    : `Status: ${SPRINT_WORDS[story.state]}\n\n`;
  return `${head}${title}${status}## Story\n\nAs a customer, I want the ${name} (FR${story.number}).\n\n${body}`;
}

function bodyOf(style: Style, { state, code, test, number }: Told): string {
  const [criteria, tasks, files, notes, done] = WORDS[style.language];
  const isOver = state === "done" || state === "review";
  const isBegun = isOver || state === "in-progress";
  const box = isOver ? "[x]" : "[ ]";
  const first = isBegun ? "[x]" : "[ ]";
  const taskLists: Readonly<Record<Style["tasks"], string>> = {
    flat: `- ${first} Build it (AC: 1)\n- ${box} Test it (AC: 1, 2)\n- ${box} ~~Paint it~~\n`,
    nested:
      `- ${box} Build it (AC: 1, 2)\n  - ${first} The model\n    - ${first} Its fields\n  - ${box} The view\n` +
      `- ${box} Test it\n`,
    numbered: `1. ${first} Build it (AC: #1)\n2. ${box} Test it (AC: #2)\n   - a remark\n`,
    table: `| Task | Done |\n|---|---|\n| Build it | ${first} |\n| Test it | ${box} |\n`,
  };
  const criteriaLists: Readonly<Record<Style["criteria"], string>> = {
    numbered: "1. The list is sorted\n2. Errors are shown\n",
    boxes: `- ${box} The list is sorted\n- ${box} Errors are shown\n`,
    given:
      "**Given** a list **When** it opens **Then** it is sorted\n\n**Given** an error\n**When** it occurs\n" +
      "**Then** it is shown\n",
    table: "| AC | What |\n|---|---|\n| 1 | The list is sorted |\n| 2 | Errors are shown |\n",
    headings: "### AC1: Sorted\n\nThe list is sorted.\n\n### AC2: Errors\n\nThey are shown.\n",
  };
  const fileLists: Readonly<Record<Style["files"], string>> = {
    plain: `- ${code}\n- ${test} (new)\n`,
    code: `- \`${code}\` - added\n- \`${test}\`: two tests\n`,
    table: `| File | Change |\n|---|---|\n| ${code} | new |\n| \`${test}\` | new |\n`,
    grouped: `**New:**\n\n- ${code}\n- ${test}\n\n**Deleted:**\n\n- src/old_${number}.ts\n`,
    none: "",
  };
  const reviews: Readonly<Record<Style["review"], string>> = {
    none: "",
    findings:
      `### Review Findings\n\n- ${isOver ? "[x]" : "[ ]"} [Review][Patch] Sort by name [${code}:1]\n` +
      "- [x] [Review][Defer] Old code is slow [src/a.ts:1] — deferred: pre-existing\n\n",
    twice: "## Senior Developer Review (AI)\n\n**Outcome:** Changes Requested\n\n### Action Items\n\n" +
      `- ${box} Sort by name\n\n## Senior Developer Review (AI), second pass\n\n**Outcome:** Approve\n\n`,
    triage:
      "## Review Triage Log\n\n### 2026-10-01 — Review pass\n- verdicts: 2 findings — high 0, low 1, false 1\n" +
      "- findings:\n  - `[low]` `[reject]` A name — rarely seen\n  - `[medium]` `[patch]` Sort — sorted\n\n",
  };
  return [
    `## ${criteria}\n\n${criteriaLists[style.criteria]}\n`,
    `## ${tasks}\n\n${taskLists[style.tasks]}\n`,
    isBegun && state !== "in-progress" && style.language !== "fi" ? reviews[style.review] : "",
    style.hasDone ? `## ${done}\n\n- ${box} Reviewed by nobody else\n- ${box} Documented\n\n` : "",
    `## ${notes}\n\nSee [the view](docs/view.md). \`\`\`- [ ] not a box\`\`\`\n\n\`\`\`md\n- [ ] an example\n\`\`\`\n\n`,
    isOver && style.files !== "none" ? `### ${files}\n\n${fileLists[style.files]}\n` : "",
    state === "done" ? "## Future work\n\n- [ ] A dark theme\n" : "",
  ].join("");
}

function ledgerOf(shape: Shape, stories: readonly Told[]): Record<string, string> {
  const requirements = SUBJECTS.map((name, at) => `- **FR${at + 1}**: The shop has a ${name}.\n`).join("");
  const later = "\n## Out of Scope\n\n- **FR9**: A shop on the moon.\n";
  const prd = `# PRD\n\n## Functional Requirements\n\n${requirements}\n## Non-Functional Requirements\n\n` +
    `- NFR1: Fast.\n- NFR2: Safe.\n${later}`;
  const epics = `## Epic 1: Shop\n\nAll of it.\n\n${
    stories.map(({ number }) =>
      `### Story 1.${number}: ${
        SUBJECTS[number - 1]
      }\n\nFR${number}\n\n**Acceptance Criteria:**\n\n1. It works\n`
    ).join("\n")
  }`;
  if (shape === "v4") return { "docs/prd.md": `${prd}\n${epics}` };
  if (shape === "specs") {
    return {
      "out/specs/spec-shop/SPEC.md": `# Shop\n\n## Capabilities\n\n${
        SUBJECTS.map((name, at) => `- **CAP-${at + 1}**: ${name}\n`).join("")
      }`,
      "out/specs/spec-shop/stories.yaml": stories.map(({ number }) =>
        `- id: "${number}"\n  title: ${SUBJECTS[number - 1]}\n  description: x\n`
      ).join(""),
    };
  }
  if (shape === "tickets") {
    return {
      "out/initiative-shop/initiative-shop.md": "---\ntype: initiative\ntitle: Shop\n---\n",
      "out/initiative-shop/prd-shop/prd-shop.md": prd,
      "out/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-one"\ntitle = "One"\n',
      "out/initiative-shop/epic-one/epic-one.md": "---\ntype: epic\ntitle: One\n---\n",
      "out/initiative-shop/epic-one/tickets.toml": stories.map(({ number }) =>
        `[[entry]]\nid = ${number}\ntype = "story"\ntitle = "${SUBJECTS[number - 1]}"\n` +
        `verify = "It works"\ncovers = ["FR${number}"]\n`
      ).join("\n"),
    };
  }
  const planned = { "out/plan/prd.md": prd, "out/plan/epics.md": epics };
  if (shape === "files") return planned;
  const rows = stories.map(({ number, state }) =>
    `  1-${number}-${SUBJECTS[number - 1]}: ${SPRINT_WORDS[state]}\n`
  );
  return {
    ...planned,
    "out/impl/sprint-status.yaml": `development_status:\n  epic-1: in-progress\n${
      rows.join("")
    }  epic-1-retrospective: optional\n`,
  };
}
