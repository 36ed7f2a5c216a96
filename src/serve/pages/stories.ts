/** The pages of work besides the board: stories and epics, reviews, the trace, and questions. */
import type {
  Board,
  Epic,
  FindingFacts,
  OpenQuestion,
  ProjectWork,
  QuestionsReport,
  Story,
  StoryDetails,
  Task,
  Trace,
  TracedCriterion,
  TracedRequirement,
  WorkDetails,
} from "../../app.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import type { LocatedProblem } from "../../base/problem_groups.ts";
import { counted, oneLine } from "../../base/text.ts";
import { epicName, stateTag, storiesIn, summaryOf } from "../board/mod.ts";
import { actForm, answerForm, livePage, settleForm, storyActs } from "./acts.ts";
import {
  factCard,
  firstRows,
  head,
  link,
  linkedStory,
  listSection,
  MAX_ROWS,
  place,
  quiet,
  quietLine,
  rowList,
  sayLine,
  section,
  type Site,
  tag,
  type View,
  withCount,
} from "./site.ts";

export const NO_CALLS: Parameters<ProjectWork["detail"]>[1] = { execute: () => "" };

export async function storyPage(site: Site, name: string): Promise<View> {
  const work = await site.project.app.project.work();
  const [board, detailed] = await Promise.all([work.ledgers(), work.detail(name, NO_CALLS)]);
  const { story } = detailed;
  const view = story === undefined
    ? epicView(site, work, detailed)
    : storyView(site, work, { ...detailed, board, name }, story);
  return livePage(site, board, view);
}

/** Without an epic, stories are in one without a name. */
export function epicLink(site: Site, work: Pick<ProjectWork, "epicName">, epic: Epic): Content {
  return epic.ref === "" ? epic.title : linkedStory(site, work.epicName(epic), epicName(epic));
}

function storyView(
  site: Site,
  work: ProjectWork,
  detailed: WorkDetails & { readonly board: Board; readonly name: string },
  details: StoryDetails,
): View {
  const { epic, board, name } = detailed;
  const { story, tasks, check, findings, history, times, trace, requirements, documents, step } = details;
  const { title, ref, claim, criteria } = story;
  const asked = questionsOf(board, story);
  const ticked = `${tasks.filter(({ isTicked }) => isTicked).length} of ${tasks.length}`;
  const review = link(site, { page: "review", story: ref }, "The review of this story");
  return {
    title: `${title} (${ref})`,
    tab: "board",
    body: [
      markup`<p class="crumbs">${link(site, { page: "board" }, "Board")} / ${epicLink(site, work, epic)}</p>
<h1>${title} <span class="key">${ref}</span></h1>
<p class="marks">${stateTag(story)} ${claim && tag(`held by ${claim.holder}`, "mark")} ${
        story.isFree && tag("free", "good")
      } ${story.findings !== undefined && tag(`${counted(story.findings, "finding")} open`, "warn")} ${
        story.stale && tag(`stale: ${story.stale.join(", ")}`, "warn")
      }</p>`,
      storyActs(site, story, name),
      asked.length > 0 && rowList(asked.map((one) => openRow(site, one))),
      step !== undefined &&
      markup`<section class="card now"><h2>${step.headline.replace(`“${title}”`, "this story")}</h2>
${step.story === undefined && quietLine(step.why)}${step.say !== undefined && sayLine(step.say)}</section>`,
      markup`<div class="halves"><div>${[
        section(withCount("Tasks", ticked), taskLists(site, name, tasks)),
        section("Acceptance criteria", criteriaList(criteria, trace.criteria)),
        section("Ready for “done”?", againstDone(check)),
        section(
          "Review findings",
          findings.length > 0 &&
            [
              rowList(findings.slice(0, MAX_ROWS).map((one) => findingRow(site, name, one))),
              markup`<p>${review}</p>`,
            ],
        ),
      ]}</div><div>${[
        factCard("Facts", [
          ...storyFacts(site, work, story),
          ["Time in states", times],
        ]),
        listSection("Documents", documents.map((path) => link(site, { doc: path }, place(path))), MAX_ROWS),
        section("Trace", traceList(site, requirements, trace)),
        listSection(
          "History",
          history.toReversed().map(({ data }) => [`${data["what"]} `, quiet(String(data["time"]))]),
          MAX_ROWS,
        ),
        driftSection(story.drift),
      ]}</div></div>`,
      neighbours(site, work, detailed, "Stories"),
    ],
  };
}

