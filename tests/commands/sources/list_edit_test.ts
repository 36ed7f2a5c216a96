/** Does a change of a list in a settings file leave everything else as it is? */
import assert from "node:assert/strict";
import {
  changeListed,
  findListed,
  withElement,
  withoutElement,
} from "../../../src/commands/sources/listed.ts";
import { readSettingsText } from "../../../src/settings/settings_file.ts";
import { withTree } from "../../support/trees.ts";

const FILE = "/home/ann/config.toml";
const add = (text: string, value: string) => withElement(text, value, FILE);
const remove = (text: string, value: string) => withoutElement(text, value, FILE);

Deno.test("an element is added, and everything else stays [add:settings-text]", () => {
  const table: readonly (readonly [before: string, after: string | undefined])[] = [
    ["", 'sources = [\n  "/p",\n]\n'],
    ["# mine\nmaxFiles = 7", '# mine\nmaxFiles = 7\nsources = [\n  "/p",\n]\n'],
    ["maxFiles = 7\r\n", 'maxFiles = 7\r\nsources = [\r\n  "/p",\r\n]\r\n'],
    ['sources = "/p"\n', undefined],
    ["sources = '/q' # one\n", "sources = ['/q', \"/p\"] # one\n"],
    ["sources = [] # none\n", 'sources = ["/p"] # none\n'],
    ['sources = ["/q"] # one\n', 'sources = ["/q", "/p"] # one\n'],
    ['sources = ["/q",]\n', 'sources = ["/q", "/p"]\n'],
    [
      'mode = "auto"\nsources = [\n  # first\n  "/q", # theirs, "quoted"\n]\n# end\n',
      'mode = "auto"\nsources = [\n  # first\n  "/q", # theirs, "quoted"\n  "/p",\n]\n# end\n',
    ],
    [
      'sources = [\n\t"/q" # theirs\n]\n',
      'sources = [\n\t"/q",\n\t"/p" # theirs\n]\n',
    ],
    ['sources = [\r\n  "/q",\r\n]\r\n', 'sources = [\r\n  "/q",\r\n  "/p",\r\n]\r\n'],
    ["sources = [ # all\n]\n", 'sources = ["/p" # all\n]\n'],
  ];
  for (const [before, after] of table) {
    assert.deepEqual(add(before, "/p"), after, before);
    const { rows, faults } = readSettingsText(after ?? before, FILE);
    assert.deepEqual([faults, rows.find(({ key }) => key === "sources")?.texts.at(-1)], [[], "/p"], before);
  }
});

Deno.test("an element is removed, and everything else stays [add:settings-text]", () => {
  const table: readonly (readonly [before: string, after: string | undefined])[] = [
    ["", undefined],
    ['sources = ["/q"]\n', undefined],
    ['sources = "/p" # one\n', "sources = [] # one\n"],
    ['sources = ["/p"]\n', "sources = []\n"],
    ['sources = ["/p", "/q"]\n', 'sources = ["/q"]\n'],
    ['sources = ["/q", "/p"] # two\n', 'sources = ["/q"] # two\n'],
    ['sources = ["/q", "/p", "/r"]\n', 'sources = ["/q", "/r"]\n'],
    [
      'sources = [\n  "/q", # q\n  "/p", # p\n  # r\n  "/r",\n]\n',
      'sources = [\n  "/q", # q\n  # r\n  "/r",\n]\n',
    ],
    ['sources = [\n  "/q",\n  "/p"\n]\nmode = "auto"\n', 'sources = [\n  "/q",\n]\nmode = "auto"\n'],
  ];
  for (const [before, after] of table) {
    assert.deepEqual(remove(before, "/p"), after, before);
    assert.deepEqual(readSettingsText(after ?? before, FILE).faults, [], before);
  }
});

Deno.test("what was added can be removed again, byte for byte [add:settings-text]", () => {
  const seed = 4711;
  let state = seed;
  const pick = (n: number) => (state = (state * 48_271) % 2_147_483_647) % n;
  for (let round = 0; round < 500; round++) {
    const names = Array.from({ length: pick(4) }, (_, at) => `/q${at}${["", "#", '"', "'"][pick(4)]}`);
    const own = names.map((name) => `  ${JSON.stringify(name)},${["", " # why", ' # "x", ['][pick(3)]}\n`);
    const lines = [
      ["# top\n", "", "\n"][pick(3)]!,
      "sources = [\n",
      ...own,
      "]",
      ["\n", " # end\n"][pick(2)]!,
    ];
    const text = lines.join("");
    if (names.length === 0) continue;
    const added = add(text, "/p")!;
    assert.deepEqual(remove(added, "/p"), text, `seed ${seed}, round ${round}: ${text}`);
    assert.deepEqual(readSettingsText(added, FILE).rows[0]?.texts, [...names, "/p"]);
  }
});

Deno.test("what lies where a draft goes stays, and is named [add:hostile]", () =>
  withTree({ ".bmad-mcp.toml.bmad-mcp-new/x/y": "Theirs." }, async (dir) => {
    const files = { file: `${dir}/.bmad-mcp.toml`, lock: `${dir}/.bmad-mcp.lock.json`, own: `${dir}/own` };
    const context = { base: dir, home: dir, os: Deno.build.os };
    await assert.rejects(
      () => changeListed({ ...files, context }, { added: "/srv/team" }),
      /Cannot change \S+\.toml: \S+\.toml\.bmad-mcp-new is in the way\. Delete it/,
    );
    assert.equal(await Deno.readTextFile(`${dir}/.bmad-mcp.toml.bmad-mcp-new/x/y`), "Theirs.");
  }));

Deno.test("a source is found by its address without its version, branch or folder [add:remove]", () => {
  const sources = ["npm:bmad-ops@1.2.0", "git+https://github.com/acme/team.git#v2:/packs/ops", "./market"];
  const context = { base: "/srv/shop", home: "/home/ann", os: "linux" } as const;
  const files = { file: FILE, lock: "", own: "", context };
  const find = (name: string) => findListed(name, { sources, pins: new Map() }, files, "/srv/shop");
  for (const name of ["npm:bmad-ops", "bmad-ops", "npm i bmad-ops", "npm:bmad-ops@1.2.0"]) {
    assert.equal(find(name), sources[0], name);
  }
  for (
    const name of [
      "https://github.com/acme/team",
      "acme/team",
      "git@github.com:acme/team.git",
      "ops",
      "team",
    ]
  ) {
    if (name.startsWith("git@")) assert.throws(() => find(name), /No source named/);
    else assert.equal(find(name), sources[1], name);
  }
  assert.equal(find("market"), sources[2]);
  assert.equal(find("/srv/shop/market"), sources[2]);
  assert.throws(() => find("npm:bmad-op"), /No source named "npm:bmad-op"\. Did you mean/);
});
