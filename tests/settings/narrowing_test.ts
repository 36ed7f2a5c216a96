/**
 * Can the settings file of a cloned repository widen anything?
 *
 * A table over every setting: what such a file asks for counts if it narrows the user's own value, is ignored with its
 * reason if it would widen it, and counts in any case if the user trusts the folder.
 */
import assert from "node:assert/strict";
import { SETTING_KEYS, SETTINGS, type SettingsInput } from "../../src/settings/mod.ts";
import { resolveConfig } from "../support/config.ts";
import { runCli } from "../support/program.ts";
import { verifies } from "../support/requirements.ts";
import { withTree } from "../support/trees.ts";

const PROJECT = "/home/ann/shop";
const USER_FILE = "/home/ann/.config/bmad-mcp/config.toml";
const PROJECT_FILE = `${PROJECT}/.bmad-mcp.toml`;

function configOf(
  { own = "", theirs = "", env = {}, ...rest }:
    & { own?: string; theirs?: string; env?: Record<string, string> }
    & Partial<Omit<SettingsInput, "env">>,
) {
  const files: Record<string, string> = { [USER_FILE]: own, [PROJECT_FILE]: theirs };
  return resolveConfig({
    args: [],
    cwd: PROJECT,
    home: "/home/ann",
    os: "linux",
    contentDir: "/opt/bmad-mcp/content",
    env: (name) => env[name],
    readSettings: (path) => files[path],
    ...rest,
  });
}

interface Row {
  readonly own?: string;
  readonly narrow?: readonly (readonly [text: string, value: unknown])[];
  readonly widen: readonly string[];
}

/** For each setting: what the user has, what narrows it, and what would widen it, as written in files. */
const TABLE: Readonly<Record<string, Row>> = {
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
  roots: { widen: ['"/srv"'] },
  mode: { own: '"local"', narrow: [['"local"', "local"]], widen: ['"auto"', '"user"', '"strict"'] },
  pack: { own: '"none"', narrow: [['"none"', "none"]], widen: ['"latest"', '"v4"'] },
  toolsets: {
    own: '["bmad", "workflows"]',
    narrow: [['["bmad"]', ["bmad"]]],
    widen: ['"all"', '["memory"]', '["bmad", "runs"]', '["agents"]'],
  },
  tools: { own: '["a", "b"]', narrow: [['["b"]', ["b"]]], widen: ['["c"]', '["remember_structured"]'] },
  excludeTools: { own: '["a"]', narrow: [['["b"]', ["a", "b"]], ["[]", ["a"]]], widen: [] },
  readOnly: { own: "true", narrow: [["true", true]], widen: ["false"] },
  allowExec: { widen: ["true"] },
  execTimeout: { own: "100", narrow: [["50", 50]], widen: ["101"] },
  noSampling: { own: "true", narrow: [["true", true]], widen: ["false"] },
  rememberUsage: { own: "false", narrow: [["false", false]], widen: ["true"] },
  maxResult: { own: "4096", narrow: [["2048", 2048]], widen: ["4097"] },
  maxFile: { own: "4096", narrow: [["2048", 2048]], widen: ["8192"] },
  maxFiles: { own: "10", narrow: [["9", 9]], widen: ["11"] },
  logLevel: { own: '"warn"', widen: ['"debug"', '"error"'] },
  logFile: { widen: ['"x.log"', '"/home/ann/.bashrc"'] },
  trusted: { widen: ['["."]', '["/"]'] },
  sandbox: { widen: ["false"] },
  gitCache: { widen: ['"/srv/cache"'] },
  gitTtl: { widen: ['"1d"'] },
  gitTimeout: { own: "100", narrow: [["50", 50]], widen: ["101"] },
  gitMaxSize: { own: "4096", narrow: [["2048", 2048]], widen: ["8192"] },
  offline: { own: "true", narrow: [["true", true]], widen: ["false"] },
  qdrantUrl: { widen: ['"http://evil.example.org"'] },
  qdrantKey: { widen: ['"k3y"'] },
  embedder: { widen: ["false"] },
  embeddingsUrl: { widen: ['"http://evil.example.org"'] },
  embeddingsModel: { widen: ['"x"'] },
  embeddingsKey: { widen: ['"k3y"'] },
  ...Object.fromEntries(
    Object.entries({
      http: '"8080"',
      token: '"sixteen-letters-and-more"',
      tlsCert: '"c.pem"',
      tlsKey: '"k.pem"',
      allowHosts: '["evil.example.org"]',
      allowOrigins: '["https://evil.example.org"]',
    }).map(([key, text]) => [key, { widen: [text] }]),
  ),
  ...Object.fromEntries(
    SETTING_KEYS.filter((key) => /^(?:http[A-Z]|noToken)/.test(key)).map((key) => [key, { widen: ["1"] }]),
  ),
};

Deno.test(verifies("rights:only-narrow", "every setting has its row in this table"), () => {
  assert.deepEqual(SETTING_KEYS.filter((key) => !Object.hasOwn(TABLE, key)), []);
  for (const key of SETTING_KEYS) {
    assert.equal(TABLE[key]!.narrow !== undefined, SETTINGS[key].narrow !== undefined, key);
  }
});

