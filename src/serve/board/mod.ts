/**
 * The board for people: one drawing, one style, one script and one table of actions, for the page and for the MCP App.
 */
import script from "./client.js" with { type: "text" };

export { act, ACTION_NAMES, canAct, isAction, refusalOf, type Refused } from "./acts.ts";
export { DIALOGS, drawBoards, type Drawn, epicName, summaryOf } from "./draw.ts";
export { doneIn, stateTag } from "./states.ts";
export { APP_THEMES, BOARD_STYLE } from "./style.ts";

export const BOARD_SCRIPT: string = script;
