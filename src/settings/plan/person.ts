/**
 * A configuration as one person has it: what their role forbids is forbidden as `--read-only` forbids it, and what they do
 * is done in their name.
 */
import { hasRight, type Person } from "../../base/roles.ts";
import type { Settings } from "../mod.ts";
import type { TeamPlan } from "./team.ts";
import type { WorkPlan } from "./work.ts";

/** What of a configuration depends on who asks. */
export interface Personal {
  readonly settings: Settings;
  readonly team: TeamPlan | undefined;
  readonly work: WorkPlan | undefined;
}

/** Each is the same object for the same person, because answers are kept by configurations. */
const known = new WeakMap<Person, WeakMap<Personal, Personal>>();

/** The configuration for somebody; the same for the user who runs the program. */
export function configFor<Config extends Personal>(config: Config, person: Person | undefined): Config {
  if (person === undefined) return config;
  const own = known.getOrInsertComputed(person, () => new WeakMap<Personal, Personal>());
  return own.getOrInsertComputed(config, () => {
    const { settings, team, work } = config;
    const readOnly = settings.readOnly || !hasRight(person.role, "work");
    return {
      ...config,
      person,
      settings: { ...settings, readOnly },
      // What should not be asked for is not possible either.
      ...(readOnly && work !== undefined && { work: { ...work, writable: [] } }),
      ...(person.name !== undefined && team !== undefined && { team: { ...team, who: person.name } }),
    };
  }) as Config;
}
