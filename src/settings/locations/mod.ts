/** Where content lies: folders, `git+…` addresses, `npm:…` packages, and both as people paste them. */
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
