/**
 * What can be done on a board: one table for the page and the App, over the same work that the tool `bmad_work` does.
 */
import type { App, ProjectWork, Report } from "../../app.ts";
import { type BmadError, fail, type FailedCheck, failUnknown } from "../../base/errors.ts";
import { asText, asValues } from "../../base/values.ts";

/** What a browser or an app asks for. */
interface Act {
  readonly story: string;
  readonly by: string;
  readonly status: string;
  readonly isForced: boolean;
  readonly reason?: string;
  readonly undoes?: string;
}

/** What was done, and how it is undone. */
export interface Done {
  readonly text: string;
  /** The fields of the action that takes it back; undefined for what is not undone. */
  readonly undo?: { readonly status: string; readonly undoes: string };
}

const ACTIONS: Readonly<Record<string, (work: ProjectWork, act: Act) => Promise<Done>>> = {
  mark: async (work, act) => {
    const { text, data } = await work.mark(act);
    return { text, undo: undoOf(data) };
  },
  claim: async (work, act) => ({ text: (await work.claim(act)).text }),
  release: async (work, act) => ({ text: (await work.release(act)).text }),
};

/** Whether a board has an action of this name. */
export function isAction(name: string): boolean {
  return Object.hasOwn(ACTIONS, name);
}

/** A story that had no status yet cannot get that back. */
function undoOf({ changes }: Report["data"]): Done["undo"] {
  const [change] = changes as readonly { readonly from?: string; readonly to: string }[];
  return change?.from === undefined ? undefined : { status: change.from, undoes: change.to };
}

/** The most characters of a field: more than any name, status or reason has. */
const MAX_FIELD = 500;

/** Does what a message asks for, in the name of `by` if that is given. Fails as the tool does. */
export async function act(app: App, message: unknown, by?: string): Promise<Done> {
  const fields = asValues(message);
  const text = (name: string): string => {
    const value = asText(fields[name])?.trim() ?? "";
    if (value.length <= MAX_FIELD) return value;
    return fail({ code: "invalid-input", field: name, problem: `expected at most ${MAX_FIELD} characters` });
  };
  const needed = (name: string) => text(name) || fail({ code: "invalid-input", problem: `Missing ${name}` });
  const name = needed("action");
  const run = isAction(name) ? ACTIONS[name]! : failUnknown("action", name, Object.keys(ACTIONS));
  return await run(await app.work(), {
    story: needed("story"),
    by: by ?? needed("by"),
    status: name === "mark" ? needed("status") : "",
    isForced: fields["force"] === true,
    reason: text("reason") || undefined,
    undoes: text("undoes") || undefined,
  });
}

/** Whether a server changes the work of a project: then its board has handles. */
export function canAct({ config: { settings, work } }: App): boolean {
  return !settings.readOnly && work !== undefined && work.writable.length > 0;
}

/** A refusal, as the script of the board reads it. */
export interface Refused {
  readonly message: string;
  /** What the check has found, each with its fix. */
  readonly objections: readonly Pick<FailedCheck, "problem" | "fix">[];
  readonly canForce: boolean;
}

/** A failure as data. */
export function refusalOf({ failure, message }: BmadError): Refused {
  if (failure.code !== "not-allowed") return { message, objections: [], canForce: false };
  const { what, hint, objections = [], fixes = [] } = failure;
  return {
    // What a person can do here, the board offers in its own words.
    message: `Cannot ${what}: ${hint}`,
    objections: objections.map(({ problem, fix }) => ({ problem, fix })),
    canForce: fixes.includes("force"),
  };
}
