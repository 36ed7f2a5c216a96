/**
 * Where the memories of a project are stored, what finds them, and the rights for both.
 *
 * Pure: it asks the disk through the one function it is given.
 */
import { fail } from "../../base/errors.ts";
import type { WantedRights } from "../../base/model.ts";
import { type Choosing, isChosen } from "./choice.ts";
import {
  type Command,
  COMMANDS,
  type Invocation,
  type LookAt,
  type RefusedPath,
  resolveRight,
  type Settings,
} from "../mod.ts";
import { isOn, type ProjectKit } from "./kit.ts";
import type { ToolNeeds } from "./needs.ts";
import { isUrl } from "../locations/mod.ts";
import { hashText } from "../../base/text.ts";
import { type Context, type Place, resolvePath, userFolders } from "../../base/paths.ts";

/** How memory works in this start. */
export interface MemoryPlan {
  /** Possible files, absolute: in the project if it has a memory folder, and in the user's state folder. */
  readonly files: readonly string[];
  readonly mayWrite: boolean;
  /** A server to use instead of the file. */
  readonly qdrant: { readonly url: string; readonly key?: string } | undefined;
  readonly embedder: "built-in" | "none" | Endpoint;
  readonly contentDir: string;
}

/** The same, with what its rights follow from. */
export interface PlannedMemory extends MemoryPlan {
  /** What the right to write is for. */
  readonly grants: readonly string[];
  /** Files and folders of memory that are not written to. */
  readonly refused: readonly RefusedPath[];
}

/** A server with OpenAI's embeddings API. */
export interface Endpoint {
  /** Including the version: `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string;
}

const FILE = "memory.db";
/** SQLite keeps these files beside it while it is open. */
const BESIDE = ["", "-wal", "-shm", "-journal"];

/** Plans the memory of a project. */
export function planMemory(
  choosing: Choosing,
  invocation: Invocation,
  kit: ProjectKit,
  place: Place & {
    readonly look: LookAt;
    readonly toolNeeds: readonly ToolNeeds[];
  },
): PlannedMemory {
  const { settings } = choosing;
  const writes = invocation.name === "memory" ||
    place.toolNeeds.some((need) => need.memory === "writes" && isUsing(choosing, invocation, need));
  const mayWrite = writes && !settings.readOnly;
  const stores = [planProjectFile(kit, place, mayWrite), planStateFile(kit, place)];
  return {
    files: stores.flatMap(({ file }) => file ?? []),
    mayWrite,
    grants: mayWrite ? stores.flatMap(({ grants = [] }) => grants) : [],
    refused: stores.flatMap(({ refused = [] }) => refused),
    qdrant: settings.qdrantUrl === undefined
      ? undefined
      : withKey({ url: settings.qdrantUrl }, settings.qdrantKey),
    embedder: embedderOf(settings),
    contentDir: place.contentDir,
  };
}

/** Whether this start uses memory as a tool does: by that tool, or by a command that remembers what it would. */
function isUsing(choosing: Choosing, invocation: Invocation, need: ToolNeeds): boolean {
  const { remembers }: Command = COMMANDS[invocation.name];
  return isOn(choosing, invocation, need) || remembers === true && isChosen(choosing, need.set, need.tool);
}

/** The rights of the plan: its files if they may be written, and the network if a server is named. */
export function memoryRights(
  choosing: Choosing,
  invocation: Invocation,
  plan: PlannedMemory | undefined,
  context: Context & { readonly look: LookAt; readonly toolNeeds: readonly ToolNeeds[] },
): WantedRights {
  const isUsed = invocation.name === "memory" || invocation.name === "doctor" ||
    context.toolNeeds.some((need) => need.memory !== undefined && isUsing(choosing, invocation, need));
  if (plan === undefined || !isUsed) return { read: [], write: [], run: [], net: false };
  return {
    read: readFile(invocation, context),
    write: plan.grants,
    run: [],
    net: plan.qdrant !== undefined || typeof plan.embedder === "object",
  };
}

/** A file to import or restore from may be anywhere, because the user names it. */
function readFile(
  { operands: [action, file] }: Invocation,
  context: Context & { readonly look: LookAt },
): readonly string[] {
  const isRead = action === "import" || action === "restore";
  if (!isRead || file === undefined || file === "-") return [];
  if (isUrl(file)) fail({ code: "invalid-input", problem: `Cannot ${action} from a URL: expected a file` });
  const { real } = resolveRight({ path: resolvePath(file, context) }, context.look);
  return real === undefined ? [] : [real];
}

/** A file for memories, and the rights for it. */
interface PlannedStore {
  readonly file?: string;
  readonly grants?: readonly string[];
  readonly refused?: readonly RefusedPath[];
}

/** The file in the project's memory folder, if it has one. */
function planProjectFile(
  kit: ProjectKit,
  { look, os }: { readonly look: LookAt; readonly os: Context["os"] },
  mayWrite: boolean,
): PlannedStore {
  const root = resolvePath(kit.root, { base: "/", home: undefined, os });
  const within = { root, holds: "content" } as const;
  const shown = `${kit.base}/_memory`;
  const folder = resolveRight({ path: `${root}/${shown}`, kind: "folder", within }, look);
  if (folder.reason !== undefined) return { refused: [{ folder: shown, reason: folder.reason }] };
  if (!folder.exists) return {};
  const file = `${folder.real}/${FILE}`;
  if (!mayWrite) return { file };
  const files = BESIDE.map((ending) => ({
    folder: `${shown}/${FILE}${ending}`,
    ...resolveRight({ path: `${file}${ending}`, kind: "file", isPlain: true, within }, look),
  }));
  const refused = files.flatMap(({ folder, reason }) => reason === undefined ? [] : [{ folder, reason }]);
  // SQLite needs all of them. The store refuses to open the file then, and says why.
  return { file, grants: refused.length > 0 ? [] : files.flatMap(({ grant }) => grant ?? []), refused };
}

/** The file in the state folder. We create its folder, so the right is for all of that. */
function planStateFile({ root }: ProjectKit, place: Place & { readonly look: LookAt }): PlannedStore {
  const { state } = userFolders(place);
  if (state === undefined) return {};
  const name = root.split(/[\\/]/).findLast((part) => part !== "") ?? "project";
  const path = `${state}/memory/${name}-${hashText(root).toString(16).padStart(8, "0")}`;
  const { real, reason } = resolveRight({ path, kind: "folder" }, place.look);
  if (reason !== undefined) return { refused: [{ folder: path, reason }] };
  return { file: `${real}/${FILE}`, grants: [real] };
}

function embedderOf(settings: Settings): MemoryPlan["embedder"] {
  const { embedder, embeddingsUrl: url, embeddingsModel: model, embeddingsKey: key } = settings;
  if (!embedder) return "none";
  if (url === undefined) return "built-in";
  if (model === undefined) {
    return fail({
      code: "invalid-config",
      setting: "embeddingsModel",
      source: "default",
      problem: `Missing --embeddings-model: ${url} needs to know which model to use`,
    });
  }
  return withKey({ url, model }, key);
}

function withKey<T extends object>(value: T, key: string | undefined): T & { readonly key?: string } {
  return key === undefined ? value : { ...value, key };
}
