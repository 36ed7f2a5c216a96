/** Skills whose text only runs a script that renders them. It needs Python, so we render the same text. */
import { splitLines } from "../../../base/text.ts";
import { recover } from "../../../base/absence.ts";
import { BmadError, failField } from "../../../base/errors.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import { type Diagnostic, type Entry, qualifiedName } from "../../../base/model.ts";
import { giveWay } from "../../../base/work.ts";
import { normalizeText } from "../../parse.ts";
import { baseName, findText, joinPath, noteReads, type Recorded, recordReads } from "../../tree/mod.ts";
import { mergeConfig, resolveConfig } from "../values/config.ts";
import { customizationSteps } from "../values/customize.ts";
import { filesOf } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import { folderOnDisk, literalCall } from "./calls.ts";
import {
  areJinja,
  hasTokens,
  type NamedInPrompt,
  renderJinja,
  renderTokens,
  type Texts,
  UnsupportedTemplate,
} from "./templates.ts";
import { isFlat, type Library, perLibrary, sourceOf } from "../library.ts";
import { LIMITS } from "../../limits.ts";

const WORKFLOW = "workflow.md";
const FOLDER = "rendered";

export function isLauncher(library: Library, entry: Entry): boolean {
  return GENERATIONS[entry.generation].isOfSkills && entry.ownsFolder &&
    sourceOf(library, entry).tree.stat(joinPath(entry.folder, WORKFLOW)) !== undefined &&
    splitLines(findText(sourceOf(library, entry).tree, entry.file) ?? "").some((line) =>
      line.split("render_skill.py").slice(1).join().includes("--skill")
    );
}

let engine: typeof import("../../jinja/mod.ts") | undefined;

export async function loadEngine(library: Library): Promise<void> {
  if (engine !== undefined || !isFlat(library)) return;
  const isJinja = (entry: Entry) => entry.generation === "flat" && isLauncher(library, entry);
  if (library.effective.some(isJinja)) engine = await import("../../jinja/mod.ts");
}

const lastRenderings = perLibrary(() => new Map<string, Recorded<Texts>>());

export function launch(
  library: Library,
  entry: Entry,
  open?: string,
): { readonly text?: string; readonly problem?: string } {
  const render = () => ({ text: renderLauncher(library, entry, open).get(WORKFLOW) });
  return recover(UnsupportedTemplate, render, ({ message: problem }) => ({ problem }));
}

export function renderLauncher(library: Library, entry: Entry, open?: string): Texts {
  const folder = folderOnDisk(library, entry);
  const rendering = recordReads(() =>
    renderFiles(library, entry, (name, template) =>
      // A template is not what the sub-agent should read.
      folder !== undefined && !hasTokens(template)
        ? `${folder}/${name}`
        : literalCall(`${renderedUri(entry)}/${name}`, open))
  );
  const renderings = lastRenderings(library);
  const key = `${open}\n${entry.key}`;
  renderings.delete(key);
  renderings.set(key, rendering);
  let length = 0;
  for (const [key, { value }] of [...renderings].reverse()) {
    for (const text of value.values()) length += text.length;
    if (length > LIMITS.delivery.keptRenderings) renderings.delete(key);
  }
  return rendering.value;
}

export function renderedUri(entry: Entry): string {
  return SCHEME + [FOLDER, ...qualifiedName(entry).split("/")].map(encodeURIComponent).join("/");
}

export function findRendered(library: Library, path: string, open?: string): string | undefined {
  if (!path.startsWith(`${FOLDER}/`)) return undefined;
  const folderOf = (entry: Entry) => `${FOLDER}/${qualifiedName(entry)}/`;
  const isMeant = (entry: Entry) => path.startsWith(folderOf(entry)) && isLauncher(library, entry);
  const entry = library.effective.find(isMeant);
  if (entry === undefined) return undefined;
  const last = lastRenderings(library).get(`${open}\n${entry.key}`);
  // Whoever caches an answer made from it has to ask again once it is rendered again.
  if (last !== undefined) noteReads(last.reads);
  return (last?.value ?? renderLauncher(library, entry, open)).get(path.slice(folderOf(entry).length));
}

export const listRendered = perLibrary((library): readonly string[] =>
  library.effective.filter((entry) => isLauncher(library, entry)).flatMap((entry) =>
    templateNames(library, entry).map(([name]) =>
      `${renderedUri(entry)}/${name.split("/").map(encodeURIComponent).join("/")}`
    )
  )
);

export async function launcherDiagnostics(library: Library): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const entry of library.effective) {
    await giveWay();
    if (!isLauncher(library, entry)) continue;
    recover(BmadError, () => void renderFiles(library, entry), (error) => {
      const { file: path, origin } = entry;
      const [level, what] = error instanceof UnsupportedTemplate
        ? ["info", "is delivered without being rendered"] as const
        : ["warning", "cannot be started"] as const;
      const message = `${what}: ${error.message}`;
      found.push({ level, code: "bad-launcher", message, path, origin: origin.id });
    });
  }
  return found;
}

/** `{project-root}` stays: only the client knows where that is. One that cannot be rendered completely fails. */
export function renderFiles(library: Library, entry: Entry, inPrompt?: NamedInPrompt): Texts {
  const templates = readTemplates(library, entry);
  if (!templates.has(WORKFLOW)) {
    failField(qualifiedName(entry), `${WORKFLOW} is too large or not a text file`);
  }
  const customization = customizationSteps(library, entry);
  const material = { entry, templates, customization, folder: renderedUri(entry) };
  if (engine !== undefined && areJinja(templates)) {
    return renderJinja(engine, material, resolveConfig(library));
  }
  // The installation's layers come first, as in the script.
  const configs = [
    () => mergeConfig(library),
    () => resolveConfig(library, [entry.module]),
    () => resolveConfig(library),
  ];
  return renderTokens({ ...material, configs, inPrompt });
}

function readTemplates(library: Library, entry: Entry): Texts {
  const { tree } = sourceOf(library, entry);
  const names = templateNames(library, entry);
  const templates = new Map<string, string>();
  let length = 0;
  for (const [name, path] of names) {
    const text = findText(tree, path);
    length += text?.length ?? 0;
    if (length > LIMITS.delivery.templateCharacters || names.length > LIMITS.delivery.templateFiles) {
      failField(qualifiedName(entry), "it has too many or too long texts");
    }
    if (text !== undefined) templates.set(name, normalizeText(text));
  }
  return templates;
}

function templateNames(library: Library, entry: Entry): readonly (readonly [name: string, path: string])[] {
  return filesOf(library, entry).map(({ path }) => path)
    .filter((path) => path.endsWith(".md") && baseName(path) !== "SKILL.md")
    .map((path) => [entry.folder === "" ? path : path.slice(entry.folder.length + 1), path]);
}
