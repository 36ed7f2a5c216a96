/**
 * A small BMAD of the generation after 6.12, in every form that its sources have had.
 *
 * `flatSource` gives the files of a source tree, skills in `skills/`. The first forms have a manifest in each skill; from
 * `records` on a folder for each module describes it; `tickets` is the newest. Everything is our own text: only names of
 * files, keys and modules are BMAD's.
 */
import type { TreeFile } from "./trees.ts";

type Files = Readonly<Record<string, TreeFile>>;

/** The forms, oldest first: S1 to S4 in the order of their appearance. */
export const FLAT_FORMS = ["manifests", "lists", "records", "tickets"] as const;
export type FlatForm = typeof FLAT_FORMS[number];

const FLAT_VERSION = "6.13.0-next";

/** The skills of each module, under the code that the module has from `lists` on. */
export const FLAT_SKILLS = {
  "core-tools": ["bmad", "bmad-party-mode", "bmad-review"],
  method: ["bmad-agent-dev", "bmad-agent-pm", "bmad-build", "bmad-prd"],
} as const;

/** What the newest form has besides: a skill for tickets, a module of others, and one of a single skill. */
export const NEWEST_SKILLS = {
  method: ["bmad-ticket"],
  tea: ["bmad-tea", "bmad-testarch-ci"],
  notes: ["release-notes"],
} as const;

export function flatNames(form: FlatForm): readonly string[] {
  const own = form === "manifests" ? { "core-tools": "toolbox" } : {};
  const modules: readonly (readonly [string, readonly string[]])[] = [
    ...Object.entries(FLAT_SKILLS),
    ...(form === "tickets" ? Object.entries(NEWEST_SKILLS) : []),
  ];
  return modules.flatMap(([code, ids]) =>
    ids.map((id) => `${(own as Record<string, string>)[code] ?? code}/${id}`)
  )
    .sort();
}

const SOURCE = "github:somebody/skills/skills";

const skill = (id: string, body: string) =>
  `---\nname: ${id}\ndescription: Does the work of ${id}. Use when somebody asks for it.\n---\n\n${body}\n`;

const RUN =
  "uv run {project-root}/_bmad/scripts/resolve_customization.py --skill {skill-root} --key workflow";

const TEXTS: Files = {
  "bmad/SKILL.md": skill("bmad", "# Hub\n\nRead `references/setup.md` when asked to set up."),
  "bmad/references/setup.md": "# Setup\n\nRun `scripts/setup.py`.\n",
  "bmad/references/help.md": "# What now?\n\nStart with bmad-prd. Then build with bmad-build.\n",
  "bmad/scripts/resolve_config.py": "print('{}')\n",
  "bmad/scripts/setup.py": "print('{}')\n",
  "bmad/assets/config.template.toml": '[core]\nproject_name = ""\n',
  "bmad-party-mode/SKILL.md": skill(
    "bmad-party-mode",
    "# Party\n\nGather everybody in `references/room.md`.",
  ),
  "bmad-party-mode/references/room.md": "# The room\n",
  "bmad-party-mode/customize.toml": '[workflow]\nparty_mode = "session"\ndefault_party = ""\n',
  "bmad-review/SKILL.md": skill("bmad-review", `# Review\n\n${RUN}`),
  "bmad-review/customize.toml": '[workflow]\nlenses = ["clarity"]\non_complete = ""\n',
  "bmad-agent-pm/SKILL.md": skill("bmad-agent-pm", "# Penny\n\nYou are Penny, the Product Manager."),
  "bmad-agent-pm/customize.toml":
    '[agent]\nname = "Penny"\ntitle = "Product Manager"\nicon = "📋"\nrole = "Decides what to build."\n' +
    '[[agent.menu]]\ncode = "CP"\ndescription = "Write the PRD"\nskill = "bmad-prd"\n',
  "bmad-agent-dev/SKILL.md": skill("bmad-agent-dev", "# Dex\n\nYou are Dex, the developer."),
  "bmad-agent-dev/customize.toml":
    '[agent]\nicon = "🔧"\n[[agent.menu]]\ncode = "BD"\nskill = "bmad-build"\n',
  "bmad-prd/SKILL.md": skill("bmad-prd", `# PRD\n\n${RUN}\n\nUse \`assets/outline.md\`.`),
  "bmad-prd/assets/outline.md": "# {title}\n",
  "bmad-prd/customize.toml": '[workflow]\noutput = "{output_folder}/prd"\n',
  "bmad-build/SKILL.md": skill(
    "bmad-build",
    "uv run {project-root}/_bmad/scripts/render_skill.py --project-root {project-root} --skill {skill-root}",
  ),
  "bmad-build/customize.toml": '[workflow]\nreview = true\nmode = "careful"\nrules = ["Small steps."]\n',
};

