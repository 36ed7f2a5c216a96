/** Does a password in a URL stay hidden, whichever door it comes through and whatever then shows the settings? */
import assert from "node:assert/strict";
import { BmadError } from "../../src/base/errors.ts";
import { SETTING_KEYS, SETTINGS, shownValue } from "../../src/settings/mod.ts";
import { hideCredentials } from "../../src/settings/locations/git.ts";
import { configOf, type Told } from "../support/config.ts";
import { runHere } from "../support/program.ts";
import { withTree } from "../support/trees.ts";

const HIDDEN = "hush4hush";

const URLS = [
  `https://ann:${HIDDEN}@git.example.org/team/x.git`,
  `https://${HIDDEN}@git.example.org/team/x.git`,
  `HTTPS://ann:${HIDDEN}@git.example.org/x`,
  `https:/ann:${HIDDEN}@git.example.org/x`,
  `ssh://ann:${HIDDEN}@git.example.org/x`,
  `ftp://ann:${HIDDEN}@git.example.org/x`,
  `git+http://ann:${HIDDEN}@git.example.org/x`,
  `git+https://ann:${HIDDEN}@git.example.org/x#..`,
];

const USER_FILE = "/home/ann/.config/bmad-mcp/config.toml";
const PROJECT_FILE = "/home/ann/shop/.bmad-mcp.toml";

/** What a start with these settings may show anywhere: its failure, or its values, warnings and sources. */
function shown(told: Told) {
  try {
    const { settings, warnings, ignored, origins, logFiles, git, project } = configOf(told);
    const values = SETTING_KEYS.map((key) => shownValue(key, settings));
    const sources = origins.map(({ origin }) => origin);
    return JSON.stringify([values, warnings, ignored, sources, logFiles, git, project]);
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return JSON.stringify([error.message, error.failure]);
  }
}

Deno.test("no setting shows the password of a URL [rights:secrets-hidden]", () => {
  for (const url of URLS) {
    for (const key of SETTING_KEYS) {
      const { flag, variables, isSecret } = SETTINGS[key];
      const doors = [
        ...(flag === undefined ? [] : [{ args: [flag, url] }, { args: [`${flag}=${url}`] }]),
        ...variables.map((name) => ({ env: { [name]: url } })),
        ...[USER_FILE, PROJECT_FILE].flatMap((file) => [
          { files: { [file]: `${key} = "${url}"\n` } },
          { files: { [file]: `${key} = ["${url}", "x"]\n` } },
        ]),
      ];
      for (const door of isSecret ? doors.slice(-1) : doors) {
        assert.ok(!shown(door).includes(HIDDEN), `${JSON.stringify(door)} shows ${shown(door)}`);
      }
    }
    for (const line of [url, `--path /a ${url}`, `--unknown ${url}`, `--unknown=${url}`, `config ${url}`]) {
      const args = line.split(" ");
      assert.ok(!shown({ args }).includes(HIDDEN), `${args.join(" ")} shows ${shown({ args })}`);
    }
    assert.ok(!shown({ env: { BMAD_ROOT: `/a:${url}:/b` } }).includes(HIDDEN));
    assert.ok(!shown({ files: { [USER_FILE]: `unknown = "${url}"\n` } }).includes(HIDDEN));
  }
});

Deno.test("a URL in place of a folder is refused [rights:secrets-hidden]", () => {
  const url = `https://ann:${HIDDEN}@git.example.org/x`;
  const doors = [
    { args: ["--path", url] },
    { args: [url] },
    { args: ["--project", url] },
    { args: ["--log-file", url] },
    { args: ["--git-cache", url] },
    { env: { BMAD_ROOT: url } },
    { env: { BMAD_ROOT: `/a:${url}` } },
    { files: { [USER_FILE]: `paths = ["${url}"]` } },
  ];
  for (const door of doors) {
    assert.match(shown(door), /expected a (folder|file), not a URL/, JSON.stringify(door));
    assert.ok(!shown(door).includes("git.example.org"), "it is not quoted");
  }
  assert.match(shown({ args: ["--path", url] }), /git\+https:\/\/HOST\/PATH/);
  // A colon alone does not make a URL.
  assert.ok(shown({ args: ["--path", "/srv/a:/b"] }).includes("/srv/a:/b"));
});

Deno.test("what is hidden in a text is the login and the query [rights:secrets-hidden]", () => {
  assert.equal(hideCredentials("see https:/ann:x@h/y"), "see https:/***@h/y");
  assert.equal(hideCredentials("C:/proj/@scope/x"), "C:/proj/@scope/x");
});

Deno.test("no command prints it, and no log keeps it [rights:secrets-hidden]", () =>
  withTree({ "work/": "", "log/": "" }, async (root) => {
    const [url] = URLS, cwd = `${root}/work`, log = `${root}/log/x.log`;
    const options = [`--path ${url}`, `--odd=${url}`];
    const lines = [
      ...["config", "config --json", "doctor", "doctor --json", "list sources"]
        .flatMap((line) => options.map((option) => `${line} ${option}`)),
      ...["", "--odd=", "show ", "search ", "list ", "execute ", "call ", "memory import ", "cache clear "]
        .map((begin) => `${begin}${url}`),
      `call bmad ${JSON.stringify({ uri: url })}`,
      `install ${url}`,
      `diff ${url} ${url}`,
      `install --print vscode --path git+${url}`,
      `complete -- show ${url}`,
    ];
    for (const line of lines) {
      const { stdout, stderr } = await runHere([
        ...line.split(" "),
        "--log-level",
        "debug",
        "--log-file",
        log,
      ], {
        cwd,
      });
      assert.ok(!`${stdout}${stderr}`.includes(HIDDEN), `${line}: ${stdout}${stderr}`);
    }
    assert.ok(!(await Deno.readTextFile(log).catch(() => "")).includes(HIDDEN));
  }));
