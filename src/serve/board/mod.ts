/** The board for people: on its page and as an MCP App. */
import script from "./client.js" with { type: "text" };

export { act, ACTION_NAMES, canAct, isAction, refusalOf, type Refused, VERDICTS } from "./acts.ts";
export * from "./draw.ts";
export { BOARD_STYLE } from "./style.ts";

export const BOARD_SCRIPT: string = script;
