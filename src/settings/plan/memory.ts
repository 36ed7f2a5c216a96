/**
 * Where the memories of a project are stored, what finds them, and the rights for both.
 *
 * Pure: it asks the disk through the one function it is given.
 */
import { fail } from "../../base/errors.ts";
import type { WantedRights } from "../../base/model.ts";
import type { Choosing } from "./choice.ts";
import type { Invocation, Settings } from "../mod.ts";
import { isOn, type ProjectKit } from "./kit.ts";
import type { ToolNeeds } from "./needs.ts";
import { isUrl } from "../locations/mod.ts";
import { hashText } from "../../base/text.ts";
import { type Context, liesIn, type Place, resolvePath, userFolders } from "../../base/paths.ts";

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

/** The rights of the plan: its files if they may be written, and the network if a server is named. */
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

/** A file to import from may be anywhere, because the user names it. */
function importedFile({ operands: [action, file] }: Invocation, context: Context): readonly string[] {
  if (action !== "import" || file === undefined || file === "-") return [];
  if (isUrl(file)) fail({ code: "invalid-input", problem: "Cannot import from a URL: expected a file" });
  return [resolvePath(file, context)];
}

/** In the state folder we create the folder ourselves, so it is requested as a whole. */
function filesToWrite(file: string): readonly string[] {
  return file.endsWith(`/_memory/${FILE}`)
    ? BESIDE.map((ending) => `${file}${ending}`)
    : [file.slice(0, -`/${FILE}`.length)];
}

/** The file in the project's memory folder, unless a link leads out of the project. */
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
      source: "default",
      problem: `Missing --embeddings-model: ${url} needs to know which model to use`,
    });
  }
  return withKey({ url, model }, key);
}

function withKey<T extends object>(value: T, key: string | undefined): T & { readonly key?: string } {
  return key === undefined ? value : { ...value, key };
}