function questionsOf({ questions }: Board, story: Story | undefined): readonly OpenQuestion[] {
  return questions.filter(({ number }) => story?.questions?.includes(number));
}

const ELSEWHERE: readonly string[] = [
  ...["file", "plan", "ledger", "boxes", "done when", "findings", "stale", "drift", "covers"],
  ...["waits for an answer", "answered"],
];

function storyFacts(
  site: Site,
  work: ProjectWork,
  story: Story,
): readonly (readonly [label: string, value: Content])[] {
  const links: Readonly<Record<string, Content>> = {
    "builds on": storyLinks(site, story.after),
    "waits for": storyLinks(site, story.waitsFor),
  };
  return work.factsOf(story).filter(([label]) => !ELSEWHERE.includes(label))
    .map(([label, text]) => [`${label[0]!.toUpperCase()}${label.slice(1)}`, links[label] ?? text]);
}

function driftSection(drift: readonly LocatedProblem[]): Content {
  const rows = drift.map(({ path, line, problem }) => [problem, " ", quiet(place(path, line))]);
  return listSection("Drift", rows, MAX_ROWS);
}

function storyLinks(site: Site, refs: readonly string[]): Content {
  return refs.map((ref, at) => [at > 0 && ", ", linkedStory(site, ref)]);
}

function taskLists(site: Site, story: string, tasks: readonly Task[]): Content {
  const groups = Map.groupBy(tasks, ({ heading }) => heading);
  const taskRow = (one: Task) => {
    const { text, isTicked, isOptional, depth } = one;
    const sign = isTicked ? "☑" : "☐";
    const words = [plain(text), isOptional && [" ", tag("optional")]];
    const number = tasks.indexOf(one) + 1;
    const id = `task-${number}`;
    const form = actForm(
      site,
      id,
      { action: "mark", story, task: `${number}: ${text}`, status: isTicked ? "open" : "done" },
      markup`<button class="task" id="${id}-box" role="checkbox" aria-checked="${`${isTicked}`}"><span aria-hidden="true">${sign}</span> ${words}</button>`,
    );
    return markup`<li${isTicked && markup` class="ticked"`} data-depth="${`${depth}`}">${
      form ??
        markup`<span role="img" aria-label="${
          isTicked ? "done" : "to do"
        }">${sign}</span> <span>${words}</span>`
    }</li>`;
  };
  return [...groups].map(([heading, some]) => [
    groups.size > 1 && heading !== "" && markup`<h3>${heading}</h3>`,
    markup`<ul class="boxes card">${some.map(taskRow)}</ul>`,
  ]);
}

function againstDone({ standing, rows, unchecked }: StoryDetails["check"]): Content {
  const objections = rows.slice(0, MAX_ROWS).map(({ name, about, data }) => [
    about,
    quietLine([String(data["fix"] ?? ""), " ", place(name)]),
  ]);
  const others = unchecked.slice(0, MAX_ROWS).map((one) => markup`<li>${one}</li>`);
  return [
    markup`<p>${standing}</p>`,
    objections.length > 0 && rowList(objections),
    others.length > 0 &&
    markup`<details><summary class="quiet">Not checked</summary><ul>${others}</ul></details>`,
  ];
}

function traceList(
  site: Site,
  requirements: StoryDetails["requirements"],
  { tests, commits }: StoryDetails["trace"],
): Content {
  const rows: readonly Content[] = [
    ...requirements.slice(0, MAX_ROWS).map(({ id, text }) => markup`<strong>${id}</strong> ${text}`),
    ...tests.map((test) => [tag("test"), " ", place(test)]),
    ...commits.map(({ id, subject }) => markup`${tag("commit")} <code>${id}</code> ${subject}`),
  ];
  const all = link(site, { page: "trace" }, "The trace of all requirements");
  return rows.length > 0 && [rowList(rows), markup`<p>${all}</p>`];
}

function neighbours(site: Site, work: ProjectWork, { previous, next }: WorkDetails, label: string): Content {
  const step = (one: Story | Epic, before: string, after: string) => {
    const [name, title] = "key" in one
      ? [one.ref, `${one.ref} ${one.title}`]
      : [work.epicName(one), epicName(one)];
    return linkedStory(site, name, `${before}${title}${after}`);
  };
  return (previous ?? next) &&
    markup`<nav class="pager ends" aria-label="${label}"><span>${
      previous && step(previous, "← ", "")
    }</span><span>${next && step(next, "", " →")}</span></nav>`;
}

const MAX_STORIES = 500;

function epicView(site: Site, work: ProjectWork, detailed: WorkDetails): View {
  const { epic } = detailed;
  const { owner, waitsFor, covers, retrospective, stories, drift, file, ledger } = epic;
  const document = file !== undefined && /\.md$/i.test(file) && file;
  return {
    title: epicName(epic),
    tab: "board",
    body: [
      markup`<p class="crumbs">${link(site, { page: "board" }, "Board")}</p>
