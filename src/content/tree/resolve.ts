/**
 * From a path inside a tree to the resolved name of a file on disk, and never to one outside the root.
 *
 * Every name is resolved and compared with the root before anybody opens it; a link that points out of the root, or to
 * a file that holds secrets, is refused and remembered. A file has one name here, on every system: see `isAlias`.
 */
import { liesIn } from "../../base/paths.ts";
import { normalizePath } from "./paths.ts";
import { isLink, realPath } from "./probe.ts";
import { isSecretFile } from "./secret_files.ts";

export const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

/** Systems on whose disks a file answers to other spellings of its name. */
export const HAS_ALIASES = Deno.build.os === "windows" || Deno.build.os === "darwin";

/** Whether a resolved absolute path is a folder or lies below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
}

/**
 * Whether a path resolves to another name without any link in it: `Config.yaml`, `CONFIG~1.YAM` or `config.yaml.` for
 * `config.yaml`, on disks that treat these as one. Such a spelling finds nothing, as on Linux: how a file is treated,
 * for example whether secrets are removed from it, depends on its name.
 */
export function isAlias(path: string, root: string, isLink: (name: string) => boolean): boolean {
  const parts = path.split("/");
  return !parts.some((_, at) => isLink(`${root}${SEPARATOR}${parts.slice(0, at + 1).join(SEPARATOR)}`));
}

interface Resolver {
  /** The absolute name of a clean path, links not followed; undefined while the root does not exist. */
  nameOf(clean: string): string | undefined;
  /** The resolved absolute name of a path; undefined when nothing is there or it points out of the root. */
  resolve(path: string): string | undefined;
  /** The clean paths refused so far. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Resolves paths below a folder, which need not exist yet and must lie in `within`, links followed. No link leads into one
 * of the folders in `closed`, which are clean paths.
 */
export function openResolver(
  folder: string,
  within: string | undefined,
  closed: readonly string[] = [],
): Resolver {
  const refused = new Set<string>();
  const findRoot = () => {
    const real = realPath(folder);
    if (real === undefined || within === undefined) return real;
    const outer = realPath(within);
    return outer !== undefined && isInside(real, outer) ? real : undefined;
  };
  let root = findRoot();
  const nameOf = (clean: string): string | undefined => {
    // A folder that is gone, or out of reach behind a link, may come back under its own name.
    if (root === undefined || (clean === "" && realPath(root) === undefined)) root = findRoot();
    if (clean === "" || root === undefined) return root;
    return `${root}${SEPARATOR}${SEPARATOR === "/" ? clean : clean.replaceAll("/", SEPARATOR)}`;
  };
  const resolve = (path: string): string | undefined => {
    const clean = normalizePath(path);
    const name = clean === undefined ? undefined : nameOf(clean);
    if (clean === undefined || name === undefined || root === undefined) return undefined;
    const real = realPath(name);
    // A link must not give another name to a file that is kept back because of its own.
    const own = real !== undefined && real !== name && isInside(real, root)
      ? real.slice(root.length).replaceAll(SEPARATOR, "/")
      : undefined;
    const isKept = own !== undefined && (isSecretFile(own) || closed.some((each) => liesIn(own, `/${each}`)));
    if (real !== undefined && (isKept || !isInside(real, root))) {
      refused.add(clean);
      return undefined;
    }
    return real !== undefined && real !== name && isAlias(clean, root, isLink) ? undefined : real;
  };
  return { nameOf, resolve, refused };
}
