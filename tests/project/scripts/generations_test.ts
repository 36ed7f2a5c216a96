/**
 * Do scripts of older installations answer as their own version does?
 *
 * Only the resolvers and `brain.py` changed between 6.5 and 6.12.
 */
import { brain } from "../../../src/project/scripts/brain.ts";
import { RESOLVERS } from "../../../src/project/scripts/resolvers.ts";
import { type Chance, chanceFrom } from "../../soak/chance.ts";
import { type SourcePackage, sourceTree } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { compareCases, NO_ORIGINALS, type ScriptCase, skillAt } from "../../support/scripts.ts";

const VERSIONS = ["6.5.0", "6.8.0", "6.10.0", "6.11.0", "6.12.0"] as const;
const SEED = 21;

/** The scripts of a version, as an installation has them; those that it lacks are missing. */
async function scriptsOf(version: (typeof VERSIONS)[number]) {
  const source = `${await sourceTree(`bmad-method@${version}` satisfies SourcePackage)}/src`;
  const places: Readonly<Record<string, string>> = {
    "_bmad/scripts/config_utils.py": "scripts/config_utils.py",
    "_bmad/scripts/resolve_config.py": "scripts/resolve_config.py",
    "_bmad/scripts/resolve_customization.py": "scripts/resolve_customization.py",
    ".claude/skills/bmad-party-mode/scripts/resolve_party.py":
      "core-skills/bmad-party-mode/scripts/resolve_party.py",
    ".claude/skills/bmad-forge-idea/scripts/resolve_personas.py":
      "core-skills/bmad-forge-idea/scripts/resolve_personas.py",
  };
  const files = await Promise.all(
    Object.entries(places).map(async ([path, own]) =>
      [path, await Deno.readTextFile(`${source}/${own}`).catch(() => undefined)] as const
    ),
  );
  return {
    source,
    files: Object.fromEntries(files.filter((pair): pair is [string, string] => pair[1] !== undefined)),
  };
}

const CONFIGS = [
  '[core]\na = 1\nb = "x"\n',
  '[core]\na = 2\n[modules.bmm]\nlist = ["é", "b"]\n',
  '[[core.items]]\ncode = "one"\nx = 1\n[[core.items]]\ncode = "two"\n',
  '[[core.items]]\ncode = "two"\ny = 2\n[[core.items]]\ncode = "three"\n',
  "[[core.items]]\ncode = 1\nx = 1\n",
  "[[core.items]]\nid = 1\nx = 2\n",
  '[[core.items]]\nid = ""\n',
  "[core\n",
  "",
];
const AGENTS = '[agents.bmad-agent-pm]\nname = "John"\nicon = "📋"\ntitle = "PM"\nmodule = "bmm"\n' +
  '[agents.zoe]\nname = "Zoé"\ndescription = "Sees"\n';
const PARTIES = [
  '[[workflow.party_members]]\ncode = "pm"\nname = "Joan"\npersona = "Calm"\n',
  '[[workflow.party_members]]\ncode = "ray"\n[[workflow.party_members]]\ncode = "kim"\nname = "John"\nmodel = "x"\n',
  '[workflow]\ndefault_party = "camp"\nparty_mode = "auto"\n[[workflow.party_groups]]\nid = "camp"\n' +
  'members = ["pm", "John", "zoe", "nobody"]\nscene = "Fire"\nmemory = true\n',
  '[workflow]\nparty_memory = false\n[[workflow.party_groups]]\nid = "open"\nname = "Open"\n',
  '[workflow]\ndefault_party = "none"\n',
  "[workflow\n",
  "",
];

/** Files of a project, with those of a second one inside it. */
function randomFiles(chance: Chance): Record<string, string> {
  const layers = (paths: readonly string[], texts: readonly string[]) =>
    paths.filter(() => chance.below(3) > 0).map((path) => [path, chance.pick(texts)]);
  return {
    "_bmad/_config/manifest.yaml": "",
    "_bmad/config.toml": chance.pick(CONFIGS.slice(0, 5)) + AGENTS,
    ".claude/skills/bmad-party-mode/customize.toml": chance.pick(PARTIES.slice(0, 5)),
    ".claude/skills/bmad-forge-idea/customize.toml": "",
    "sub/.claude/skills/go/customize.toml": chance.pick(CONFIGS),
    ...chance.pick([{}, { "sub/_bmad/": "" }, { "sub/.git": "" }, { "sub/_bmad": "a file" }]),
    ...Object.fromEntries(layers(
      [
        "_bmad/config.user.toml",
        "_bmad/custom/config.toml",
        "_bmad/custom/config.user.toml",
        "_bmad/custom/go.toml",
      ],
      CONFIGS,
    )),
    ...Object.fromEntries(
      layers(["_bmad/custom/bmad-party-mode.toml", "_bmad/custom/bmad-party-mode.user.toml"], PARTIES),
    ),
  };
}

