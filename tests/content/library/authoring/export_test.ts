/** Does an export hold everything that an agent or a workflow leads to? */
import assert from "node:assert/strict";
import { type Entry, hasKind, qualifiedName } from "../../../../src/base/model.ts";
import {
  type Exported,
  exportEntry,
  type Library,
  openLibrary,
} from "../../../../src/content/library/mod.ts";
import { uriOf } from "../../../../src/content/library/files/files.ts";
import { findFile } from "../../../../src/content/library/files/references.ts";
import { referencesAt } from "../../../../src/content/library/health/closure.ts";
import { openPack } from "../../../../src/content/origins/pack.ts";
import { projectTest } from "../../../support/library.ts";

const contentDir = new URL("../../../../bmad-embedded/content", import.meta.url).pathname;

const openEmbedded = (pack: "latest" | "v4") =>
  openLibrary([{
    origin: { id: "package", kind: "package", priority: 9, location: pack },
    use: "named",
    ...openPack(pack, contentDir),
  }]);

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function missingFrom(library: Library, entry: Entry, { files }: Exported): readonly string[] {
  const missing: string[] = [];
  let opened = 0;
  for (const [path, bytes] of files) {
    const name = path === "SKILL.md" ? qualifiedName(entry) : path.replace(/^items\/(.*)\.md$/, "$1");
    const item = library.effective.find((one) => qualifiedName(one) === name);
    const uri = item === undefined ? `bmad://${path.replace(/^files\//, "")}` : uriOf(library, item);
    // Generated files are no files of the library; their references are URIs.
    const from = findFile(library, uri);
    for (const reference of from === undefined ? [] : referencesAt(uri, decode(bytes))) {
      const target = findFile(library, reference, from);
      if (target === undefined) continue;
      opened++;
      const own = `files/${decodeURIComponent(target.uri.slice("bmad://".length))}`;
      const rendered = own.replace("files/", "files/rendered/");
      if (!files.has(own) && !files.has(rendered)) missing.push(`${path}: ${reference} (${own})`);
    }
    for (const [named] of decode(bytes).matchAll(/bmad:\/\/[\w./-]+\.md\b/g)) {
      if (findFile(library, named) === undefined) continue;
      opened++;
      if (!files.has(`files/${named.slice("bmad://".length)}`)) missing.push(`${path}: ${named}`);
    }
  }
  assert.ok(opened > 0, "references were looked up");
  return missing;
}

const CASES: readonly (readonly [pack: "latest" | "v4", isCase: (entry: Entry) => boolean])[] = [
  ["latest", (entry) => hasKind(entry, "agent") && entry.module === "bmm"],
  ["latest", ({ id }) => ["bmad-prd", "bmad-build", "bmad-party-mode", "bmad-testarch-atdd"].includes(id)],
  ["v4", (entry) => entry.kind === "agent" || entry.kind === "team"],
];

for (const [pack, isCase] of CASES) {
  Deno.test(`an export has every file that its texts name (${pack}) [authors:export-closure]`, async (t) => {
    const library = await openEmbedded(pack);
    const cases = library.effective.filter(isCase);
    assert.ok(cases.length > 2);
    for (const entry of cases) {
      await t.step(qualifiedName(entry), async () => {
        const skill = await exportEntry(library, entry, { form: "skill", name: "x" }, {});
        assert.deepEqual(missingFrom(library, entry, skill), []);
        assert.match(decode(skill.files.get("SKILL.md")!), /^---\nname: x\ndescription: \S/);
      });
    }
  });
}

const PROJECT = {
  "_bmad/garden/agents/ann.agent.yaml":
    "agent:\n  metadata:\n    name: Ann\n    title: Gardener\n    icon: 🌱\n  persona:\n    role: Gardens\n  menu:\n" +
    '    - trigger: dig\n      exec: "{project-root}/_bmad/garden/workflows/dig/workflow.md"\n      description: Dig\n',
  "_bmad/garden/workflows/dig/workflow.md":
    "---\nname: dig\ndescription: Digs\n---\nRead ./steps/one.md, ../../../../../secret.md and ./gone.md. Write to {output}.\n",
  "_bmad/garden/workflows/dig/steps/one.md":
    "Then ../workflow.md, ./odd=====.md and the `garden-sow` skill.\n",
  "_bmad/garden/workflows/dig/steps/two.md": "===== file x\nNobody names me.\n",
  "_bmad/garden/workflows/dig/bed.png": new Uint8Array([0x89, 0x50, 0, 0xff]),
  "_bmad/garden/workflows/dig/rake.py": "print(1)\n",
  "_bmad/garden/skills/garden-sow/SKILL.md":
    "---\nname: garden-sow\ndescription: Sows\n---\nSow {workflow.seed}.\n",
  "_bmad/garden/skills/garden-sow/customize.toml": '[workflow]\nseed = "beans"\n',
  "_bmad/custom/garden-sow.toml": '[workflow]\nseed = "peas"\napi_key = "k-123456789"\n',
  "_bmad/garden/config.yaml":
    'user_name: Ann\nplot: "{project-root}/plot"\nclient_secret: abcdefgh12345678\n',
  "secret.md": "Not content.\n",
};

projectTest(
  "an export is complete [authors:export-closure, authors:export-resolved]",
  PROJECT,
  async (library, dir) => {
    const ann = library.effective.find(({ id }) => id === "ann")!;
    const skill = await exportEntry(library, ann, { form: "skill", name: "ann" }, {});
    assert.deepEqual(missingFrom(library, ann, skill), []);
    assert.deepEqual([...skill.files.keys()].filter((path) => !path.startsWith("files/")), [
      "SKILL.md",
      "items/garden/dig.md",
      "items/garden/garden-sow.md",
    ]);
    const all = [...skill.files.values()].map(decode).join("\n");
    assert.match(all, /seed: peas/);
    assert.match(all, /user_name: Ann/);
    assert.doesNotMatch(all, /k-123456789|abcdefgh12345678|Not content/);
    assert.ok(!all.includes(dir), "no path of this machine");
    assert.deepEqual(skill.leftOut.map(({ name }) => name).filter((name) => name === "./gone.md"), [
      "./gone.md",
    ]);

    const bundle = await exportEntry(library, ann, { form: "web-bundle", name: "ann.md" }, {});
    const text = decode(bundle.files.get("ann.md")!);
    assert.deepEqual([...bundle.files.keys()], ["ann.md"]);
    // A part has the mark of parts, so the mark is longer.
    const heads = [...text.matchAll(/^====== (.*)$/gm)].map(([, head]) => head);
    assert.equal(heads[0], "start");
    assert.equal(heads.at(-1), "end");
    assert.ok(heads.includes("item garden/dig") && heads.includes("item garden/garden-sow"));
    assert.ok(heads.includes("file bmad://garden/workflows/dig/steps/one.md"));
    assert.ok(text.includes("Nobody names me."));
    const lost = bundle.leftOut.map(({ name, why }) => `${name}: ${why}`);
    assert.ok(lost.includes("bmad://garden/workflows/dig/bed.png: it is not text"), lost.join("\n"));
    assert.ok(
      lost.some((line) => line.startsWith("bmad://garden/workflows/dig/rake.py: no text names it")),
    );
  },
);
