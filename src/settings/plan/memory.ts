import { fail, failInput } from "../../base/errors.ts";
import { resolvePath, userFolders } from "../../base/paths.ts";
import { hashText } from "../../base/text.ts";
import { isUrl } from "../locations/mod.ts";
import { commandNeeds } from "../../operations/mod.ts";
import { findRepository, resolveRight, type Settings } from "../mod.ts";
import { type Claims, isChosen, isOn, planFolder, refusedOf, type Start } from "./choice.ts";
import type { ProjectKit } from "./kit.ts";

export interface MemoryPlan {
  /** In the project if it has a memory folder, and in the user's state folder. */
  readonly files: readonly string[];
  /** The last of them, if an earlier version made it for this worktree alone. */
  readonly earlier?: string | undefined;
  /** The project's name in all worktrees, where its own folder has another. */
  readonly name?: string | undefined;
  readonly mayWrite: boolean;
  readonly qdrant: { readonly url: string; readonly key?: string } | undefined;
  readonly embedder: "built-in" | "none" | Endpoint;
  readonly contentDir: string;
}

export interface Endpoint {
  readonly url: string;
  readonly model: string;
  readonly key?: string;
}

const FILE = "memory.db";
/** SQLite keeps these files beside it while it is open. */
const BESIDE = ["", "-wal", "-shm", "-journal"];

export function planMemory(start: Start, kit: ProjectKit): MemoryPlan & Claims {
  const { settings, invocation: { name } } = start;
  const needs = start.toolNeeds.filter((need) =>
    // By the tool itself, or by a command that remembers what it would.
    isOn(start, need) || commandNeeds(name, "memory") && isChosen(start, need.set, need.tool)
  );
  const mayWrite = !settings.readOnly && start.mayChange &&
    (name === "memory" || needs.some(({ memory }) => memory === "writes"));
  const place = sharedPlace(kit.root, start);
  const own = place === kit.root ? undefined : planStateFile(kit.root, start);
  const isEarlier = own?.file !== undefined && start.look(own.file)?.kind === "file";
  const stores = [
    planProjectFile(kit, start, mayWrite),
    planStateFile(place, start),
    ...(isEarlier ? [own] : []),
  ];
  const plan: MemoryPlan = {
    files: stores.flatMap(({ file }) => file ?? []),
    ...(isEarlier && { earlier: own.file }),
    ...(place !== kit.root && { name: nameOf(place) }),
    mayWrite,
    qdrant: settings.qdrantUrl === undefined
      ? undefined
      : withKey({ url: settings.qdrantUrl }, settings.qdrantKey),
    embedder: embedderOf(settings),
    contentDir: start.contentDir,
  };
  const isUsed = name === "memory" || name === "doctor" || needs.some(({ memory }) => memory !== undefined);
  return {
    ...plan,
    rights: !isUsed ? {} : {
      read: readFile(start),
      write: mayWrite ? stores.flatMap(({ grants = [] }) => grants) : [],
      net: plan.qdrant !== undefined || typeof plan.embedder === "object",
    },
    refused: stores.flatMap(({ refused = [] }) => refused),
  };
}

/** A file to import or restore from may be anywhere, because the user names it. */
function readFile({ invocation: { operands: [action, file] }, context, look }: Start): readonly string[] {
  const isRead = action === "import" || action === "restore";
  if (!isRead || file === undefined || file === "-") return [];
  if (isUrl(file)) failInput(`Cannot ${action} from a URL: expected a file`);
  const { real } = resolveRight({ path: resolvePath(file, context) }, look);
  return real === undefined ? [] : [real];
}

function planProjectFile({ root, base }: ProjectKit, start: Start, mayWrite: boolean) {
  const folder = planFolder(root, `${base}/_memory`, "content", start);
  if (folder.reason !== undefined) return { refused: refusedOf([folder]) };
  if (!folder.exists) return {};
  const file = `${folder.real}/${FILE}`;
  if (!mayWrite) return { file };
  const within = { root, holds: "content" } as const;
  const files = BESIDE.map((ending) => ({
    folder: `${folder.folder}/${FILE}${ending}`,
    ...resolveRight({ path: `${file}${ending}`, kind: "file", isPlain: true, within }, start.look),
  }));
  const refused = refusedOf(files);
  // SQLite needs all of them. The store refuses to open the file then, and says why.
  return { file, grants: refused.length > 0 ? [] : files.flatMap(({ grant }) => grant ?? []), refused };
}

/** The project's folder in the main worktree, as far as there is one. */
function sharedPlace(root: string, start: Start): string {
  const found = findRepository(root, start);
  if (found === undefined || found.reason !== undefined) return root;
  return found.common.replace(/\/\.git$/, "") + root.slice(found.top.length);
}

function nameOf(root: string): string {
  return root.split(/[\\/]/).findLast((part) => part !== "") ?? "project";
}

/** We create its folder, so the right is for all of that. */
function planStateFile(root: string, start: Start) {
  const { state } = userFolders(start);
  if (state === undefined) return {};
  const path = `${state}/memory/${nameOf(root)}-${hashText(root).toString(16).padStart(8, "0")}`;
  const { real, reason } = resolveRight({ path, kind: "folder" }, start.look);
  if (reason !== undefined) return { refused: [{ folder: path, reason }] };
  return { file: `${real}/${FILE}`, grants: [real] };
}

export function findMemory(root: string, start: Start): string | undefined {
  const { file } = planStateFile(sharedPlace(root, start), start);
  return file !== undefined && start.look(file)?.kind === "file" ? file : undefined;
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
