/**
 * The board for people: one drawing, one style, one script and one table of actions, for the page and for the MCP App.
 */
import script from "./client.js" with { type: "text" };

export type { Content, Markup } from "../../base/markup.ts";
export { act, ACTION_NAMES, canAct, type Done, isAction, refusalOf, type Refused } from "./acts.ts";
export { type Acting, DIALOGS, drawBoards, type Drawn, epicName, type Root, summaryOf } from "./draw.ts";
export { doneIn, stateTag } from "./states.ts";
export { APP_THEMES, BOARD_STYLE } from "./style.ts";

/** What the browser runs. */
export const BOARD_SCRIPT: string = script;
