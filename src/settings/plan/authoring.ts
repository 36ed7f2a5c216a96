/** `validate` reads nothing of the user's; `new` writes in the form of the project's newest generation. */
import { fail, failInput, failMissing, failUnknown, forbid } from "../../base/errors.ts";
import { ROOT_NAMES } from "../../base/model.ts";
import { isPortableName, resolvePath } from "../../base/paths.ts";
import { suggest } from "../../base/suggestions.ts";
import { command, withCommand } from "../../base/text.ts";
import { type Claims, planFolder, type Start } from "./choice.ts";
import { type OriginPlan, planOrigins, usesProject } from "./origins.ts";

interface ValidationPlan {
  readonly root: string;
  readonly within: string;
  /** The only folder of the root that counts, besides records; all of them if it is undefined. */
  readonly only?: string;
}

export function planValidation(
  { invocation: { name, operands: [given = ""] }, context, findFolder, readHead }: Start,
): ValidationPlan | undefined {
  if (name !== "validate") return undefined;
  const path = resolvePath(given, context).replace(/(?<!\/)\/+$/, "") || "/";
  const folder = findFolder(path);
  if (folder === undefined) {
    const file = readHead?.(path) === undefined ? undefined : findFolder(parentOf(path));
    if (file === undefined) return failMissing("folder", given);
    const name = path.slice(path.lastIndexOf("/") + 1);
    return name === "SKILL.md" ? skillPlan(file) : filePlan(`${file}/${name}`);
  }
  return readHead?.(`${folder}/SKILL.md`) === undefined ? { root: folder, within: "" } : skillPlan(folder);
}

function skillPlan(path: string): ValidationPlan {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { root: parentOf(path), within: name, only: name };
}

const PARTS = /\/(?:agents|agent-teams|checklists|data|tasks|teams|templates|tools|workflows)\//;

