/**
 * The style that every page carries: that of the pages, and that of the board with the colours of states.
 */
import { BOARD_STYLE } from "../board/mod.ts";
import { STYLE } from "./style.ts";

export const PAGE_STYLE: string = STYLE + BOARD_STYLE;
