/**
 * Generated input for scripts: for each, calls in small trees of files, as skills make them, and wrong ones.
 */
import type { Chance } from "../../base/chance.ts";

/** One call, in a tree of its own. */
export interface Case {
  /** By their paths in the project; they come over what is copied from the installation. */
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Where the skill of a script lies in the trees. */
export function skillFolder(id: string): string {
  return `.claude/skills/${id}`;
}

/** Some of a list, in its order. */
function some<T>(chance: Chance, list: readonly T[]): readonly T[] {
  return list.filter(() => chance.below(3) > 0);
}

/** Makes a case; `skill` is the folder of the script's skill. */
type Generator = (chance: Chance, skill: string) => Case;

/** Why a script is not compared. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  "render_skill.py": "ours answers with a resource of the server instead of a folder of files",
  "git_evidence.py": "it reads the history of a repository",
  "knowledge.py": "ours answers from all content that is served",
  "roster.py": "ours answers from all content that is served",
  "tickets.py": "it needs a tree of tickets, of which no release has a sample",
};

const WORDS = ["Ship it", "café – “quoted”", "a | b", "x: y # z", "  spaced  out ", "語", "-1", "tab\there"];

const MEMLOG = "---\ntopic: Shop\nupdated: 2026-01-02T03:04\n---\n\n- (decision) one\n- two\n";

const memlog: Generator = (chance) => {
  const place = chance.pick([["--workspace", "out/run"], ["--path", "out/run/.memlog.md"], [
    "--path",
    "other.md",
  ]]);
  const command = chance.pick([
    [
      "init",
      ...some(chance, ["goal=Sell", "topic=Shop = good", "bare"]).flatMap((field) => ["--field", field]),
    ],
    [
      "append",
      "--text",
      chance.pick(WORDS),
      ...some(chance, ["--type", "--by"]).flatMap((name) => [name, "user"]),
    ],
    ["set", "--key", chance.pick(["topic", "status", "updated"]), "--value", chance.pick(WORDS)],
    ["append"],
  ]);
  const texts = [MEMLOG, MEMLOG.replaceAll("\n", "\r\n"), "no front matter\n", "---\nopen: yes\n"];
  return {
    files: Object.fromEntries(
      chance.below(4) === 0 ? [] : [["out/run/.memlog.md", chance.pick(texts)], ["other.md", MEMLOG]],
    ),
    args: [...command, ...place],
  };
};

const SPINE = [
  "# Spine\n\n## Stack\n\n| Part | Version |\n| --- | --- |\n| Deno | 2.9 |\n| npm | |\n",
  "## AD-1 Ledger\n\n**Binds:** a\n**Prevents:** b\n**Rule:** c\n",
  "### AD-2: Similar to AD-1\n\nRule: TBD\n",
  "### AD-2 again\n\n```\nTODO in code {token}\n```\n",
  "Text with {placeholder} and FIXME\n",
];

const lintSpine: Generator = (chance) => {
  const text = `---\nstatus: ${chance.pick(["draft", "{x}", "TBD"])}\n---\n${some(chance, SPINE).join("\n")}`;
  return {
    files: { [`w/${chance.below(6) === 0 ? "other" : "ARCHITECTURE-SPINE"}.md`]: text },
    args: ["--workspace", "w", ...chance.pick([[], ["-o", "w/report.json"]])],
  };
};

const DOCUMENTS = [
  "# One\n\nSome words here.\n\n## Two\n\nMore – words, don’t count `code`.\n",
  "No heading\n\n- a\n- b\n",
  "---\ntitle: x\n---\n\n# A\n\n```\n# not a heading\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
  "",
];

const wordMetrics: Generator = (chance) => ({
  files: { "d.md": some(chance, DOCUMENTS).join("\n") },
  args: chance.pick([["d.md"], ["d.md", "-o", "m.json"], ["none.md"], []]),
});

const RESEARCH = [
  "A claim [1] and another [2][3].\n",
  "## Sources\n\n| # | Source | Date |\n| --- | --- | --- |\n| 1 | [A | B](https://a.example) | 2026 |\n| 2 | Plain | – |\n",
  "- (claim by user) ref=[1] status=verified\n- (claim) status=open\n- (decision) x\n- plain\n",
  "See [9].\n",
];
const CLAIMS =
  '[{"claim":"a","class":"Price","pub_date":"2026-01-31"},{"claim":"b","class":"size","pub_date":"2025"}]';

const reconKit: Generator = (chance) => ({
  files: { "r.md": some(chance, RESEARCH).join("\n"), "c.json": chance.pick([CLAIMS, "[]", "{", "[{}]"]) },
  args: chance.pick([
    ["citations", "r.md"],
    ["tally", "r.md"],
    ["escape-sources", "r.md"],
    ["staleness", "c.json", "--windows", '{"price": 1, "SIZE": 24}', "--today", "2026-06-30"],
    ["slug", chance.pick(["Crème Brûlée: Tools!", "a b", "語"]), "--type", "market", "--date", "2026-07-22"],
    ["slug", "x", "--type", "t", "--pattern", "{date}/{topic_slug}", "--date", "2026-07-22"],
    ["citations", "none.md"],
    [],
  ]),
});

/** Of both catalogues: names of real entries would be those of one release. */
const catalogue = (name: string, table: string): Generator => (chance) => ({
  files: {
    "t.csv": table,
    "e.json": chance.pick([`[{"category": "own", "${name}": "Mine", "description": "z"}]`, "[]", "{", "[1]"]),
  },
  args: [
    ...chance.pick([[], ["--file", "t.csv"], ["--file", "t.csv"]]),
    ...chance.pick([[], ["--extra", "e.json"]]),
    ...chance.pick([[], ["--json"]]),
    ...chance.pick([
      ["categories"],
      ["list", "--all"],
      ["list", "--category", "DEEP"],
      ["list"],
      ["show", "five whys", "Mine"],
      ["show", "nothing"],
      ["random", "-n", "0"],
      [],
    ]),
  ],
});

const brain = catalogue(
  "technique_name",
  'category,technique_name,description,detail\ndeep,Five Whys,"Ask, again",\nwild,Chaos,Break it,none.md\n',
);
const pickMethods = catalogue(
  "method_name",
  'num,category,method_name,description,output_pattern\n1,deep,Five Whys,"Ask, again",a → b\n2,wild,Chaos,Break it,x\n',
);

const CONFIGS = [
  '[core]\na = 1\nb = "x"\n',
  '[core]\na = 2\n[modules.bmm]\nlist = ["é", "b"]\n',
  '[[core.items]]\ncode = "one"\nx = 1\n[[core.items]]\ncode = "two"\n',
  '[[core.items]]\ncode = "two"\ny = 2\n[[core.items]]\ncode = "three"\n',
  "[core\n",
  "",
];
const AGENTS = '[agents.bmad-agent-pm]\nname = "John"\nicon = "📋"\ntitle = "PM"\nmodule = "bmm"\n' +
  '[agents.zoe]\nname = "Zoé"\ndescription = "Sees"\n';

/** A project with a random configuration in its layers. */
function configured(chance: Chance): Record<string, string> {
  const layers = some(chance, ["config.user.toml", "custom/config.toml", "custom/config.user.toml"]);
  return {
    "_bmad/_config/manifest.yaml": "",
    ...(chance.below(10) > 0 && { "_bmad/config.toml": chance.pick(CONFIGS.slice(0, 4)) + AGENTS }),
    ...Object.fromEntries(layers.map((layer) => [`_bmad/${layer}`, chance.pick(CONFIGS)])),
  };
}

const resolveConfig: Generator = (chance) => ({
  files: configured(chance),
  args: chance.pick([["-p", "."], ["--project-root", ".", "--key", "core.items", "-k", "none"], [
    "--project-root",
    "none",
  ], []]),
});

const resolveCustomization: Generator = (chance) => ({
  files: {
    ...configured(chance),
    ".claude/skills/go/customize.toml": chance.pick(CONFIGS),
    ...(chance.below(2) === 0 && { "_bmad/custom/go.toml": chance.pick(CONFIGS) }),
    ...(chance.below(2) === 0 && { "_bmad/custom/go.user.toml": chance.pick(CONFIGS) }),
  },
  args: chance.pick([
    ["-s", ".claude/skills/go"],
    ["--skill", ".claude/skills/go", "--project-root", ".", "--key", "core.items"],
    ["--skill", ".claude/skills/none"],
    [],
  ]),
});

const PARTIES = [
  '[[workflow.party_members]]\ncode = "pm"\nname = "Joan"\npersona = "Calm"\n',
  '[workflow]\ndefault_party = "camp"\nparty_mode = "auto"\n[[workflow.party_groups]]\nid = "camp"\n' +
  'members = ["pm", "John", "zoe", "nobody"]\nscene = "Fire"\nmemory = true\n',
  '[[workflow.party_groups]]\nid = "open"\nname = "Open"\n',
];
const PARTY = skillFolder("bmad-party-mode");

function party(chance: Chance): Record<string, string> {
  return {
    "_bmad/_config/manifest.yaml": "",
    "_bmad/config.toml": AGENTS,
    [`${PARTY}/customize.toml`]: chance.pick(PARTIES),
    ...(chance.below(2) === 0 && { "_bmad/custom/bmad-party-mode.toml": chance.pick(PARTIES) }),
  };
}

const resolveParty: Generator = (chance) => ({
  files: party(chance),
  args: [
    ...["--project-root", ".", "--skill", PARTY],
    ...chance.pick([[], ["--list-groups"], ["--party", "camp"], ["--party", "none"]]),
  ],
});

const resolvePersonas: Generator = (chance, skill) => ({
  files: { ...party(chance), [`${skill}/customize.toml`]: "" },
  args: ["--project-root", ".", "--skill", skill],
});

const listCustomizable: Generator = (chance) => ({
  files: {
    ".claude/skills/a/SKILL.md": chance.pick([
      "---\nname: a\ndescription: Does a\n---\n",
      "",
      "---\ndescription: 'x'\n",
    ]),
    ".claude/skills/a/customize.toml": chance.pick(["[agent]\n", "[workflow]\nx = 1\n", "[a", "x = 1\n"]),
    "more/b/customize.toml": "[workflow]\n",
    ...(chance.below(2) === 0 && { "_bmad/custom/a.toml": "", "_bmad/custom/b.user.toml": "" }),
  },
  args: ["--project-root", ".", ...chance.pick([[], ["--extra-root", "more"], ["--skills-root", "more"]])],
});

const EPICS = [
  "## Epic 1: Accounts\n\n### Story 1.1: Sign in\n\nAs a user\n\n### Story 1.2: Sign out, please\n",
  "# Epic 2 Rooms\n\n### Story 2.1a: Café rooms\n\n#### Story 2.1b Räume\n\n```\n## Epic 9: not one\n```\n",
  "## Epics overview\n\nText\n",
];
const LEDGER = [
  "# a comment\ngenerated: 01-02-2026 09:00\nproject: Shop\ndevelopment_status:\n  epic-1: in-progress\n" +
  "  1-1-sign-in: done\n  1-2-sign-out-please: drafted\n  epic-1-retrospective: optional\n",
  "project: Shop\ndevelopment_status:\n  epic-1: done\n  1-1-sign-in: nonsense\n  9-9-ghost: review\naction_items:\n" +
  "- epic: 1\n  action: Review errors\n  owner: Amy\n  status: open\n",
  "development_status: [\n",
];

const sprintPlan: Generator = (chance) => ({
  files: {
    "epics.md": some(chance, EPICS).join("\n"),
    ...(chance.below(3) > 0 && { "impl/sprint-status.yaml": chance.pick(LEDGER) }),
    ...(chance.below(2) === 0 && { "impl/1-2-sign-out-please.md": "# Story\n" }),
    "impl/keep.md": "",
  },
  args: chance.pick([
    [
      ...[
        "generate",
        "--epic-file",
        "epics.md",
        "--status-file",
        "impl/sprint-status.yaml",
        "--stories-dir",
        "impl",
      ],
      ...[
        "--project",
        "Shop",
        "--date",
        "08-01-2026 14:30",
        ...chance.pick([[], ["--dry-run"], ["--fresh"]]),
      ],
    ],
    ["status", "--status-file", "impl/sprint-status.yaml", "--date", "08-01-2026 14:30"],
    ["validate", "--status-file", "impl/sprint-status.yaml"],
    ["validate"],
  ]),
});

const sprintStatus: Generator = (chance) => ({
  files: { "s.yaml": chance.pick(LEDGER) },
  args: chance.pick([
    ["detect-epic", "--file", "s.yaml"],
    ["detect-epic", "--file", "s.yaml", "--epic", "1"],
    ["update", "--file", "s.yaml", "--epic", "1", "--set-retro-done", "--date", "08-01-2026 09:05"],
    [
      ...["update", "--file", "s.yaml", "--epic", "1", "--date", "08-01-2026 09:05"],
      ...["--add-action", '[{"action":"Say why","owner":"Amy"}]'],
    ],
    ["update", "--file", "none.yaml", "--epic", "1"],
  ]),
});

/** The generator for each script that is compared. */
export const GENERATORS: Readonly<Record<string, Generator>> = {
  "memlog.py": memlog,
  "lint_spine.py": lintSpine,
  "word_metrics.py": wordMetrics,
  "recon_kit.py": reconKit,
  "brain.py": brain,
  "pick_methods.py": pickMethods,
  "resolve_config.py": resolveConfig,
  "resolve_customization.py": resolveCustomization,
  "resolve_party.py": resolveParty,
  "resolve_personas.py": resolvePersonas,
  "list_customizable_skills.py": listCustomizable,
  "sprint_plan.py": sprintPlan,
  "sprint_status.py": sprintStatus,
};
