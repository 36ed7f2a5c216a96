/** What an upgrade would change, compared with what the package's own installer would replace. */
import { type Entry, isHidden, isSupporting, qualifiedName } from "../../../base/model.ts";
import { recover } from "../../../base/absence.ts";
import { BmadError } from "../../../base/errors.ts";
import { tokensIn } from "../../../base/tokens.ts";
import { findByName, isOwnModule, moduleNames } from "../../catalog/mod.ts";
import { baseName, findBytes, findText, joinPath, normalizePath } from "../../tree/mod.ts";
import { filesOf, listFiles } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import { readSafely } from "../files/reading.ts";
import { hasEqualBytes } from "../health/conflicts.ts";
import { type Library, type LibrarySource, onlyOrigin, sourceOf } from "../library.ts";
import { explainConfig } from "../values/config.ts";
import { defaultConfig } from "../values/defaults.ts";
import {
  compareFiles,
  type Difference,
  differingFiles,
  type LostCustomization,
  lostCustomizations,
  MAIN,
} from "./differences.ts";
import { normalizeText, parseTable, parseYaml } from "../../parse.ts";
import { asText, asValues, firstOf } from "../../../base/values.ts";
import { asTables } from "../values/merge.ts";

type FileChange = Pick<Difference, "file" | "change"> & Partial<Difference>;

export interface PreviewRequest {
  readonly before: string;
  readonly after: string;
  readonly isDiff: boolean;
  isCompared(name: string, text: string): Promise<boolean | undefined>;
  activate(entry: Entry): Promise<string>;
}

export type Preview = Awaited<ReturnType<typeof previewUpgrade>>;
export type ActivationCost = Preview["activations"][number];

export async function previewUpgrade(library: Library, request: PreviewRequest) {
  const { isDiff, activate, isCompared } = request;
  const sides = selectSides(library.whole, request);
  const { olds, news, was, is, shims, hasShims } = sides;
  const visible = news.filter((entry) => !isHidden(entry));
  const gone = [...was.values()].filter((entry) => !is.has(keyOf(entry)));
  return {
    versions: [...new Set(olds.flatMap(({ version }) => version ?? []))],
    lost: gone.map((entry) => ({ ...namedAs(entry), now: successorOf(visible, entry) })),
    gained: [...is.values()].filter((entry) => !was.has(keyOf(entry)) && !isShim(entry)).map(namedAs),
    forwarding: shims.map((entry) => {
      const old = was.get(keyOf(entry));
      const isNew = old !== undefined && !isShim(old);
      return { name: qualifiedName(entry), to: successorOf(visible, entry), isNew };
    }),
    hasShims,
    changed: [...was].flatMap(([key, old]) => changedItem(library.whole, old, is.get(key), isDiff)),
    customizations: [
      ...was.entries().flatMap(([key, old]) =>
        lostCustomizations(library.whole, old, is.get(key), successorOf(visible, old))
      ),
      ...await editedFiles(sides),
    ],
    scripts: await scriptChanges(sides, isCompared),
    configuration: keyChanges(sides),
    activations: await measureCosts(sides, activate),
    leftBehind: leftBehind(sides),
  };
}

type Sides = ReturnType<typeof selectSides>;
type Entries = ReadonlyMap<string, Entry>;

function selectSides(library: Library, { before, after }: PreviewRequest) {
  const entriesOf = (id: string) =>
    library.manifest.entries.filter(({ origin, status }) => origin.id === id && status === "verified");
  const [present, offered] = [entriesOf(before), entriesOf(after)];
  const isAmong = (entries: readonly Entry[]) => {
    const names = new Set(entries.flatMap(({ module }) => moduleNames(module)));
    return ({ module }: Entry) => names.has(module.toLowerCase());
  };
  const isInstalled = isAmong(present);
  // A package may bring modules along that are installed only on request.
  const own = offered.filter((entry) => isOwnModule(entry.module) || isInstalled(entry));
  const news = own.length > 0 ? own : offered;
  const isReplaced = isAmong(news);
  const isMethod = news.some(({ module }) => moduleNames(module).includes("bmm"));
  const olds = present.filter((entry) => isReplaced(entry) || (isMethod && isOld(entry)));
  const shims = news.filter(isShim);
  const hasShims = shims.length > 0 &&
    (installedShims(library, before) ?? shims.some(({ id }) => olds.some((old) => old.id === id)));
  const byKey = (entries: readonly Entry[]): Entries =>
    new Map(entries.map((entry) => [keyOf(entry), entry]));
  const is = byKey(hasShims ? news : news.filter((entry) => !isShim(entry)));
  return { library, before, after, olds, news, shims, hasShims, was: byKey(olds), is };
}

