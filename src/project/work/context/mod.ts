export * from "./documents.ts";
export * from "./pack.ts";
export type { Embed } from "./rank.ts";
