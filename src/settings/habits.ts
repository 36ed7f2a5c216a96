/** Words and flags of other programs. Names of our own commands win: they are never in the table. */
import { failInput } from "../base/errors.ts";
import { suggest, suggestionOf } from "../base/suggestions.ts";
import { shorten } from "../base/text.ts";
import { COMMAND_NAMES, type CommandName, isCommand } from "../operations/mod.ts";

/**
 * What is meant (`…` are the words that follow, behind `=` as one; STORY is a story, NAME the next word), or what to
 * say instead.
 */
type Habit = string | { readonly say: string };

const MEANINGS: readonly (readonly [meant: Habit, words: string])[] = [
  // The program's name, once more.
  ["…", "bmad-mcp, bmad"],
  ["list …", "ls, list all"],
  ["list agents …", "agents, agents list"],
  ["list workflows …", "workflows"],
  ["list skills …", "skills"],
  ["list tasks …", "tasks"],
  ["list tools …", "tools"],
  ["list templates …", "templates"],
  ["list checklists …", "checklists"],
  ["show …", "read, cat, view, info, describe"],
  ["search …", "find, grep"],
  ["execute create-story --message=…", "create story, new story"],
  ["execute …", "run, exec, invoke"],
  ["execute NAME --message=…", "talk, talk to, chat, chat with"],
  ["board STORY …", "STORY, show STORY, open STORY"],
  [
    "board …",
    "status, stories, story, epics, sprint, kanban, list stories, list epics, show board, task list",
  ],
  ["next …", "todo, next story, next step, what is next, what next, what now"],
  ["mark STORY done …", "done STORY, finish STORY, close STORY"],
  ["mark STORY in-progress …", "start STORY, begin STORY"],
  [{ say: "Which story? `bmad-mcp board` lists them, `bmad-mcp mark STORY done` marks one" }, "done"],
  ["claim …", "take"],
  ["answer …", "questions, decide"],
  ["log …", "logs, history"],
  ["memory remember …", "remember"],
  ["memory recall …", "recall"],
  ["memory forget …", "forget"],
  ["serve --http 8080 …", "web, ui, gui, open, dashboard, browser, http"],
  ["serve …", "server"],
  [{
    say: "To see what is next: bmad-mcp next. To begin a story: bmad-mcp mark STORY in-progress. " +
      "To serve: bmad-mcp serve",
  }, "start"],
  [
    { say: "Nothing keeps running: Ctrl-C stops a server, and a client stops its own" },
    "stop, quit, exit",
  ],
  ["install --all …", "install all"],
  ["uninstall --all …", "uninstall all"],
  ["install …", "setup, connect"],
  [{
    say: "Nothing has to be created first. To use it in a client: bmad-mcp install. " +
      "To look around: bmad-mcp list",
  }, "init"],
  ["doctor …", "health, diagnose, test"],
  ["config …", "settings"],
  ["config set …", "set"],
  ["config get …", "get"],
  ["new …", "create, generate"],
  ["validate …", "lint"],
  [{
    say: "To remove a source: bmad-mcp remove SOURCE. To remove a client's entry: bmad-mcp uninstall CLIENT",
  }, "delete, rm"],
  ["licenses …", "license, licence"],
  ["help", "help me, ?, /?"],
  ["help all", "help commands, help settings"],
  ["help …", "usage"],
];

export function habits(): Readonly<Record<string, Habit>> {
  return Object.fromEntries(
    MEANINGS.flatMap(([meant, words]) => words.split(", ").map((word) => [word, meant])),
  );
}

const FLAGS: Readonly<Record<string, string>> = {
  "-p": "--project",
  "--port": "--http",
  "--help": "--help",
  "-help": "--help",
  "-?": "--help",
  "--?": "--help",
  "--version": "--version",
  "--verbose": "--log-level=debug",
  "-version": "--version",
};

export function flagMeant(flag: string): string {
  const known = flag.toLowerCase();
  return Object.hasOwn(FLAGS, known) ? FLAGS[known]! : flag;
}

/** With or without its project. */
const STORY = /^(?:.{1,200}:)?(?:epic-\d+|\d+[-.]\d+(?:-[^\s:/.]+)?|spec-[^\s:/]+\/\d+)$/i;

const LONGEST = 3;

function findHabit(words: readonly string[]) {
  const known = habits();
  const first = words.slice(0, LONGEST).map((word) => word.toLowerCase());
  for (let length = first.length; length > 0; length--) {
    const story = words.slice(0, length).find((word) => STORY.test(word));
    const key = first.slice(0, length).map((word) => STORY.test(word) ? "STORY" : word).join(" ");
    if (Object.hasOwn(known, key)) return { length, habit: known[key]!, story };
  }
  return undefined;
}

/** `at` are the places of words that are neither flags nor their values. Fails if a habit only has words. */
export function withoutHabit(args: readonly string[], at: readonly number[]): readonly string[] {
  const found = findHabit(at.map((place) => args[place]!));
  if (found === undefined) return args;
  const { habit, length, story } = found;
  if (typeof habit !== "string") return failInput(habit.say);
  const meant = habit.split(" ").map((word) => word === "STORY" ? story! : word);
  const gone = new Set(meant.at(-1) === "…" ? at.slice(0, length) : at);
  const others = at.slice(length).map((place) => args[place]!);
  const named = meant.includes("NAME") ? others.splice(0, 1) : [];
  const rest = others.join(" ");
  const words = meant.flatMap((word) =>
    word === "NAME"
      ? named
      : !word.endsWith("…")
      ? [word]
      : word === "…" || rest === ""
      ? []
      : [word.replace("…", () => rest)]
  );
  return args.flatMap((arg, place) => place === at[0] ? words : gone.has(place) ? [] : [arg]);
}

export function commandNamed(word: string | undefined): CommandName | undefined {
  if (word === undefined) return undefined;
  const known = habits();
  const habit = Object.hasOwn(known, word) ? known[word] : undefined;
  return [word, typeof habit === "string" ? habit.split(" ")[0] : undefined].find(isCommand);
}

export function suggestCommands(word: string): readonly string[] {
  const others = Object.entries(habits()).flatMap(([key, habit]) => {
    const label = typeof habit === "string" ? habit.replace(/(?: NAME)?(?: --\w+=| )?…$/, "") : "";
    return label === "" || /[ A-Z]/.test(key) ? [] : [{ label, spelling: key }];
  });
  const all = [...COMMAND_NAMES.map((name) => ({ label: name, spelling: name })), ...others];
  const typed = word.toLowerCase();
  const near = all.filter(({ spelling }) => !isOther(typed, spelling));
  return suggest(typed, near.map(({ label, spelling }) => ({ label, spellings: [spelling] })));
}

const MAX_WORD = 60;

export function failUnknownCommand(word: string, what = "command or folder"): never {
  const hint = suggestionOf(suggestCommands(word).slice(0, 1)) ??
    "Commands: bmad-mcp --help. Agents: bmad-mcp list agents";
  return failInput(`Unknown ${what} "${shorten(word, MAX_WORD)}"`, hint);
}

/** Mary is not mark, but lsit is list. */
function isOther(a: string, b: string): boolean {
  const letters = (word: string) => word.split("").sort().join("");
  return a.length < 5 && a.length === b.length && letters(a) !== letters(b);
}
