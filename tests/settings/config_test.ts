/** Does the program do what its arguments, variables and settings files say, and in that order? */
import assert from "node:assert/strict";
import { BmadError } from "../../src/base/errors.ts";
import { COMMAND_NAMES, optionsOf } from "../../src/operations/mod.ts";
import { scanArguments } from "../../src/settings/arguments.ts";
import {
  ACCOUNT_VARIABLES,
  PLACE_VARIABLES,
  SESSION_VARIABLES,
  SETTING_KEYS,
  SETTINGS,
} from "../../src/settings/mod.ts";
import { configOf, type Told } from "../support/config.ts";
import { SAMPLES } from "./samples.ts";
import { covers, grantedVariables, READ_VARIABLES } from "../support/variables.ts";

const OWN_FOLDER = "/home/ann/.config/bmad-mcp";
const USER_FILE = `${OWN_FOLDER}/config.toml`;
const PROJECT_FILE = "/home/ann/shop/.bmad-mcp.toml";

Deno.test("a configuration about which nothing was said has every default", () => {
  const { settings, provenance, invocation, project, files, warnings } = configOf({});
  const defaults = SETTING_KEYS.map((key) => [key, SETTINGS[key].default]);
  assert.deepEqual(settings, Object.fromEntries(defaults));
  assert.deepEqual([...new Set(Object.values(provenance))], ["default"]);
  assert.deepEqual(invocation, { name: "serve", operands: [], options: {} });
  assert.equal(project, "/home/ann/shop");
  assert.deepEqual(files, [{ path: PROJECT_FILE, found: false }, { path: USER_FILE, found: false }]);
  assert.deepEqual(warnings, []);
});

Deno.test("a setting names the layer of its value [cli:config-precedence]", () => {
  const steps: readonly (readonly [Told, string, string])[] = [
    [{}, "auto", "default"],
    [{ files: { [USER_FILE]: '# mine\nmode = "auto"\n' } }, "auto", `${USER_FILE}:2`],
    [{ files: { [PROJECT_FILE]: '\n\nmode = "local"\n' } }, "local", `${PROJECT_FILE}:3`],
    [{ env: { BMAD_MODE: "auto" } }, "auto", "BMAD_MODE"],
    [{ args: ["--mode", "strict"] }, "strict", "--mode"],
  ];
  let told: Told = {};
  for (const [step, value, source] of steps) {
    told = { ...told, ...step, files: { ...told.files, ...step.files } };
    const { settings, provenance } = configOf(told);
    assert.deepEqual([settings.mode, provenance.mode], [value, source]);
  }
});

Deno.test("a settings file sets every setting that it may", () => {
  const allowed = SETTING_KEYS.filter((key) => SETTINGS[key].files === "user" && key !== "trusted");
  assert.deepEqual(Object.keys(SAMPLES).sort(), [...allowed].sort());
  for (const [file, folder] of [[USER_FILE, OWN_FOLDER], [PROJECT_FILE, "/home/ann/shop"]] as const) {
    const samples = Object.entries(SAMPLES).filter(([, { isShared }]) => isShared || file === USER_FILE);
    const lines = samples.map(([key, { text }]) => `${key} = ${text}`);
    const { settings, provenance, files } = configOf({ files: { [file]: lines.join("\n") } });
    const expected = samples.map(([key, { text, value = JSON.parse(text) }]) =>
      [key, typeof value === "function" ? value(folder) : value] as const
    );
    assert.deepEqual(settings, { ...configOf({}).settings, ...Object.fromEntries(expected) });
    for (const key of SETTING_KEYS) {
      const line = samples.findIndex(([one]) => one === key) + 1;
      assert.equal(provenance[key], line === 0 ? "default" : `${file}:${line}`);
    }
    assert.deepEqual(files.filter(({ found }) => found), [{ path: file, found: true }]);
  }
});

Deno.test("a flag takes its value after a space or an equals sign, and the last one counts", () => {
  const table: readonly (readonly [readonly string[], string])[] = [
    [["--mode", "strict"], "strict"],
    [["--mode=strict"], "strict"],
    [["--mode=STRICT"], "strict"],
    [["--mode=strict", "--mode", "local"], "local"],
    [["serve", "--mode=user"], "user"],
    [["--mode=user", "serve"], "user"],
  ];
  for (const [args, mode] of table) {
    const { settings, provenance, warnings } = configOf({ args });
    assert.deepEqual([settings.mode, provenance.mode, warnings], [mode, "--mode", []]);
  }
});

