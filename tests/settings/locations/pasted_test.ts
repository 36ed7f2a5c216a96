/** Is a source understood in every spelling that people paste? */
import assert from "node:assert/strict";
import { Invalid } from "../../../src/base/invalid.ts";
import { pastedSources } from "../../../src/settings/locations/pasted.ts";

const PAGE = "https://github.com/acme/bmad";
const HUB = `git+${PAGE}.git`;

Deno.test("repositories and packages are understood as people paste them [add:pasted]", () => {
  const table: Readonly<Record<string, readonly string[]>> = {
    [HUB]: [
      ...["", "/", ".git", "?tab=readme-ov-file#readme", "/issues/12", "/pulls"].map((end) => PAGE + end),
      "acme/bmad",
      "acme/bmad.git",
      "github:acme/bmad",
      "gh:acme/bmad",
      "github.com/acme/bmad",
      "www.github.com/acme/bmad/",
      "https://www.github.com/acme/bmad",
      `<${PAGE}>`,
      ` ${PAGE} \n`,
      `git clone ${PAGE}.git`,
      "npx skills add acme/bmad",
      "/plugin marketplace add acme/bmad",
      HUB,
    ],
    [`${HUB}#v2`]: [
      "acme/bmad#v2",
      "github:acme/bmad#v2",
      `${PAGE}#v2`,
      `${PAGE}.git#v2`,
      ...["tree/v2", "releases/tag/v2", "commit/v2", "blob/v2/README.md"].map((page) => `${PAGE}/${page}`),
      `${PAGE}/blob/v2/.claude-plugin/marketplace.json`,
    ],
    [`${HUB}#v2:/packs/ops`]: [
      "acme/bmad/packs/ops#v2",
      `${PAGE}#v2:/packs/ops`,
      `${PAGE}/tree/v2/packs/ops`,
      `${PAGE}/blob/v2/packs/ops/SKILL.md`,
      `${HUB}#v2:/packs/ops`,
    ],
    [`${HUB}:/packs/ops`]: ["acme/bmad/packs/ops", "acme/bmad/packs/ops/"],
    "git+https://gitlab.com/acme/deep/bmad.git#main:/packs": [
      "https://gitlab.com/acme/deep/bmad/-/tree/main/packs",
      "https://gitlab.com/acme/deep/bmad/-/tree/main/packs?ref_type=heads",
    ],
    "git+https://bitbucket.org/acme/bmad.git#main:/packs": [
      "https://bitbucket.org/acme/bmad/src/main/packs/",
    ],
    "git+https://codeberg.org/acme/bmad.git#main:/packs": [
      "https://codeberg.org/acme/bmad/src/branch/main/packs",
    ],
    "git+https://git.example.org/acme/bmad": ["https://git.example.org/acme/bmad"],
    "git+https://git.example.org/acme/bmad.git#main": ["https://git.example.org/acme/bmad.git#main"],
    "git+ssh://git@github.com/acme/bmad.git": [
      "git@github.com:acme/bmad.git",
      "ssh://git@github.com/acme/bmad.git",
      "git clone git@github.com:acme/bmad.git",
    ],
    "git+ssh://git@github.com/acme/bmad.git#v2": ["git@github.com:acme/bmad.git#v2"],
    "npm:bmad-ops": [
      "npm:bmad-ops",
      "bmad-ops",
      "npm install bmad-ops",
      "https://www.npmx.dev/package/bmad-ops",
    ],
    "npm:@acme/bmad-ops@1.2.0": [
      "npm:@acme/bmad-ops@1.2.0",
      "@acme/bmad-ops@1.2.0",
      "pkg:npm/%40acme/bmad-ops@1.2.0",
      "https://npm.example.org/package/@acme/bmad-ops/v/1.2.0",
    ],
    "npm:bmad-ops@next:/src": ["npm:bmad-ops@next:/src"],
  };
  for (const [meant, spellings] of Object.entries(table)) {
    for (const spelling of spellings) {
      const found = pastedSources(spelling);
      assert.deepEqual(found instanceof Invalid ? found.expected : found[0], meant, spelling);
    }
  }
});

Deno.test("a page of a branch has every meaning that its name can have [add:pasted]", () => {
  assert.deepEqual(pastedSources("https://github.com/acme/bmad/tree/fix/menus/packs"), [
    `${HUB}#fix:/menus/packs`,
    `${HUB}#fix/menus:/packs`,
    `${HUB}#fix/menus/packs`,
  ]);
});

Deno.test("what is no source, or no safe one, is refused with the reason [add:pasted]", () => {
  const table: readonly (readonly [text: string, reason: RegExp])[] = [
    ["", /^expected a folder/],
    ["--upload-pack=x", /^expected a folder/],
    ["http://github.com/acme/bmad", /not encrypted/],
    ["git://github.com/acme/bmad.git", /not encrypted/],
    ["https://ann:secret@github.com/acme/bmad.git", /passwords do not belong/],
    ["git+https://token@github.com/acme/bmad.git", /passwords do not belong/],
    ["https://example.org/bmad-1.0.0.tgz", /download it first/],
    ["git+ext::sh -c evil", /spaces/],
    ["ssh://-oProxyCommand=x/acme", /host must be/],
    ["npm:bmad-ops@file:../x", /^expected npm:NAME/],
    ["npm:bmad-ops@--registry=x", /VERSION/],
    ["npm:../x", /^expected npm:NAME/],
    ["npm:bmad-ops:/../..", /FOLDER/],
    ["https://github.com/acme/../etc", /segment/],
  ];
  for (const [text, reason] of table) {
    const found = pastedSources(text);
    assert.match(found instanceof Invalid ? found.expected : JSON.stringify(found), reason, text);
  }
});
