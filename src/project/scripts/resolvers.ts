/**
 * The scripts that only look something up: configuration, customization, parties, personas and rendered skills.
 *
 * In an installation the files of the project are read as the originals read them: a layer that cannot be used is an
 * error. Where nothing is installed, the originals have nothing to read; we answer from the content that is served.
 */
import { BmadError } from "../../base/errors.ts";
import { CONFIG_LAYERS } from "../../base/model.ts";
import { isValues, type Values } from "../../base/values.ts";
import { joinPath, parentPath } from "../../content/tree/mod.ts";
import { ConfigError, openSkill, readConfig, readCustomization, resolverRules } from "./layers.ts";
import { type Argument, type Given, PROJECT_ROOT } from "./options.ts";
import { findParties } from "./party.ts";
import { refuse, stop } from "./program.ts";
import {
  answer,
  findSkill,
  printed,
  type Script,
  type ScriptResult,
  type ScriptWorld,
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
    const [root, notes]: [string, string[]] = [rootOf(values, world), []];
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
    const root = values.one("project-root") ? rootOf(values, world) : undefined;
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
    const party = await findParties(world, rootOf(values, world), values.one("skill")!);
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
    const party = await findParties(world, rootOf(values, world), beside, { keepsNames: true });
    return json(party?.personas());
  },
};

const renderSkill: Script = {
  name: "render_skill.py",
  // After 6.12, with values of the moment: what is rendered here is the same for every reader.
  foreign: (args) =>
    args.map((arg) => /^--(?:set|overrides)(?==|$)/.exec(arg)?.[0]).find((option) => option !== undefined),
  usage: {
    about: "Renders a skill's workflow and names the resource to follow",
    needsSkill: true,
    example: "--project-root {project-root} --skill SKILL",
    args: [ROOT, { names: ["--skill"], help: "The skill's folder or name", isRequired: true }],
    notNative: "with --set or --overrides",
  },
  run: async (values, world) => {
    const given = values.one("skill")!;
    try {
      const [root, served, skill] = [
        rootOf(values, world),
        await world.resolvers?.(),
        findSkill(world, given),
      ];
      // The server skips a layer that cannot be read; the original stops.
      readConfig(world, root, [], served?.layers());
      if (skill?.read("customize.toml") !== undefined) readCustomization(world, given, root, []);
      const uri = served?.rendered(skill?.name ?? given);
      return uri === undefined
        ? { status: 1, stdout: `HALT: no skill ${given} that has a workflow to render\n`, stderr: "" }
        : printed(`read and follow ${uri}\n`);
    } catch (error) {
      if (!(error instanceof BmadError || error instanceof ConfigError)) throw error;
      return { status: 1, stdout: `HALT: ${error.message}\n`, stderr: "" };
    }
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
    .map((script): Script => ({ ...script, rules: resolverRules })),
  knowledge,
  roster,
];

function rootOf(values: Given, { files }: ScriptWorld): string {
  return files.pathOf("--project-root", values.one("project-root")!);
}

/** The whole, or the values of the dotted keys that it has; what was noted on the way goes to stderr. */
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