Deno.test("a flag without a value turns its setting off or on", () => {
  const { settings, provenance } = configOf({ args: ["--no-sandbox", "--read-only"] });
  assert.deepEqual([settings.sandbox, provenance.sandbox], [false, "--no-sandbox"]);
  assert.deepEqual([settings.readOnly, provenance.readOnly], [true, "--read-only"]);
});

Deno.test("a flag without a value refuses one, whatever it says", () => {
  for (const args of [["--no-sandbox=false"], ["list", "agents", "--json=no"]]) {
    assert.throws(() => configOf({ args }), { name: "BmadError" }, args.join(" "));
  }
});

Deno.test("plain words and --path are folders to serve, in the order given [origins:cli-paths]", () => {
  const table: readonly (readonly [readonly string[], readonly string[]])[] = [
    [["/srv/team"], ["/srv/team"]],
    [["serve", "/srv/team"], ["/srv/team"]],
    [["one", "../two", "./three/."], ["/home/ann/shop/one", "/home/ann/two", "/home/ann/shop/three"]],
    [["/a", "--path=/b", "/c", "--path", "/d"], ["/a", "/b", "/c", "/d"]],
    [["~/bmad", "~"], ["/home/ann/bmad", "/home/ann"]],
    [["~other/x"], ["/home/ann/shop/~other/x"]],
    [["--", "--mode", "x"], ["/home/ann/shop/--mode", "/home/ann/shop/x"]],
    [["/srv/list"], ["/srv/list"]],
    [["-"], ["/home/ann/shop/-"]],
    [["constructor"], ["/home/ann/shop/constructor"]],
    [["git+https://example.org/o/r.git#v1:/sub"], ["git+https://example.org/o/r.git#v1:/sub"]],
  ];
  for (const [args, paths] of table) {
    const { settings, provenance, invocation } = configOf({ args, findFolder: (path) => path });
    assert.deepEqual(settings.paths, paths, args.join(" "));
    assert.equal(provenance.paths, "--path");
    assert.deepEqual(invocation, { name: "serve", operands: [], options: {} });
  }
});

Deno.test("a command has its operands and options, wherever settings stand between them", () => {
  const table: readonly (readonly [line: string, name: string, operands: string, options?: object])[] = [
    ["list agents", "list", "agents"],
    ["--mode=local list --module bmm agents --json", "list", "agents", { module: "bmm", json: "true" }],
    ["search test design --limit=3", "search", "test design", { limit: "3" }],
    ["search -- --json", "search", "--json"],
    ["execute pm -m --why", "execute", "pm", { message: "--why" }],
    ["show pm --raw", "show", "pm", { raw: "true" }],
    ["config", "config", ""],
    ["help", "help", ""],
    ["help list", "help", "list"],
    ["--help", "help", ""],
    ["list -h", "help", "list"],
    ["--version", "version", ""],
    ["-V --help", "help", ""],
  ];
  for (const [line, name, words, options = {}] of table) {
    const operands = words.split(" ").filter(Boolean);
    assert.deepEqual(configOf({ args: line.split(" ") }).invocation, { name, operands, options }, line);
  }
});

Deno.test("a command line that cannot be meant is refused, with the way to write it", () => {
  const table: Readonly<Record<string, string>> = {
    "show": "Missing NAME. Usage: bmad-mcp show NAME (names: bmad-mcp list agents)",
    "search": "Missing WORDS. Usage: bmad-mcp search WORDS… (example: bmad-mcp search test architecture)",
    "cache": "Missing ACTION. Usage: bmad-mcp cache list|update|clear [NAME…] (actions: bmad-mcp help cache)",
    "list agents tasks": 'Unexpected argument "tasks". Usage: bmad-mcp list [KIND]',
    "serve --limit 3": "Invalid --limit: serve has no such option. Flags: bmad-mcp help serve",
    "config --raw": "Invalid --raw: config has no such option. Flags: bmad-mcp help config",
    "version -m x": "Invalid --message: version has no such option. Flags: bmad-mcp help version",
    "--mode": "Invalid --mode: missing value MODE",
    "execute pm -m": "Invalid -m: missing value TEXT",
  };
  for (const [line, message] of Object.entries(table)) {
    assert.throws(() => configOf({ args: line.split(" ") }), { name: "BmadError", message });
  }
});

