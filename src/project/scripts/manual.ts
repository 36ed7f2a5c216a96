/**
 * What each script and each of its options is for: help, and the list of scripts, are made of it.
 *
 * An option of one name means the same in all commands of a script.
 */

/** What a script is for. */
export interface Manual {
  /** A short phrase. */
  readonly about: string;
  /** What each command does. */
  readonly commands?: Readonly<Record<string, string>>;
  /** Options and other arguments by their first name. */
  readonly args: Readonly<Record<string, string>>;
  /** Arguments of usual calls, one for each command. */
  readonly examples: readonly string[];
  /** What of the script is not native. */
  readonly notNative?: string;
}

const PROJECT_ROOT = "The folder that holds _bmad";
const LEDGER = "The sprint's status file";
const FILE = "The document, or - for stdin";
const DATE = "Today's date, YYYY-MM-DD";
const CATALOGUE: Manual["args"] = {
  "--file": "The catalogue; default: that of the skill",
  "--json": "Print JSON instead of lines with tabs",
  "--category": "Only this category; repeatable",
  "--all": "The whole catalogue",
  "-n": "How many; default: 1",
};
const CATALOGUE_COMMANDS: Readonly<Record<string, string>> = {
  categories: "Count the entries of each category",
  list: "List the entries of some categories",
  show: "Print whole entries by name",
  random: "Draw entries at random",
};
const REPORT = "Write the JSON to this file instead of printing it";

