/** Lists the skills where its own lies, or else all that are served. */
import { recover } from "../../base/absence.ts";
import { failField } from "../../base/errors.ts";
import { loadCleaner } from "../../content/library/mod.ts";
import { asText } from "../../base/values.ts";
import { parseDocumentFront, parseToml } from "../../content/parse.ts";
import { parentPath } from "../../content/tree/mod.ts";
import { PROJECT_ROOT } from "./options.ts";
import { answer, findRaw, refuse, type Script, type ScriptWorld, Unreadable } from "./script.ts";

type Root = ReturnType<typeof rootAt>;

export const listCustomizableSkills: Script = {
  name: "list_customizable_skills.py",
  usage: {
    about: "Lists what can be customized, as JSON",
    example: "--project-root {project-root}",
    args: [
      { ...PROJECT_ROOT, isRequired: true },
      { names: ["--skills-root"], help: "A folder of skills; default: all that are served" },
      { names: ["--extra-root"], takes: "list", help: "A further folder of skills" },
    ],
  },
  run: async (values, world) => {
    const project = absolute(world, "project-root", values.one("project-root")!);
    if (folderIn(world, project) === undefined) {
      return refuse(`project-root does not exist or is not a directory: ${project}`);
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
    return answer(scan(world, unique, project, clean), { indent: 2 });
  },
};

function absolute({ files }: ScriptWorld, field: string, given: string): string {
  if (given.startsWith("~")) {
    const problem = "a folder of the user's is outside the project";
    failField(field, problem, "Leave the option out: all skills that are served are listed");
  }
  const path = files.pathOf(field, given);
  return path === "" ? files.root : `${files.root}/${path}`;
}

function folderIn({ files }: ScriptWorld, folder: string) {
  const path = folder.slice(files.root.length + 1);
  const isFolder = files.tree.stamp(path) !== undefined && files.tree.stat(path) === undefined;
  return isFolder ? files.tree.list(path) : undefined;
}

/** `skills` are absolute folders or URIs; undefined if the root is missing. */
function rootAt(world: ScriptWorld, given: string) {
  const location = absolute(world, "skills-root", given);
  const names = folderIn(world, location)?.filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
  return { location, skills: names?.sort().map((name) => `${location}/${name}`) };
}

function ownRoots(world: ScriptWorld): readonly Root[] {
  const { skill, skills, files } = world;
  if (skill?.location.startsWith(`${files.root}/`)) return [rootAt(world, parentPath(skill.location))];
  const parents = [...new Set(skills.map(({ location }) => parentPath(location)))].sort();
  return parents.map((location) => ({
    location,
    skills: skills.map((one) => one.location).filter((one) => parentPath(one) === location).sort(),
  }));
}

function scan(world: ScriptWorld, roots: readonly Root[], project: string, clean: (text: string) => string) {
  const custom = `${project}/_bmad/custom`;
  const [agents, workflows, errors]: [object[], object[], string[]] = [[], [], []];
  const seen = new Set<string>();
  const overrides = new Set(
    folderIn(world, custom)?.filter(({ isDirectory }) => !isDirectory).map(({ name }) => name),
  );
  for (const { location, skills } of roots) {
    if (skills === undefined) errors.push(`skills root does not exist: ${location}`);
    for (const skill of skills ?? []) {
      const file = `${skill}/customize.toml`;
      const text = findRaw(world, file);
      if (text === undefined) continue;
      const { value: tables, problem } = parseToml(text);
      // Python's parser takes no byte order mark.
      const isBroken = problem !== undefined || text.startsWith("\ufeff");
      if (isBroken) errors.push(`failed to parse ${file}`);
      const name = skill.slice(skill.lastIndexOf("/") + 1);
      if (isBroken || seen.has(name)) continue;
      seen.add(name);
      const [team, user] = [`${name}.toml`, `${name}.user.toml`];
      const entry = (surface: string) => ({
        description: clean(readDescription(world, `${skill}/SKILL.md`)),
        has_team_override: overrides.has(team),
        has_user_override: overrides.has(user),
        install_path: skill,
        name,
        skills_root: location,
        surface,
        team_override_path: `${custom}/${team}`,
        user_override_path: `${custom}/${user}`,
      });
      const surfaces = [["agent", agents], ["workflow", workflows]] as const;
      const found = surfaces.filter(([surface]) => Object.hasOwn(tables, surface));
      for (const [surface, list] of found) list.push(entry(surface));
      if (found.length === 0) errors.push(`no [agent] or [workflow] block in ${file}`);
    }
  }
  const scanned = roots.filter(({ skills }) => skills !== undefined).map(({ location }) => location);
  return { agents, custom_dir: custom, errors, project_root: project, scanned_roots: scanned, workflows };
}

function readDescription(world: ScriptWorld, file: string): string {
  const text = recover(Unreadable, () => findRaw(world, file)) ?? "";
  return asText(parseDocumentFront(text).value["description"]) ?? "";
}
