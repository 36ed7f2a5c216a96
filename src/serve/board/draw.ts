/** The board, for the page and for the MCP App; client.js makes it act. */
import type { Board, Epic, ProjectWork, State, Story } from "../../app.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { MAX_OWNER } from "../../base/model.ts";
import { groupProblems, withSubject } from "../../base/problem_groups.ts";
import { counted } from "../../base/text.ts";
import { LIMITS } from "../limits.ts";

export interface Drawn extends Pick<ProjectWork, "notesOf" | "repairOf"> {
  readonly board: Board;
  readonly prefix?: string;
  readonly project?: { readonly name: string; readonly href: string };
  hrefOf?(name: string): string;
  readonly acting?: { readonly url?: string; readonly proof?: string };
}

type Root = Readonly<Partial<Record<"version" | "events" | "who" | "name", string>>>;

/** The part that the script redraws, with what it needs to know. */
export function drawLive({ version, events, who, name }: Root, content: Content): Markup {
  return markup`<div id="board" data-version="${version}" data-events="${events}" data-who="${who}"${
    name && markup` data-name="${name}"`
  }>
${content}
</div>`;
}

export function drawBoards(boards: readonly Drawn[], root: Root): Markup {
  const take = countDown();
  const stories = boards.flatMap(({ board }) => storiesIn(board));
  return drawLive(
    root,
    markup`<div id="summary">${summaryOf(stories)}</div>
${stories.length > 0 && drawFilters(boards)}
<div id="drawn">
${boards.map((one) => drawBoard(one, take))}
</div>`,
  );
}

/** Without forms, which clients keep apps from sending. */
export const DIALOGS: Markup = markup`<div id="menu" role="menu" aria-label="Actions" hidden></div>
<dialog id="who" aria-labelledby="who-title">
<h2 id="who-title">Who are you?</h2>
<p>Moves and claims carry your name. It is kept in this browser.</p>
<label>Your name <input name="name" required maxlength="${MAX_OWNER}" autocomplete="name"></label>
<div class="buttons"><button type="button" data-do="close">Cancel</button><button type="button" class="main" data-do="ok">Continue</button></div>
</dialog>
<dialog id="refusal" aria-labelledby="refusal-title">
<h2 id="refusal-title"></h2>
<p id="refusal-why"></p>
<ul id="refusal-list"></ul>
<label id="refusal-reason" hidden>Your reason, which is recorded <input name="reason" required maxlength="300"></label>
<div class="buttons"><button type="button" data-do="close">Close</button><button type="button" id="refusal-more">Do it anyway …</button><button type="button" class="danger" id="refusal-force" data-do="ok" hidden>Force it</button></div>
</dialog>
<dialog id="told" aria-labelledby="told-title"><h2 id="told-title"></h2><pre id="told-text" tabindex="0"></pre>
<div class="buttons"><button type="button" data-do="close">Close</button></div></dialog>
<div id="toast" role="status" hidden><span id="toast-text"></span><button type="button" id="undo" hidden>Undo</button></div>`;

export function storiesIn({ epics }: Board): readonly Story[] {
  return epics.flatMap(({ stories }) => stories);
}

type Take = ReturnType<typeof countDown>;

function countDown() {
  let left = LIMITS.board.stories;
  return (cards: readonly Card[]): readonly Card[] => {
    const taken = cards.slice(0, left);
    left -= taken.length;
    return taken;
  };
}

type Card = ReturnType<typeof cardsOf>[number];

function cardsOf({ epics }: Board) {
  const all = epics.flatMap((epic) => epic.stories.map((story) => ({ story, epic })));
  const keys = Map.groupBy(all, ({ story }) => story.key);
  return all.map(({ story, epic }) => ({
    story,
    epic,
    name: keys.get(story.key)!.length === 1 ? story.key : story.file ?? story.key,
  }));
}

const KEYS =
  "Drag a card, use its menu, or its keys: arrows go to the next card, Shift and an arrow move it.";

function drawBoard(drawn: Drawn, take: Take): Markup {
  const { board, prefix = "", project, acting } = drawn;
  const cards = cardsOf(board);
  const columns = Map.groupBy(cards, ({ story: { state } }) => state === "blocked" ? "in-progress" : state);
  return markup`<section class="project"${
    project && markup` data-project="${project.name}" id="project-${project.name}"`
  }>
${project && markup`<h2><a href="${project.href}">${project.name}</a></h2>${summaryOf(storiesIn(board))}`}
${
    cards.length > 0 &&
    markup`<div class="lanes"${acting && markup` data-acts="${acting.url}" data-proof="${acting.proof}"`}>${
      COLUMNS.map((state) => drawColumn(drawn, state, columns.get(state) ?? [], take))
    }</div>${acting && markup`<p class="keys quiet">${KEYS}</p>`}`
  }
${
    fold(
      `${prefix}dropped`,
      "Dropped",
      (columns.get("dropped") ?? []).map(({ story }) => markup`${story.ref} ${story.title}`),
    )
  }
${drawEpics(drawn)}
${
    fold(
      `${prefix}actions`,
      "Action items",
      board.actions.map(({ action, owner, epic }) =>
        markup`${action}${quiet([owner, epic && `epic ${epic}`])}`
      ),
    )
  }
${drawProblems(drawn)}
</section>`;
}

