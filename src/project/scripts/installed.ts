/**
 * Every script of BMAD's that is installed, with what is known of it.
 */
import { joinPath } from "../../content/tree/mod.ts";
import { type InstalledScript, isKnownName, judgeScript, type ScriptState, sharedFolders } from "./known.ts";
import type { Script, ScriptSkill, ScriptWorld } from "./script.ts";

const SCRIPT = /^(?!test_)[\w-]+\.(?:py|sh|[cm]?js|ts|rb|ps1)$/;
/** More than any installation has; a hostile one must not be read forever. */
const MAX_SCRIPTS = 300;

/** The scripts in BMAD's own folder and in the skills; of other people's skills, those that are named as BMAD's are. */
export async function judgeInstalled(
  scripts: readonly Script[],
  world: ScriptWorld,
): Promise<readonly ScriptState[]> {
  const found = [
    ...sharedScripts(world),
    ...world.skills.flatMap((skill) => scriptsOf(skill, scripts, world)),
  ];
  const unique = new Map(found.map((script) => [script.place, script]));
  return await Promise.all(
    unique.values().take(MAX_SCRIPTS).map((script) => {
      const native = scripts.find(({ name }) => name === script.name);
      const owner = world.skills.find(({ location }) => script.place.startsWith(`${location}/`));
      return judgeScript(script, native, { ...world, skill: owner });
    }),
  );
}

/** Those of all skills and of single modules. */
function sharedScripts(world: ScriptWorld): readonly InstalledScript[] {
  const { root, tree, find } = world.files;
  return sharedFolders(world).flatMap((folder) =>
    tree.list(folder).filter(({ name, isDirectory }) => !isDirectory && SCRIPT.test(name)).flatMap(
      ({ name }) => {
        const text = find(joinPath(folder, name));
        return text === undefined ? [] : [{ name, place: `${root}/${folder}/${name}`, text }];
      },
    )
  );
}

function scriptsOf(
  { name: id, location, read }: ScriptSkill,
  scripts: readonly Script[],
  { files: { root, tree, find } }: ScriptWorld,
): readonly InstalledScript[] {
  if (location.startsWith("bmad://")) return [];
  const isOwn = location.startsWith(`${root}/`);
  const folder = location.slice(root.length + 1);
  const isBmads = (name: string) => isKnownName(name) || scripts.some((one) => one.name === name);
  const names = isOwn
    ? tree.list(`${folder}/scripts`).filter(({ isDirectory }) => !isDirectory).map(({ name }) => name)
      .filter((name) => SCRIPT.test(name) && (isBmads(name) || id.startsWith("bmad")))
    : scripts.map(({ name }) => name);
  return names.flatMap((name) => {
    const text = isOwn ? find(`${folder}/scripts/${name}`) : read(`scripts/${name}`);
    return text === undefined ? [] : [{ name, place: `${location}/scripts/${name}`, text }];
  });
}