const TOKENS = "# Build for {{.project_name}}\n\n{workflow.mode}\n\nThen [[bmad-snapshot:steps/ship.md]].\n";
const JINJA =
  "# Build for {{ config.project_name }}\n{% if workflow.review %}\nReview in {{ workflow.mode }} mode: " +
  '{{ rendered("steps/ship.md") }}\n{% else %}\nNo review.\n{% endif %}\n' +
  "{% for rule in workflow.rules %}\n- {{ rule }}\n{% endfor %}\n";

const NEWEST: Files = {
  "bmad-ticket/SKILL.md": skill(
    "bmad-ticket",
    "# Tickets\n\nuv run {project-root}/_bmad/method/scripts/tickets.py next",
  ),
  "bmad-ticket/scripts/tickets.py": "print('{}')\n",
  "bmad-tea/SKILL.md": skill(
    "bmad-tea",
    "# Tess\n\nYou are Tess. Read `{skill-root}/../bmod-tea/knowledge/index.csv`.",
  ),
  "bmad-tea/customize.toml": '[agent]\nname = "Tess"\ntitle = "Tester"\nicon = "🧪"\n',
  "bmad-testarch-ci/SKILL.md": skill(
    "bmad-testarch-ci",
    "# CI\n\nLoad `../bmod-tea/knowledge/pipelines.md`.",
  ),
  "bmad-testarch-ci/customize.toml": '[workflow]\nci_platform = "auto"\n',
  "release-notes/SKILL.md": skill("release-notes", "# Release notes"),
  "release-notes/help/help.md": "# Release notes\n\nUse release-notes before a release.\n",
};

const RECORD_STUB = (code: string) =>
  `---\nname: bmod-${code}\ndescription: Metadata of a module. Not to be run.\n---\n\nDo not run this.\n`;

function record(code: string, skills: readonly string[], more = "", version = FLAT_VERSION): string {
  return `[bmod]\ncode = "${code}"\nversion = "${version}"\nupdate_source = "${SOURCE}"\n` +
    `skills = ${JSON.stringify(skills)}\n${more}`;
}

const QUESTION = (key: string, value: string, scope = "team") =>
  `\n[[bmod.config_questions]]\nkey = "${key}"\nprompt = "What about ${key}?"\ndefault = "${value}"\nscope = "${scope}"\n`;

const ROSTER = '[[members]]\ncode = "pm"\nskill = "bmad-agent-pm"\nname = "Penny"\nicon = "📋"\n' +
  'title = "Product Manager"\npersona = "Asks why three times."\n\n' +
  '[[members]]\ncode = "dev"\nskill = "bmad-agent-dev"\nname = "Dex"\nicon = "🔧"\ntitle = "Developer"\n' +
  'persona = "Short sentences, green tests."\n\n' +
  '[[members]]\ncode = "critic"\nname = "Cora"\nicon = "🎭"\ntitle = "Critic"\npersona = "Finds the hole."\n\n' +
  '[[groups]]\nid = "kitchen"\nname = "The kitchen"\nscene = "Late, and the oven is on."\nmembers = ["pm", "dev", "critic"]\n';

const HELP = {
  "core-tools": "# Tools\n\nbmad-review looks at any document.\n",
  method: "# Method\n\nStart with bmad-prd. Read `tickets.md` about tickets.\n",
};