export function summaryOf(all: readonly Story[], around = (mark: Markup) => mark): Markup {
  const stories = all.filter(({ state }) => state !== "dropped");
  if (stories.length === 0) {
    return markup`<p class="quiet">No stories yet: write the epics, then plan the sprint.</p>`;
  }
  return markup`<div class="progress"><p class="lead">${doneIn(stories)} of ${
    counted(stories.length, "story is", "stories are")
  } done.</p>
${drawProgress(stories, around)}</div>`;
}

function drawFilters(boards: readonly Drawn[]): Markup {
  const option = (value: string, words: string) => markup`<option value="${value}">${words}</option>`;
  const epics = boards.flatMap(({ board, prefix = "" }) =>
    board.epics.filter(({ stories }) => stories.length > 0).map((epic) =>
      option(`${prefix}${epic.ref}`, `${epicName(epic)} (${doneIn(epic.stories)}/${epic.stories.length})`)
    )
  );
  const projects = boards.flatMap(({ project }) =>
    project === undefined ? [] : option(project.name, project.name)
  );
  const holders = new Set(
    boards.flatMap(({ board }) => storiesIn(board)).flatMap((one) => holderOf(one) ?? []),
  );
  return markup`<div id="filters" role="search" aria-label="Stories">
<label><span class="sr">Words</span><input type="search" name="words" placeholder="Filter stories" autocomplete="off"></label>
${
    projects.length > 1 &&
    markup`<label><span class="sr">Project</span><select name="only">${
      option("", "All projects")
    }${projects}</select></label>
`
  }<label><span class="sr">Epic</span><select name="epic">${option("", "All epics")}${epics}</select></label>
<label><span class="sr">Holder</span><select name="holder">${option("", "Everyone")}${
    option("-", "Free now")
  }${[...holders].toSorted().map((name) => option(`=${name}`, name))}</select></label>
<button type="button" id="clear" hidden>Clear</button>
</div>`;
}

function holderOf({ claim, owner }: Story): string | undefined {
  return claim?.by ?? owner;
}

function drawColumn(drawn: Drawn, state: State, cards: readonly Card[], take: Take): Markup {
  const title = LABELS[state];
  const shown = take(cards);
  const hidden = cards.length - shown.length;
  const id = `${drawn.prefix ?? ""}column-${state}`;
  const words = markup`<i class="dot"></i>${title} <span class="count">${cards.length}</span>`;
  return markup`<section class="column s-${state}" data-state="${state}" data-title="${title}" aria-labelledby="${id}">
${drawn.project === undefined ? markup`<h2 id="${id}">${words}</h2>` : markup`<h3 id="${id}">${words}</h3>`}
<ul>${shown.map((card) => drawCard(drawn, card))}</ul>${
    hidden > 0 && markup`<p class="quiet">${counted(hidden, "more story", "more stories")}</p>`
  }
</section>`;
}

function drawCard({ notesOf, prefix = "", hrefOf, acting }: Drawn, { story, epic, name }: Card): Markup {
  const { ref, title, state, claim, owner, isFree, reason, note } = story;
  const marks = [
    ...(state === "blocked" ? [{ word: story.status ?? state, tone: `s-${state}`, about: undefined }] : []),
    ...notesOf(story).flatMap(({ card }) => card ?? []),
  ];
  const why = reason ?? note;
  const holder = holderOf(story);
  return markup`<li class="story" id="${`${prefix}story-${
    name.replaceAll(/\s/g, "_")
  }`}" data-story="${name}" data-ref="${ref}" data-state="${state}" data-epic="${prefix}${epic.ref}" data-holder="${
    holder && `=${holder}`
  }"${isFree && markup` data-free`}${claim && markup` data-claim="${claim.by}"`}${
    acting && markup` draggable="true"`
  }>
<div class="key"><span>${ref}</span>${
    acting &&
    markup`<button type="button" class="more" aria-haspopup="menu" aria-expanded="false" aria-label="Actions for ${ref}">⋯</button>`
  }</div>
${
    hrefOf === undefined
      ? markup`<button type="button" class="title" data-do="open">${title}</button>`
      : markup`<a class="title" href="${hrefOf(ref)}" draggable="false">${title}</a>`
  }
${why !== undefined && markup`<p class="why">${why}</p>`}
${
    marks.length > 0 &&
    markup`<p class="marks">${
      marks.map(({ word, tone, about }) =>
        markup`<span class="tag ${tone}"${about !== undefined && markup` title="${about}"`}>${word}</span> `
      )
    }</p>`
  }
<p class="foot">${
    epic.ref !== "" && markup`<span class="chip" title="${epicName(epic)}">${epic.title}</span> `
  }${progressOf(story)}${
    claim
      ? markup`<span class="holder"><span class="sr">held by </span>${claim.holder}</span>`
      : owner !== undefined
      ? markup`<span class="owner">${owner}</span>`
      : isFree && markup`<span class="free">free</span>`
  }</p>
</li>
`;
}

