/** Does an answer of a native script say so if the installed script is none that it was compared with? */
import assert from "node:assert/strict";
import packs from "../../../bmad-embedded/packages.json" with { type: "json" };
import { CURRENT_PACKAGES } from "../../../src/base/official_modules.ts";
import { COMPARED, KNOWN_SCRIPTS } from "../../../src/project/scripts/known_scripts.ts";
import { installedScripts, parseCommandLine, runScript, SCRIPTS } from "../../../src/project/scripts/mod.ts";
import { sourceTree } from "../../support/installs.ts";
import { skillAt, worldOf } from "../../support/scripts.ts";
import { type TreeFile, treeTest, withTree } from "../../support/trees.ts";

const PACKAGE = await sourceTree("bmad-method@6.12.0");
const own = (path: string) => Deno.readTextFileSync(`${PACKAGE}/src/${path}`);
const SKILLS = ".claude/skills";

const INSTALLED: Readonly<Record<string, string>> = {
  "_bmad/config.toml": '[core]\nuser_name = "Ann"\n',
  ...Object.fromEntries(
    ["memlog.py", "resolve_config.py", "config_utils.py"].map((name) => [
      `_bmad/scripts/${name}`,
      own(`scripts/${name}`),
    ]),
  ),
  [`${SKILLS}/bmad-architecture/scripts/lint_spine.py`]: own(
    "bmm-skills/plan/bmad-architecture/scripts/lint_spine.py",
  ),
  [`${SKILLS}/mine/scripts/own.py`]: "print(1)\n",
};

async function notesOf(files: Readonly<Record<string, TreeFile>>, line: string): Promise<readonly string[]> {
  return await withTree({ ...INSTALLED, ...files }, async (root) => {
    const world = worldOf(root, { skills: [skillAt(`${root}/${SKILLS}/bmad-architecture`)] });
    const { note } = await runScript(parseCommandLine(line), world);
    return note === undefined ? [] : [note.replaceAll(root, "ROOT")];
  });
}

const CONFIG = "resolve_config.py -p . -k core";

Deno.test("known scripts are answered without a word [upstream:known-scripts]", async () => {
  assert.deepEqual(await notesOf({}, CONFIG), []);
  const windows = INSTALLED["_bmad/scripts/memlog.py"]!.replaceAll("\n", "\r\n");
  assert.deepEqual(await notesOf({ "_bmad/scripts/memlog.py": windows }, "memlog.py --help"), []);
  assert.deepEqual(await notesOf({}, "lint_spine.py --workspace ."), []);
});

Deno.test("an unknown script is answered by known rules [upstream:known-scripts]", async () => {
  const changed = (name: string, more = "") => ({ [name]: `${INSTALLED[name]}# changed\n${more}` });
  assert.deepEqual(await notesOf(changed("_bmad/scripts/resolve_config.py"), CONFIG), [
    "note: _bmad/scripts/resolve_config.py is in no BMAD release that was compared. This follows the rules of 6.12.0. " +
    "To run the original instead: uv run ROOT/_bmad/scripts/resolve_config.py -p . -k core",
  ]);
  // What it imports counts, too.
  assert.match(
    (await notesOf(changed("_bmad/scripts/config_utils.py"), CONFIG)).join(),
    /^note: _bmad\/scripts\/config_utils\.py is in no .* uv run ROOT\/_bmad\/scripts\/resolve_config\.py/,
  );
  const spine = `${SKILLS}/bmad-architecture/scripts/lint_spine.py`;
  const [note] = await notesOf(
    changed(spine, 'p.add_argument("--depth")\n'),
    "lint_spine.py --workspace . --depth 1",
  );
  assert.match(note!, /rules of 6\.12\.0 and lacks --depth\. .*lint_spine\.py --workspace \. --depth 1$/);
  // Nobody should write the same entry twice.
  const [done] = await notesOf(changed("_bmad/scripts/memlog.py"), "memlog.py init --workspace out");
  assert.match(done!, /It is written: do not run it again\. The original, for the next call: uv run /);
});

treeTest("known, unknown and not native ones are told apart [upstream:known-scripts]", {
  ...INSTALLED,
  "_bmad/scripts/config_utils.py": "",
  "_bmad/scripts/fresh.py": "",
  "_bmad/method/scripts/memlog.py": "#\n",
}, async (root) => {
  const skills = ["bmad-architecture", "mine"].map((id) => skillAt(`${root}/${SKILLS}/${id}`));
  const states = await installedScripts(worldOf(root, { skills }));
  const shown = states.map(({ place, release, isNative, strange }) =>
    `${place.slice(root.length + 1)} ${release} ${isNative} ${strange.length}`
  );
  assert.deepEqual(shown.sort(), [
    `${SKILLS}/bmad-architecture/scripts/lint_spine.py 6.12.0 true 0`,
    "_bmad/method/scripts/memlog.py undefined true 1",
    "_bmad/scripts/config_utils.py undefined false 1",
    "_bmad/scripts/fresh.py undefined false 1",
    "_bmad/scripts/memlog.py 6.12.0 true 0",
    "_bmad/scripts/resolve_config.py 6.12.0 true 1",
  ]);
});

Deno.test("the table has what is embedded, every package of BMAD's, and every native script of a release", () => {
  for (const { package: name, version } of packs.packs.latest) {
    assert.ok(COMPARED[name]?.includes(version), `${name} ${version}: deno task upstream --write`);
  }
  assert.deepEqual(Object.keys(COMPARED).sort(), CURRENT_PACKAGES.toSorted());
  const unreleased = SCRIPTS.map(({ name }) => name).filter((name) => !Object.hasOwn(KNOWN_SCRIPTS, name));
  // Of the generation after 6.12, which has no release.
  assert.deepEqual(unreleased.sort(), ["knowledge.py", "roster.py", "tickets.py"]);
});
