/**
 * Where content lies: folders, `git+…` addresses, `npm:…` packages, and both as people paste them.
 */
export {
  gitFormOf,
  type GitLocation,
  hideCredentials,
  isCloneAddress,
  isGitLocation,
  isUrl,
  parseGitLocation,
} from "./git.ts";
export { isNpmLocation, type NpmLocation } from "./npm.ts";
export { pastedSources } from "./pasted.ts";
export {
  locations,
  type PinnedLocation,
  pinnedLocation,
  refuseShare,
  sourceOf,
  sources,
  splitLocations,
} from "./places.ts";
