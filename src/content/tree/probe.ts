/**
 * What the system says about a name on disk.
 *
 * A missing name is an ordinary answer here, and so is one that this process may not see. Every other error is thrown.
 */

/** The name with all links resolved. */
export function realPath(name: string): string | undefined {
  return unlessMissing(() => Deno.realPathSync(name));
}

/** Facts about a file or folder, links followed. */
export function statOf(name: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.statSync(name));
}

/** Whether a name is a link. */
export function isLink(name: string): boolean {
  return unlessMissing(() => Deno.lstatSync(name))?.isSymlink === true;
}

/** The system's answer; undefined for a missing name, and for one it refuses, which `onRefusal` hears of. */
export function unlessMissing<T>(ask: () => T, onRefusal?: () => void): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!isRefusal(error)) throw error;
    onRefusal?.();
    return undefined;
  }
}

/** Whether an error says that a name does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.FilesystemLoop ||
    (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG");
}

/** Whether an error says that a name exists, but not for us. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
}
