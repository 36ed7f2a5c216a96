/**
 * In an installation they read its files as the originals do: a broken layer is an error, and before 6.12 other rules
 * count, which its scripts show. Where nothing is installed, the served content answers.
 */
import { recover } from "../../base/absence.ts";
import { BmadError } from "../../base/errors.ts";
import { CONFIG_LAYERS } from "../../base/model.ts";
import { asValues, firstOf, isValues, type Values } from "../../base/values.ts";
import { findParty, mergeStructural, type PartyRules } from "../../content/library/mod.ts";
import { parseToml } from "../../content/parse.ts";
import { baseName, joinPath, parentPath } from "../../content/tree/mod.ts";
import { type Argument, type Given, PROJECT_ROOT } from "./options.ts";
import {
  answer,
  findSkill,
  printed,
  refuse,
  type Script,
  ScriptError,
  type ScriptResult,
  type ScriptWorld,
  stop,
  withoutSecrets,
} from "./script.ts";

const ROOT: Argument = { ...PROJECT_ROOT, isRequired: true };
const SHORT_ROOT: Argument = { ...PROJECT_ROOT, names: ["--project-root", "-p"] };
const SKILL_ROOT: Argument = { names: ["--root"], takes: "list", help: "A folder of skills" };
const KEY: Argument = { names: ["--key", "-k"], takes: "list", help: "Only the value at this dotted key" };

const resolveConfig: Script = {
  name: "resolve_config.py",
  usage: {
    about: "Prints the configuration of all modules as JSON",
    example: "--project-root {project-root} --key core",
    args: [{ ...SHORT_ROOT, isRequired: true }, KEY],
  },
  run: async (values, world) => {
    const [root, notes]: [string, string[]] = [findRoot(values, world), []];
    const served = await world.resolvers?.();
    const merged = readConfig(world, root, notes, served?.layers()) ?? served?.config();
    if (merged === undefined) {
      const path = joinPath(root, "_bmad", CONFIG_LAYERS[0]!);
      return stop(`required TOML file not found: ${world.files.root}/${path}`);
    }
    return await chosen(merged, values, notes);
  },
};

const resolveCustomization: Script = {
  name: "resolve_customization.py",
  usage: {
    about: "Prints a skill's customization as JSON: its own, the team's and the user's",
    example: "--skill SKILL --key workflow",
    args: [
      { names: ["--skill", "-s"], help: "The skill's folder or name", isRequired: true },
      SHORT_ROOT,
      KEY,
    ],
  },
  run: (values, world) => {
    const root = values.one("project-root") ? findRoot(values, world) : undefined;
    const notes: string[] = [];
    return chosen(readCustomization(world, values.one("skill")!, root, notes), values, notes);
  },
};

const resolveParty: Script = {
  name: "resolve_party.py",
  usage: {
    about: "Prints the party to start with, and its members, as JSON",
    example: "--project-root {project-root} --skill bmad-party-mode",
    args: [
      ROOT,
      { names: ["--skill"], help: "The folder of bmad-party-mode", isRequired: true },
      { names: ["--party"], help: "Another party, by its id" },
      { names: ["--list-groups"], takes: "flag", help: "Only the names of all parties" },
    ],
  },
  run: async (values, world) => {
    const party = await findParties(world, findRoot(values, world), values.one("skill")!);
    const id = values.one("party");
    return json(values.has("list-groups") ? party?.menu() : id ? party?.named(id) : party?.active());
  },
};

const resolvePersonas: Script = {
  name: "resolve_personas.py",
  usage: {
    about: "Prints agents, personas and parties as JSON",
    example: "--project-root {project-root} --skill bmad-forge-idea",
    args: [ROOT, { names: ["--skill"], help: "The folder of bmad-forge-idea", isRequired: true }],
  },
  run: async (values, world) => {
    const beside = `${parentPath(openSkill(world, values.one("skill")!).place)}/bmad-party-mode`;
    const party = await findParties(world, findRoot(values, world), beside, { keepsNames: true });
    return json(party?.personas());
  },
};

