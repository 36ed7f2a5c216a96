export * from "./command_line.ts";
export * from "./operation.ts";
export { format, target } from "./params.ts";
export { PROBLEM } from "./shapes.ts";
export * from "./table.ts";