function progressOf({ boxes: { ticked, total }, criteria }: Story): Content {
  if (total > 0) {
    return markup`<span class="boxes${
      ticked === total && markup` full`
    }">${ticked}/${total}<span class="sr"> boxes ticked</span></span> `;
  }
  return criteria.length > 0 &&
    markup`<span class="boxes">${counted(criteria.length, "criterion", "criteria")}</span> `;
}

export function epicName({ ref, title }: Pick<Epic, "ref" | "title">): string {
  return /^\d/.test(ref) && !title.startsWith("Epic ") ? `Epic ${ref}: ${title}` : title;
}

function drawEpics({ board: { epics }, prefix = "", hrefOf }: Drawn): Content {
  const rows = epics.filter(({ ref }) => ref !== "").map((epic) => {
    const { ref, stories, owner, waitsFor, retrospective } = epic;
    const name = hrefOf === undefined
      ? epicName(epic)
      : markup`<a href="${hrefOf(/^\d/.test(ref) ? `epic-${ref}` : ref)}">${epicName(epic)}</a>`;
    return markup`<strong>${name}</strong> ${stateTag(epic)} <span class="count">${
      doneIn(stories)
    } of ${stories.length} done</span>${
      quiet([
        owner,
        waitsFor.length > 0 && `waits for ${waitsFor.join(", ")}`,
        retrospective && `retrospective ${retrospective}`,
      ])
    }`;
  });
  return fold(`${prefix}epics`, "Epics", rows);
}

function drawProblems({ board, prefix = "", acting, repairOf }: Drawn): Content {
  const { epics, problems } = board;
  const drift = groupProblems(epics.flatMap((epic) => [
    ...withSubject(`epic ${epic.ref}`, epic.drift),
    ...epic.stories.flatMap((one) => withSubject(`story ${one.ref}`, one.drift)),
  ])).map((one) => ({ ...one, word: "drift" }));
  const all = [...drift, ...groupProblems(problems).map((one) => ({ ...one, word: "problem" }))];
  const fix = acting && repairOf(board, { reconcile: () => "bmad-mcp reconcile" });
  return fold(
    `${prefix}problems`,
    "Problems",
    [
      ...all.slice(0, LIMITS.board.problems).map(({ word, first: { path, line, problem }, others }) =>
        markup`<span class="tag warn">${word}</span> ${problem}${others} <span class="path quiet">${path}${
          line && `:${line}`
        }</span>`
      ),
      ...(fix === undefined ? [] : [markup`Bring ledger and files in step: <code>${fix}</code>`]),
    ],
    all.length,
  );
}

function fold(id: string, title: string, rows: readonly Content[], count = rows.length): Content {
  return count > 0 &&
    markup`<details class="fold card" id="${id}"><summary>${title} <span class="count">${count}</span></summary>
<ul class="rows">${rows.map((row) => markup`<li>${row}</li>`)}</ul></details>`;
}

function quiet(notes: readonly (string | false | undefined)[]): Content {
  const told = notes.filter(Boolean);
  return told.length > 0 && markup` <span class="quiet">· ${told.join(", ")}</span>`;
}

export const LABELS: Readonly<Record<State, string>> = {
  "backlog": "Backlog",
  "ready": "Ready",
  "in-progress": "In progress",
  "blocked": "Blocked",
  "review": "Review",
  "done": "Done",
  "dropped": "Dropped",
};

const STATES = Object.keys(LABELS) as readonly State[];

export const COLUMNS = STATES.filter((state) => state !== "blocked" && state !== "dropped");

export const STATE_STYLES: readonly string[] = STATES.map((state) => `s-${state}`);

export function stateTag({ state, status }: Pick<Story, "state" | "status">): Markup {
  const isOdd = state === "blocked" && status !== undefined && status !== state;
  return markup`<span class="tag s-${state}">${LABELS[state]}${isOdd && ` (${status})`}</span>`;
}

export function doneIn(stories: readonly Story[]): number {
  return stories.filter(({ state }) => state === "done").length;
}

function drawProgress(stories: readonly Story[], around: (mark: Markup) => Markup): Markup {
  const counts = STATES.map((state) => ({
    style: `s-${state}`,
    words: LABELS[state].toLowerCase(),
    count: stories.filter((one) => one.state === state).length,
  })).filter(({ count }) => count > 0);
  let at = 0;
  const parts = counts.map(({ style, count }) => {
    const [x, width] = [at, 100 * count / stories.length];
    at += width;
    return markup`<rect x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="4" class="${style}"/>`;
  });
  const label = counts.map(({ words, count }) => `${count} ${words}`).join(", ");
  const legend = counts.map(({ words, style, count }) => [
    around(markup`<span class="${style}"><i class="dot"></i>${count} ${words}</span>`),
    " ",
  ]);
  // The pages allow no style in an element.
  return markup`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="${label}">${parts}</svg>
<p class="legend">${legend}</p>`;
}