const renderSkill: Script = {
  name: "render_skill.py",
  // After 6.12, with values of the moment: what is rendered here is the same for every reader.
  foreign: (args) => firstOf(args, (arg) => /^--(?:set|overrides)(?==|$)/.exec(arg)?.[0]),
  usage: {
    about: "Renders a skill's workflow and names the resource to follow",
    needsSkill: true,
    example: "--project-root {project-root} --skill SKILL",
    args: [ROOT, { names: ["--skill"], help: "The skill's folder or name", isRequired: true }],
    notNative: "with --set or --overrides",
  },
  run: async (values, world) => {
    const given = values.one("skill")!;
    const halt = ({ message }: Error) => ({ ...printed(`HALT: ${message}\n`), status: 1 });
    const render = async () => {
      const [root, served] = [findRoot(values, world), await world.resolvers?.()];
      const skill = findSkill(world, given);
      // The server skips a layer that cannot be read; the original stops.
      readConfig(world, root, [], served?.layers());
      if (skill?.read("customize.toml") !== undefined) readCustomization(world, given, root, []);
      const uri = served?.rendered(skill?.name ?? given);
      return uri === undefined
        ? halt(new Error(`no skill ${given} that has a workflow to render`))
        : printed(`read and follow ${uri}\n`);
    };
    return await recover(BmadError, () => recover(ConfigError, render, halt), halt);
  },
};

const knowledge: Script = {
  name: "knowledge.py",
  usage: {
    about: "Lists the help documents of flat skills as JSON",
    needsSkill: true,
    example: "--root DIR",
    args: [
      { ...SKILL_ROOT, isRequired: true },
      { names: ["--content"], takes: "flag", help: "With the documents themselves" },
    ],
  },
  run: async (values, world) => {
    const report = (await world.resolvers?.())?.knowledge(values.many("root"), values.has("content"));
    return answer(report ?? {}, { isAscii: false });
  },
};

const roster: Script = {
  name: "roster.py",
  usage: {
    about: "Prints the agents and parties of flat skills as JSON",
    needsSkill: true,
    example: "--skill DIR",
    args: [{ names: ["--skill"], help: "A skill's folder" }, SKILL_ROOT, PROJECT_ROOT],
  },
  run: async (values, world) => {
    if (!values.has("skill") && values.many("root").length === 0) {
      return refuse("give --skill or --root");
    }
    const skill = values.one("skill");
    const beside = skill === undefined
      ? []
      : [parentPath(findSkill(world, skill)?.location ?? skill.replace(/(?<!\/)\/+$/, ""))];
    const roots = [...beside, ...values.many("root")];
    return json((await world.resolvers?.())?.roster(roots, values.has("project-root")));
  },
};

export const RESOLVERS: readonly Script[] = [
  ...[resolveConfig, resolveCustomization, resolveParty, resolvePersonas, renderSkill]
    .map((script): Script => ({
      ...script,
      rules: (world) => isLenient(world, "") ? "6.10.0" : hasOuterProject(world) ? "6.11.0" : undefined,
    })),
  knowledge,
  roster,
];

function findRoot(values: Given, { files }: ScriptWorld): string {
  return files.pathOf("--project-root", values.one("project-root")!);
}

async function chosen(given: Values, values: Given, notes: readonly string[]): Promise<ScriptResult> {
  const merged = await withoutSecrets(given);
  const keys = values.many("key");
  const found = keys.flatMap((key) => {
    let at: unknown = merged;
    for (const part of key.split(".")) {
      if (!isValues(at) || !Object.hasOwn(at, part)) return [];
      at = at[part];
    }
    return [[key, at]];
  });
  return { ...json(keys.length === 0 ? merged : Object.fromEntries(found)), stderr: notes.join("") };
}

function json(value: Values | undefined): ScriptResult {
  return answer(value ?? {}, { indent: 2, isAscii: false });
}

async function findParties(world: ScriptWorld, root: string, skill: string, rules: PartyRules = {}) {
  const base = joinPath(root, "_bmad");
  const isInstalled = ["config.toml", "_config/manifest.yaml"].every((name) =>
    world.files.tree.stat(joinPath(base, name)) !== undefined
  );
  if (!isInstalled) return (await world.resolvers?.())?.party(rules);
  const config = recover(ConfigError, () => readConfig(world, root, []));
  const merged = recover(ConfigError, () => readCustomization(world, skill, root, []));
  // If a layer is broken, the skill's own table counts.
  const own = recover(ConfigError, () => openSkill(world, skill).text);
  const { workflow } = merged ?? parseToml(own ?? "").value;
  const clean = await withoutSecrets({ agents: agentsIn(config?.["agents"]), workflow });
  return await findParty({
    agents: asValues(clean["agents"]),
    isResolved: config !== undefined,
    workflow: asValues(clean["workflow"]),
    isFound: own !== undefined,
  }, { ...rules, startsOver: isLenient(world, root) });
}

