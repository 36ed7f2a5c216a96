/** Can the settings file of a cloned repository widen anything? */
import assert from "node:assert/strict";
import { SETTING_KEYS, SETTINGS } from "../../src/settings/mod.ts";
import { configOf, type Told } from "../support/config.ts";
import { runHere } from "../support/program.ts";
import { SAMPLES } from "./samples.ts";
import { treeTest, withTree } from "../support/trees.ts";

const PROJECT = "/home/ann/shop";
const USER_FILE = "/home/ann/.config/bmad-mcp/config.toml";
const PROJECT_FILE = `${PROJECT}/.bmad-mcp.toml`;

const told = ({ own = "", theirs = "", ...rest }: Told & { own?: string; theirs?: string }) =>
  configOf({ ...rest, files: { [USER_FILE]: own, [PROJECT_FILE]: theirs } });

interface Row {
  readonly own?: string;
  readonly narrow?: readonly (readonly [text: string, value: unknown])[];
  readonly widen: readonly string[];
}

const each = (keys: string, row: Row) => Object.fromEntries(keys.split(" ").map((key) => [key, row]));

/** For each setting: what the user has, what narrows it, and what would widen it, as written in files. */
const ROWS: Readonly<Record<string, Row>> = {
  project: { widen: ['"/"', '"/home/ann"', '"sub"'] },
  paths: {
    own: '["/srv/team"]',
    narrow: [['["bmad"]', [`${PROJECT}/bmad`]], ["[]", []]],
    widen: [
      '["/etc"]',
      '["../other"]',
      '["bmad", "/srv/team/../x"]',
      '["git+https://example.org/x.git"]',
      '["~/x"]',
    ],
  },
  projects: {
    own: '["/srv/team"]',
    narrow: [['["packages/api"]', [`${PROJECT}/packages/api`]]],
    widen: ['["/etc"]', '["../other"]', '["packages/api", "~/x"]'],
  },
  roots: { widen: ['"/srv"'] },
  sources: { own: '["/srv/team"]', widen: ["[]", '["bmad"]', '["npm:bmad-ops"]', '["/etc"]'] },
  mode: { own: '"local"', narrow: [['"local"', "local"]], widen: ['"auto"', '"user"', '"strict"'] },
  pack: { own: '"none"', narrow: [['"none"', "none"]], widen: ['"latest"', '"v4"'] },
  toolsets: {
    own: '["bmad", "workflows"]',
    narrow: [['["bmad"]', ["bmad"]]],
    widen: ['"all"', '["memory"]', '["bmad", "runs"]', '["agents"]'],
  },
  tools: { own: '["a", "b"]', narrow: [['["b"]', ["b"]]], widen: ['["c"]', '["remember_structured"]'] },
  excludeTools: { own: '["a"]', narrow: [['["b"]', ["a", "b"]], ["[]", ["a"]]], widen: [] },
  rememberUsage: { own: "false", narrow: [["false", false]], widen: ["true"] },
  logLevel: { own: '"warn"', widen: ['"debug"', '"error"'] },
  logFormat: { own: '"text"', widen: ['"json"'] },
  logFile: { widen: ['"x.log"', '"/home/ann/.bashrc"'] },
  trusted: { widen: ['["."]', '["/"]'] },
  http: { widen: ['"8080"'] },
  ...each("execTimeout claimTime gitTimeout", { own: "100", narrow: [["50", 50]], widen: ["101"] }),
  ...each("maxResult maxFile gitMaxSize", { own: "4096", narrow: [["2048", 2_048]], widen: ["4097"] }),
  ...each("maxFiles", { own: "10", narrow: [["9", 9]], widen: ["11"] }),
  ...each("readOnly noSampling offline", { own: "true", narrow: [["true", true]], widen: ["false"] }),
  ...each("allowExec allowGit noColor quiet", { widen: ["true"] }),
  ...each("sandbox embedder", { widen: ["false"] }),
};

/** Whatever has no row here is only for the user: any value would widen it. */
const TABLE: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(Object.entries(SAMPLES).map(([key, { text }]) => [key, { widen: [text] }])),
  ...ROWS,
};

