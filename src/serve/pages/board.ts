/**
 * The board: where the project stands, epic by epic, with owners, what waits for what, and where files disagree.
 */
import type { Board, Epic, ProjectWork, State, Story } from "../../app.ts";
import { groupAlike, named } from "../../base/alike.ts";
import { counted } from "../../base/text.ts";
import { BOARD_SCRIPT, EVENTS_PATH, versionOf } from "./live_board.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import { link, linkTo, type Project, type Projects, rowList, type Site, tag, type View } from "./site.ts";

/** The most stories that a page shows; the others are counted. */
const MAX_STORIES = 2_000;

/** The board of one project. */
export async function boardPage(site: Site): Promise<View> {
  const work = await site.project.app.work();
  const board = await work.ledgers();
  const all = site.projects.names.length > 1 &&
    markup`<p>${link(site, { page: "board", all: "" }, "The boards of all projects")}</p>`;
  return {
    ...liveView(
      "Board",
      [board],
      linkTo(site, {}, EVENTS_PATH),
      markup`${progressOf(board)}${all}
${contentsOf({ ...site, notesOf: work.notesOf }, board, countDown())}`,
    ),
    tab: "board",
  };
}

/** The boards of all projects of the server, on one page. */
export async function boardsPage(site: Site): Promise<View> {
  const projects = withBoards(site.projects);
  const works = await Promise.all(projects.map(({ app }) => app.work()));
  const boards = await Promise.all(works.map((work) => work.ledgers()));
  const take = countDown();
  const sections = projects.map((project, at) => {
    const own = { ...site, project, notesOf: works[at]!.notesOf };
    return markup`<section id="project-${project.name}"><h2>${
      link(own, { page: "board" }, project.name)
    }</h2>${progressOf(boards[at]!)}
${contentsOf(own, boards[at]!, take, "h3")}</section>`;
  });
  const total = progressOf({ epics: boards.flatMap(({ epics }) => epics) });
  return {
    ...liveView("All boards", boards, `${EVENTS_PATH}?all`, markup`${total}${sections}`),
    tab: "board",
  };
}

/** The projects that have a board. */
export function withBoards(projects: Projects): readonly Project[] {
  return projects.names.map((name) => projects.find(name)!).filter(({ app }) => app.config.kit !== undefined);
}

/** A page that its script keeps current. */
function liveView(title: string, boards: readonly Board[], events: string, contents: Markup): View {
  return {
    title,
    script: BOARD_SCRIPT,
    body: markup`<h1>${title}</h1>
<p id="live" class="quiet" role="status"></p>
<div id="board" data-version="${versionOf(...boards)}" data-events="${events}">
${contents}
</div>`,
  };
}

/** A page that says of stories what every list says. */
type BoardSite = Site & Pick<ProjectWork, "notesOf">;

/** Takes stories as long as a page has room for them. */
type Take = (stories: readonly Story[]) => readonly Story[];

function countDown(): Take {
  let left = MAX_STORIES;
  return (stories) => {
    const taken = stories.slice(0, left);
    left -= taken.length;
    return taken;
  };
}

/** Epics, action items and problems. */
function contentsOf(
  site: BoardSite,
  { epics, actions, problems }: Board,
  take: Take,
  level: "h2" | "h3" = "h2",
): Markup {
  const heading = (words: string) => level === "h2" ? markup`<h2>${words}</h2>` : markup`<h3>${words}</h3>`;
  return markup`${epics.map((epic) => epicSection(site, epic, take(epic.stories)))}
${
    actions.length > 0 &&
    markup`${heading("Action items")}<ul class="rows card">${
      actions.map(({ action, owner, epic }) =>
        markup`<li>${action}${quiet([owner, epic && `epic ${epic}`])}</li>`
      )
    }</ul>`
  }
${problems.length > 0 && markup`${heading("Problems")}${problemList(problems, "problem")}`}`;
}

/** A story or an epic in full, with what was done with it and how long that took. */
export async function storyPage(site: Site, name: string): Promise<View> {
  const { rows, data } = await (await site.project.app.work()).show(name);
  const [first, ...facts] = rows;
  const { ref, file } = data;
  // Of an epic, the first row says all.
  const title = first!.name === "title" ? `${ref}: ${first!.about}` : first!.about;
  return {
    title,
    tab: "board",
    body: markup`<h1>${title}</h1>
${rowList(facts.map(({ name, about }) => markup`<strong>${name}</strong> ${about}`))}
<p>${link(site, { page: "board" }, "Back to the board")}${
      typeof file === "string" &&
      markup` · ${link(site, { doc: file }, "Open its document")} · ${
        link(site, { page: "review", story: String(ref) }, "Its review")
      }`
    }</p>`,
  };
}

/** How many stories are in which state, as a bar with words below it. */
export function progressOf({ epics }: Pick<Board, "epics">): Markup {
  const stories = epics.flatMap((epic) => epic.stories).filter(({ state }) => state !== "dropped");
  if (stories.length === 0) return markup`<p class="quiet">No stories yet.</p>`;
  const counts = COLOURS.map(([state, colour]) => ({
    state,
    colour,
    count: stories.filter((story) => story.state === state).length,
  })).filter(({ count }) => count > 0);
  const done = stories.filter(({ state }) => state === "done").length;
  return markup`<p class="lead">${done} of ${counted(stories.length, "story is", "stories are")} done.</p>
${barOf(counts, stories.length)}
<p>${counts.map(({ state, colour, count }) => markup`${tag(`${count} ${state}`, colour)} `)}</p>`;
}

