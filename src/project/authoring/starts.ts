import type { NewPlan } from "../../settings/plan/mod.ts";

/** Paths in the project, in writing order: the file that makes it an item comes last. */
export type StartFiles = readonly (readonly [path: string, text: string])[];

export function startFiles(plan: NewPlan): StartFiles {
  return FORMS[plan.form](plan);
}

const FORMS: Readonly<Record<NewPlan["form"], (plan: NewPlan) => StartFiles>> = {
  skills: (plan) =>
    plan.kind === "module"
      ? skillsModule(plan)
      : skillFiles(plan.kind, plan.name, `${plan.folder}/skills/${plan.name}`),
  compiled: compiledFiles,
  v4: v4Files,
  records: recordFiles,
  manifests: (plan) => {
    const { id, kind } = firstSkill(plan);
    return [
      [
        `${plan.folder}/${id}/module-manifest.toml`,
        `# The module that this skill belongs to.\nmodule = "${plan.module}"\n${VERSION}`,
      ],
      ...skillFiles(kind, id, `${plan.folder}/${id}`),
    ];
  },
};

const VERSION = `version = "0.1.0"
# Where updates come from: github:OWNER/REPOSITORY, https://…, file:… or plugin:…
update_source = "file:."
`;

function firstSkill({ kind, name }: NewPlan): { readonly id: string; readonly kind: SkillKind } {
  return kind === "module" ? { id: `${name}-start`, kind: "workflow" } : { id: name, kind };
}

function formatTitle(name: string): string {
  return name.split("-").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ");
}

type SkillKind = Exclude<NewPlan["kind"], "module">;

function skillFiles(kind: SkillKind, name: string, folder: string): StartFiles {
  const title = formatTitle(name);
  const hint = `When a model should ${USES[kind]}: it decides by this text alone.`;
  const front = frontMatter(name, title, hint);
  if (kind === "agent") {
    return [
      [`${folder}/customize.toml`, agentValues(title)],
      [`${folder}/SKILL.md`, `${front}\n${AGENT_TEXT}`],
    ];
  }
  if (kind === "workflow") {
    return [
      [`${folder}/steps/step-01-start.md`, firstStep(title)],
      [`${folder}/customize.toml`, WORKFLOW_VALUES],
      [
        `${folder}/SKILL.md`,
        `${front}\n${workflowText("Keep every entry of {workflow.persistent_facts} in mind.\n\n")}`,
      ],
    ];
  }
  return [[`${folder}/SKILL.md`, `${front}\n${SKILL_TEXT}`]];
}

const USES: Readonly<Record<SkillKind, string>> = {
  skill: "use it",
  agent: "take this role",
  workflow: "follow it",
};

function frontMatter(name: string, title: string, hint: string, quote = ""): string {
  return `---
name: ${name}
# ${hint}
description: ${quote}${title}. Use when the user asks for ${title}.${quote}
---

# ${title}
`;
}

const SKILL_TEXT = `<!-- Write to the model: what to do, step by step, and when it is done. -->

1. Ask the user for what is missing.
2. Do it.
3. Show the result, and ask whether it is right.
`;

const AGENT_TEXT =
  `<!-- The persona and the menu are in customize.toml, where teams and users can override them. -->

You are {agent.name}, {agent.title}. {agent.role}

1. Take on the persona, and stay in it until the user dismisses you.
2. Keep every entry of {agent.persistent_facts} in mind.
3. Greet the user, and show the menu: code and description of each item.
4. When the user chooses an item, start its skill or follow its prompt.
`;

const workflowText = (rule = "") =>
  `<!-- Say what comes out of it, then the steps. Each step has a file of its own, opened when it is due. -->

${rule}1. Read ./steps/step-01-start.md and follow it.
`;

function firstStep(title: string): string {
  return `# Step 1: Start

<!-- One step: what to ask, what to do, when it is done, and which file comes next. -->

1. Ask the user what ${title} should achieve.
2. Repeat it in one sentence, and ask whether that is right.
3. Done when the user agrees.
`;
}

