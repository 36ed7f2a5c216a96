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
import { isLenient, openSkill, readConfig, readCustomization, unlessBroken } from "./layers.ts";
import { type ScriptWorld, withoutSecrets } from "./script.ts";

/** The parties of the installation of 6.x below a root, by party mode's skill; where there is none, of what is served. */
export async function findParties(
  world: ScriptWorld,
  root: string,
  skill: string,
  rules: PartyRules = {},
): Promise<PartyAnswers | undefined> {
  const base = joinPath(root, "_bmad");
  const isInstalled = ["config.toml", "_config/manifest.yaml"].every((name) =>
    world.files.tree.stat(joinPath(base, name)) !== undefined
  );
  if (!isInstalled) return (await world.resolvers?.())?.party(rules);
  const config = unlessBroken(() => readConfig(world, root, []));
  const merged = unlessBroken(() => readCustomization(world, skill, root, []));
  // If a layer is broken, the skill's own table counts.
  const own = unlessBroken(() => openSkill(world, skill).text);
  const { workflow } = merged ?? parseToml(own ?? "").value;
  const clean = await withoutSecrets({ agents: agentsIn(config?.["agents"]), workflow });
  return await findParty({
    agents: asValues(clean["agents"]),
    isResolved: config !== undefined,
    workflow: asValues(clean["workflow"]),
    isFound: own !== undefined,
  }, { ...rules, startsOver: isLenient(world, root) });
}

/** The agents by their codes; a list has a code in each item. */
function agentsIn(agents: unknown): Values {
  if (!Array.isArray(agents)) return asValues(agents);
  return Object.fromEntries(
    agents.filter(isValues).filter(({ code }) => code).map((one) => [one["code"], one]),
  );
}