const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "resolve_config.py": [["-p", "."], ["--project-root", ".", "--key", "core.items", "-k", "none"]],
  "resolve_customization.py": [
    ["-s", "sub/.claude/skills/go"],
    ["--skill", ".claude/skills/bmad-party-mode", "--key", "workflow"],
    ["--skill", "sub/.claude/skills/none"],
  ],
  "resolve_party.py": [
    [],
    ["--list-groups"],
    ["--party", "camp"],
    ["--party", "open"],
  ].map((args) => ["--project-root", ".", "--skill", ".claude/skills/bmad-party-mode", ...args]),
  "resolve_personas.py": [["--project-root", ".", "--skill", ".claude/skills/bmad-forge-idea"]],
};

/** How many projects each script is asked about: the last two start two more processes each. */
const PROJECTS: Readonly<Record<string, number>> = {
  "resolve_config.py": 12,
  "resolve_customization.py": 12,
  "resolve_party.py": 2,
  "resolve_personas.py": 4,
};

for (const version of VERSIONS) {
  Deno.test({
    name: verifies(
      ["work:same-answers", "work:older-rules"],
      `the resolvers of ${version} answer by their own rules (seed ${SEED})`,
    ),
    ignore: NO_ORIGINALS,
    fn: async () => {
      const { files, source } = await scriptsOf(version);
      await Promise.all(
        RESOLVERS.filter(({ name }) => Object.keys(files).some((path) => path.endsWith(`/${name}`)))
          .filter(({ name }) => name in CALLS)
          .map(async (script) => {
            const chance = chanceFrom(SEED);
            const cases = Array.from({ length: PROJECTS[script.name]! }, () => {
              const tree = { ...files, ...randomFiles(chance) };
              return CALLS[script.name]!.map((args): ScriptCase => ({ files: tree, args }));
            }).flat();
            const path = Object.keys(files).find((path) => path.endsWith(`/${script.name}`))!;
            const own = path.startsWith("_bmad")
              ? path.slice("_bmad/".length)
              : path.replace(".claude/skills", "core-skills");
            await compareCases(script, `${source}/${own}`, cases);
          }),
      );
    },
  });
}

const ROWS = ["deep,Five Whys,Ask,\n", "wild,Chaos,Break it,\n", "deep,x,y,\n"];
const EXTRAS = [
  '[{"technique_name": "five whys", "category": "new"}]',
  '[{"technique_name": "x", "category": "own", "description": "z"}, {}]',
];

Deno.test({
  name: verifies(
    ["work:same-answers", "work:older-rules"],
    `brain.py of 6.10 adds techniques and replaces none (seed ${SEED})`,
  ),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const source = await sourceTree("bmad-method@6.10.0");
    const skill = skillAt(`${source}/src/core-skills/bmad-brainstorming`);
    const chance = chanceFrom(SEED);
    const commands = [["categories"], ["list", "--all"], ["list", "--category", "DEEP"], [
      "show",
      "five whys",
      "x",
    ]];
    const cases = Array.from({ length: 60 }, (): ScriptCase => ({
      files: {
        "m.csv": `category,technique_name,description,detail\n${ROWS.slice(chance.below(3)).join("")}`,
        "e.json": chance.pick(EXTRAS),
      },
      args: [
        ...["--file", "m.csv"],
        ...chance.below(3) === 0 ? [] : ["--extra", "e.json"],
        ...chance.below(3) === 0 ? ["--json"] : [],
        ...chance.pick(commands),
      ],
    }));
    await compareCases(brain, `${skill.location}/scripts/brain.py`, cases, { skill });
  },
});
