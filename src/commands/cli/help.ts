import {
  actionNamed,
  actionsOf,
  COMMAND_NAMES,
  type CommandName,
  describeCommand,
  GROUPS,
  type Option,
  optionsOf,
} from "../../operations/mod.ts";
import {
  commandNamed,
  failUnknownCommand,
  GIT_SETTINGS,
  HTTP_SETTINGS,
  MEMORY_SETTINGS,
  SETTING_KEYS,
  SETTINGS,
  type Settings,
  TEAM_SETTINGS,
} from "../../settings/mod.ts";
import { DENO_TASK, PRODUCT } from "../../base/model.ts";
import { LICENCES_FILE } from "../../process/host.ts";
import type { Answer, Session } from "./session.ts";
import { wrap } from "./wrap.ts";

const MAX_WIDTH = 100;
const MIN_WIDTH = 40;

export function licenses({ host }: Session): Answer {
  return { text: host.readText(`${host.contentDir}/${LICENCES_FILE}`) ?? FROM_SOURCE, data: {} };
}

const FROM_SOURCE = `The program runs from source. Its licences are in these places:
- the program: the file LICENSE in the repository
- the embedded BMAD content: the npm packages listed in bmad-embedded/packages.json
- the dependencies: the npm packages in Deno's cache

\`${DENO_TASK} bundle\` gathers them all in dist/bmad-embedded/content/licenses.txt.
`;

/** The program has no right to fetch the next version itself. */
export async function upgrade({ host }: Session): Promise<Answer> {
  const { upgradeOf } = await import("../clients/mod.ts");
  const { way, command, hint } = upgradeOf(host.launch);
  const from = `${PRODUCT.name} ${PRODUCT.version} was installed from ${way}.`;
  const lines = command === undefined ? [from] : [`${from} To upgrade, run:`, "", `  ${command}`, ""];
  return { text: [...lines, ...(hint ? [hint] : []), "Then restart your clients."].join("\n"), data: {} };
}

export function help({ host, invocation }: Session): Answer {
  return { text: renderHelp(invocation.operands, host.columns), data: {} };
}

export function renderHelp([command, action]: readonly string[], columns: number = MAX_WIDTH): string {
  const width = Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, columns));
  if (command === undefined) return overview(width);
  if (command === ALL) return wholeHelp(width);
  const name = commandNamed(command) ?? failUnknownCommand(command, "command");
  return action === undefined ? commandHelp(name, width) : actionHelp(name, action, width);
}

const ALL = "all";

const { daily = [], others = [] } = Object.groupBy(
  COMMAND_NAMES,
  (name) => describeCommand(name).daily === undefined ? "others" : "daily",
);
const COMMAND_GROUPS: readonly (readonly [heading: string, names: readonly CommandName[]])[] = [
  ["Every day", daily.toSorted((a, b) => describeCommand(a).daily! - describeCommand(b).daily!)],
  ...Object.entries(GROUPS).map(([group, rows]) =>
    [group, others.filter((name) => describeCommand(name).operation in rows)] as const
  ),
];

const usages = (names: readonly CommandName[]) =>
  names.map((name) => [describeCommand(name).usage, describeCommand(name).purpose] as const);

const heading = (width: number) => [
  ...wrap(`${PRODUCT.name} ${PRODUCT.version}: the BMAD Method for every MCP client`, width),
  "",
  ...usageLine("[COMMAND] [OPTIONS] [DIR…]", width),
];

function overview(width: number): string {
  const [first, ...groups] = COMMAND_GROUPS;
  const [daily, names] = first!;
  const left = Math.max(...groups.map(([heading]) => heading.length)) + 4;
  return [
    ...heading(width),
    "",
    `${daily}:`,
    ...table(usages(names), width, Math.max(...names.map((name) => describeCommand(name).usage.length)) + 2),
    "",
    ...groups.flatMap(([heading, names]) =>
      wrap(names.join(" "), width - left).map((line, at) =>
        (at === 0 ? `  ${heading}:` : "").padEnd(left) + line
      )
    ),
    "",
    ...wrap(`One command: bmad-mcp help COMMAND. Every command and setting: bmad-mcp help ${ALL}`, width),
    "",
  ].join("\n");
}

function wholeHelp(width: number): string {
  return [
    ...heading(width),
    ...COMMAND_GROUPS.flatMap(([heading, names]) => section(`${heading}:`, usages(names), width)),
    ...settingGroups(width),
    "",
    ...[
      "Settings files: .bmad-mcp.toml in the project, config.toml in your settings folder (see bmad-mcp config).",
      "Flags override variables, variables override the project's file, and that overrides your own.",
      "Exit codes: 0 success, 1 not found or ambiguous, 2 invalid usage or setting, 3 refused or unavailable, 70 bug, " +
      "130 Ctrl-C.",
    ].flatMap((line) => wrap(line, width)),
    "",
    "Examples:",
    ...COMMAND_NAMES.map((name) => `  ${describeCommand(name).examples[0]}`),
    "",
  ].join("\n");
}

