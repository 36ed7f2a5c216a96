/** The files of findings as they were when found, kept on this machine: "fixed" wants a change since. */
import { hashText } from "../../../base/text.ts";
import { findText, normalizePath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { recordedName, type StoryMatch } from "../board/mod.ts";
import { pathIn, type ReviewFinding } from "../formats/mod.ts";
import { openRecord, type WriteContext } from "./write_context.ts";

const FILE = "findings.json";

interface Place {
  readonly world: WriteContext;
  readonly found: StoryMatch;
  /** By the clone's worktrees. */
  readonly isShared: boolean;
}

/** Undefined if it names no text file of the project. */
function stateOf({ files: { tree } }: WriteContext, file: string | undefined): string | undefined {
  const path = normalizePath(pathIn(file) ?? "");
  const text = path ? findText(tree, path) : undefined;
  return text === undefined ? undefined : `${text.length} ${hashText(text)}`;
}

function openStates({ world, found, isShared }: Place) {
  const { project, values: states, replace } = openRecord(world, FILE, isShared);
  const { ledger, story } = recordedName(found);
  return { states, replace, keyOf: (id: string) => [project, ledger, story, id].join("\n") };
}

export function keepFoundFile(place: Place, { id, file }: Pick<ReviewFinding, "id" | "file">): void {
  const state = stateOf(place.world, file);
  if (state === undefined) return;
  const { states, keyOf, replace } = openStates(place);
  const { [keyOf(id)]: _, ...others } = states;
  const kept = Object.entries(others).slice(1 - LIMITS.findings.rows);
  replace(Object.fromEntries([...kept, [keyOf(id), state]]));
}

/** False if that is unknown. */
export function isUnchanged(place: Place, { id, file }: ReviewFinding): boolean {
  const state = stateOf(place.world, file);
  const { states, keyOf } = openStates(place);
  return state !== undefined && states[keyOf(id)] === state;
}
