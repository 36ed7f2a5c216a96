/**
 * Is every file of a BMAD folder that somebody wrote by hand served, or named by the doctor with the reason?
 *
 * Random folders: names, depths and kinds as people choose them, with broken, empty and binary files among them, broken
 * links, several BMAD folders side by side, and names in both spellings of accented letters.
 */
import assert from "node:assert/strict";
import {
  examineLibrary,
  type FileContent,
  listFiles,
  listResources,
  openLibrary,
  readResource,
} from "../../src/content/library/mod.ts";
import { opening } from "../support/library.ts";
import { type TreeFile, withTree } from "../support/trees.ts";
import type { Chance } from "../support/chance.ts";
import { inRounds } from "../support/property.ts";
import { openSlowest } from "./measure.ts";

const ROOTS = ["_bmad", ".bmad", "bmad"];
const MODULES = [
  "",
  "bmm",
  "core",
  "custom",
  "house",
  "my module",
  "größe",
  "_config",
  "tests",
  ".private",
  "cache",
];
const FOLDERS = [
  ..."agents workflows tasks tools teams skills templates checklists knowledge data prompts docs utils".split(
    " ",
  ),
  ..."agents/keeper agents/deep/er workflows/1-plan/land mend skills/mend".split(" "),
  ..."skills/mend/steps data/deep/er node_modules/x Agents TASKS deep/er/agents".split(" "),
  "knowledge/deep/er",
  // Where resources are generated.
  ..."config manifests roster roster/parties rendered/bmm memory".split(" "),
];
const NAMES = [
  ..."keeper.md README.md land.yaml land-workflow.yaml workflow.yaml workflow.md SKILL.md customize.toml"
    .split(" "),
  ..."config.yaml module.yaml keeper.agent.yaml crew.yml story.md list.csv facts.json page.html q.xml".split(
    " ",
  ),
  ..."with space.md,Größe.MD,noext,.hidden,.env,credentials.json,cards.db,pic.png,a#b.md,100%.md,x.md.md"
    .split(","),
  ..."keeper.md~ keeper.md.bak current agents personas manifest board scripts decisions workflow-x.md".split(
    " ",
  ),
  ..."UPPER.MD x.txt module-help.csv agent-manifest.csv files-manifest.csv skill-manifest.csv manifest.yaml"
    .split(" "),
  ...["résumé.md", "résumé.yaml"].flatMap((name) => [name.normalize("NFC"), name.normalize("NFD")]),
  // There, it would be a folder.
  ...(Deno.build.os === "windows" ? [] : ["back\\slash.md"]),
];
const TEXTS: readonly TreeFile[] = [
  "",
  "# Words\n\nThat count.\n",
  "---\nname: keeper\ndescription: Keeps.\n---\n\nYou keep the house.\n",
  "---\nname: [never\n---\n\nWords.\n",
  "---\nnever closed\n",
  "name: land\ndescription: Lands.\n",
  "name: [\n  bad: : :\n",
  "name: '{WORKFLOW}'\n",
  '<agent id="x" name="Kim" title="Keeper"><persona><role>R</role></persona></agent>\n',
  '<agent id="x"',
  '<agent id="x" name="Kim"><persona><role>R</role></agent>\n',
  '<task id="t"><step></task>\n',
  { link: "none.md" },
  { link: "." },
  '[agent]\nname = "Kim"\n',
  "a,b\n1,2\n",
  "\uFEFF# Marked\r\n",
  new Uint8Array([0, 1, 254, 255]),
  `# Long\n${"x".repeat(20_000)}\n`,
];

function folderBy(chance: Chance): Readonly<Record<string, TreeFile>> {
  const usual = chance.pick(ROOTS);
  const files: Record<string, TreeFile> = {};
  for (let count = 1 + chance.below(12); count > 0; count--) {
    const root = chance.below(4) === 0 ? chance.pick(ROOTS) : usual;
    const folder = chance.below(8) === 0 ? "" : chance.pick(FOLDERS);
    const path = [root, chance.pick(MODULES), folder, chance.pick(NAMES)].filter(Boolean).join("/");
    // A file cannot also be a folder.
    if (!Object.keys(files).some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`))) {
      files[path] = chance.pick(TEXTS);
    }
  }
  return files;
}

export async function fuzzFolders(count: number, seed: number) {
  let served = 0, named = 0;
  const { slowest, time } = openSlowest();
  await inRounds(count, seed, async (chance) => {
    const files = folderBy(chance);
    await withTree(files, async (dir) => {
      const library = await time("open", () => openLibrary([opening("project", 1, dir)], { project: dir }));
      const { unserved, diagnostics } = await time("examine", () => examineLibrary(library, {}));
      const uris = new Map(listFiles(library).map(({ path, uri }) => [path, uri]));
      const listed = (await time("list", () => listResources(library))).map(({ uri }) => uri);
      const twice = listed.filter((uri, at) => listed.indexOf(uri) !== at);
      assert.deepEqual(twice, [], JSON.stringify(files));
      for (const path of Object.keys(files)) {
        const inRoot = path.slice(path.indexOf("/") + 1);
        // Where a whole root is one module, its name comes first.
        const uri = uris.get(path) ?? `bmad://${inRoot.split("/").map(encodeURIComponent).join("/")}`;
        const read = (name: string) =>
          time(name, () => readResource(library, name, { raw: true }).catch(() => undefined));
        const isSame = (found: FileContent | undefined) =>
          found !== undefined && sameBytes(found, files[path]!);
        const isServed = isSame(await read(uri));
        const isNamed = unserved.some((row) => path === row.path || path.startsWith(`${row.path}/`));
        const problem = isServed ? "is served, and said not to be" : "is neither served nor named";
        assert.ok(isServed !== isNamed, `${path} ${problem}: ${JSON.stringify(files)}`);
        if (!isServed) {
          named++;
          continue;
        }
        served++;
        const about = `${path} %s: ${JSON.stringify(files)}`;
        for (const spelled of spellingsOf(path).filter((other) => other === path || !(other in files))) {
          const name = `{project-root}/${spelled}`;
          assert.ok(isSame(await read(name)), about.replace("%s", `does not open as ${name}`));
        }
        const isKnown = library.manifest.entries.some(({ file }) => file === path) ||
          diagnostics.some((diagnostic) => diagnostic.path === path);
        const isPart = library.manifest.entries.some(({ ownsFolder, folder }) =>
          ownsFolder && path.startsWith(`${folder}/`)
        );
        assert.ok(
          isKnown || isPart || !NEAR.test(path),
          about.replace("%s", "is no item, and nobody says why"),
        );
      }
    });
  });
  return { folders: count, served, named, longest: slowest.ms };
}

const NEAR =
  /^[^/]+\/(?:[^_./][^/]*\/)?(?:(?:deep\/er\/)?agents|tasks)\/(?!readme)[^/.]+\.(?:md|md~|md\.bak|txt|yaml|json|xml)$/i;

function spellingsOf(path: string): readonly string[] {
  return [...new Set([path, path.normalize("NFC"), path.normalize("NFD")])];
}

function sameBytes(
  { text, bytes }: { readonly text?: string; readonly bytes?: Uint8Array },
  wanted: TreeFile,
): boolean {
  if (typeof wanted === "string") return text === wanted || text === wanted.replace("\uFEFF", "");
  // Of a file that may hold secrets, every byte is a character.
  const found = bytes ??
    (text === undefined ? undefined : Uint8Array.from(text, (sign) => sign.charCodeAt(0)));
  return wanted instanceof Uint8Array && found !== undefined &&
    found.toString().endsWith(wanted.filter((byte) => byte !== 0).toString());
}