function memberships(form: FlatForm): Files {
  if (form === "manifests" || form === "lists") {
    return Object.fromEntries(
      Object.entries(FLAT_SKILLS).flatMap(([code, ids]) =>
        ids.flatMap((id): [string, string][] => {
          const module = code === "core-tools" && form === "manifests" ? "toolbox" : code;
          const head = `module = "${module}"\nversion = "${FLAT_VERSION}"\nupdate_source = "${SOURCE}"\n`;
          const file = `${id}/module-manifest.toml`;
          if (form === "manifests") {
            return [[file, `${head}knowledge = "See references/help.md of the skill bmad."\n`]];
          }
          const roster = code === "method" ? 'roster = ["bmad-meta/method-roster.toml"]\n' : "";
          return [
            [file, `${head}knowledge = ["bmad-meta/${code}-help.md"]\n${roster}`],
            [`${id}/bmad-meta/${code}-help.md`, HELP[code as keyof typeof HELP]],
            ...(roster === "" ? [] : [[`${id}/bmad-meta/method-roster.toml`, ROSTER] as [string, string]]),
          ];
        })
      ),
    );
  }
  const isNewest = form === "tickets";
  const method = [...FLAT_SKILLS.method, ...(isNewest ? NEWEST_SKILLS.method : [])];
  const members = [
    ...FLAT_SKILLS["core-tools"].map((id) => [id, "core-tools"] as const),
    ...method.map((id) => [id, "method"] as const),
    ...(isNewest ? NEWEST_SKILLS.tea.map((id) => [id, "tea"] as const) : []),
  ];
  const own = members.map(([id, code]) => [
    `${id}/bmod.toml`,
    `[skill]\nbmod = "bmod-${code}"\nsource = "${SOURCE}"\n` +
    (id === "bmad-ticket" ? 'scripts = ["scripts/tickets.py"]\n' : ""),
  ]);
  const records: Files = {
    "bmod-core-tools/SKILL.md": RECORD_STUB("core-tools"),
    "bmod-core-tools/bmod.toml": record("core-tools", FLAT_SKILLS["core-tools"]),
    "bmod-core-tools/help/help.md": HELP["core-tools"],
    "bmod-method/SKILL.md": RECORD_STUB("method"),
    "bmod-method/bmod.toml": record("method", method, 'required_skills = ["bmad"]\n'),
    "bmod-method/help/help.md": HELP.method,
    "bmod-method/help/tickets.md": "# Tickets\n\nbmad-ticket keeps them.\n",
    "bmod-method/roster.toml": ROSTER,
  };
  const newest: Files = {
    "bmod-core-tools/retired.toml":
      'renamed = [{ from = "bmad-help", to = "bmad" }]\nremoved = ["bmad-distillator"]\n',
    "bmod-method/retired.toml": 'renamed = [{ from = "bmad-preview-ticketing", to = "bmad-ticket" }]\n' +
      'removed = ["bmad-sprint-planning", "bmad-create-epics-and-stories"]\n',
    "bmod-method/migration-1.toml": '[migration]\nmodule = "method"\nfrom = "6"\nto = "7"\n',
    "bmod-tea/SKILL.md": RECORD_STUB("tea"),
    "bmod-tea/bmod.toml": record(
      "tea",
      NEWEST_SKILLS.tea,
      QUESTION("test_framework", "auto") + QUESTION("tea_use_mocks", "true") +
        QUESTION("nickname", "T", "user"),
      "2.0.1",
    ),
    "bmod-tea/help/help.md": "# Tests\n\nAsk bmad-tea about tests.\n",
    "bmod-tea/knowledge/index.csv": "id,file\npipelines,pipelines.md\n",
    "bmod-tea/knowledge/pipelines.md": "# Pipelines\n\nKeep them short.\n",
    "release-notes/bmod.toml": `[bmod]\ncode = "notes"\nversion = "1.0.0"\nupdate_source = "${SOURCE}"\n` +
      QUESTION("changelog", "CHANGELOG.md") + "\n[skill]\n",
  };
  return { ...Object.fromEntries(own), ...records, ...(isNewest ? newest : {}) };
}

export function flatSource(form: FlatForm, folder = "skills"): Files {
  const isNewest = form === "tickets";
  const files: Files = {
    ...TEXTS,
    "bmad-build/workflow.md": isNewest ? JINJA : TOKENS,
    "bmad-build/steps/ship.md": isNewest ? "Ship {{ workflow.mode }}.\n" : "Ship {workflow.mode}.\n",
    ...(isNewest ? NEWEST : {}),
    ...memberships(form),
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}