<h1>${epicName(epic)}</h1>
<p class="marks">${stateTag(epic)}</p>
${summaryOf(epic.stories)}`,
      section(
        withCount("Stories", stories.length),
        firstRows(stories.map((story) => storyRow(site, work, story)), "None yet.", MAX_STORIES),
      ),
      // In v4, a task writes them one by one.
      document && stories.every(({ form }) => form !== "v4-story") && actForm(
        site,
        "new-story",
        { action: "plan", epic: work.epicName(epic) },
        markup`<label>New story <input name="title" id="new-title" required maxlength="200" placeholder="Its title"></label><button>Add</button>`,
      ),
      factCard("Facts", [
        ["Owner", owner],
        ["Waits for", waitsFor.join(", ")],
        ["Requirements", covers.join(", ")],
        ["Retrospective", retrospective],
        ["Document", document && link(site, { doc: document }, place(document))],
        ["Ledger", place(ledger)],
      ]),
      driftSection(drift),
      neighbours(site, work, detailed, "Epics"),
    ],
  };
}

export function heldRow(
  site: Site,
  story: Pick<Story, "ref" | "title" | "state" | "status" | "owner" | "claim">,
): Content {
  const { ref, title, claim, owner } = story;
  const linked = markup`${linkedStory(site, ref, title)} <span class="key">${ref}</span>`;
  return head(linked, claim ? `held by ${claim.holder}` : owner, stateTag(story));
}

function storyRow(site: Site, work: Pick<ProjectWork, "notesOf">, story: Story): Content {
  const notes = work.notesOf(story).filter(({ name }) => name !== "owner" && name !== "claim")
    .map(({ words }) => words);
  return [heldRow(site, story), notes.length > 0 && quietLine(notes.join(" · "))];
}

export async function reviewsPage(site: Site): Promise<View> {
  const work = await site.project.app.project.work();
  const stories = storiesIn(await work.ledgers())
    .filter(({ state, findings }) => state === "review" || findings !== undefined);
  const row = ({ ref, title, state, findings, file, plan }: Story) =>
    head(
      file ?? plan ? link(site, { page: "review", story: ref }, title) : title,
      linkedStory(site, ref, "Story"),
      [
        markup`<span class="key">${ref}</span>`,
        state === "review" && stateTag({ state }),
        findings !== undefined && tag(`${counted(findings, "finding")} open`, "warn"),
      ],
    );
  return {
    title: "Reviews",
    tab: "review",
    body: [
      markup`<h1>${withCount("Reviews", stories.length)}</h1>
<p>Stories that are in review or have open findings.</p>`,
      firstRows(
        stories.map(row),
        "No story is in review, and no finding is open. Move one to Review once its work is done.",
      ),
    ],
  };
}

export async function reviewPage(site: Site, story: string): Promise<View> {
  const work = await site.project.app.project.work();
  const [board, { data }] = await Promise.all([
    work.ledgers(),
    work.review(story, { review: () => "", force: "" }),
  ]);
  const { title, state, file, diff, criteria, passes, open, settled, isOver, isRunning, advice } = data;
  const { commands, from, size, uncommitted, added } = diff;
  const changed = size !== undefined &&
    `: ${counted(size.files, "file")}, ${size.added} lines added, ${size.deleted} deleted`;
  const asked = questionsOf(board, storiesIn(board).find(({ ref }) => ref === data.story));
  const rowOf = (one: FindingFacts) => findingRow(site, story, one);
  const about = (shows: string) => shows !== from && quiet(shows);
  return livePage(site, board, {
    title: `Review of ${title}`,
    tab: "review",
    body: [
      markup`<h1>Review of ${title}</h1>
<p class="lead">${stateTag({ state })} ${
        isRunning
          ? tag("a pass has begun", "good")
          : tag(isOver ? "may end here" : "a pass is due", isOver ? "good" : "warn")
      }</p>