Deno.test("every setting has its row in this table [rights:only-narrow]", () => {
  assert.deepEqual(SETTING_KEYS.filter((key) => !Object.hasOwn(TABLE, key)), []);
  for (const key of SETTING_KEYS) {
    assert.equal(TABLE[key]!.narrow !== undefined, SETTINGS[key].narrow !== undefined, key);
  }
});

Deno.test("what narrows the user's own value counts [rights:only-narrow]", () => {
  for (const key of SETTING_KEYS) {
    const { own, narrow = [] } = TABLE[key]!;
    for (const [text, value] of narrow) {
      const files = { own: `${key} = ${own}\n`, theirs: `\n${key} = ${text}\n` };
      const { settings, ignored, provenance } = told(files);
      assert.deepEqual(settings[key], value, `${key} = ${text}`);
      assert.deepEqual([ignored, provenance[key]], [[], `${PROJECT_FILE}:2`], key);
    }
  }
});

Deno.test(
  "what would widen a user's value is ignored [rights:only-narrow, rights:project-file-inside]",
  () => {
    for (const key of SETTING_KEYS) {
      const { own, widen } = TABLE[key]!;
      const mine = own === undefined ? "" : `${key} = ${own}\n`;
      const before = told({ own: mine });
      for (const text of widen) {
        const after = told({ own: mine, theirs: `# theirs\n${key} = ${text}\n` });
        assert.deepEqual(after.settings, before.settings, `${key} = ${text}`);
        assert.deepEqual(after.rights, before.rights, `${key} = ${text}`);
        assert.deepEqual(after.project, before.project);
        assert.deepEqual(after.ignored.map(({ setting, source }) => [setting, source]), [
          [key, `${PROJECT_FILE}:2`],
        ]);
        assert.ok(after.ignored[0]!.reason.length > 10);
      }
    }
  },
);

Deno.test("defaults are the user's own words where nothing else is said [rights:only-narrow]", () => {
  const theirs =
    'toolsets = "all"\ntools = ["remember_structured"]\nmaxResult = 1048576\nrememberUsage = true\n';
  const { settings, ignored } = told({ theirs });
  assert.deepEqual(settings, told({}).settings);
  const keys = ["toolsets", "tools", "rememberUsage", "maxResult"];
  assert.deepEqual(ignored.map(({ setting }) => setting), keys);
});

Deno.test("a trusted project's file counts like the user's own [rights:only-narrow]", () => {
  const trusted = `trusted = ["/home/ann/other", "${PROJECT}"]\n`;
  for (const key of SETTING_KEYS.filter((key) => key !== "trusted")) {
    const { own, widen } = TABLE[key]!;
    const mine = `${trusted}${own === undefined ? "" : `${key} = ${own}\n`}`;
    // Some make sense only in pairs, and the limits of HTTP have bounds of their own.
    const isSkipped = /^(?:tls|embeddingsUrl|http[A-Z]|noToken)/.test(key);
    for (const text of isSkipped ? [] : widen) {
      const { provenance, ignored } = told({ own: mine, theirs: `${key} = ${text}\n` });
      if (SETTINGS[key].files === "none") assert.equal(ignored[0]?.needsTrust, false, key);
      else assert.equal(provenance[key], `${PROJECT_FILE}:1`, `${key} = ${text}`);
    }
  }
  const { origins } = told({ own: trusted, theirs: 'paths = ["/srv/team"]' });
  assert.ok(origins.some(({ origin }) => origin.location === "/srv/team"));
  const { settings } = told({
    own: `${trusted}sources = ["/srv/a", "npm:b"]`,
    theirs: 'sources = ["npm:b", "./c"]',
  });
  assert.deepEqual(settings.sources, ["npm:b", `${PROJECT}/c`, "/srv/a"]);
});

