/** Served files under `bmad://`, and skills with digests under `skill://` for hosts that verify. */
import type {
  Annotations,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type {
  GetSkillResult,
  ListSkillsResult,
  ReadResourceDirectoryResult,
} from "@modelcontextprotocol/server/ext/skills";
import {
  type App,
  listSkills as listFolders,
  type Report,
  type ResourceFacts,
  type SkillFile,
  type SkillFolder,
  takePage,
  type TemplateFacts,
} from "../../app.ts";
import { recover } from "../../base/absence.ts";
import { BmadError, expectFailure, failField, failMissing } from "../../base/errors.ts";
import { qualifiedName } from "../../base/model.ts";
import { splitLines } from "../../base/text.ts";
import { checkUri } from "../../base/uris.ts";
import { undecided } from "../../handlers.ts";
import { BOARD_APP, BOARD_RESOURCE, readBoardApp } from "./board_app.ts";
import { toContents } from "./reply.ts";
import { titleOf } from "./tool.ts";
import { boardTool } from "./work_calls.ts";

export async function listResources(
  app: App,
  { showsApps }: { readonly showsApps: boolean },
): Promise<readonly Resource[]> {
  const resources = (await app.resources()).map((facts): Resource => {
    const { uri, title, mimeType, size, modified, origin, entry } = facts;
    const isSkill = entry?.kind === "skill";
    return {
      uri,
      // The skills extension demands a skill's own name here, and its own prefix below.
      name: isSkill ? entry.id : uri.slice("bmad://".length),
      title: entry === undefined ? title : titleOf(entry),
      description: entry && (entry.description || qualifiedName(entry)),
      mimeType,
      size,
      annotations: {
        ...priorityOf(facts),
        ...(modified === undefined ? {} : { lastModified: new Date(modified).toISOString() }),
      },
      ...(origin !== undefined && {
        _meta: { [isSkill ? "io.modelcontextprotocol.skills/source" : "bmad/source"]: origin },
      }),
    };
  });
  return showsApps && boardTool(app.config) !== undefined ? [BOARD_RESOURCE, ...resources] : resources;
}

function priorityOf({ entry, size }: ResourceFacts): Annotations {
  if (entry !== undefined) return { audience: ["user", "assistant"], priority: 0.9 };
  return size === undefined
    ? { audience: ["user", "assistant"], priority: 0.5 }
    // Opened only when a step asks for it.
    : { audience: ["assistant"], priority: 0.2 };
}

export async function readResource(app: App, uri: string): Promise<ReadResourceResult> {
  if (uri === BOARD_APP) return await readBoardApp(boardTool(app.config) ?? "bmad");
  if (uri.startsWith(SCHEME)) return await readSkillFile(app, uri);
  const [, what] = /^bmad:\/\/(board|trace|questions)$/.exec(uri) ?? [];
  const projects = what === undefined ? undefined : undecided(app);
  if (projects === undefined) return toContents(uri, await app.open(uri));
  const { askAll, joinReports } = await import("../../projects.ts");
  const answers = await askAll(projects, async ({ project }): Promise<Report> => {
    const work = await project.work();
    return await (what === "board" ? work.board() : what === "trace" ? work.trace() : work.questions({}));
  });
  const { text } = joinReports(what === "questions" ? "answer" : what!, answers);
  return toContents(uri, { mimeType: "text/markdown", text });
}

export async function listTemplates(app: App): Promise<readonly ResourceTemplateType[]> {
  return [...await app.templates(), SKILL_TEMPLATE].map((template) => ({ ...template }));
}

export const SKILL_TEMPLATE: TemplateFacts = {
  uriTemplate: "skill://{module}/{skill}/{+path}",
  name: "skill",
  title: "Skill",
  description: "Any file of a skill, as the skills extension lists it",
};

const SCHEME = "skill://";
const PAGE_SIZE = 100;

/** In the 2026 protocol a list says how long it may be cached; a file can change at any time. */
const UNCACHED = { ttlMs: 0, cacheScope: "private" as const };

export async function listSkills(app: App, cursor: string | undefined): Promise<ListSkillsResult> {
  const listed = (await app.ask(listFolders)).filter((skill) => skill.isListed);
  const { items, nextCursor } = takePage(listed, PAGE_SIZE, cursor, ({ path }) => path);
  const described = await Array.fromAsync(items, (folder) => describeSkill(folder));
  const skills = described.flatMap(({ skill }) => skill ?? []);
  return { skills, nextCursor, ...UNCACHED };
}

export async function getSkill(app: App, uri: string): Promise<GetSkillResult> {
  const { folder, path } = await findFolder(app, uri);
  if (path !== "SKILL.md") return missing(app, uri, "skill");
  const { skill, problem } = await describeSkill(folder);
  return skill === undefined
    ? failField("uri", `${uri} is not a valid skill: ${problem}`)
    : { skill, ...UNCACHED };
}

export async function readSkillDirectory(
  app: App,
  uri: string,
  cursor: string | undefined,
): Promise<ReadResourceDirectoryResult> {
  const { folder, path } = await findFolder(app, uri);
  const inside = folder.files().filter((file) => path === "" || file.path.startsWith(`${path}/`));
  if (inside.length === 0) return missing(app, uri, "skill folder");
  const children = new Map<string, Resource>();
  for (const file of inside) {
    const [name = "", ...below] = file.path.slice(path === "" ? 0 : path.length + 1).split("/");
    const childUri = uriOf([...folder.path.split("/"), ...path.split("/"), name]);
    const { mimeType } = file;
    const facts = below.length > 0 ? { mimeType: "inode/directory" } : { mimeType, size: sizeOf(file) };
    children.set(childUri, { uri: childUri, name, ...facts });
  }
  const sorted = [...children.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const { items, nextCursor } = takePage(sorted, PAGE_SIZE, cursor, ({ uri }) => uri);
  return { resources: [...items], nextCursor, ...UNCACHED };
}

function sizeOf(file: SkillFile): number | undefined {
  return recover(BmadError, () => file.read().bytes.length);
}

async function readSkillFile(app: App, uri: string): Promise<ReadResourceResult> {
  const { folder, path } = await findFolder(app, uri);
  const file = folder.files().find((file) => file.path === path);
  if (file === undefined) return missing(app, uri, "skill file");
  return toContents(uri, { mimeType: file.mimeType, ...file.read() });
}

async function findFolder(app: App, uri: string) {
  const skills = await app.ask(listFolders);
  const example = skills[0]?.path ?? "MODULE/SKILL";
  checkUri(uri, SCHEME, uriOf([...example.split("/"), "SKILL.md"]));
  const [module, name, ...path] = partsOf(uri);
  const folder = skills.find((skill) => skill.path === `${module}/${name}`);
  return folder === undefined ? missing(app, uri, "skill") : { folder, path: path.join("/") };
}

function partsOf(uri: string): readonly string[] {
  return uri.slice(SCHEME.length).replace(/\/$/, "").split("/").map(decodeURIComponent);
}

async function missing(app: App, uri: string, what: string): Promise<never> {
  const skills = (await app.ask(listFolders)).map((skill) => skill.path);
  const similar = (await similarNames(app, uri)).filter((name) => skills.includes(name));
  const suggestions = similar.map((path) => uriOf([...path.split("/"), "SKILL.md"]));
  return failMissing(what, uri, { suggestions });
}

async function similarNames(app: App, uri: string): Promise<readonly string[]> {
  const [module, name = ""] = partsOf(uri);
  try {
    return [qualifiedName(await app.resolve({ name, module }))];
  } catch (error) {
    const failure = expectFailure(error);
    return failure.code === "not-found" ? failure.suggestions ?? [] : [];
  }
}

type Description = Awaited<ReturnType<typeof describeFiles>>;

const cache = new WeakMap<SkillFolder, { readonly state: string; readonly description: Description }>();

/** What was read while it changed is not cached. */
async function describeSkill(folder: SkillFolder): Promise<Description> {
  const state = folder.state();
  const cached = cache.get(folder);
  if (cached?.state === state) return cached.description;
  const sdk = await import("@modelcontextprotocol/server/ext/skills");
  const description = await describeFiles(sdk, folder.path, folder.files());
  if (folder.state() === state) cache.set(folder, { state, description });
  return description;
}

/** In bytes: the SDK takes quadratic time for a line such as `a: | # …`. BMAD's own skills have half of this. */
const MAX_FRONT_MATTER = 6_000;

function isTooLong(bytes: Uint8Array): boolean {
  if (bytes.length <= MAX_FRONT_MATTER) return false;
  // The last line may be cut.
  const [first, ...lines] = splitLines(DECODER.decode(bytes.subarray(0, MAX_FRONT_MATTER))).slice(0, -1);
  return first === "---" && !lines.some((line) => /^---[\t ]*$/.test(line));
}

const DECODER = new TextDecoder();

export async function describeFiles(
  { skillEntry, SkillCatalogError }: typeof import("@modelcontextprotocol/server/ext/skills"),
  path: string,
  skillFiles: readonly SkillFile[],
) {
  try {
    const files = Object.fromEntries(skillFiles.map((file) => [file.path, file.read().bytes]));
    if (isTooLong(files["SKILL.md"] ?? new Uint8Array())) {
      return { problem: `its front matter is longer than ${MAX_FRONT_MATTER} bytes` };
    }
    return { skill: await skillEntry(path, files) };
  } catch (error) {
    // A file that is too large or deleted makes only this skill invalid.
    if (error instanceof BmadError) return { problem: error.message };
    if (!(error instanceof SkillCatalogError)) throw error;
    return { problem: error.problems.map(({ message }) => message).join("; ") };
  }
}

/** Encoded as the SDK does: characters that are valid in the path of a URL stay. */
function uriOf([module = "", ...path]: readonly string[]): string {
  const encode = (part: string) => part.replaceAll(/[^\w!$&'()*+,.:;=@[\]|~-]/gu, encodeURIComponent);
  return SCHEME + [encodeURIComponent(module), ...path.filter((part) => part !== "").map(encode)].join("/");
}
