/**
 * `list_customizable_skills.py`: which skills can be customized, and which of them are.
 *
 * Without `--skills-root` it looks where its own skill lies; if that is not in the project, at all skills that are served.
 */
import { fail } from "../../base/errors.ts";
import { loadCleaner } from "../../content/library/mod.ts";
import { parseToml } from "../../content/parse.ts";
import { cacheFiles, type FileValue } from "./file_cache.ts";
import { PROJECT_ROOT } from "./options.ts";
import { findRaw, scriptOf, Unreadable } from "./program.ts";
import { pythonJson, pythonLines, universalNewlines } from "./python.ts";
import { failed, printed, type Script, type ScriptWorld } from "./script.ts";

/** A folder of skills. */
interface Root {
  readonly location: string;
  /** Absolute folders, or URIs of embedded skills; undefined if there is no such root. */
  readonly skills: readonly string[] | undefined;
}

/** `list_customizable_skills.py --project-root P [--skills-root R] [--extra-root R …]`. */
export const listCustomizableSkills: Script = scriptOf({
  name: "list_customizable_skills.py",
  usage: {
    about: "Lists what can be customized, as JSON",
    example: "--project-root {project-root}",
    args: [
      { ...PROJECT_ROOT, isRequired: true },
      { names: ["--skills-root"], help: "A folder of skills; default: all that are served" },
      { names: ["--extra-root"], takes: "list", help: "A further folder of skills; repeatable" },
    ],
  },
  run: async (values, world) => {
    const project = absolute(world, "project-root", values.one("project-root")!);
    if (folderIn(world, project) === undefined) {
      return failed(2, `error: project-root does not exist or is not a directory: ${project}\n`);
    }
    const own = values.one("skills-root");
    const roots = [
      ...own ? [rootAt(world, own)] : ownRoots(world),
      ...values.many("extra-root").map((given) => rootAt(world, given)),
    ];
    const unique = roots.filter(({ location }, at) =>
      roots.findIndex((other) => other.location === location) === at
    );
    const { text: clean } = await loadCleaner();
    return printed(`${pythonJson(scan(world, unique, project, clean), { indent: 2 })}\n`);
  },
});

/** The absolute name of a folder in the project. */
function absolute({ files }: ScriptWorld, field: string, given: string): string {
  if (given.startsWith("~")) {
    fail({
      code: "invalid-input",
      field,
      problem: "a folder of the user's is outside the project",
      hint: "Leave the option out: all skills that are served are listed",
    });
  }
  const path = files.pathOf(field, given);
  return path === "" ? files.root : `${files.root}/${path}`;
}

/** The names in a folder of the project; undefined for a missing one. */
function folderIn({ files }: ScriptWorld, folder: string) {
  const path = folder.slice(files.root.length + 1);
  const isFolder = files.tree.stamp(path) !== undefined && files.tree.stat(path) === undefined;
  return isFolder ? files.tree.list(path) : undefined;
}

function rootAt(world: ScriptWorld, given: string): Root {
  const location = absolute(world, "skills-root", given);
  const names = folderIn(world, location)?.filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
  return { location, skills: names?.sort().map((name) => `${location}/${name}`) };
}

function ownRoots(world: ScriptWorld): readonly Root[] {
  const { skill, skills, files } = world;
  if (skill?.location.startsWith(`${files.root}/`)) return [rootAt(world, parentOf(skill.location))];
  const parents = [...new Set(skills.map(({ location }) => parentOf(location)))].sort();
  return parents.map((location) => ({
    location,
    skills: skills.map((one) => one.location).filter((one) => parentOf(one) === location).sort(),
  }));
}

function parentOf(location: string): string {
  return location.slice(0, location.lastIndexOf("/"));
}

