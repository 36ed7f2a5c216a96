/**
 * Is there any door through which a secret of a configuration file leaves the program?
 */
import assert from "node:assert/strict";
import {
  executeEntry,
  type Library,
  openLibrary,
  readEntry,
  readRaw,
  readResource,
  resolveEntry,
} from "../src/library/mod.ts";
import { listFiles } from "../src/library/files.ts";
import { opening } from "./support/library.ts";
import { verifies } from "./support/requirements.ts";
import { withTree } from "./support/trees.ts";

/** A word that no other file has, under a key that names a secret and in a place where only its form tells. */
const [BY_KEY, BY_FORM] = ["hush-hush", `ghp_${"aB3".repeat(12)}`];

const PROJECT = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: fw\n",
  "_bmad/_config/skill-manifest.csv":
    'canonicalId,name,description,module,path\n"bmad-map","bmad-map","Draws maps","fw","_bmad/fw/bmad-map/SKILL.md"\n',
  "_bmad/config.toml": `[core]\nuser_name = "Ada"\napi_key = "${BY_KEY}"\nremote = "${BY_FORM}"\n`,
  "_bmad/fw/config.yaml": `user_name: Ada\napi_token: ${BY_KEY}\nremote: ${BY_FORM}\n`,
  "_bmad/custom/bmad-map.toml": `[workflow]\npassword = "${BY_KEY}"\nhome = "${BY_FORM}"\n`,
  ".claude/skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\nDraw.\n",
  ".claude/skills/bmad-map/customize.toml": `[workflow]\nhome = "here"\npassword = ""\n`,
};

async function everythingSaid(library: Library): Promise<readonly string[]> {
  const said: string[] = [];
  const uris = [
    ...listFiles(library).map(({ uri }) => uri),
    "bmad://config/current",
    "bmad://manifest",
    "bmad://roster",
  ];
  for (const uri of uris) {
    for (const raw of [false, true]) said.push((await readResource(library, uri, { raw })).text!);
    said.push((await readResource(library, `${uri}#lines=1-99`)).text!);
  }
  for (const name of ["bmad-map", "fw/fw-config"]) {
    const entry = resolveEntry(library, { name });
    const { text, data } = await readEntry(library, entry);
    said.push(text, JSON.stringify(data), await readRaw(library, entry));
    for (const raw of [false, true]) said.push(await executeEntry(library, entry, { raw }));
  }
  return said;
}

Deno.test(
  verifies("resources:config-current", "no secret of a configuration file is delivered, whoever asks how"),
  () =>
    withTree(PROJECT, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
      const said = await everythingSaid(library);
      assert.deepEqual(said.filter((text) => text.includes(BY_KEY) || text.includes(BY_FORM)), []);
      // Everything else of these files is there.
      const { text } = await readResource(library, "bmad://fw/config.yaml");
      assert.equal(text, 'user_name: Ada\napi_token: "[removed]"\nremote: "[removed]"\n');
      assert.ok(said.some((text) => text.includes('user_name = "Ada"')));
    }),
);
