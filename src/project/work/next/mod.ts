export * from "./advice.ts";
export * from "./documents.ts";
export * from "./packet.ts";