const activationValues = (steps: string) =>
  `# Steps before and after ${steps}.
activation_steps_prepend = []
activation_steps_append = []

# Sentences, or files as "file:{project-root}/docs/standards.md".
persistent_facts = []
`;

const WORKFLOW_VALUES =
  `# Values that teams and users can override in _bmad/custom/SKILL.toml and SKILL.user.toml.

[workflow]
${activationValues("the workflow's own")}`;

const ROLE = "Helps the user with one thing, and says so when something else is asked for";
const IDENTITY = "Knows the field from years of practice";

function agentValues(title: string): string {
  return `# The persona and the menu. Overrides go into _bmad/custom/SKILL.toml (team) and SKILL.user.toml (yours).

[agent]
name = "${title.split(" ")[0]}"
title = "${title}"
icon = "🤖"

${activationValues("the greeting")}
role = "${ROLE}."
identity = "${IDENTITY}."
communication_style = "Short and friendly."
principles = [
  "Ask before assuming.",
]

# Each item has a code of its own, a description, and either a skill or a prompt.
[[agent.menu]]
code = "HI"
description = "Say what this agent can do"
prompt = "Say in three sentences what you can do for the user."
`;
}

const HELP_COLUMNS =
  "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by," +
  "required,output-location,outputs";

function skillsModule({ name, folder }: NewPlan): StartFiles {
  const title = formatTitle(name);
  const first = `${name}-start`;
  return [
    [`${folder}/module.yaml`, moduleFile(name)],
    [
      `${folder}/module-help.csv`,
      `${HELP_COLUMNS}\n${title},${first},Start,ST,The first workflow of ${title},,,anytime,,,false,,\n`,
    ],
    ...skillFiles("workflow", first, `${folder}/skills/${first}`),
  ];
}

function moduleFile(name: string): string {
  return `# The module: its code is the first part of the names of its items.
code: ${name}
name: "${formatTitle(name)}"
description: "What this module is for"
# Questions of the installer become configuration:
# plot:
#   prompt: "Where should its documents go?"
#   default: "{output_folder}/${name}"
#   result: "{project-root}/{value}"
`;
}

function compiledFiles(plan: NewPlan): StartFiles {
  const { kind, name, folder } = plan;
  if (kind === "agent") return [compiledAgent(plan)];
  if (kind === "workflow") return compiledWorkflow(name, folder);
  return [
    [`${folder}/module.yaml`, moduleFile(name)],
    ...compiledWorkflow(`${name}-start`, folder),
    compiledAgent(plan, `${name}-start`),
  ];
}

function compiledAgent({ name, module, folder }: NewPlan, workflow?: string): StartFiles[number] {
  const title = formatTitle(name);
  const item = workflow === undefined ? "" : `    - trigger: start
      exec: "{project-root}/${folder}/workflows/${workflow}/workflow.md"
      description: "Start ${formatTitle(workflow)}"
`;
  const text = `# The source of an agent. BMAD's installer compiles it; this server serves it compiled.
agent:
  metadata:
    id: "${folder}/agents/${name}.md"
    name: "${title.split(" ")[0]}"
    title: "${title}"
    icon: "🤖"
    module: ${module}

  persona:
    role: "${ROLE}."
    identity: "${IDENTITY}."
    communication_style: "Short and friendly."
    principles:
      - "Ask before assuming."

  # Texts that menu items can start by their id.
  prompts:
    - id: hello
      content: |
        Say in three sentences what you can do for the user.

  # Each item has a trigger of its own, a description, and a target: exec, workflow or action.
  menu:
${item}    - trigger: hello
      action: "#hello"
      description: "Say what this agent can do"
`;
  return [`${folder}/agents/${name}.agent.yaml`, text];
}

