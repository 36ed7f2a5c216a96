/**
 * Where `new` writes: in the project's own BMAD root, in the form of its generation.
 *
 * Recognised by names alone, while the whole disk can still be seen, because the right to write follows from it. Of
 * several generations side by side, the newest counts.
 */
import { fail, failUnknown } from "../../base/errors.ts";
import { ROOT_NAMES, type WantedRights } from "../../base/model.ts";
import { isPortableName } from "../../base/paths.ts";
import { suggest } from "../../base/suggestions.ts";
import { command, withCommand } from "../../base/text.ts";
import { type Choices, type Invocation, type LookAt, resolveRight } from "../mod.ts";

const NEW_KINDS = ["agent", "workflow", "skill", "module"] as const;

/** What `new` writes, and where. */
export interface NewPlan {
  readonly kind: "agent" | "workflow" | "skill" | "module";
  readonly name: string;
  readonly module: string;
  /** The project's folder, absolute and real. */
  readonly root: string;
  /** The form of its files; `records` and `manifests` are those of flat skills. */
  readonly form: "skills" | "compiled" | "v4" | "records" | "manifests";
  /** The folder of the module, or the one that holds all flat skills; relative to the project. */
  readonly folder: string;
  /** The folders that are written to; relative to the project. */
  readonly written: readonly string[];
}

/** What the plan asks of the disk. */
interface Disk {
  findFolder(path: string): string | undefined;
  readHead?(path: string): string | undefined;
  namesIn?(folder: string): readonly string[];
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
/** Folders of a root that are not modules, and modules that BMAD has itself. */
const TAKEN = [
  "custom",
  "scripts",
  "render",
  "docs",
  "modules",
  "core",
  "bmm",
  "bmb",
  "cis",
  "bmgd",
  "gds",
  "tea",
];

/** Plans what `new` writes; undefined for any other command. */
export function planNew(
  { name: called, operands: [kind = "", name = ""], options }: Invocation,
  project: string | undefined,
  disk: Disk,
  { settings: { readOnly }, notProject }: Pick<Choices, "settings" | "notProject">,
): NewPlan | undefined {
  if (called !== "new") return undefined;
  const known = NEW_KINDS.find((each) => each === kind) ??
    failUnknown("kind", kind, NEW_KINDS, suggest(kind.toLowerCase(), NEW_KINDS));
  if (readOnly) fail({ code: "not-allowed", what: "create it", hint: "--read-only is set" });
  const root = project === undefined ? undefined : disk.findFolder(project)?.replaceAll("\\", "/");
  if (root === undefined) {
    const hint = notProject === undefined
      ? "no project is served"
      : `no project is named, and the working folder ${notProject}`;
    return fail({ code: "not-allowed", what: "create it", hint, setting: "project" });
  }
  checkName("name", name);
  const form = formOf(root, disk);
  const given = known === "module" ? name : options.module;
  if (given !== undefined) checkName("module", form.form === "v4" ? given.replace(/^\.?bmad-/, "") : given);
  if (given !== undefined && form.form !== "v4" && TAKEN.includes(given)) {
    const problem = `"${given}" is a name of BMAD's own`;
    fail({ code: "invalid-input", problem, hint: "Choose another module" });
  }
  if (known === "skill" && (form.form === "compiled" || form.form === "v4")) {
    const problem = "This project's generation of BMAD has no skills";
    fail({ code: "invalid-input", problem, hint: "Use bmad-mcp new workflow" });
  }
  const place = placeOf(form, known, name, given);
  if (form.form === "v4" && known !== "module" && disk.findFolder(`${root}/${place.folder}`) === undefined) {
    const create = command`bmad-mcp new module ${given!.replace(/^\.?bmad-/, "")}`;
    const hint = withCommand("Create it first", create);
    fail({ code: "not-found", what: "expansion pack", name: place.folder, hint });
  }
  return { kind: known, name, root, ...place };
}

function checkName(what: string, text: string): void {
  if (NAME.test(text) && text.length <= MAX_NAME && isPortableName(text)) return;
  const hint = `Use lower-case letters, digits and hyphens, at most ${MAX_NAME} characters`;
  fail({ code: "invalid-input", problem: `Invalid ${what} "${text}"`, hint });
}

type Form = Pick<NewPlan, "form"> & { readonly base: string };

/** Folders in which coding tools keep skills; most share the first. */
const TOOL_FOLDERS = [".agents/skills", ".claude/skills"];
/** More names than a folder of skills has. */
const MAX_NAMES = 1_000;

function formOf(root: string, { findFolder, readHead, namesIn }: Disk): Form {
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
    fail({
      code: "invalid-input",
      problem,
      hint: "Add the agent to bmad-agent/ide-bmad-orchestrator.cfg.md",
    });
  }
  return { form: "skills", base: ROOT_NAMES[0]! };
}

/** The module of what belongs to none. */
const OWN_MODULE = "local";

function placeOf(
  { form, base }: Form,
  kind: NewPlan["kind"],
  name: string,
  given: string | undefined,
): Pick<NewPlan, "module" | "form" | "folder" | "written"> {
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

/** The rights for it. */
export function newRights(plan: NewPlan | undefined, look: LookAt): WantedRights {
  if (plan === undefined) return { read: [], write: [], run: [], net: false };
  const { root } = plan;
  const write = plan.written.map((path) => {
    const wanted = { path: `${root}/${path}`, kind: "folder", within: { root, holds: "content" } } as const;
    const { grant, reason } = resolveRight(wanted, look);
    return grant ?? fail({ code: "not-allowed", what: `write ${path}`, hint: `it ${reason}` });
  });
  return { read: write, write, run: [], net: false };
}
