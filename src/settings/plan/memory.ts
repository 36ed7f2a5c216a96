/**
 * Where the memories of a project are kept, what finds them, and what that takes: planned before the rights are dropped.
 *
 * Pure: the disk is asked through the one function that is handed in.
 */
import { fail } from "../../base/errors.ts";
import type { WantedRights } from "../../base/model.ts";
import type { Choosing } from "./choice.ts";
import type { Invocation, Settings } from "../mod.ts";
import { isOn, type ProjectKit } from "./kit.ts";
import type { ToolNeeds } from "./needs.ts";
import { hashText } from "../../base/hash.ts";
import { type Context, liesIn, type Place, resolvePath, userFolders } from "../../base/paths.ts";

/** How memory works in this start. */
export interface MemoryPlan {
  /** Where the file can be, absolute: in the project where its folder is there, and in the user's state folder. */
  readonly files: readonly string[];
  /** Whether the file may be written. */
  readonly mayWrite: boolean;
  /** A server to use in place of the file. */
  readonly qdrant: { readonly url: string; readonly key?: string } | undefined;
  /** What finds memories by meaning. */
  readonly embedder: "built-in" | "none" | Endpoint;
  /** Where the embedded content is. */
  readonly contentDir: string;
}

/** A server with the embeddings API of OpenAI. */
export interface Endpoint {
  /** Up to and with the version: `http://localhost:11434/v1`. */
  readonly url: string;
  /** The model to ask for. */
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string;
}

/** The name of the file. SQLite keeps others beside it while it is open. */
const FILE = "memory.db";
const BESIDE = ["", "-wal", "-shm", "-journal"];

/** Plans the memory of a project. */
export function planMemory(
  choosing: Choosing,
  invocation: Invocation,
  kit: ProjectKit,
  place: Place & {
    readonly findFolder: (path: string) => string | undefined;
    readonly toolNeeds: readonly ToolNeeds[];
  },
): MemoryPlan {
  const { settings } = choosing;
  const writes = invocation.name === "memory" ||
    place.toolNeeds.some((need) => need.memory === "writes" && isOn(choosing, invocation, need));
  return {
    files: [...projectFile(kit, place), ...stateFile(kit, place)],
    mayWrite: writes && !settings.readOnly,
    qdrant: settings.qdrantUrl === undefined
      ? undefined
      : withKey({ url: settings.qdrantUrl }, settings.qdrantKey),
    embedder: embedderOf(settings),
    contentDir: place.contentDir,
  };
}

/** What the plan takes: its file where it may be written, and the network where a server is named. */
export function memoryRights(
  choosing: Choosing,
  invocation: Invocation,
  plan: MemoryPlan | undefined,
  context: Context & { readonly toolNeeds: readonly ToolNeeds[] },
): WantedRights {
  const isUsed = invocation.name === "memory" || invocation.name === "doctor" ||
    context.toolNeeds.some((need) => need.memory !== undefined && isOn(choosing, invocation, need));
  if (plan === undefined || !isUsed) return { read: [], write: [], run: [], net: false };
  return {
    read: importedFile(invocation, context),
    write: plan.mayWrite ? plan.files.flatMap(filesToWrite) : [],
    run: [],
    net: plan.qdrant !== undefined || typeof plan.embedder === "object",
  };
}

/** A file that memories are imported from may lie anywhere: whoever names it means it. */
function importedFile({ operands: [action, file] }: Invocation, context: Context): readonly string[] {
  return action === "import" && file !== undefined && file !== "-" ? [resolvePath(file, context)] : [];
}

/** In the state folder the folder is ours and made by us. */
function filesToWrite(file: string): readonly string[] {
  return file.endsWith(`/_memory/${FILE}`)
    ? BESIDE.map((ending) => `${file}${ending}`)
    : [file.slice(0, -`/${FILE}`.length)];
}

/** In the folder of the project's memory, unless a link leads that out of the project. */
function projectFile(
  { root, base }: ProjectKit,
  { findFolder, os }: { findFolder(path: string): string | undefined; readonly os: Context["os"] },
): readonly string[] {
  const folder = findFolder(`${root}/${base}/_memory`);
  if (folder === undefined) return [];
  const plain = (path: string) => resolvePath(path, { base: "/", home: undefined, os });
  return liesIn(plain(folder), plain(root)) ? [`${plain(folder)}/${FILE}`] : [];
}

function stateFile({ root }: ProjectKit, place: Place): readonly string[] {
  const { state } = userFolders(place);
  if (state === undefined) return [];
  const name = root.split(/[\\/]/).findLast((part) => part !== "") ?? "project";
  return [`${state}/memory/${name}-${hashText(root).toString(16).padStart(8, "0")}/${FILE}`];
}

function embedderOf(settings: Settings): MemoryPlan["embedder"] {
  const { embedder, embeddingsUrl: url, embeddingsModel: model, embeddingsKey: key } = settings;
  if (!embedder) return "none";
  if (url === undefined) return "built-in";
  if (model === undefined) {
    return fail({
      code: "invalid-config",
      setting: "embeddingsModel",
      value: "",
      source: "default",
      problem: `${url} must be told which model to use (--embeddings-model)`,
    });
  }
  return withKey({ url, model }, key);
}

function withKey<T extends object>(value: T, key: string | undefined): T & { readonly key?: string } {
  return key === undefined ? value : { ...value, key };
}