Deno.test("a flag is not taken for the value of the one before it [cli:forgotten-value]", () => {
  const values = [
    ...SETTING_KEYS.map((key) => SETTINGS[key]),
    ...COMMAND_NAMES.flatMap((name) => optionsOf(name)),
  ].filter((row) => row.flag !== undefined && "value" in row && row.value !== undefined && !("bare" in row));
  assert.ok(values.length > 40, String(values.length));
  for (const { flag } of values) {
    for (const next of ["--allow-git", "--json", "--mode=local", "-m", "--help", "--version", "-V", "--"]) {
      const isMissing = (error: unknown) => isRefused(error, RegExp(`${flag}: missing value `));
      assert.throws(() => scanArguments(["board", flag!, next, "x"]), isMissing, `${flag} ${next}`);
    }
  }
  const bare = scanArguments(["serve", "--http", "--allow-git"]).settings;
  assert.deepEqual([bare.get("http"), bare.get("allowGit")], [["8080"], ["true"]]);
  assert.throws(() => scanArguments(["-m", "--json"]), /If --json is the value, write --message=--json/);
  const given = ["--project=--json", "-m", "--no-flag", "--by", "-", "--tags", "-a b"];
  const { settings, options } = scanArguments(given);
  assert.deepEqual(settings.get("project"), ["--json"]);
  assert.deepEqual(options, { message: "--no-flag", by: "-", tags: "-a b" });
});

Deno.test("an unknown flag is a warning, and what is known still counts [cli:unknown-arguments]", () => {
  const { settings, invocation, warnings } = configOf({
    args: ["--fancy", "--mode=local", "-x", "--projekt=hunter2", "./team"],
  });
  assert.deepEqual(warnings, [
    "Ignored unknown argument --fancy",
    "Ignored unknown argument -x",
    "Ignored unknown argument --projekt. Did you mean --project?",
  ]);
  assert.deepEqual([settings.mode, settings.paths, invocation.name], ["local", [
    "/home/ann/shop/team",
  ], "serve"]);
});

const isRefused = (error: unknown, message: RegExp) =>
  error instanceof BmadError && error.failure.code === "invalid-input" && message.test(error.message);

Deno.test("a mistyped command never serves, and its flags are not judged [cli:unknown-refused]", () => {
  const table: readonly (readonly [readonly string[], RegExp])[] = [
    [["lsit", "agents", "--limit", "3"], /^Unknown command or folder "lsit"\. Did you mean list\?$/],
    [["dcotor", "--help"], /Did you mean doctor\?$/],
    [["claude-code", "--dry-run"], /^Unknown command or folder "claude-code"\. Commands: bmad-mcp --help/],
    [["--fancy", "lsit"], /Did you mean list\?$/],
  ];
  for (const [args, message] of table) {
    assert.throws(() => configOf({ args }), (error) => isRefused(error, message), args.join(" "));
  }
  // A word alone may be an agent's name, which only the content can tell.
  for (const args of [["dcotor"], ["lsit", "--json"]]) {
    const { name, isGuess } = configOf({ args }).invocation;
    assert.deepEqual([name, isGuess], ["execute", true]);
  }
});

Deno.test("what old entries name as a folder is served, and nothing else is lost [cli:old-lines]", () => {
  const findFolder = (path: string) => path === "/home/ann/shop/lsit" ? path : undefined;
  const there = configOf({ args: ["lsit"], findFolder });
  assert.deepEqual([there.warnings, there.settings.paths], [[], ["/home/ann/shop/lsit"]]);
  for (const path of ["./lsit", "~/team", "/srv/x", "team/bmad", "git+https://example.org/team/bmad.git"]) {
    const { invocation, warnings, settings } = configOf({ args: [path], findFolder: () => undefined });
    assert.deepEqual([invocation.name, warnings, settings.paths.length], ["serve", [], 1], path);
  }
  assert.deepEqual(configOf({ args: ["serve", "lsit"] }).warnings, []);
  const { invocation, warnings, settings } = configOf({ args: ["--transport", "stdio", "./team"] });
  assert.deepEqual([invocation.name, settings.paths], ["serve", ["/home/ann/shop/team"]]);
  assert.deepEqual(warnings.map((one) => one.split(" ").at(-1)), ["--transport", "stdio"]);
});