function agentsIn(agents: unknown): Values {
  if (!Array.isArray(agents)) return asValues(agents);
  return Object.fromEntries(
    agents.filter(isValues).filter(({ code }) => code).map((one) => [one["code"], one]),
  );
}

export class ConfigError extends ScriptError {}

/** Up to 6.10, a broken layer above the first is left out with a warning, and lists may have any keys. */
function isLenient({ files }: ScriptWorld, root: string): boolean {
  const has = (name: string) => files.tree.stat(joinPath(root, "_bmad/scripts", name)) !== undefined;
  return has("resolve_config.py") && !has("config_utils.py");
}

function readConfig(
  world: ScriptWorld,
  root: string,
  notes: string[],
  layers: readonly string[] = CONFIG_LAYERS,
): Values | undefined {
  const [first, ...others] = layers.map((path) => joinPath(root, "_bmad", path));
  const own = layer(world, first!);
  return own && merge(world, root, [own, ...others], notes);
}

/** Without `project`, the overrides are those of the project around the skill. */
export function readCustomization(
  world: ScriptWorld,
  given: string,
  project: string | undefined,
  notes: string[],
): Values {
  const { name, place, text } = openSkill(world, given);
  const root = project ?? findProject(world, place);
  if (text === undefined) throw new ConfigError(`required TOML file not found: ${place}/customize.toml`);
  const overrides = [`${name}.toml`, `${name}.user.toml`].map((file) => joinPath(root, "_bmad/custom", file));
  return merge(world, root, [parse(text, `${place}/customize.toml`), ...overrides], notes);
}

function openSkill(world: ScriptWorld, given: string) {
  const skill = findSkill(world, given);
  if (skill !== undefined) {
    return { name: skill.name, place: skill.location, text: skill.read("customize.toml") };
  }
  const folder = world.files.pathOf("--skill", given);
  return {
    name: baseName(folder),
    place: `${world.files.root}/${folder}`,
    text: readLayer(world, joinPath(folder, "customize.toml")),
  };
}

/** The project that we serve; up to 6.11, the nearest project or repository around the skill. */
function findProject(world: ScriptWorld, place: string): string {
  const { root, tree } = world.files;
  if (!hasOuterProject(world) || !place.startsWith(`${root}/`)) return "";
  const isProject = (at: string) =>
    ["_bmad", ".git"].some((name) => tree.stamp(joinPath(at, name)) !== undefined);
  let at = place.slice(root.length + 1);
  while (at !== "" && !isProject(at)) at = parentPath(at);
  return at;
}

function hasOuterProject({ files: { find } }: ScriptWorld): boolean {
  return find("_bmad/scripts/resolve_customization.py")?.includes("script_project_root") === false;
}

function readLayer(world: ScriptWorld, path: string): string | undefined {
  const text = world.files.find(path);
  if (text === undefined && world.files.tree.stamp(path) !== undefined) {
    throw new ConfigError(`TOML layer is not a file: ${world.files.root}/${path}`);
  }
  return text;
}

function layer(world: ScriptWorld, path: string): Values | undefined {
  const text = readLayer(world, path);
  return text === undefined ? undefined : parse(text, `${world.files.root}/${path}`);
}

function parse(text: string, place: string): Values {
  const { value, problem } = parseToml(text);
  if (problem !== undefined) throw new ConfigError(`failed to parse ${place}: ${problem}`);
  return value;
}

function merge(
  world: ScriptWorld,
  root: string,
  [own, ...others]: readonly [Values, ...string[]],
  notes: string[],
): Values {
  const skipsBroken = isLenient(world, root);
  return others.reduce((merged, path) => {
    try {
      return mergeStructural(merged, layer(world, path) ?? {}, (reason) => {
        if (!skipsBroken) throw new ConfigError(reason);
      });
    } catch (error) {
      if (!skipsBroken || !(error instanceof ConfigError)) throw error;
      notes.push(`warning: ${error.message}\n`);
      return merged;
    }
  }, own);
}