function isOld({ generation }: Pick<Entry, "generation">): boolean {
  return generation === "v3" || generation === "v4";
}

function isShim({ roles }: Entry): boolean {
  return roles.includes("shim");
}

/** Skills have one name in all modules: one that moves to another module stays the same. */
function keyOf(entry: Entry): string {
  return `${entry.kind} ${entry.kind === "skill" ? entry.id : qualifiedName(entry)}`;
}

function namedAs(entry: Entry) {
  return { name: qualifiedName(entry), kind: entry.kind };
}

function successorOf(entries: readonly Entry[], { id, kind }: Entry): string | undefined {
  if (isSupporting(kind)) return undefined;
  const entry = entries.find(({ formerIds }) => formerIds?.includes(id)) ?? findByName(entries, { name: id });
  return entry && qualifiedName(entry);
}

function changedItem(library: Library, old: Entry, now: Entry | undefined, isDiff: boolean) {
  if (now === undefined) return [];
  const found: Iterable<FileChange> = isDiff
    ? compareFiles(library, old, now)
    : differingFiles(library, old, now).map(({ place, change }) => ({ file: place, change }));
  const files = [...found].map((one) => one.file === MAIN ? { ...one, file: baseName(now.file) } : one);
  return files.length === 0 ? [] : [{ ...namedAs(now), files }];
}

const isScript = (path: string) =>
  /[^/]\.(?:py|sh|js|mjs|ts|ps1)$/.test(path) && /(?:^|\/)scripts\//.test(path);

async function scriptChanges(
  { library, before, after, was, is }: Sides,
  isCompared: PreviewRequest["isCompared"],
) {
  const ofItems = (entries: Entries) =>
    [...entries.values()].filter(({ ownsFolder }) => ownsFolder).flatMap((entry) =>
      filesOf(library, entry).map((file) =>
        [`${entry.id}/${file.path.slice(entry.folder.length + 1)}`, file] as const
      )
    );
  const shared = (id: string) =>
    listFiles(onlyOrigin(library, id)).filter(({ uri }) => uri.startsWith(`${SCHEME}scripts/`))
      .map((file) => [file.uri.slice(SCHEME.length), file] as const);
  const forAll = shared(after);
  // A package without any leaves those that are installed as they are.
  const isMethod = forAll.length > 0;
  const [old, now] = [[...ofItems(was), ...(isMethod ? shared(before) : [])], [...ofItems(is), ...forAll]]
    .map((files) => new Map(files.filter(([path]) => isScript(path))));
  const changes: (FileChange & { readonly isCompared?: boolean })[] = [];
  for (const file of [...new Set([...old!.keys(), ...now!.keys()])].sort()) {
    const [was, is] = [old!.get(file), now!.get(file)].map((one) => one && readSafely(one));
    if (is === undefined) changes.push({ file, change: "removed" });
    else if (was === undefined || !hasEqualBytes(was.bytes, is.bytes)) {
      const known = await isCompared(baseName(file), is.text ?? "");
      const change = was === undefined ? "added" : "changed";
      changes.push({ file, change, ...(known !== undefined && { isCompared: known }) });
    }
  }
  return changes;
}

/** A key may move to another module. What the user added stays. */
function keyChanges({ library, before, after, olds, news }: Sides) {
  const [was, is] = [onlyOrigin(library, before), onlyOrigin(library, after)];
  // A module repeats the core's keys, which only a package with the core changes.
  const hasCore = news.some(({ module }) => moduleNames(module).includes("core"));
  const coreKeys = new Set(explainConfig(was, "core").map(({ key }) => key));
  const modulesOf = (entries: readonly Entry[]) =>
    new Set([...(hasCore ? ["core"] : []), ...entries.map(({ module }) => module)]);
  const old = new Map<string, string>();
  for (const module of modulesOf(olds)) {
    for (const { key, file } of explainConfig(was, module)) {
      const isAdded = file !== undefined && /(?:^|\/)custom\//.test(file.path);
      if (!isAdded && (module === "core" || !coreKeys.has(key))) old.getOrInsert(key, module);
    }
  }
  const now = new Map<string, string>();
  for (const module of modulesOf(news)) {
    for (const key of Object.keys(defaultConfig(is, module))) now.getOrInsert(key, module);
  }
  const missing = (from: typeof old, other: typeof old, change: "added" | "removed") =>
    [...from].filter(([key]) => !other.has(key)).map(([key, module]) => ({ module, key, change }));
  return [...missing(old, now, "removed"), ...missing(now, old, "added")];
}

