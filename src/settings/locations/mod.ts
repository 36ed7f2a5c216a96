export {
  type GitLocation,
  hideCredentials,
  isCloneAddress,
  isGitLocation,
  isUrl,
  parseGitLocation,
} from "./git.ts";
export { pastedSources } from "./pasted.ts";
export * from "./places.ts";