<p>${advice}</p>
<h2>Diff</h2>
<p>${from}${changed}</p>
${commands.map(({ command, shows }) => markup`<p><code>${command}</code> ${about(shows)}</p>`)}`,
      uncommitted.length > 0 && quietLine(`Not committed: ${uncommitted.slice(0, 20).join(", ")}`),
      added.length > 0 && quietLine(`New, not in git: ${added.slice(0, 20).join(", ")}`),
      section("Criteria", criteriaList(criteria)),
      listSection("Open", open.map(rowOf)),
      asked.length > 0 && rowList(asked.map((one) => openRow(site, one))),
      listSection("Settled", settled.map(rowOf)),
      listSection(
        "Passes",
        passes.map(({ number, heading, findings }) =>
          markup`<strong>${number}</strong> ${heading} ${quiet(counted(findings, "finding"))}`
        ),
      ),
      markup`<p>${linkedStory(site, story, "Back to the story")} · ${
        link(site, { doc: file }, "Open its document")
      }</p>`,
    ],
  });
}

const SEVERITIES = { high: "bad", medium: "warn", low: "" } as const;

function findingRow(site: Site, story: string, finding: FindingFacts): Markup {
  const { id, severity, text, file, verdict, reason, isOpen } = finding;
  const outcome = isOpen ? tag("open", "warn") : tag(verdict ?? "noted", verdict === "fixed" ? "good" : "");
  const weight = tag(severity ?? "no severity", severity === undefined ? "" : SEVERITIES[severity]);
  const about = [isOpen && verdict, reason, file, id].filter(Boolean).join(" · ");
  return markup`${outcome} ${weight} ${text} ${quiet(about)}${isOpen && settleForm(site, story, finding)}`;
}

const MAX_CRITERIA = 100, MAX_TESTS = 5;

function plain(text: string): string {
  return text.replaceAll(/\*\*|__|`/g, "");
}

/** Only as people begin clauses: "and" and "but" also stand inside of one. */
const MORE = /,? (?=(?:And|But|When|Then|AND|BUT|WHEN|THEN)\b)/;

function clausesOf(text: string): readonly (readonly [word: string, rest: string])[] {
  const words = oneLine(plain(text));
  const when = /^given\b/i.test(words) ? words.search(/ when\b/i) : -1;
  const then = when < 0 ? -1 : words.slice(when + 1).search(/ then\b/i);
  if (then < 0) return [["", words]];
  const parts = [words.slice(0, when), words.slice(when + 1, when + 1 + then), words.slice(when + then + 2)];
  return parts.map((part) => part.replace(/,$/, "")).flatMap((part) => part.split(MORE)).map((part) => {
    const [, word = "", rest = part] = /^(\w+)[ :,]+(.*)/.exec(part) ?? [];
    return [`${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`, rest];
  });
}

function criteriaList(criteria: readonly string[], traced: readonly TracedCriterion[] = []): Content {
  const rows = criteria.slice(0, MAX_CRITERIA).map((criterion, at) => {
    const clauses = clausesOf(criterion).map(([word, rest]) =>
      markup`<span class="clause">${word !== "" && markup`<strong>${word}</strong> `}${rest}</span>`
    );
    const tests = traced.find(({ number }) => number === at + 1)?.tests ?? [];
    return markup`<li>${clauses}${
      tests.slice(0, MAX_TESTS).map((test) =>
        markup`<span class="clause quiet">Tested by <span class="path">${test}</span></span>`
      )
    }</li>`;
  });
  return rows.length > 0 && markup`<ol class="criteria card">${rows}</ol>`;
}

const MAX_TRACED = 1_000;
const MAX_EPICS = 30;

export async function tracePage(site: Site): Promise<View> {
  const { data: trace } = await (await site.project.app.project.work()).trace(undefined, true);
  const { requirements, stories } = trace;
  const covered = requirements.filter(({ by }) => by.length > 0).length;
  const missing = requirements.filter(({ isMissing }) => isMissing);
  const aimless = stories.filter((story) => story.requirements.length === 0);
  const stale = stories.filter(({ stale = [] }) => stale.length > 0);
  const untested = stories.flatMap(({ ref, criteria }) =>
    criteria.filter(({ tests }) => tests.length === 0).map((one) => ({ ref, ...one }))
  );
  const storyRow = (ref: string, ...about: readonly Content[]) => [linkedStory(site, ref), " ", ...about];
  const listed = (title: string, rows: readonly Content[]) => listSection(title, rows, MAX_TRACED);
  return {
    title: "Trace",
    tab: "trace",
    body: [
      markup`<h1>Trace</h1>
<p class="lead">${covered} of ${
        counted(requirements.length, "requirement is", "requirements are")
      } covered.</p>`,
      requirements.length === 0 &&
      quietLine("Number the requirements of the PRD, as FR1, and name them in epics and stories."),
      requirements.length > 0 && matrix(site, trace),
      listed("Not covered", missing.map(({ id, text }) => markup`<strong>${id}</strong> ${text}`)),
      listed("Stories without a requirement", aimless.map(({ ref, title }) => storyRow(ref, title))),
      listed(
        "Criteria without a test",
        untested.map(({ ref, number, text }) => storyRow(ref, `AC${number} `, plain(text))),
      ),
      listed(
        "Stale: the requirement has changed since the story began",
        stale.map(({ ref, title, stale }) => storyRow(ref, title, " ", tag(stale!.join(", "), "warn"))),
      ),
      listed("Not looked at", trace.unread),
    ],
  };
}