Deno.test(verifies("rights:only-narrow", "what narrows the user's own value counts"), () => {
  for (const key of SETTING_KEYS) {
    const { own, narrow = [] } = TABLE[key]!;
    for (const [text, value] of narrow) {
      const { settings, ignored, provenance } = configOf({
        own: `${key} = ${own}\n`,
        theirs: `\n${key} = ${text}\n`,
      });
      assert.deepEqual(settings[key], value, `${key} = ${text}`);
      assert.deepEqual([ignored, provenance[key]], [[], `${PROJECT_FILE}:2`], key);
    }
  }
});

Deno.test(
  verifies(
    ["rights:only-narrow", "rights:project-file-inside"],
    "what would widen the user's own value is ignored, with file, line and reason",
  ),
  () => {
    for (const key of SETTING_KEYS) {
      const { own, widen } = TABLE[key]!;
      const mine = own === undefined ? "" : `${key} = ${own}\n`;
      const before = configOf({ own: mine });
      for (const text of widen) {
        const after = configOf({ own: mine, theirs: `# theirs\n${key} = ${text}\n` });
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

Deno.test(
  verifies("rights:only-narrow", "defaults are the user's own words where nothing else is said"),
  () => {
    const theirs =
      'toolsets = "all"\ntools = ["remember_structured"]\nmaxResult = 1048576\nrememberUsage = true\n';
    const { settings, ignored } = configOf({ theirs });
    assert.deepEqual(settings, configOf({}).settings);
    assert.deepEqual(ignored.map(({ setting }) => setting), [
      "toolsets",
      "tools",
      "rememberUsage",
      "maxResult",
    ]);
  },
);

Deno.test(verifies("rights:only-narrow", "a trusted project's file counts like the user's own"), () => {
  const trusted = `trusted = ["/home/ann/other", "${PROJECT}"]\n`;
  for (const key of SETTING_KEYS.filter((key) => key !== "trusted")) {
    const { own, widen } = TABLE[key]!;
    const mine = `${trusted}${own === undefined ? "" : `${key} = ${own}\n`}`;
    // Some make sense only in pairs, and the limits of HTTP have bounds of their own.
    const isSkipped = /^(?:tls|embeddingsUrl|http[A-Z]|noToken)/.test(key);
    for (const text of isSkipped ? [] : widen) {
      const { provenance, ignored } = configOf({ own: mine, theirs: `${key} = ${text}\n` });
      if (SETTINGS[key].files === "none") assert.equal(ignored[0]?.needsTrust, false, key);
      else assert.equal(provenance[key], `${PROJECT_FILE}:1`, `${key} = ${text}`);
    }
  }
  const { origins } = configOf({ own: trusted, theirs: 'paths = ["/srv/team"]' });
  assert.ok(origins.some(({ origin }) => origin.location === "/srv/team"));
});

Deno.test(verifies("rights:only-narrow", "trust is for exactly one folder, under its real name"), () => {
  const links: Record<string, string> = { "/home/ann/link": PROJECT };
  const findFolder = (path: string) => links[path] ?? path;
  const isTrusted = (trusted: string, cwd = PROJECT) =>
    configOf({
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

Deno.test(verifies("rights:only-narrow", "flags and variables are the user's own words"), () => {
  const theirs = "maxResult = 2048\nreadOnly = true\n";
  const { settings } = configOf({
    theirs,
    args: ["--max-result", "40000"],
    env: { BMAD_READ_ONLY: "false" },
  });
  assert.deepEqual([settings.maxResult, settings.readOnly], [40_000, false]);
});

Deno.test(
  verifies("rights:only-narrow", "doctor, config and the log say what is ignored and how to allow it"),
  () =>
    withTree({ ".bmad-mcp.toml": '\ntoolsets = "all"\nallowExec = true\n' }, async (cwd) => {
      const file = `${cwd}/.bmad-mcp.toml`;
      const doctor = JSON.parse((await runCli(["doctor", "--json"], { cwd })).stdout);
      const problems = doctor.problems.filter(({ code }: { code: string }) => code === "widening");
      assert.deepEqual(problems.map(({ message, fix }: Record<string, string>) => [message, fix]), [
        [
          `Ignored toolsets in ${file}:2: it would widen your own settings`,
          `Remove it, or trust the project: bmad-mcp config trust ${cwd}`,
        ],
        [`Ignored allowExec in ${file}:3: no settings file can set it`, "Remove it"],
      ]);
      const config = await runCli(["config"], { cwd });
      assert.match(
        config.stderr,
        /^Ignored toolsets in .*:2: it would widen your own settings\. Remove it, or/m,
      );
      assert.match((await runCli(["list", "agents"], { cwd })).stderr, /warn: Ignored toolsets in /);
      const { ignored } = JSON.parse((await runCli(["config", "--json"], { cwd })).stdout);
      assert.deepEqual(ignored.map(({ setting }: { setting: string }) => setting), ["toolsets", "allowExec"]);
    }),
);
