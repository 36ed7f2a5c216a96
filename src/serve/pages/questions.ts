/**
 * What people have to decide, and have decided.
 */
import type { OpenQuestion, QuestionsReport } from "../../app.ts";
import { MAX_OWNER } from "../../base/model.ts";
import { command, counted } from "../../base/text.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { canAct } from "../board/mod.ts";
import { ACT_PATH } from "./board.ts";
import { link, linkTo, rowList, type Site, tag, type View } from "./site.ts";

/** How many answers a page shows; the others are counted. */
const MAX_ANSWERS = 200;

type Answered = QuestionsReport["answered"][number];

/** The open questions of a project, each with how to answer it, and the last answers. */
export async function questionsPage(site: Site): Promise<View> {
  const { open, answered, problems } = await (await site.project.app.work()).questions({});
  const hidden = answered.length - MAX_ANSWERS;
  return {
    title: "Questions",
    tab: "questions",
    sends: true,
    body: markup`<h1>Questions</h1>
<p class="lead">${
      open.length > 0
        ? counted(open.length, "open question")
        : problems.length === 0
        ? "Nothing waits for a decision."
        : "No question can be read."
    }</p>
${
      problems.map(({ path, line, problem }) =>
        markup`<p class="note bad"><span class="path">${path}${
          line !== undefined && `:${line}`
        }</span> ${problem}</p>`
      )
    }
${open.length > 0 && rowList(open.map((one) => openRow(site, one)))}
${
      answered.length > 0 &&
      markup`<h2>Answered</h2>${rowList(answered.slice(0, MAX_ANSWERS).map((one) => answeredRow(site, one)))}`
    }
${hidden > 0 && markup`<p class="quiet">${counted(hidden, "more answer")}</p>`}`,
  };
}

function openRow(site: Site, question: OpenQuestion): Markup {
  const { text, asked, choices } = question;
  return markup`<div class="head"><strong>${text}</strong><span class="end">${
    aboutOf(site, question)
  }</span></div>
<p class="quiet">${momentOf("Asked", asked)}</p>
<div>${choices.length > 0 && markup`<ol type="A">${choices.map((one) => markup`<li>${one}</li>`)}</ol>`}
${answerLine(site, question)}</div>
${answerForm(site, question)}`;
}

/** How an open question is answered where no script runs. */
function answerLine({ project }: Site, { number, choices }: OpenQuestion): Content {
  const line = command`bmad-mcp answer ${String(number)} ${choices.length > 0 ? "A" : "TEXT"}`;
  return canAct(project.app) && markup`<p>Answer: <code>${line}</code></p>`;
}

/** The form that answers an open question: where scripts run, it takes the place of what is before it. */
function answerForm(site: Site, { number, choices }: OpenQuestion): Content {
  const { app } = site.project;
  return canAct(app) &&
    markup`<form class="answer" data-acts="${
      linkTo(site, {}, ACT_PATH)
    }" data-proof="${site.proof}" data-number="${number}" hidden>
${
      choices.map((choice) =>
        markup`<label><input type="radio" name="choice" value="${choice}"> ${choice}</label>`
      )
    }
<label>${choices.length > 0 ? "Another answer" : "Answer"} <input name="text" maxlength="1000"></label>
${nameField(app.config)}
<button>Answer</button> <span class="bad" role="alert"></span>
</form>`;
}

/** Nobody whom the server knows is asked for a name. */
function nameField({ person, team }: Site["project"]["app"]["config"]): Markup {
  return person?.name === undefined
    ? markup`<label>Your name <input name="by" maxlength="${MAX_OWNER}" value="${
      team?.who ?? ""
    }" required></label>`
    : markup`<input type="hidden" name="by" value="${person.name}">`;
}

function answeredRow(site: Site, question: Answered): Markup {
  const { text, answer = "Answered", answered } = question;
  return markup`<div class="head"><strong>${text}</strong><span class="end">${
    aboutOf(site, question)
  }</span></div>
<p>${answer} <span class="quiet">${momentOf("", answered)}</span></p>`;
}

function aboutOf(site: Site, { number, story, to }: OpenQuestion | Answered): Content {
  return [
    tag(`question ${number}`, "mark"),
    story !== undefined && markup` ${link(site, { page: "board", story }, story)}`,
    to !== undefined && markup` ${tag(`to ${to}`)}`,
  ];
}

function momentOf(did: string, moment: Answered["asked"]): string {
  const { by, day } = moment ?? {};
  const words = [by && `by ${by}`, day && `on ${day}`].filter(Boolean).join(" ");
  return words === "" ? "" : `${did} ${words}`.trim();
}