Deno.test("trust is for exactly one folder, under its real name [rights:only-narrow]", () => {
  const links: Record<string, string> = { "/home/ann/link": PROJECT };
  const findFolder = (path: string) => links[path] ?? path;
  const isTrusted = (trusted: string, cwd = PROJECT) =>
    told({
      own: `trusted = [${trusted}]`,
      cwd,
      findFolder,
      readSettings: (path) =>
        path === USER_FILE
          ? `trusted = [${trusted}]`
          : path.endsWith(".bmad-mcp.toml")
          ? "maxFiles = 60000"
          : "",
    }).settings.maxFiles === 60_000;
  assert.equal(isTrusted(`"${PROJECT}"`), true);
  assert.equal(isTrusted(`"${PROJECT}/"`), true);
  assert.equal(isTrusted('"~/shop"'), true);
  assert.equal(isTrusted('"/home/ann/link"'), true);
  assert.equal(isTrusted(`"${PROJECT}"`, "/home/ann/link"), true);
  for (const folder of ["/home/ann", "/", `${PROJECT}/sub`, "/home/ann/shop2", "/home/ann/Shop", ""]) {
    assert.equal(isTrusted(`"${folder}"`), false, folder);
  }
  assert.equal(isTrusted(`"${PROJECT}"`, `${PROJECT}/nested`), false);
});

const NARROWING_KEYS = SETTING_KEYS.filter((key) => SETTINGS[key].narrow !== undefined).join(", ");

/** Mistakes in a project's file after `maxFiles = 9`: the setting, its place and the reason. */
const MISTAKES:
  readonly (readonly [text: string, setting: string | undefined, at: string, reason: string])[] = [
    ["mode: local", undefined, ":2:1", 'expected key = "value"'],
    [
      "mode = local",
      undefined,
      ":2:8",
      "expected a quoted string, a whole number, true, false or an array of strings",
    ],
    ["maxFiles = 8", undefined, ":2:1", "duplicate key maxFiles"],
    ['pack = "a\u0000"', undefined, ":2:10", "unexpected control character"],
    ['mod = "local"', "mod", ":2", "unknown setting. Did you mean mode?"],
    ["max-result = 2048", "max-result", ":2", "unknown setting. Did you mean maxResult?"],
    ['constructor = "x"', "constructor", ":2", `unknown setting. Expected one of ${NARROWING_KEYS}`],
    ['mode = "lokal"', "mode", ":2", "expected one of auto, local, user, strict"],
    ["mode = true", "mode", ":2", "expected one of auto, local, user, strict"],
    ["maxResult = 5", "maxResult", ":2", "expected a whole number from 1024 to 1048576"],
    ['readOnly = "perhaps"', "readOnly", ":2", "expected true or false"],
  ];

Deno.test("every command ignores a mistake aloud [rights:project-faults-ignored]", () => {
  for (const [text, setting, at, reason] of MISTAKES) {
    for (const args of [[], ["doctor"], ["--max-result", "2048"]]) {
      const { settings, ignored, faults } = told({ args, theirs: `maxFiles = 9\n${text}\n` });
      const fault = { source: `${PROJECT_FILE}${at}`, reason, needsTrust: false, isInvalid: true };
      const isOverruled = setting === "maxResult" && args.length > 1;
      assert.deepEqual(
        ignored,
        isOverruled ? [] : [setting === undefined ? fault : { setting, ...fault }],
        text,
      );
      assert.deepEqual(faults, [], text);
      // Without its syntax a file says nothing; any other mistake affects only its line.
      const expected = told({ args, theirs: setting === undefined ? "" : "maxFiles = 9\n" });
      assert.deepEqual([settings, expected.rights], [expected.settings, expected.rights], text);
    }
  }
  const unreadable = told({
    readSettings: (path) => {
      if (path === PROJECT_FILE) throw new Error("not a plain file");
      return undefined;
    },
  });
  assert.deepEqual(unreadable.ignored, [
    { source: PROJECT_FILE, reason: "not a plain file", needsTrust: false, isInvalid: true },
  ]);
});

Deno.test("own and trusted files stay strict [rights:project-faults-ignored]", () => {
  for (const [text] of MISTAKES) {
    const file = `maxFiles = 9\n${text}\n`;
    for (const given of [{ own: file }, { own: `trusted = ["${PROJECT}"]\n`, theirs: file }]) {
      assert.throws(() => told(given), { name: "BmadError" }, text);
      const { ignored, faults } = told({ ...given, args: ["doctor"] });
      assert.deepEqual([ignored, faults.length], [[], 1], text);
    }
  }
});