Deno.test("an unknown flag is refused by every command but serve [cli:unknown-refused]", () => {
  for (const name of COMMAND_NAMES.filter((name) => name !== "serve")) {
    assert.throws(
      () => configOf({ args: [name, "--projct=hunter2"] }),
      (error) => isRefused(error, /^Unknown flag --projct\. Did you mean --project\?$/),
      name,
    );
  }
  const table: readonly (readonly [readonly string[], string])[] = [
    [["install", "cursor", "--dryrun"], "Unknown flag --dryrun. Did you mean --dry-run?"],
    [["list", "agents", "--modul", "bmm"], "Unknown flag --modul. Did you mean --module?"],
    [["list", "agents", "--mesage=x"], "Unknown flag --mesage. Flags: bmad-mcp help list"],
    [["-x", "list", "agents"], "Unknown flag -x. Flags: bmad-mcp help list"],
  ];
  for (const [args, message] of table) assert.throws(() => configOf({ args }), { message });
});

Deno.test("an invalid value is refused [errors:invalid-config-refused]", () => {
  const MODES = "expected one of auto, local, user, strict";
  const LEVELS = "expected one of error, warn, info, debug";
  const NUMBER = "expected a whole number from 1024 to 1048576";
  const DURATION = "expected a duration such as 90, 90s, 5m, 24h or 7d, from 60 to 31536000 seconds";
  const table: readonly (readonly [Told, setting: string, value: string, source: string, string])[] = [
    [{ args: ["--mode", "fast"] }, "mode", "fast", "--mode", MODES],
    [{ args: ["--mode="] }, "mode", "", "--mode", MODES],
    [{ env: { BMAD_MODE: "fast" } }, "mode", "fast", "BMAD_MODE", MODES],
    [{ files: { [USER_FILE]: 'mode = "fast"' } }, "mode", "fast", `${USER_FILE}:1`, MODES],
    [{ env: { BMAD_PACK: "v5" } }, "pack", "v5", "BMAD_PACK", "expected one of latest, v4, none"],
    [{ env: { BMAD_LOG: "loud" } }, "logLevel", "loud", "BMAD_LOG", LEVELS],
    ...["1023", "1048577", "-1", "1e4", "0x800", "2048.0", " 2048", "many"].map((value) =>
      [{ args: ["--max-result", value] }, "maxResult", value, "--max-result", NUMBER] as const
    ),
    ...["59", "1y", "366d", "1.5h", "-5m", "m", ""].map((value) =>
      [{ args: ["--git-ttl", value] }, "gitTtl", value, "--git-ttl", DURATION] as const
    ),
    [{ args: ["--git-cache", "~"] }, "gitCache", "~", "--git-cache", "expected a dedicated folder"],
  ];
  for (const [told, setting, value, source, wanted] of table) {
    assert.throws(() => configOf(told), {
      failure: { code: "invalid-config", setting, value, source, problem: wanted },
      message: source.includes("/")
        ? `Invalid ${setting} ${JSON.stringify(value)} in ${source}: ${wanted}`
        : `Invalid ${source} ${JSON.stringify(value)}: ${wanted}`,
    });
  }
});

Deno.test("all faults of settings are told at once [errors:all-at-once]", () => {
  const file = 'mode = "fast"\nnonsense\ncolour = "red"\npack = latest\nmaxResult = 5\n';
  const given = { args: ["list", "agents", "--pack", "v5"], files: { [USER_FILE]: file } };
  assert.throws(() => configOf(given), {
    message: [
      `Cannot read ${USER_FILE}:2:1: expected key = "value"`,
      `Cannot read ${USER_FILE}:4:8: expected a quoted string, a whole number, true, false or an array of strings`,
      `Invalid colour "red" in ${USER_FILE}:3: unknown setting. Expected one of ${inOwnFile()}`,
      `Invalid mode "fast" in ${USER_FILE}:1: expected one of auto, local, user, strict`,
      'Invalid --pack "v5": expected one of latest, v4, none',
      `Invalid maxResult "5" in ${USER_FILE}:5: expected a whole number from 1024 to 1048576`,
    ].join("\n"),
  });
  const long = Array.from({ length: 5_000 }, () => "nonsense").join("\n");
  assert.throws(
    () => configOf({ files: { [USER_FILE]: long } }),
    (error: Error) => error.message.split("\n").length === 20,
  );
});