function matrix(site: Site, { requirements, epics, stories }: Trace): Markup {
  const columns = epics.slice(0, MAX_EPICS);
  const hidden = requirements.length - MAX_TRACED;
  const row = (one: TracedRequirement) => {
    const cells = columns.map(({ ref, requirements: own }) => {
      const direct = stories.filter(({ epic, ref: story }) => epic === ref && one.stories.includes(story))
        .map(({ ref, state }) =>
          markup`<span class="pair">${linkedStory(site, ref)} ${stateTag({ state })}</span>`
        );
      return markup`<td>${direct.length > 0 ? direct : own.includes(one.id) && tag("epic", "mark")}</td>`;
    });
    const missing = one.by.length === 0 && [" ", one.isMissing ? tag("not covered", "bad") : tag("no story")];
    return markup`<tr><th scope="row" title="${one.text}">${one.id}</th><td>${one.text}${missing}</td>${cells}</tr>`;
  };
  const heads = columns.map(({ ref, title }) =>
    markup`<th scope="col" title="${title}">${ref === "" ? title : `Epic ${ref}`}</th>`
  );
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Requirements by epics"><table class="trace">
<thead><tr><th scope="col">Id</th><th scope="col">Requirement</th>${heads}</tr></thead>
<tbody>${requirements.slice(0, MAX_TRACED).map(row)}</tbody></table></div>
${hidden > 0 && quietLine(counted(hidden, "more requirement"))}`;
}

const MAX_ANSWERS = 200;

type Answered = QuestionsReport["answered"][number];

export async function questionsPage(site: Site): Promise<View> {
  const work = await site.project.app.project.work();
  const [board, { open, answered, problems }] = await Promise.all([work.ledgers(), work.questions({})]);
  const lead = open.length > 0
    ? counted(open.length, "open question")
    : problems.length === 0
    ? markup`Nothing waits for a decision. Whoever works on a story can ask: agents with <code>ask</code>, people with <code>bmad-mcp ask</code>.`
    : "No question can be read.";
  return livePage(site, board, {
    title: "Questions",
    tab: "questions",
    body: [
      markup`<h1>Questions</h1><p class="lead">${lead}</p>`,
      problems.map(({ path, line, problem }) =>
        markup`<p class="note bad">${place(path, line)} ${problem}</p>`
      ),
      open.length > 0 && rowList(open.map((one) => openRow(site, one))),
      answered.length > 0 &&
      section("Answered", firstRows(answered.map((one) => answeredRow(site, one)), undefined, MAX_ANSWERS)),
    ],
  });
}

function openRow(site: Site, question: OpenQuestion): Markup {
  const { text, asked, choices } = question;
  const lettered = choices.length > 0 &&
    markup`<ol type="A">${choices.map((one) => markup`<li>${one}</li>`)}</ol>`;
  return markup`${head(text, aboutQuestion(site, question))}
${quietLine(momentText("Asked", asked))}${answerForm(site, question) ?? lettered}`;
}

function answeredRow(site: Site, question: Answered): Markup {
  const { text, answer = "Answered", answered } = question;
  return markup`${head(text, aboutQuestion(site, question))}
<p>${answer} ${quiet(momentText("", answered))}</p>`;
}

function aboutQuestion(site: Site, { number, story, to }: OpenQuestion | Answered): Content {
  return [
    tag(`question ${number}`, "mark"),
    story !== undefined && [" ", linkedStory(site, story)],
    to !== undefined && [" ", tag(`to ${to}`)],
  ];
}

function momentText(did: string, moment: Answered["asked"]): string {
  const { by, day } = moment ?? {};
  const words = [by && `by ${by}`, day && `on ${day}`].filter(Boolean).join(" ");
  return words === "" ? "" : `${did} ${words}`.trim();
}
