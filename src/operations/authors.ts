import { choice, operation, text } from "./operation.ts";
import { force, module, moduleOfName, name, originOfName } from "./params.ts";

export const validate = operation({
  purpose: "Check a module, a skill, a BMAD root or a project that you write.",
  details:
    "Knows the formats of every generation and reports each fault with file and line. What PATH refers to may " +
    "be in the embedded packs, or in a folder given with --path. Exit status 1 means that faults were found; " +
    "known faults of BMAD's own releases do not count. See docs/authoring.md.",
  params: { path: text("What to check.", { operand: "PATH", isRequired: true }) },
  result: {
    items: [{
      rule: "text: the rule, for programs: `menu-target`",
      "path message fix known?": "text",
      "line?": "number",
    }],
    "total faults known": "number",
    checked: { "items files": "number", generations: "list of text" },
  },
  examples: ["bmad-mcp validate ~/team-bmad", "bmad-mcp validate ~/team-bmad --json"],
});

export const create = operation({
  command: "new",
  purpose: "Create a minimal agent, workflow, skill or module in the project's own BMAD root.",
  details:
    "Writes commented files in the form of the project's generation, and replaces nothing. They are served at " +
    "once and pass validate. See docs/authoring.md.",
  params: {
    kind: text("What to create.", { operand: "agent|workflow|skill|module", isRequired: true }),
    name: name("Its name."),
    module: { ...module, about: "The module to create it in. Default: local, in v4 bmad-core." },
  },
  results: {
    "new KIND NAME": {
      kind: "text: `agent`, `workflow`, `skill` or `module`",
      "name module served": "text",
      form: "text: `skills`, `compiled`, `v4`, `records` or `manifests`",
      "files changed": "list of text",
    },
  },
  examples: ["bmad-mcp new agent gardener --module garden", "bmad-mcp new module garden"],
});

export const exportItem = operation({
  command: "export",
  purpose: "Write an agent or workflow with everything it needs, for products without MCP.",
  details:
    "Its activation with the configuration resolved, every file that its texts name, and the agents and skills" +
    " that it starts: as one Markdown file for a chat (web-bundle), as a plain skill, or as a zip of that. " +
    "Prints the size and what was left out. See docs/authoring.md.",
  params: {
    name: name("The agent or workflow."),
    to: choice("The form to write", ["zip", "web-bundle", "skill"], { value: "FORM" }),
    out: text("The file or folder to write. Default: the name, in the working folder.", { value: "PATH" }),
    module: moduleOfName,
    origin: originOfName,
    force: force("Replace an earlier export."),
  },
  usage: "export NAME --to zip|web-bundle|skill",
  completes: "items",
  needs: ["copies"],
  result: {
    "name path": "text",
    form: "text: `zip`, `web-bundle` or `skill`",
    bytes: "number",
    files: "list of text",
    leftOut: [{ name: "text", why: "text: why it is missing" }],
  },
  examples: [
    "bmad-mcp export analyst --to web-bundle",
    "bmad-mcp export prd --to skill --out ~/shop/prd-skill",
  ],
});