async function measureCosts({ was, is }: Sides, activate: PreviewRequest["activate"]) {
  const costOf = async (entry: Entry | undefined) => {
    if (entry === undefined || isSupporting(entry.kind) || isHidden(entry)) return undefined;
    return await recover(BmadError, async () => tokensIn(withoutPlace(await activate(entry))));
  };
  const costs: { readonly name: string; readonly before?: number; readonly after?: number }[] = [];
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    const [old, now] = [was.get(key), is.get(key)];
    const [before, after] = [await costOf(old), await costOf(now)];
    if (before !== undefined || after !== undefined) {
      costs.push({ name: qualifiedName((now ?? old)!), before, after });
    }
  }
  return costs;
}

/** Where its files are is said differently once they are installed. */
function withoutPlace(text: string): string {
  const [, folder] = /^skill-root: (\S.*)$/m.exec(text.slice(0, 4_000)) ?? [];
  const plain = text.replace(/^origin: .*\n/m, "");
  return folder === undefined ? plain : plain.replaceAll(folder, "{skill-root}");
}

function leftBehind({ library, olds, news }: Sides): readonly string[] {
  const [first] = olds;
  if (first === undefined || !olds.some(isOld) || news.some(isOld)) return [];
  const { roots } = sourceOf(library, first).inventory;
  return roots.filter(isOld).map(({ path }) => path);
}

function installedShims({ sources }: Library, origin: string): boolean | undefined {
  const source = sources.find((one) => one.origin.id === origin);
  for (const { path } of source?.inventory.roots ?? []) {
    const text = findText(source!.tree, joinPath(path, "_config/manifest.yaml")) ?? "";
    const { installShims } = asValues(parseYaml(text).value["installation"]);
    if (typeof installShims === "boolean") return installShims;
  }
  return undefined;
}

async function editedFiles({ library, before, olds }: Sides): Promise<readonly LostCustomization[]> {
  const source = library.sources.find((one) => one.origin.id === before);
  const hashes = source === undefined ? [] : notedHashes(source);
  if (hashes.length === 0) return [];
  const edited: LostCustomization[] = [];
  const files = olds.flatMap((entry) => filesOf(library, entry).map(({ path }) => ({ path, entry })));
  for (const [path, [first]] of Map.groupBy(files, ({ path }) => path)) {
    const { entry } = first!;
    const wanted = hashesFor(hashes, entry, path);
    const bytes = findBytes(source!.tree, path);
    if (wanted.length === 0 || bytes === undefined || await isAsNoted(bytes, wanted)) continue;
    const reason = "the file itself was changed, and is replaced";
    edited.push({ file: `${source!.origin.location}/${path}`, name: qualifiedName(entry), reason });
  }
  return edited;
}

/** Hashes are in hexadecimal digits; v4 notes only the first of them. */
type Noted = Record<"path" | "hash", string>;

function notedHashes({ tree, inventory }: LibrarySource): readonly Noted[] {
  return inventory.roots.flatMap(({ path: root, generation }): Noted[] => {
    if (generation === "v4") {
      const text = findText(tree, joinPath(root, "install-manifest.yaml"));
      return asTables(parseYaml(text ?? "").value["files"]).flatMap(({ path, hash }) =>
        notedAs("", asText(path), asText(hash))
      );
    }
    const text = firstOf(
      ["_config", "_cfg"],
      (folder) => findText(tree, joinPath(root, `${folder}/files-manifest.csv`)),
    );
    return parseTable(text ?? "").value.flatMap(({ path, hash }) => notedAs(root, path, hash));
  });
}

function notedAs(root: string, path: string | undefined, hash: string | undefined): readonly Noted[] {
  const plain = path === undefined ? undefined : normalizePath(path);
  if (plain === undefined || hash === undefined || !/^[\da-f]{16,64}$/.test(hash)) return [];
  return [{ path: joinPath(root, plain), hash }];
}

function hashesFor(noted: readonly Noted[], { id, folder }: Entry, path: string): readonly string[] {
  const place = `/${id}/${path.slice(folder.length + 1)}`;
  return noted.filter((one) => one.path === path || (folder.endsWith(`/${id}`) && one.path.endsWith(place)))
    .map(({ hash }) => hash);
}

async function isAsNoted(bytes: Uint8Array<ArrayBuffer>, hashes: readonly string[]): Promise<boolean> {
  const isOne = async (data: Uint8Array<ArrayBuffer>) => {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data)).toHex();
    return hashes.some((noted) => hash.startsWith(noted));
  };
  return await isOne(bytes) ||
    await isOne(new TextEncoder().encode(normalizeText(new TextDecoder().decode(bytes))));
}
