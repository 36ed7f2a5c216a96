/** The documents of a project: which exist, how far each has come, and what to do next. */
export * from "./advice.ts";
export * from "./documents.ts";
export * from "./packet.ts";