function usageLine(usage: string, width: number): readonly string[] {
  return wrap(`Usage: bmad-mcp ${usage}`, width).map((line, at) => at === 0 ? line : `  ${line}`);
}

function commandHelp(name: CommandName, width: number): string {
  const { usage, purpose, details, examples, isStandalone } = describeCommand(name);
  const actions = Object.values(actionsOf(name));
  return page({
    usage,
    about: details === undefined ? purpose : `${purpose} ${details}`,
    sections: [
      ...section("Actions:", actions.map(({ usage, purpose }) => [usage, purpose]), width),
      ...section("Options:", optionsOf(name).map(optionLine), width),
      ...section("Most used settings:", (USED[name] ?? []).map(settingLine), width),
      ...isStandalone ? [] : settingsNote(width),
    ],
    examples,
  }, width);
}

const USED: Readonly<Partial<Record<CommandName, readonly (keyof Settings)[]>>> = {
  serve: ["http", "noToken", "project", "paths", "readOnly"],
};

function actionHelp(command: CommandName, word: string, width: number): string {
  const { usage, purpose } = actionsOf(command)[actionNamed(command, word)]!;
  return page({
    usage: `${command} ${usage}`,
    about: purpose,
    sections: [
      ...section("Options:", optionsOf(command, word).map(optionLine), width),
      ...settingsNote(width),
    ],
    examples: describeCommand(command).examples.filter((line) =>
      line.startsWith(`bmad-mcp ${command} ${word}`)
    ),
  }, width);
}

interface Page {
  readonly usage: string;
  readonly about: string;
  readonly sections: readonly string[];
  readonly examples: readonly string[];
}

function page({ usage, about, sections, examples }: Page, width: number): string {
  return [
    ...usageLine(usage, width),
    "",
    ...wrap(about, width),
    ...sections,
    ...(examples.length === 0 ? [] : ["", "Examples:", ...examples.map((example) => `  ${example}`)]),
    "",
  ].join("\n");
}

function settingsNote(width: number): readonly string[] {
  return ["", ...wrap("Settings such as --project DIR work here too; bmad-mcp help all lists them.", width)];
}

const keysOf = (table: object) => Object.keys(table) as readonly (keyof Settings)[];

/** Settings that are in none of these are listed below the last heading. */
const SETTING_GROUPS: readonly (readonly [heading: string, keys: readonly (keyof Settings)[]])[] = [
  ["Content", ["project", "paths", "roots", "mode", "pack"]],
  ["Tools", ["toolsets", "tools", "excludeTools", "readOnly", "noSampling", "rememberUsage"]],
  ["Programs that tools may run", ["allowExec", "execTimeout", "allowGit"]],
  ["Limits", ["maxResult", "maxFile", "maxFiles"]],
  ["Output", ["logLevel", "logFormat", "logFile", "noColor", "quiet"]],
  ["Git repositories", keysOf(GIT_SETTINGS)],
  ["Several at work", keysOf(TEAM_SETTINGS)],
  ["Project memory", keysOf(MEMORY_SETTINGS)],
  ["HTTP server", keysOf(HTTP_SETTINGS)],
];

function settingGroups(width: number): readonly string[] {
  const grouped = SETTING_GROUPS.flatMap(([, keys]) => keys);
  const others = SETTING_KEYS.filter((key) => !grouped.includes(key));
  return [...SETTING_GROUPS, ["Other settings", others] as const].flatMap(([heading, keys]) =>
    section(`${heading}:`, keys.map(settingLine), width)
  );
}

function optionLine({ flag, short, value, help }: Omit<Option, "key">): readonly [string, string] {
  return [`${short === undefined ? "" : `${short}, `}${flag}${value === undefined ? "" : ` ${value}`}`, help];
}

function settingLine(key: keyof typeof SETTINGS): readonly [string, string] {
  const { flag, value, help, variables } = SETTINGS[key];
  const about = variables.length === 0 ? help : `${help} [${variables.join(", ")}]`;
  if (flag !== undefined) return optionLine({ flag, value, help: about });
  return [variables.length === 0 ? `${key} (file only)` : "(variable only)", about];
}

function section(heading: string, rows: readonly (readonly [string, string])[], width: number) {
  return rows.length === 0 ? [] : ["", heading, ...table(rows, width)];
}

const NARROW = 70;

function table(rows: readonly (readonly [string, string])[], width: number, wide = 22): readonly string[] {
  const left = width < NARROW ? 4 : wide;
  const indent = " ".repeat(left + 2);
  return rows.flatMap(([name, about]) => {
    const lines = wrap(about, width - indent.length);
    if (name.length >= left) {
      return [
        ...wrap(name, width - 2).map((line) => `  ${line}`),
        ...lines.map((line) => indent + line),
      ];
    }
    return lines.map((line, i) => (i === 0 ? `  ${name.padEnd(left)}` : indent) + line);
  });
}
