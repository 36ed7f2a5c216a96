/**
 * What the system says about a name on disk.
 *
 * A missing name is an ordinary answer here, and so is one that this process may not see. Every other error is thrown.
 */

export function realPath(name: string): string | undefined {
  return unlessMissing(() => Deno.realPathSync(name));
}

export function statOf(name: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.statSync(name));
}

export function isLink(name: string): boolean {
  return unlessMissing(() => Deno.lstatSync(name))?.isSymlink === true;
}

/** The system's answer; undefined for a missing name, and for one it refuses, which is passed to `onRefusal`. */
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

export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.FilesystemLoop ||
    (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG");
}

/** Whether an error says that a name exists, but not for us. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
}