const inOwnFile = () => SETTING_KEYS.filter((key) => SETTINGS[key].files === "user").join(", ");

Deno.test("a copied address comes with the form to write [git:pasted]", () => {
  const table: readonly (readonly [given: string, form: string])[] = [
    ["https://github.com/team/bmad.git", "git+https://github.com/team/bmad.git"],
    ["https://example.org/team/bmad", "git+https://example.org/team/bmad"],
    ["git@github.com:team/bmad.git", "git+ssh://git@github.com/team/bmad.git"],
    ["ssh://git@example.org/team/bmad.git", "git+ssh://git@example.org/team/bmad.git"],
    ["github:team/bmad", "git+https://github.com/team/bmad.git"],
    ["gitlab:team/bmad.git", "git+https://gitlab.com/team/bmad.git"],
    ["https://ann:hunter2@example.org/team/bmad.git", "git+https://HOST/PATH"],
    ["https://hunter2@example.org/team/bmad.git", "git+https://HOST/PATH"],
    ["https://example.org/team/bmad.git?key=hunter2", "git+https://HOST/PATH"],
    ["https://example.org/team/bmad.git hunter2", "git+https://HOST/PATH"],
  ];
  for (const [address, form] of table) {
    for (const args of [[address], ["list", "agents", "--path", address]]) {
      assert.throws(() => configOf({ args }), (error: Error) => {
        assert.ok(error.message.endsWith(`For a git repository, write ${form}`), error.message);
        assert.ok(!error.message.includes("hunter2"));
        return true;
      });
    }
    const env = { BMAD_ROOT: address };
    assert.throws(() => configOf({ env }), /not a URL/, address);
  }
  const found = configOf({ args: ["github:team/bmad"], findFolder: (path) => path });
  assert.deepEqual(found.settings.paths, ["/home/ann/shop/github:team/bmad"]);
});

Deno.test("a number at the edge of what is allowed is taken", () => {
  assert.equal(configOf({ args: ["--max-result=1024"] }).settings.maxResult, 1_024);
  assert.equal(configOf({ env: { BMAD_MAX_RESULT: "1048576" } }).settings.maxResult, 1_048_576);
  for (
    const [text, seconds] of Object.entries({ "60": 60, "90s": 90, "5M": 300, "24h": 86_400, "7d": 604_800 })
  ) {
    assert.equal(configOf({ args: ["--git-ttl", text] }).settings.gitTtl, seconds);
  }
});

Deno.test("a variable that no setting names is not looked at", () => {
  const asked = new Set<string>();
  configOf({ env: new Proxy({}, { get: (_, name) => void asked.add(String(name)) }) });
  const known: readonly string[] = [
    ...PLACE_VARIABLES,
    ...ACCOUNT_VARIABLES,
    ...Object.keys(SESSION_VARIABLES),
    ...SETTING_KEYS.flatMap((key) => SETTINGS[key].variables),
  ];
  assert.deepEqual([...asked].filter((name) => !known.includes(name)), []);
});

Deno.test("the start task may see every variable that the program reads, and grants none that it does not", () => {
  const granted = grantedVariables();
  const isGranted = (name: string) => granted.some((grant) => covers(grant, name));
  assert.deepEqual(READ_VARIABLES.filter((name) => !isGranted(name)), []);
  assert.deepEqual(granted.filter((grant) => !READ_VARIABLES.some((name) => covers(grant, name))), []);
  const names = granted.filter((grant) => !grant.endsWith("*"));
  const patterns = granted.filter((grant) => grant.endsWith("*"));
  assert.deepEqual(names.filter((name) => patterns.some((pattern) => covers(pattern, name))), []);
  assert.equal(new Set(granted).size, granted.length);
});
