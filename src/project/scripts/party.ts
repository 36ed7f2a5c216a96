/**
 * The parties of an installation, from its files: the agents of the configuration, and the personas and parties of party
 * mode's customization.
 *
 * Where the configuration or the customization is broken, the originals go on with less of it.
 */
import { asValues, isValues, type Values } from "../../base/values.ts";
import { findParty, type PartyAnswers, type PartyRules } from "../../content/library/mod.ts";
import { parseToml } from "../../content/parse.ts";
import { joinPath } from "../../content/tree/mod.ts";
import {
  ConfigError,
  openSkill,
  ownCustomization,
  readConfig,
  readCustomization,
  rulesOf,
} from "./layers.ts";
import { findSkill, type ScriptWorld, withoutSecrets } from "./script.ts";

const PARTY_SKILL = "bmad-party-mode";

/** Party mode's table `workflow`, and whether party mode is there. */
interface Workflow {
  readonly workflow: Values;
  readonly isFound: boolean;
}

/** The parties of the installation of 6.x below a root; where there is none, of what is served. */
export async function findParties(
  world: ScriptWorld,
  root: string,
  findWorkflow: (root: string) => Workflow,
  rules: PartyRules = {},
): Promise<PartyAnswers | undefined> {
  const base = joinPath(root, "_bmad");
  const isInstalled = ["config.toml", "_config/manifest.yaml"].every((name) =>
    world.files.tree.stat(joinPath(base, name)) !== undefined
  );
  if (!isInstalled) return (await world.resolvers?.())?.party(rules);
  const config = unlessBroken(() => readConfig(world, root, []));
  const { workflow, isFound } = findWorkflow(root);
  const clean = await withoutSecrets({ agents: agentsIn(config?.["agents"]), workflow });
  return await findParty({
    agents: asValues(clean["agents"]),
    isResolved: config !== undefined,
    workflow: asValues(clean["workflow"]),
    isFound,
  }, { ...rules, startsOver: rulesOf(world, base).isLenient });
}

/** The agents by their codes; a list has a code in each item. */
function agentsIn(agents: unknown): Values {
  if (!Array.isArray(agents)) return asValues(agents);
  return Object.fromEntries(
    agents.filter(isValues).filter(({ code }) => code).map((one) => [one["code"], one]),
  );
}

/** The merged table; the skill's own one, if a layer is broken. Scripts before 6.12 do not say which project counts. */
export function partyWorkflow(world: ScriptWorld, skill: string, root: string): Workflow {
  const project = rulesOf(world, joinPath(root, "_bmad")).isNearest ? undefined : root;
  const merged = unlessBroken(() => readCustomization(world, skill, project, []));
  const { workflow = ownCustomization(world, skill)["workflow"] } = merged ?? {};
  return { workflow: asValues(workflow), isFound: true };
}

/** Party mode beside another skill, or where skills usually are; undefined if it is not there. */
export function findPartySkill(world: ScriptWorld, root: string, skill: string): string | undefined {
  const { place } = openSkill(world, skill);
  const folders = [
    place.slice(0, place.lastIndexOf("/")),
    ...[".claude/skills", "_bmad/skills"].map((folder) => `${world.files.root}/${joinPath(root, folder)}`),
  ];
  return folders.map((folder) => `${folder}/${PARTY_SKILL}`).find((folder) => {
    const served = findSkill(world, folder);
    if (served !== undefined) return served.read("customize.toml") !== undefined;
    const own = `${world.files.root}/`;
    return folder.startsWith(own) &&
      world.files.tree.stat(joinPath(folder.slice(own.length), "customize.toml")) !== undefined;
  });
}

/** The personas and parties of a team and a user without party mode: lists of both are joined. */
export function partyOverrides({ files }: ScriptWorld, root: string): Workflow {
  const [team = {}, user = {}] = [`${PARTY_SKILL}.toml`, `${PARTY_SKILL}.user.toml`].map((name) =>
    asValues(parseToml(files.find(joinPath(root, "_bmad/custom", name)) ?? "").value["workflow"])
  );
  const joined = Object.entries(user).map(([key, value]) => {
    const before = team[key];
    return [key, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value];
  });
  return { workflow: { ...team, ...Object.fromEntries(joined) }, isFound: false };
}

function unlessBroken<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
