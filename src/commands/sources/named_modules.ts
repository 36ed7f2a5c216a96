/**
 * Sources that are official modules of BMAD: named by their codes, and recognised by their addresses.
 */
import type { Invalid } from "../../base/invalid.ts";
import { moduleNamed, OFFICIAL_MODULES, type OfficialModule } from "../../base/official_modules.ts";
import { pastedSources, pinnedLocation } from "../../settings/locations/mod.ts";

/**
 * The repositories and packages that a text may mean, the most likely first; or why it means none. The code of a module is
 * not the name of a package: npm has packages of strangers that are called `cis` or `core`.
 */
export function remoteSources(text: string): readonly string[] | Invalid {
  const module = moduleNamed(text);
  return module === undefined ? pastedSources(text) : [module.source];
}

/** The module that a source is of, in whatever version; undefined for any other source. */
export function moduleAt(location: string): OfficialModule | undefined {
  const found = pinnedLocation(location);
  const plain = found?.kind === "npm"
    ? `npm:${found.location.name}`
    : found?.kind === "git"
    ? `git+${found.repository.url}`
    : undefined;
  return OFFICIAL_MODULES.find(({ source, npm }) => source === plain || (npm && `npm:${npm.name}` === plain));
}
