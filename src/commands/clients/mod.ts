/** Which clients we know, and which files a command changes. How these are changed is in entries.ts. */
export { type Client, onSystem } from "./client.ts";
export type { Edit } from "./file_text.ts";
export { type Change, changeFile, type ChangeOptions, changeOwnFile, changeText } from "./file_change.ts";
export { cachedPackage, type FoundHook, stableLaunch, upgradeOf } from "./own_launch.ts";
export {
  type ClientsPlan,
  hookLineFor,
  launchFor,
  NOT_FOR_SKILLS,
  ownPathsIn,
  planClients,
  skillLaunchFor,
  type Start,
} from "./plan.ts";
export { keepRecord, skillUsers } from "./record.ts";
export { type Launch, renderLaunch } from "./shapes.ts";
export { CLIENT_VARIABLES, CLIENTS, findClient, startsAnywhere } from "./table.ts";
export { type FilePlace, isEntry, placeOf, rightsFor, type Target } from "./target.ts";