function filePlan(path: string): ValidationPlan {
  const at = PARTS.exec(path)?.index ?? path.lastIndexOf("/");
  return { root: path.slice(0, at), within: path.slice(at + 1) };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function validationOrigins(
  { root, only }: ValidationPlan,
  start: Start,
  realName: (path: string) => string,
): readonly OriginPlan[] {
  const { settings } = start;
  const options = { pathsFromProject: false, isPackChosen: true, pins: new Map<string, never>(), realName };
  const named = planOrigins({ ...settings, mode: "strict", roots: [] }, start, undefined, options);
  const packs = (["latest", "v4"] as const).flatMap((pack) =>
    planOrigins({ ...settings, mode: "auto", paths: [], roots: [], pack }, start, undefined, options)
      .filter(({ origin }) => origin.kind === "package")
  );
  const own: OriginPlan = {
    origin: { id: "cli", kind: "cli", priority: 1, location: root },
    access: { via: "folder", path: root, ...(only && { only }) },
  };
  return [own, ...named, ...packs].map((plan, at) => ({
    ...plan,
    origin: { ...plan.origin, id: at === 0 ? "cli" : `${plan.origin.kind}-${at + 1}` },
  }));
}

const NEW_KINDS = ["agent", "workflow", "skill", "module"] as const;

export interface NewPlan extends Claims {
  readonly kind: typeof NEW_KINDS[number];
  readonly name: string;
  readonly module: string;
  readonly root: string;
  /** The form of its files; `records` and `manifests` are those of flat skills. */
  readonly form: "skills" | "compiled" | "v4" | "records" | "manifests";
  /** The module's, or that of all flat skills; relative to the project. */
  readonly folder: string;
  readonly written: readonly string[];
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
/** Folders of a root that are not modules, and modules that BMAD has itself. */
const TAKEN = "custom scripts render docs modules core bmm bmb cis bmgd gds tea".split(" ");

export function planNew(start: Start): NewPlan | undefined {
  const { invocation, settings: { readOnly, mode }, project, notProject, findFolder } = start;
  const { name: called, operands: [kind = "", name = ""], options } = invocation;
  if (called !== "new") return undefined;
  const known = NEW_KINDS.find((each) => each === kind) ??
    failUnknown("kind", kind, NEW_KINDS, suggest(kind.toLowerCase(), NEW_KINDS));
  if (readOnly) forbid("create it", "--read-only is set");
  const root = project === undefined || !usesProject(mode) ? undefined : findFolder(project);
  if (root === undefined) {
    const hint = notProject === undefined
      ? "no project is served"
      : `no project is named, and the working folder ${notProject}`;
    return fail({ code: "not-allowed", what: "create it", hint, setting: "project" });
  }
  checkName("name", name);
  const form = formOf(root, start);
  const given = known === "module" ? name : options.module;
  if (given !== undefined) checkName("module", form.form === "v4" ? given.replace(/^\.?bmad-/, "") : given);
  if (given !== undefined && form.form !== "v4" && TAKEN.includes(given)) {
    failInput(`"${given}" is a name of BMAD's own`, "Choose another module");
  }
  if (known === "skill" && (form.form === "compiled" || form.form === "v4")) {
    failInput("This project's generation of BMAD has no skills", "Use bmad-mcp new workflow");
  }
  const place = placeOf(form, known, name, given);
  if (form.form === "v4" && known !== "module" && findFolder(`${root}/${place.folder}`) === undefined) {
    const create = command`bmad-mcp new module ${given!.replace(/^\.?bmad-/, "")}`;
    const hint = withCommand("Create it first", create);
    failMissing("expansion pack", place.folder, { hint });
  }
  const write = place.written.map((path) => {
    const { grant, reason } = planFolder(root, path, "content", start);
    return grant ?? forbid(`write ${path}`, `it ${reason}`);
  });
  return { kind: known, name, root, ...place, rights: { read: write, write } };
}

function checkName(what: string, text: string): void {
  if (NAME.test(text) && text.length <= MAX_NAME && isPortableName(text)) return;
  const hint = `Use lower-case letters, digits and hyphens, at most ${MAX_NAME} characters`;
  failInput(`Invalid ${what} "${text}"`, hint);
}

type Form = Pick<NewPlan, "form"> & { readonly base: string };

const TOOL_FOLDERS = [".agents/skills", ".claude/skills"];
const MAX_NAMES = 1_000;

function formOf(root: string, { findFolder, readHead, namesIn }: Start): Form {
  const has = (path: string) => readHead?.(`${root}/${path}`) !== undefined;
  const top = (namesIn?.(root) ?? []).slice(0, MAX_NAMES);
  const tools = top.filter((name) => name.startsWith(".")).map((name) => `${name}/skills`);
  for (const base of new Set([...TOOL_FOLDERS, ...tools, "skills"])) {
    if (findFolder(`${root}/${base}`) === undefined) continue;
    const names = (namesIn?.(`${root}/${base}`) ?? []).slice(0, MAX_NAMES);
    if (names.some((name) => has(`${base}/${name}/bmod.toml`))) return { form: "records", base };
    if (names.some((name) => has(`${base}/${name}/module-manifest.toml`))) return { form: "manifests", base };
  }
  for (const base of new Set([...ROOT_NAMES, ...top])) {
    if (has(`${base}/_config/skill-manifest.csv`)) return { form: "skills", base };
    if (has(`${base}/_config/manifest.yaml`) || has(`${base}/_cfg/manifest.yaml`)) {
      return { form: "compiled", base };
    }
  }
  const written = ROOT_NAMES.find((base) => findFolder(`${root}/${base}`) !== undefined);
  if (written !== undefined) return { form: "skills", base: written };
  if (findFolder(`${root}/.bmad-core`) !== undefined) return { form: "v4", base: ".bmad-core" };
  if (has("bmad-agent/ide-bmad-orchestrator.cfg.md")) {
    const problem = "This project has BMAD of the third generation, which keeps all agents in one file";
    failInput(problem, "Add the agent to bmad-agent/ide-bmad-orchestrator.cfg.md");
  }
  return { form: "skills", base: ROOT_NAMES[0]! };
}

const OWN_MODULE = "local";

function placeOf({ form, base }: Form, kind: NewPlan["kind"], name: string, given: string | undefined) {
  if (form === "v4") {
    const module = given === undefined ? "bmad-core" : `bmad-${given.replace(/^\.?bmad-/, "")}`;
    return { form, module, folder: `.${module}`, written: [`.${module}`] };
  }
  if (form === "records" || form === "manifests") {
    // A skill of its own is a module of one skill.
    const module = given ?? (form === "records" ? name : OWN_MODULE);
    const own = `${base}/${kind === "module" ? `${name}-start` : name}`;
    const record = form === "records" && given !== undefined ? [`${base}/bmod-${module}`] : [];
    return { form, module, folder: base, written: [own, ...record] };
  }
  const module = given ?? OWN_MODULE;
  return { form, module, folder: `${base}/${module}`, written: [`${base}/${module}`] };
}
