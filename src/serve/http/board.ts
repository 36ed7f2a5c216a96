/**
 * The board: where the project stands, epic by epic, with owners, what waits for what, and where files disagree.
 */
import type { Board, Epic, State, Story } from "../../app.ts";
import { groupAlike, named } from "../../base/alike.ts";
import { counted } from "../../base/text.ts";
import { BOARD_SCRIPT, EVENTS_PATH, versionOf } from "./live_board.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import { link, linkTo, type Site, tag, type View } from "./site.ts";

/** The most stories that a page shows; the others are counted. */
const MAX_STORIES = 2_000;

export async function boardPage(site: Site): Promise<View> {
  const board = await (await site.project.app.work()).ledgers();
  const { epics, actions, problems } = board;
  let left = MAX_STORIES;
  const shown = epics.map((epic) => {
    const stories = epic.stories.slice(0, left);
    left -= stories.length;
    return epicSection(site, epic, stories);
  });
  return {
    title: "Board",
    tab: "board",
    script: BOARD_SCRIPT,
    body: markup`<h1>Board</h1>
<p id="live" class="quiet" role="status"></p>
<div id="board" data-version="${versionOf(board)}" data-events="${linkTo(site, {}, EVENTS_PATH)}">
${progressOf(board)}
${shown}
${
      actions.length > 0 &&
      markup`<h2>Action items</h2><ul class="rows card">${
        actions.map(({ action, owner, epic }) =>
          markup`<li>${action}${quiet([owner, epic && `epic ${epic}`])}</li>`
        )
      }</ul>`
    }
${problems.length > 0 && markup`<h2>Problems</h2>${problemList(problems, "problem")}`}
</div>`,
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

function epicSection(site: Site, epic: Epic, stories: readonly Story[]): Markup {
  const done = epic.stories.filter(({ state }) => state === "done").length;
  const drift = [...epic.drift, ...stories.flatMap((one) => named(`story ${one.ref}`, one.drift))];
  const isOpen = epic.state !== "done" || drift.length > 0;
  const hidden = epic.stories.length - stories.length;
  return markup`<details class="epic card" id="epic-${epic.ref}"${isOpen && markup` open`}><summary><strong>${
    nameOf(epic)
  }</strong> ${stateTag(epic)} <span class="count">${done} of ${epic.stories.length} done</span>${
    quiet([epic.owner, epic.waitsFor.length > 0 && `waits for ${epic.waitsFor.join(", ")}`])
  }</summary>
${drift.length > 0 && problemList(drift)}
<ul class="rows">${stories.map((story) => storyRow(site, story))}${
    hidden > 0 && markup`<li class="quiet">${counted(hidden, "more story", "more stories")}</li>`
  }</ul></details>
`;
}

function nameOf({ ref, title }: Epic): string {
  return /^\d/.test(ref) && !title.startsWith("Epic ") ? `Epic ${ref}: ${title}` : title;
}

function storyRow(site: Site, story: Story): Markup {
  const { ref, title, file, owner, claim, boxes, waitsFor, reason, note, drift, forced, unknown } = story;
  const notes = [
    boxes.total > 0 && `${boxes.ticked} of ${counted(boxes.total, "box", "boxes")} ticked`,
    waitsFor.length > 0 && story.state !== "done" && `waits for ${waitsFor.join(", ")}`,
    reason,
    story.isUnrefined && "to be refined",
    unknown && story.state !== "done" && `open question: ${unknown}`,
    note,
    forced && "its status was forced",
  ];
  return markup`<li><div class="head"><span class="count">${ref}</span><strong>${
    file === undefined ? title : link(site, { doc: file }, title)
  }</strong>${stateTag(story)}${drift.length > 0 && tag("drift", "warn")}<span class="end">${
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