Deno.test("flags and variables are the user's own words [rights:only-narrow]", () => {
  const theirs = "maxResult = 2048\nreadOnly = true\n";
  const { settings } = told({
    theirs,
    args: ["--max-result", "40000"],
    env: { BMAD_READ_ONLY: "false" },
  });
  assert.deepEqual([settings.maxResult, settings.readOnly], [40_000, false]);
});

Deno.test("doctor, config and the log say what is ignored and how to allow it [rights:only-narrow]", () =>
  withTree({ ".bmad-mcp.toml": '\ntoolsets = "all"\nallowExec = true\n' }, async (cwd) => {
    const file = `${cwd}/.bmad-mcp.toml`;
    const doctor = JSON.parse((await runHere(["doctor", "--json"], { cwd })).stdout);
    const problems = doctor.problems.filter(({ code }: { code: string }) => code === "widening");
    assert.deepEqual(problems.map(({ message, fix }: Record<string, string>) => [message, fix]), [
      [
        `Ignored toolsets in ${file}:2: it would widen your own settings`,
        `Remove it, or trust the project: bmad-mcp config trust ${cwd}`,
      ],
      [`Ignored allowExec in ${file}:3: no settings file can set it`, "Remove it"],
    ]);
    const config = await runHere(["config"], { cwd });
    assert.match(
      config.stderr,
      /^Ignored toolsets in .*:2: it would widen your own settings\. Remove it, or/m,
    );
    assert.match((await runHere(["list", "agents"], { cwd })).stderr, /warn: Ignored toolsets in /);
    const { ignored } = JSON.parse((await runHere(["config", "--json"], { cwd })).stdout);
    assert.deepEqual(ignored.map(({ setting }: { setting: string }) => setting), ["toolsets", "allowExec"]);
  }));

treeTest("a server starts all the same, and says so [rights:project-faults-ignored]", {
  "syntax/.bmad-mcp.toml": "\nmode: local\n",
  "key/.bmad-mcp.toml": 'mod = "local"\n',
  "value/.bmad-mcp.toml": 'mode = "lokal"\n',
  "tool/.bmad-mcp.toml": 'excludeTools = ["bmadd"]\n',
  "folder/.bmad-mcp.toml/x": "",
}, async (dir) => {
  const fixes: Record<string, readonly [string, RegExp]> = {
    syntax: ["line 2", /:2:1: expected key = "value"$/],
    key: ["line 1", /^Ignored mod in .*:1: unknown setting\. Did you mean mode\?$/],
    value: ["line 1", /^Ignored mode in .*:1: expected one of auto, /],
    tool: ["line 1", /^Ignored excludeTools in .*:1: "bmadd" in it is unknown: expected one of bmad, /],
    folder: ["", /\/folder\/\.bmad-mcp\.toml: not a plain file$/],
  };
  for (const [folder, [line, problem]] of Object.entries(fixes)) {
    const cwd = `${dir}/${folder}`;
    const file = `${cwd}/.bmad-mcp.toml`;
    const fix = line === ""
      ? `Make ${file} a readable file, or remove it`
      : `Correct or remove ${line} of ${file}`;
    const served = await runHere(["serve"], { cwd });
    assert.deepEqual([served.code, served.stdout], [0, ""], folder);
    assert.match(served.stderr, new RegExp(`^bmad-mcp warn: Ignored .*${file}`, "m"));
    assert.ok(served.stderr.includes(` ${fix}\n`), served.stderr);
    const doctor = await runHere(["doctor", "--json"], { cwd });
    const { problems } = JSON.parse(doctor.stdout);
    assert.deepEqual([doctor.code, problems.length], [1, 1], doctor.stdout);
    assert.match(problems[0].message, problem);
    assert.equal(problems[0].fix, fix);
    // Which tools exist is known once content is read.
    if (folder === "tool") continue;
    const config = await runHere(["config"], { cwd });
    assert.equal(config.code, 0);
    assert.ok(config.stderr.includes(` ${fix}\n`), config.stderr);
  }
});