/** The keys of all objects are in order, as the original prints them. */
function scan(
  world: ScriptWorld,
  roots: readonly Root[],
  project: string,
  clean: (text: string) => string,
) {
  const custom = `${project}/_bmad/custom`;
  const [agents, workflows, errors]: [object[], object[], string[]] = [[], [], []];
  const seen = new Set<string>();
  const overrides = new Set(
    folderIn(world, custom)?.filter(({ isDirectory }) => !isDirectory).map(({ name }) => name),
  );
  const cached = cacheFiles(world.files.tree, world.clock.now());
  /** Only files of the project can be checked for changes. */
  const readCached = <T>(what: string, file: string, read: () => FileValue<T>): T => {
    const { root } = world.files;
    return file.startsWith(`${root}/`) ? cached(what, file.slice(root.length + 1), read) : read().value;
  };
  for (const { location, skills } of roots) {
    if (skills === undefined) errors.push(`skills root does not exist: ${location}`);
    for (const skill of skills ?? []) {
      const file = `${skill}/customize.toml`;
      const tables = readCached<ReadonlySet<string> | typeof MISSING | undefined>("tables", file, () => {
        const text = findRaw(world, file);
        return { value: text === undefined ? MISSING : tablesOf(text), size: 0 };
      });
      if (tables === MISSING) continue;
      if (tables === undefined) errors.push(`failed to parse ${file}`);
      const name = skill.slice(skill.lastIndexOf("/") + 1);
      if (tables === undefined || seen.has(name)) continue;
      seen.add(name);
      const [team, user] = [`${name}.toml`, `${name}.user.toml`];
      const entry = (surface: string) => ({
        description: readCached("description", `${skill}/SKILL.md`, () => {
          const value = clean(descriptionOf(world, `${skill}/SKILL.md`));
          return { value, size: value.length };
        }),
        has_team_override: overrides.has(team),
        has_user_override: overrides.has(user),
        install_path: skill,
        name,
        skills_root: location,
        surface,
        team_override_path: `${custom}/${team}`,
        user_override_path: `${custom}/${user}`,
      });
      if (tables.has("agent")) agents.push(entry("agent"));
      if (tables.has("workflow")) workflows.push(entry("workflow"));
      if (!tables.has("agent") && !tables.has("workflow")) {
        errors.push(`no [agent] or [workflow] block in ${file}`);
      }
    }
  }
  const scanned = roots.filter(({ skills }) => skills !== undefined).map(({ location }) => location);
  return { agents, custom_dir: custom, errors, project_root: project, scanned_roots: scanned, workflows };
}

const MISSING = "missing";
const SURFACES: readonly string[] = ["agent", "workflow"];

/** The keys of a TOML file that make a skill customizable; undefined if it cannot be parsed. */
function tablesOf(text: string): ReadonlySet<string> | undefined {
  const { value, problem } = parseToml(text);
  // Python's parser takes no byte order mark.
  if (problem !== undefined || text.startsWith("\ufeff")) return undefined;
  return new Set(SURFACES.filter((name) => Object.hasOwn(value, name)));
}

const START = /^---\s*\n/;
const END = /\n---\s*\n/;

/** The description in a skill's front matter, without its quotes; empty if there is none. */
function descriptionOf(world: ScriptWorld, file: string): string {
  const text = readable(world, file);
  const start = START.exec(text)?.[0].length;
  if (start === undefined) return "";
  const rest = text.slice(start);
  const end = END.exec(rest)?.index ?? 0;
  const line = pythonLines(rest.slice(0, end)).map((one) => one.trim()).find((one) =>
    one.startsWith("description:")
  );
  const value = (line ?? "").replace("description:", "").trim();
  const isQuoted = ["'", '"'].some((mark) => value.startsWith(mark) && value.endsWith(mark));
  return isQuoted ? value.slice(1, -1) : value;
}

function readable(world: ScriptWorld, file: string): string {
  try {
    return universalNewlines(findRaw(world, file) ?? "");
  } catch (error) {
    if (error instanceof Unreadable) return "";
    throw error;
  }
}
