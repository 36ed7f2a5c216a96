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
export { pastedSources } from "./pasted.ts";
export {
  isNpmLocation,
  locations,
  type PinnedLocation,
  pinnedLocation,
  refuseShare,
  sourceOf,
  sources,
  splitLocations,
} from "./places.ts";