/** A drawing, because the pages allow no style in an element. */
function barOf(counts: readonly { readonly state: State; readonly count: number }[], total: number): Markup {
  let at = 0;
  const parts = counts.map(({ state, count }) => {
    const [x, width] = [at, 100 * count / total];
    at += width;
    return markup`<rect x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="4" class="${state}"/>`;
  });
  const words = counts.map(({ state, count }) => `${count} ${state}`).join(", ");
  return markup`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="${words}">${parts}</svg>`;
}

type Colour = Parameters<typeof tag>[1];

/** The states in the order of the bar, each with its colour. */
const COLOURS: readonly (readonly [State, Colour])[] = [
  ["done", "good"],
  ["review", "mark"],
  ["in-progress", "mark"],
  ["blocked", "bad"],
  ["ready", ""],
  ["backlog", ""],
];

function stateTag({ state, status }: Pick<Story, "state" | "status">): Markup {
  const colour = COLOURS.find(([one]) => one === state)?.[1];
  return tag(status === undefined || status === state ? state : `${state} (${status})`, colour);
}

function epicSection(site: BoardSite, epic: Epic, stories: readonly Story[]): Markup {
  const done = epic.stories.filter(({ state }) => state === "done").length;
  const drift = [...epic.drift, ...stories.flatMap((one) => named(`story ${one.ref}`, one.drift))];
  const isOpen = epic.state !== "done" || drift.length > 0;
  const hidden = epic.stories.length - stories.length;
  return markup`<details class="epic card" id="${idOf(site, epic)}"${
    isOpen && markup` open`
  }><summary><strong>${nameOf(epic)}</strong> ${
    stateTag(epic)
  } <span class="count">${done} of ${epic.stories.length} done</span>${
    quiet([epic.owner, epic.waitsFor.length > 0 && `waits for ${epic.waitsFor.join(", ")}`])
  }</summary>
${drift.length > 0 && problemList(drift)}
<ul class="rows">${stories.map((story) => storyRow(site, story))}${
    hidden > 0 && markup`<li class="quiet">${counted(hidden, "more story", "more stories")}</li>`
  }</ul></details>
`;
}

/** Unique on a page with several boards. */
function idOf({ projects, project }: Site, { ref }: Epic): string {
  return project.name === projects.names[0] ? `epic-${ref}` : `${project.name}-epic-${ref}`;
}

function nameOf({ ref, title }: Epic): string {
  return /^\d/.test(ref) && !title.startsWith("Epic ") ? `Epic ${ref}: ${title}` : title;
}

function storyRow(site: BoardSite, story: Story): Markup {
  const { ref, title, file, owner, claim, note, drift } = story;
  // Who has it stands at the end of the line.
  const notes = Object.values({ ...site.notesOf(story), owner: undefined, claim: undefined, note });
  return markup`<li><div class="head"><span class="count">${
    link(site, { page: "board", story: ref }, ref)
  }</span><strong>${file === undefined ? title : link(site, { doc: file }, title)}</strong>${
    stateTag(story)
  }${drift.length > 0 && tag("drift", "warn")}<span class="end">${
    claim ? tag(`held by ${claim.holder}`, "mark") : story.isFree ? [owner, tag("free", "good")] : owner
  }</span></div>${
    (file !== undefined || notes.some(Boolean)) &&
    markup`<p class="quiet">${[file, ...notes].filter(Boolean).join(" · ")}</p>`
  }</li>`;
}

function problemList(problems: Board["problems"], word = "drift"): Markup {
  return markup`<ul class="drift">${
    groupAlike(problems).slice(0, MAX_PROBLEMS).map(({ first: { path, line, problem }, others }) =>
      markup`<li>${tag(word, "warn")} <span class="path">${path}${
        line && `:${line}`
      }</span> ${problem}${others}</li>`
    )
  }</ul>`;
}

const MAX_PROBLEMS = 100;

function quiet(notes: readonly (string | false | undefined)[]): Content {
  const told = notes.filter(Boolean);
  return told.length > 0 && markup` <span class="quiet">${told.join(", ")}</span>`;
}

/** The board in short, for the first page; undefined where the project keeps none. */
export async function boardSummary(site: Site): Promise<Markup | undefined> {
  const { app } = site.project;
  if (app.config.kit === undefined) return undefined;
  const board = await (await app.work()).ledgers();
  if (board.epics.every(({ stories }) => stories.length === 0)) return undefined;
  const open = board.epics.filter(({ state }) => state !== "done");
  const drift = board.epics.flatMap((epic) => [...epic.drift, ...epic.stories.flatMap((one) => one.drift)]);
  return markup`${progressOf(board)}
<ul class="rows card">${
    open.slice(0, MAX_EPICS).map((epic) =>
      markup`<li><div class="head"><strong>${nameOf(epic)}</strong>${stateTag(epic)}<span class="end count">${
        epic.stories.filter(({ state }) => state === "done").length
      } of ${epic.stories.length} done</span></div></li>`
    )
  }</ul>
<p>${link(site, { page: "board" }, "Open the board")}${
    drift.length > 0 &&
    markup` ${tag(`${counted(drift.length, "contradiction")} between files`, "warn")}`
  }</p>`;
}

const MAX_EPICS = 6;