function compiledWorkflow(name: string, folder: string): StartFiles {
  const title = formatTitle(name);
  const path = `${folder}/workflows/${name}`;
  return [
    [`${path}/steps/step-01-start.md`, firstStep(title)],
    [
      `${path}/workflow.md`,
      `${frontMatter(name, title, "When a model should follow it.", '"')}\n${workflowText()}`,
    ],
  ];
}

function v4Files({ kind, name, folder }: NewPlan): StartFiles {
  const title = formatTitle(name);
  if (kind === "agent") return [[`${folder}/agents/${name}.md`, v4Agent(name)]];
  if (kind === "workflow") {
    return [[
      `${folder}/workflows/${name}.yaml`,
      `# A sequence of documents: who creates what, and from what.
workflow:
  id: ${name}
  name: ${title}
  description: >-
    ${title}. Say here for which projects it is.
  type: greenfield
  sequence:
    - agent: analyst
      creates: project-brief.md
      notes: "Say what matters in this step."
`,
    ]];
  }
  return [
    [
      `${folder}/config.yaml`,
      `# An expansion pack.
name: ${folder.slice(1)}
version: 0.1.0
short-title: ${title}
description: What this pack is for
slashPrefix: ${name}
`,
    ],
    [
      `${folder}/tasks/${name}-start.md`,
      firstStep(title).replace("# Step 1: Start", `# ${title}: Start`),
    ],
    [`${folder}/agents/${name}.md`, v4Agent(name, `${name}-start.md`)],
  ];
}

function v4Agent(name: string, task?: string): string {
  const title = formatTitle(name);
  const [command, dependencies] = task === undefined
    ? ["", "dependencies: {}"]
    : [`  - start: Follow the task ${task}\n`, `dependencies:\n  tasks:\n    - ${task}`];
  return `# ${name}

Everything about this agent is in the YAML block. Read it, become the agent, and wait for the user.

\`\`\`yaml
activation-instructions:
  - Take on the persona below, and stay in it until the user says exit.
  - Greet the user with your name and role, and show the commands as a numbered list.
  - Open a dependency only when a command needs it.
agent:
  name: ${title.split(" ")[0]}
  id: ${name}
  title: ${title}
  icon: 🤖
  whenToUse: Use when the user asks for ${title}
  customization: null
persona:
  role: ${ROLE}
  style: Short and friendly
  identity: ${IDENTITY}
  focus: What the user asked for
  core_principles:
    - Ask before assuming
# All commands begin with * when they are used.
commands:
  - help: Show these commands
${command}  - exit: Leave the persona
${dependencies}
\`\`\`
`;
}

function recordFiles(plan: NewPlan): StartFiles {
  const { module, folder, written } = plan;
  const { id, kind } = firstSkill(plan);
  const skill = skillFiles(kind, id, `${folder}/${id}`);
  const about = `[bmod]
code = "${module}"
${VERSION}# The ids of the module's skills, which lie beside this folder.
skills = ["${id}"]
`;
  if (written.length === 1) {
    return [[`${folder}/${id}/bmod.toml`, `# A module of one skill.\n${about}\n[skill]\n`], ...skill];
  }
  const record = `${folder}/bmod-${module}`;
  const title = formatTitle(module);
  return [
    [
      `${record}/help/help.md`,
      `# ${title}\n\n<!-- When to use which skill of this module, for people and models. -->\n\n- ${id}: ${
        formatTitle(id)
      }\n`,
    ],
    [
      `${record}/SKILL.md`,
      `---\nname: bmod-${module}\ndescription: Record of the module ${module}. Not a skill to run.\n---\n\nThis folder describes a module. There is nothing to do here.\n`,
    ],
    [`${record}/bmod.toml`, `# The record of a module.\n${about}`],
    [
      `${folder}/${id}/bmod.toml`,
      `[skill]\n# The folder of the module's record, and where it can be fetched.\nbmod = "bmod-${module}"\nsource = "file:."\n`,
    ],
    ...skill,
  ];
}
