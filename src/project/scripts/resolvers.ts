/**
 * The scripts that only look something up: configuration, customization, parties, personas and rendered skills.
 *
 * In an installation the files of the project are read as the originals read them: a layer that cannot be used is an
 * error. Where nothing is installed, the originals have nothing to read; we answer from the content that is served.
 */
import { BmadError } from "../../base/errors.ts";
import { CONFIG_LAYERS } from "../../base/model.ts";
import { isValues, type Values } from "../../base/values.ts";
import { loadCleaner, mergeStructural } from "../../content/library/mod.ts";
import { parseToml } from "../../content/parse.ts";
import { joinPath } from "../../content/tree/mod.ts";
import type { Argument, Values as Given } from "./arguments.ts";
import { scriptOf } from "./program.ts";
import { pythonJson } from "./python.ts";
import { failed, findSkill, printed, type Script, type ScriptResult, type ScriptWorld } from "./script.ts";

const ROOT: Argument = { names: ["--project-root"], takes: "one", isRequired: true };
const SKILL: Argument = { names: ["--skill"], takes: "one", isRequired: true };
const KEY: Argument = { names: ["--key", "-k"], takes: "append" };

/** Why a layer cannot be used. */
class ConfigError extends Error {}

const resolveConfig = scriptOf({
  name: "resolve_config.py",
  usage: "--project-root DIR [--key KEY]…",
  grammar: { args: [{ ...ROOT, names: ["--project-root", "-p"] }, KEY] },
  run: (values, world) =>
    reporting(async () => {
      const base = joinPath(world.files.pathOf("--project-root", values.one("project-root")!), "_bmad");
      const paths = (await world.resolvers?.())?.layers() ?? CONFIG_LAYERS;
      const [first, ...others] = paths.map((path) => joinPath(base, path));
      const { overrides, notes } = readOverrides(world, base, others);
      const own = layer(world, first!);
      const merged = own === undefined
        ? (await world.resolvers?.())?.config() ?? missing(world, first!)
        : merge([own, ...overrides()]);
      return { ...await chosen(merged, values), stderr: notes.join("") };
    }),
});

const resolveCustomization = scriptOf({
  name: "resolve_customization.py",
  usage: "--skill DIR [--project-root DIR] [--key KEY]…",
  grammar: {
    args: [
      { ...SKILL, names: ["--skill", "-s"] },
      { names: ["--project-root", "-p"], takes: "one" },
      KEY,
    ],
  },
  run: (values, world) =>
    reporting(async () => {
      const given = values.one("skill")!;
      const root = values.one("project-root");
      const base = joinPath(
        root === undefined ? "" : world.files.pathOf("--project-root", root),
        "_bmad",
      );
      const skill = findSkill(world, given);
      const folder = skill === undefined ? world.files.pathOf("--skill", given) : "";
      const text = skill === undefined
        ? world.files.find(joinPath(folder, "customize.toml"))
        : skill.read("customize.toml");
      const name = skill?.name ?? folder.slice(folder.lastIndexOf("/") + 1);
      const place = `${skill?.location ?? `${world.files.root}/${folder}`}/customize.toml`;
      if (text === undefined) throw new ConfigError(`required TOML file not found: ${place}`);
      const files = [`${name}.toml`, `${name}.user.toml`].map((file) => joinPath(base, "custom", file));
      const { overrides, notes } = readOverrides(world, base, files);
      const merged = merge([parse(text, place), ...overrides()]);
      return { ...await chosen(merged, values), stderr: notes.join("") };
    }),
});

const resolveParty = scriptOf({
  name: "resolve_party.py",
  usage: "--project-root DIR --skill DIR [--party ID] [--list-groups]",
  grammar: {
    args: [ROOT, SKILL, { names: ["--party"], takes: "one" }, { names: ["--list-groups"], takes: "flag" }],
  },
  run: async (values, world) => {
    const resolvers = await world.resolvers?.();
    const id = values.one("party");
    return json(
      values.has("list-groups")
        ? resolvers?.parties()
        : id === undefined || id === ""
        ? resolvers?.party()
        : resolvers?.partyNamed(id),
    );
  },
});