/** One row for each script. */
export const MANUALS: Readonly<Record<string, Manual>> = {
  "memlog.py": {
    about: "Keeps the log of a piece of work, .memlog.md",
    commands: {
      init: "Create the log",
      append: "Add an entry at the end",
      set: "Set a field of the front matter",
    },
    args: {
      "--workspace": "The folder of the work; the log is .memlog.md in it",
      "--path": "The log itself",
      "--field": "A field of the front matter, KEY=VALUE; repeatable",
      "--text": "The entry; it becomes one line",
      "--type": "What kind of entry it is: idea, decision, event …",
      "--by": "Whom the entry comes from",
      "--key": "The field's name",
      "--value": "The field's new value",
    },
    examples: [
      "init --workspace DIR --field topic=TOPIC",
      "append --workspace DIR --type decision --text TEXT",
      "set --workspace DIR --key goal --value TEXT",
    ],
  },
  "sprint_plan.py": {
    about: "Makes, merges and checks sprint-status.yaml; prints JSON",
    commands: {
      generate: "Write the ledger from the epics, and keep what it has",
      status: "Count the statuses, find risks and recommend the next step",
      validate: "Check the keys and statuses",
    },
    args: {
      "--epic-file": "A document with epics and stories; repeatable",
      "--status-file": LEDGER,
      "--stories-dir": "The folder of the story files",
      "--project": "The project's name",
      "--date": DATE,
      "--project-key": "The project's key in the tracker",
      "--tracking-system": "Where the work is tracked",
      "--story-location": "What the ledger says about the folder of the stories",
      "--dry-run": "Print the outcome and write nothing",
      "--fresh": "Forget the statuses of the ledger",
      "--set": "A status to set, KEY=STATUS, also back; repeatable",
      "--stale-days": "After how many days without a change work is stale",
    },
    examples: [
      "generate --epic-file EPICS --status-file FILE --stories-dir DIR --project NAME --date DATE",
      "status --status-file FILE",
      "validate --status-file FILE",
    ],
  },
  "sprint_status.py": {
    about: "Finds the epic of a retrospective and records its outcome in sprint-status.yaml; prints JSON",
    commands: {
      "detect-epic": "Find the epic to look back on",
      update: "Record the outcome of a retrospective",
    },
    args: {
      "--file": LEDGER,
      "--epic": "The epic's number",
      "--set-retro-done": "Mark the retrospective as done",
      "--add-action": "An action item to add, as JSON",
      "--set-action-status": "The new status of an action item, as JSON",
      "--ref": "The document of the retrospective",
      "--verdict": "accepted, accepted-with-open-items or rejected",
      "--date": DATE,
    },
    examples: ["detect-epic --file FILE", "update --file FILE --epic 1 --set-retro-done --verdict accepted"],
  },
  "git_evidence.py": {
    about: "Counts the changes in a range of commits; prints JSON",
    args: {
      "--repo": "The repository; default: the project",
      "--range": "The commits, REV..REV",
      "--stories": "Stories to look for in the messages, comma-separated",
    },
    examples: ["--range REV..REV"],
  },
  "resolve_config.py": {
    about: "Prints the configuration of all modules as JSON",
    args: { "--project-root": PROJECT_ROOT, "--key": "Only the value at this dotted key; repeatable" },
    examples: ["--project-root {project-root} --key core"],
  },
  "resolve_customization.py": {
    about: "Prints a skill's customization as JSON: its own, the team's and the user's",
    args: {
      "--skill": "The skill's folder or name",
      "--project-root": PROJECT_ROOT,
      "--key": "Only the value at this dotted key; repeatable",
    },
    examples: ["--skill SKILL --key workflow"],
  },
  "render_skill.py": {
    about: "Renders a skill's workflow and names the resource to follow",
    args: { "--project-root": PROJECT_ROOT, "--skill": "The skill's folder or name" },
    examples: ["--project-root {project-root} --skill SKILL"],
    notNative: "with --set or --overrides",
  },
  "resolve_party.py": {
    about: "Prints the party to start with, and its members, as JSON",
    args: {
      "--project-root": PROJECT_ROOT,
      "--skill": "The folder of bmad-party-mode",
      "--party": "Another party, by its id",
      "--list-groups": "Only the names of all parties",
    },
    examples: ["--project-root {project-root} --skill bmad-party-mode"],
  },
  "resolve_personas.py": {
    about: "Prints agents, personas and parties as JSON",
    args: { "--project-root": PROJECT_ROOT, "--skill": "The folder of bmad-forge-idea" },
    examples: ["--project-root {project-root} --skill bmad-forge-idea"],
  },
  "knowledge.py": {
    about: "Lists the help documents of flat skills as JSON",
    args: { "--root": "A folder of skills; repeatable", "--content": "With the documents themselves" },
    examples: ["--root DIR"],
  },
  "roster.py": {
    about: "Prints the agents and parties of flat skills as JSON",
    args: {
      "--skill": "A skill's folder",
      "--root": "A folder of skills; repeatable",
      "--project-root": PROJECT_ROOT,
    },
    examples: ["--skill DIR"],
  },
  "tickets.py": {
    about: "Reads and changes the tree of tickets; prints JSON",
    commands: {
      next: "The tickets to do now",
      status: "How far all tickets are",
      find: "One ticket, with what it blocks",
      pull: "Make the file of a ticket",
      mark: "Set a ticket's status",
    },
    args: {
      "--project-root": PROJECT_ROOT,
      words: "The initiative, the ticket and, for mark, the status; the initiative can be left out",
      "--synced": "The tracker was read just now",
      "--assignee": "Who works on it",
      "--blocked": "Why it cannot go on",
    },
    examples: ["next", "status", "find TICKET", "pull EPIC TICKET", "mark TICKET done"],
    notNative: "mirror",
  },
  "pick_methods.py": {
    about: "Serves the methods of elicitation",
    commands: CATALOGUE_COMMANDS,
    args: {
      ...CATALOGUE,
      "--extra": "Further methods: a JSON list, or a file with one",
      names: "Names or numbers",
      "--exclude": "Not this method; repeatable",
      "--spread": "From as many categories as possible",
    },
    examples: ["categories", "list --category NAME", "show NAME", "random -n 5 --spread"],
  },
  "brain.py": {
    about: "Serves the techniques of brainstorming",
    commands: { ...CATALOGUE_COMMANDS, html: "Write a page to choose from" },
    args: {
      ...CATALOGUE,
      "--extra": "A JSON file with further techniques",
      names: "Names",
      "--out": "The file of the page",
    },
    examples: ["categories", "list --category NAME", "show NAME", "random -n 3", "html --out FILE"],
  },
  "recon_kit.py": {
    about: "Checks and counts for research; prints JSON. Status 1 means findings",
    commands: {
      citations: "Compare the markers [n] with the table of sources",
      tally: "Count the entries of a log by type, and claims by status",
      staleness: "Work out when claims have to be checked again",
      slug: "Make the name of the folder for a topic",
      "escape-sources": "Print the table of sources as safe HTML",
    },
    args: {
      file: FILE,
      topic: "The topic",
      "--windows": "Months per class of claims, as JSON",
      "--today": DATE,
      "--type": "What kind of research it is",
      "--pattern": "The pattern of the name",
      "--date": DATE,
    },
    examples: [
      "citations FILE",
      "tally FILE",
      `staleness FILE --windows '{"pricing":3}'`,
      "slug TOPIC --type TYPE",
      "escape-sources FILE",
    ],
  },
  "lint_spine.py": {
    about: "Checks the spine of an architecture; prints JSON",
    args: { "--workspace": "The folder with ARCHITECTURE-SPINE.md", "-o": REPORT },
    examples: ["--workspace DIR"],
  },
  "word_metrics.py": {
    about: "Counts words by section; prints JSON",
    args: { path: "The document", "-o": REPORT },
    examples: ["FILE"],
  },
  "list_customizable_skills.py": {
    about: "Lists what can be customized, as JSON",
    args: {
      "--project-root": PROJECT_ROOT,
      "--skills-root": "A folder of skills; default: all that are served",
      "--extra-root": "A further folder of skills; repeatable",
    },
    examples: ["--project-root {project-root}"],
  },
};
