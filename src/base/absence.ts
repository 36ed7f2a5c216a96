/** Attempts that may fail because a file is missing; printing the version loads nothing else of errors. */

export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

export function isDenied(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
}

export function unlessMissing<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

type ErrorClass<E> = abstract new (...args: never[]) => E;

/** Errors of another class go on. */
export function recover<E, T, U = undefined>(
  from: ErrorClass<E>,
  work: () => Promise<T>,
  instead?: (error: E) => U,
): Promise<T | U>;
export function recover<E, T, U = undefined>(
  from: ErrorClass<E>,
  work: () => T,
  instead?: (error: E) => U,
): T | U;
export function recover(
  from: ErrorClass<Error>,
  work: () => unknown,
  instead = (_: Error): unknown => undefined,
) {
  const rescue = (error: unknown) => {
    if (error instanceof from) return instead(error);
    throw error;
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(rescue) : result;
  } catch (error) {
    return rescue(error);
  }
}
