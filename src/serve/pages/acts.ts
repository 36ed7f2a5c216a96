/** What people do on pages: forms that the board's script sends, or else the browser. */
import type { Board, OpenQuestion, Story } from "../../app.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { MAX_OWNER } from "../../base/model.ts";
import { hasRight } from "../../base/roles.ts";
import { canAct, COLUMNS, DIALOGS, drawLive, LABELS, type Refused, VERDICTS } from "../board/mod.ts";
import { ACT_PATH, BOARD_SCRIPT_PATH, EVENTS_PATH, versionOf } from "./board.ts";
import { link, linkTo, rowList, type Site, type View } from "./site.ts";

type Fields = Readonly<Record<string, string>>;

/** Undefined where nothing may be changed. */
export function actForm(
  site: Site,
  id: string,
  fields: Fields,
  content: Content,
  claim?: string,
): Markup | undefined {
  const { app } = site.project;
  if (!canAct(app)) return undefined;
  const acts = linkTo(site, {}, ACT_PATH);
  const hidden = Object.entries(fields).map(([name, value]) =>
    markup`<input type="hidden" name="${name}" value="${value}">`
  );
  const { person, team } = app.config;
  // A script asks once, and keeps it.
  const by = person?.name !== undefined
    ? undefined
    : team?.who !== undefined
    ? markup`<input type="hidden" name="by" value="${team.who}">`
    : markup`<label>Your name <input name="by" maxlength="${MAX_OWNER}"></label>`;
  return markup`<form class="act" id="${id}" method="post" action="${acts}" data-acts="${acts}" data-proof="${site.proof}"${
    claim !== undefined && markup` data-claim="${claim}"`
  }>${hidden}${content}<noscript><input type="hidden" name="proof" value="${site.proof}">${by}</noscript></form>`;
}

/** Shows what others do, and acts where that is allowed. */
export function livePage(site: Site, board: Board, view: View): View {
  const { app } = site.project;
  const { team, person } = app.config;
  const root = {
    version: versionOf(board),
    events: linkTo(site, {}, EVENTS_PATH),
    who: team?.who,
    name: person?.name,
  };
  return {
    ...view,
    script: BOARD_SCRIPT_PATH,
    body: [
      drawLive(root, view.body),
      markup`<p id="live" class="sr" role="status"></p>`,
      canAct(app) && DIALOGS,
    ],
  };
}

export function storyActs(site: Site, { state, claim }: Story, story: string): Content {
  const at = state === "blocked" ? "in-progress" : state;
  const states = COLUMNS.map((one) =>
    markup`<button name="status" value="${one}" id="to-${one}" aria-pressed="${`${one === at}`}"${
      one === at && markup` class="s-${one}"`
    }><i class="dot s-${one}"></i>${LABELS[one]}</button>`
  );
  const { person } = site.project.app.config;
  const hold = claim === undefined ? "claim" : "release";
  // What somebody else holds is released by force.
  const mayHold = claim === undefined
    ? state !== "done" && state !== "dropped"
    : person === undefined || claim.by === person.name || hasRight(person.role, "force");
  const holding = mayHold &&
    actForm(
      site,
      "hold",
      { action: hold, story },
      markup`<button id="hold-it">${hold === "claim" ? "Claim" : "Release"}</button>`,
    );
  return canAct(site.project.app) &&
    markup`<div class="acts">${
      actForm(
        site,
        "move",
        { action: "mark", story },
        markup`<div class="states" role="group" aria-label="Status">${states}</div>`,
        claim?.by,
      )
    }${holding}</div>`;
}

export function answerForm(site: Site, { number, choices }: OpenQuestion): Content {
  const id = `question-${number}`;
  const radios = choices.map((choice, at) =>
    markup`<label><input type="radio" name="text" value="${choice}" id="${id}-${at}"> ${choice}</label>`
  );
  return actForm(
    site,
    id,
    { action: "answer", number: `${number}` },
    markup`${radios}<label>${
      choices.length > 0 ? "Another answer" : "Answer"
    } <input name="text" id="${id}-text"${
      choices.length === 0 && markup` required`
    } maxlength="1000"></label><button>Answer</button>`,
  );
}

export function settleForm(site: Site, story: string, { id }: { readonly id: string }): Content {
  const verdicts = VERDICTS.toReversed().map((one) =>
    markup`<button name="verdict" value="${one}">${one}</button>`
  );
  return actForm(
    site,
    `finding-${id}`,
    { action: "finding", story, text: id },
    markup`<label><span class="sr">Reason</span><input name="reason" id="why-${id}" maxlength="1000" placeholder="Reason, needed to reject or defer"></label><div class="states" role="group" aria-label="Verdict">${verdicts}</div>`,
  );
}

/** Without scripts, a refusal is a page of its own, with force as a second step. */
export function refusalView(site: Site, fields: Fields, { message, objections, way }: Refused): View {
  const title = "That was not done";
  return {
    title,
    body: [
      markup`<h1>${title}</h1><p class="note bad">${message}</p>`,
      objections.length > 0 &&
      rowList(objections.map(({ problem, fix }) => markup`${problem}<p class="quiet">Fix: ${fix}</p>`)),
      way && actForm(
        site,
        "force",
        { ...fields, ...(way === "force" && { force: "true" }) },
        markup`<label>Your reason, which is recorded <input name="reason" required maxlength="300"></label><button class="danger">${
          way === "force" ? "Force it" : "Confirm"
        }</button>`,
      ),
      markup`<p>${link(site, { page: "board", story: fields["story"] }, "Go back")}</p>`,
    ],
  };
}
