/** Can a secret in a configuration file leave the program by any request? */
import assert from "node:assert/strict";
import {
  diagnose,
  executeEntry,
  type FileContent,
  type Library,
  readEntry,
  readRaw,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { listFiles } from "../../../../src/content/library/files/files.ts";
import { projectTest } from "../../../support/library.ts";

const [BY_KEY, BY_FORM] = ["hush-hush", `ghp_${"aB3".repeat(12)}`];

const TEXT = `user_name: Ren\u00e9\napi_token: ${BY_KEY}\nremote: ${BY_FORM}\n`;
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf16 = (text: string) => latin1([...text].map((char) => `${char}\0`).join(""));

const OTHER_ENCODINGS = {
  latin: latin1(TEXT),
  little: utf16(`\ufeff${TEXT}`).with(0, 0xff).with(1, 0xfe),
  big: latin1([...`\u00fe\u00ff`, ...[...TEXT].map((char) => `\0${char}`)].join("")),
  unmarked: utf16(TEXT),
};

const PROJECT = {
  "_bmad/_config/manifest.yaml": `installation:\n  version: 6.12.0\nmodules: [fw, ${
    Object.keys(OTHER_ENCODINGS).join(", ")
  }]\n`,
  "_bmad/_config/skill-manifest.csv":
    'canonicalId,name,description,module,path\n"bmad-map","bmad-map","Draws maps","fw","_bmad/fw/bmad-map/SKILL.md"\n',
  "_bmad/config.toml": `[core]\nuser_name = "Ada"\napi_key = "${BY_KEY}"\nremote = "${BY_FORM}"\n`,
  "_bmad/fw/config.yaml": `user_name: Ada\napi_token: ${BY_KEY}\nremote: ${BY_FORM}\n`,
  "_bmad/custom/bmad-map.toml": `[workflow]\npassword = "${BY_KEY}"\nhome = "${BY_FORM}"\n`,
  ".claude/skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\nDraw.\n",
  ".claude/skills/bmad-map/customize.toml": `[workflow]\nhome = "here"\npassword = ""\n`,
  ...Object.fromEntries(
    Object.entries(OTHER_ENCODINGS).map(([module, bytes]) => [`_bmad/${module}/config.yaml`, bytes]),
  ),
};

function wordsOf({ text, bytes }: FileContent): string {
  return text ?? new TextDecoder("latin1").decode(bytes).replaceAll("\0", "");
}

async function everythingSaid(library: Library): Promise<readonly string[]> {
  const said: string[] = [];
  const uris = [
    ...listFiles(library).map(({ uri }) => uri),
    "bmad://config/current",
    "bmad://manifest",
    "bmad://roster",
  ];
  for (const uri of uris) {
    const contents = [
      await readResource(library, uri),
      await readResource(library, uri, { raw: true }),
      await readResource(library, `${uri}#lines=1-99`),
    ];
    said.push(...contents.map(wordsOf));
  }
  for (const name of ["bmad-map", "fw/fw-config"]) {
    const entry = resolveEntry(library, { name });
    const { text, data } = await readEntry(library, entry);
    said.push(text, JSON.stringify(data), await readRaw(library, entry));
    for (const raw of [false, true]) said.push(await executeEntry(library, entry, { raw }));
  }
  return said;
}

projectTest(
  "no request delivers a secret of a configuration file [resources:config-current]",
  PROJECT,
  async (library) => {
    const said = await everythingSaid(library);
    assert.deepEqual(said.filter((text) => text.includes(BY_KEY) || text.includes(BY_FORM)), []);
    // Everything else of these files is there.
    const { text } = await readResource(library, "bmad://fw/config.yaml");
    assert.equal(text, 'user_name: Ada\napi_token: "[removed]"\nremote: "[removed]"\n');
    assert.ok(said.some((text) => text.includes('user_name = "Ada"')));
    for (const module of Object.keys(OTHER_ENCODINGS)) {
      const { text } = await readResource(library, `bmad://${module}/config.yaml`);
      assert.equal(text, 'user_name: Ren\u00e9\napi_token: "[removed]"\nremote: "[removed]"\n', module);
    }
  },
);

projectTest("configuration that is not UTF-8 is ignored and reported", PROJECT, async (library) => {
  const found = (await diagnose(library)).filter(({ code }) => code === "bad-file");
  assert.deepEqual(
    found.map(({ path, message }) => `${path} ${message}`).sort(),
    Object.keys(OTHER_ENCODINGS).toSorted().map((module) =>
      `_bmad/${module}/config.yaml is ignored: the file is not UTF-8, but seems to be ${
        module === "latin" ? "Latin-1 or Windows-1252" : "UTF-16"
      }`
    ),
  );
});