const resolvePersonas = scriptOf({
  name: "resolve_personas.py",
  usage: "--project-root DIR --skill DIR",
  grammar: { args: [ROOT, SKILL] },
  run: async (_, world) => json((await world.resolvers?.())?.personas()),
});

const renderSkill = scriptOf({
  name: "render_skill.py",
  usage: "--project-root DIR --skill DIR",
  grammar: { args: [ROOT, SKILL] },
  run: async (values, world) => {
    const given = values.one("skill")!;
    try {
      const uri = (await world.resolvers?.())?.rendered(findSkill(world, given)?.name ?? given);
      return uri === undefined
        ? { status: 1, stdout: `HALT: no skill ${given} that has a workflow to render\n`, stderr: "" }
        : printed(`read and follow ${uri}\n`);
    } catch (error) {
      if (!(error instanceof BmadError)) throw error;
      return { status: 1, stdout: `HALT: ${error.message}\n`, stderr: "" };
    }
  },
});

const knowledge = scriptOf({
  name: "knowledge.py",
  usage: "--root DIR… [--content]",
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
  usage: "(--skill DIR | --root DIR…) [--project-root DIR]",
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
    return json((await world.resolvers?.())?.roster());
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

async function reporting(work: () => ScriptResult | Promise<ScriptResult>): Promise<ScriptResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed(1, `error: ${error.message}\n`);
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

/** The originals print secrets; whatever leaves this program has none. */
async function withoutSecrets(values: Values): Promise<Values> {
  const clean = (await loadCleaner()).values;
  // A code may look like the key of a secret, so only the tables below it are checked.
  const cleaned = Object.entries(values).map(([key, value]) => {
    if (!["agents", "modules"].includes(key) || !isValues(value)) {
      return Object.entries(clean({ [key]: value }));
    }
    const tables = Object.entries(value).map((
      [code, table],
    ) => [code, isValues(table) ? clean(table) : table]);
    return [[key, Object.fromEntries(tables)] as const];
  });
  return Object.fromEntries(cleaned.flat());
}

function json(value: Values | undefined): ScriptResult {
  return printed(`${pythonJson(value ?? {}, { indent: 2, isAscii: false })}\n`);
}

function layer({ files }: ScriptWorld, path: string): Values | undefined {
  const text = files.find(path);
  return text === undefined ? undefined : parse(text, `${files.root}/${path}`);
}

/** The layers over the first one. Installations without `config_utils.py` leave out one that is broken, with a note. */
function readOverrides(world: ScriptWorld, base: string, paths: readonly string[]) {
  const has = (name: string) => world.files.tree.stat(joinPath(base, "scripts", name)) !== undefined;
  const isLenient = has("resolve_config.py") && !has("config_utils.py");
  const notes: string[] = [];
  const read = (path: string) => {
    try {
      return layer(world, path);
    } catch (error) {
      if (!isLenient || !(error instanceof ConfigError)) throw error;
      notes.push(`warning: ${error.message}\n`);
      return undefined;
    }
  };
  return { overrides: () => paths.map(read), notes };
}

function parse(text: string, place: string): Values {
  const { value, problem } = parseToml(text);
  if (problem !== undefined) throw new ConfigError(`failed to parse ${place}: ${problem}`);
  return value;
}

function merge(layers: readonly (Values | undefined)[]): Values {
  return layers.filter((one) => one !== undefined).reduce<Values>(
    (merged, one) =>
      mergeStructural(merged, one, (reason) => {
        throw new ConfigError(reason);
      }),
    {},
  );
}

function missing({ files }: ScriptWorld, path: string): never {
  throw new ConfigError(`required TOML file not found: ${files.root}/${path}`);
}
