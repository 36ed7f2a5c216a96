/**
 * Changes the user's own settings file, completely or not at all; owner and mode stay.
 */
import { fail } from "../../base/errors.ts";
import type { Context } from "../../base/paths.ts";
import { type TrustPlan, withTrust } from "../../settings/mod.ts";
import { keptOf, removeIfPossible, writeNew } from "./new_file.ts";
import { folderOf } from "./paths.ts";

/** Writes down whether a project is trusted; false if the file already says so. */
export function changeTrust(plan: TrustPlan, context: Omit<Context, "base">): boolean {
  const { file } = plan;
  const isNew = isMissing(file);
  if (!isNew && Deno.lstatSync(file).isSymlink) {
    const hint = `it is a link. Edit its trusted list yourself: ${JSON.stringify(plan.folder)}`;
    return fail({ code: "not-allowed", what: `change ${file}`, hint });
  }
  const text = withTrust(isNew ? "" : new TextDecoder().decode(Deno.readFileSync(file)), plan, context);
  if (text === undefined) return false;
  const draft = `${file}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    Deno.mkdirSync(folderOf(file), { recursive: true, mode: 0o700 });
    // It may come to hold keys: a new file is for its owner alone.
    writeNew(draft, new TextEncoder().encode(text), isNew ? { mode: 0o600 } : keptOf(file));
    Deno.renameSync(draft, file);
  } catch (error) {
    removeIfPossible(draft);
    const hint = error instanceof Error ? error.message : String(error);
    return fail({ code: "not-allowed", what: `change ${file}`, hint });
  }
  return true;
}

function isMissing(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}
