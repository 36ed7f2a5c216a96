/** For programs that do not speak MCP. */
export { answerApi, API_PATH, type BoardEvent, eventsOf, methodsAt, refuse, refuseHere } from "./answer.ts";

export const describeApi = async () => await (await import("./openapi.ts")).describeApi();
