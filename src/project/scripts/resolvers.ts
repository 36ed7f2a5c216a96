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
import type { Argument, Values as Given } from "./arguments.ts";
import { ConfigError, readConfig, readCustomization } from "./layers.ts";
import { findPartySkill, ownParty, partyOverrides, partyWorkflow } from "./party.ts";
import { scriptOf } from "./program.ts";
import { pythonJson } from "./python.ts";
import {
  failed,
  findSkill,
  printed,
  type Script,
  type ScriptResult,
  type ScriptWorld,
  withoutSecrets,
} from "./script.ts";

const ROOT: Argument = { names: ["--project-root"], takes: "one", isRequired: true };
const SKILL: Argument = { names: ["--skill"], takes: "one", isRequired: true };
const KEY: Argument = { names: ["--key", "-k"], takes: "append" };

const resolveConfig = scriptOf({
  name: "resolve_config.py",
  grammar: { args: [{ ...ROOT, names: ["--project-root", "-p"] }, KEY] },
  run: (values, world) =>
    reporting(async (notes) => {
      const root = rootOf(values, world);
      const served = await world.resolvers?.();
      const merged = readConfig(world, root, notes, served?.layers()) ?? served?.config();
      if (merged === undefined) {
        const path = joinPath(root, "_bmad", CONFIG_LAYERS[0]!);
        throw new ConfigError(`required TOML file not found: ${world.files.root}/${path}`);
      }
      return await chosen(merged, values);
    }),
});

const resolveCustomization = scriptOf({
  name: "resolve_customization.py",
  grammar: {
    args: [
      { ...SKILL, names: ["--skill", "-s"] },
      { names: ["--project-root", "-p"], takes: "one" },
      KEY,
    ],
  },
  run: (values, world) =>
    reporting((notes) => {
      const root = values.one("project-root") ? rootOf(values, world) : undefined;
      return chosen(readCustomization(world, values.one("skill")!, root, notes), values);
    }),
});

const resolveParty = scriptOf({
  name: "resolve_party.py",
  grammar: {
    args: [ROOT, SKILL, { names: ["--party"], takes: "one" }, { names: ["--list-groups"], takes: "flag" }],
  },
  run: async (values, world) => {
    const skill = values.one("skill")!;
    const own = await ownParty(world, rootOf(values, world), (root) => partyWorkflow(world, skill, root));
    const id = values.one("party");
    if (own !== undefined) {
      return json(values.has("list-groups") ? own.menu() : id ? own.named(id) : own.active());
    }
    const served = await world.resolvers?.();
    return json(
      values.has("list-groups") ? served?.parties() : id ? served?.partyNamed(id) : served?.party(),
    );
  },
});

const resolvePersonas = scriptOf({
  name: "resolve_personas.py",
  grammar: { args: [ROOT, SKILL] },
  run: async (values, world) => {
    const skill = values.one("skill")!;
    const own = await ownParty(world, rootOf(values, world), (root) => {
      const party = findPartySkill(world, root, skill);
      return party === undefined ? partyOverrides(world, root) : partyWorkflow(world, party, root);
    }, { keepsNames: true });
    return json(own?.personas() ?? (await world.resolvers?.())?.personas());
  },
});

const renderSkill = scriptOf({
  name: "render_skill.py",
  // After 6.12, with values of the moment: what is rendered here is the same for every reader.
  foreign: (args) =>
    args.map((arg) => /^--(?:set|overrides)(?==|$)/.exec(arg)?.[0]).find((option) => option !== undefined),
  grammar: { args: [ROOT, SKILL] },
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
});

const knowledge = scriptOf({
  name: "knowledge.py",
  grammar: {
    args: [{ names: ["--root"], takes: "append", isRequired: true }, { names: ["--content"], takes: "flag" }],
  },
  run: async (values, world) => {
    const report = (await world.resolvers?.())?.knowledge(values.many("root"), values.has("content"));
    return printed(`${pythonJson(report ?? {}, { isAscii: false })}\n`);
  },
});

const roster = scriptOf({
  name: "roster.py",
  grammar: {
    args: [
      { names: ["--skill"], takes: "one" },
      { names: ["--root"], takes: "append" },
      { names: ["--project-root"], takes: "one" },
    ],
  },
  run: async (values, world) => {
    if (!values.has("skill") && values.many("root").length === 0) {
      return failed(
        2,
        "usage: roster.py (--skill DIR | --root DIR…)\nroster.py: error: give --skill or --root\n",
      );
    }
    const skill = values.one("skill");
    const beside = skill === undefined
      ? []
      : [parentPath(findSkill(world, skill)?.location ?? skill.replace(/(?<!\/)\/+$/, ""))];
    const roots = [...beside, ...values.many("root")];
    return json((await world.resolvers?.())?.roster(roots, values.has("project-root")));
  },
});

/** Scripts that look something up. */
export const RESOLVERS: readonly Script[] = [
  resolveConfig,
  resolveCustomization,
  resolveParty,
  resolvePersonas,
  renderSkill,
  knowledge,
  roster,
];

function rootOf(values: Given, { files }: ScriptWorld): string {
  return files.pathOf("--project-root", values.one("project-root")!);
}

/** What the work returns, with the notes that it made; an unusable layer is an error. */
async function reporting(work: (notes: string[]) => Promise<ScriptResult>): Promise<ScriptResult> {
  const notes: string[] = [];
  try {
    return { ...await work(notes), stderr: notes.join("") };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed(1, `${notes.join("")}error: ${error.message}\n`);
  }
}

/** The whole, or the values of the dotted keys that it has. */
async function chosen(given: Values, values: Given): Promise<ScriptResult> {
  const merged = await withoutSecrets(given);
  const keys = values.many("key");
  if (keys.length === 0) return json(merged);
  const found = keys.flatMap((key) => {
    let at: unknown = merged;
    for (const part of key.split(".")) {
      if (!isValues(at) || !Object.hasOwn(at, part)) return [];
      at = at[part];
    }
    return [[key, at]];
  });
  return json(Object.fromEntries(found));
}

function json(value: Values | undefined): ScriptResult {
  return printed(`${pythonJson(value ?? {}, { indent: 2, isAscii: false })}\n`);
}
