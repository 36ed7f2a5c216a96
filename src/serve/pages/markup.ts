/**
 * The templates of `base`, by a short name for the pages.
 */
export { type Content, Markup, markup } from "../../base/markup.ts";
