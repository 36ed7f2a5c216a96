/**
 * How does a test get the program as it is released?
 *
 * `openBundle` builds it into a temporary folder, as `deno task bundle` does, and removes it afterwards.
 */
import { ENTRY, stageProgram } from "../../.github/release/stage.ts";

/** What the builds of tests say they were built from. */
export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** A built program. */
export interface Bundle extends AsyncDisposable {
  /** The folder that holds it, with its content. */
  readonly folder: string;
  /** The file that Deno runs. */
  readonly file: string;
}

/** Builds the program. */
export async function openBundle(): Promise<Bundle> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "bmad-mcp-bundle-" }));
  await stageProgram(folder, { commit: COMMIT });
  return {
    folder,
    file: `${folder}/${ENTRY}`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
