/** Does the skills extension return every skill, complete and unchanged? */
import assert from "node:assert/strict";
import type { App, SkillFolder } from "../../../src/app.ts";
import { listSkills } from "../../../src/serve/mcp/resources.ts";
import { createHash } from "node:crypto";
import { clientHere, ERAS, type ProgramClient } from "../../support/client.ts";
import { installation } from "../../support/installs.ts";
import { INITIALIZE, startRaw } from "../../support/program.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";

interface SkillFile {
  readonly uri: string;
  readonly digest: string;
  readonly size: number;
}

interface Skill {
  readonly uri: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly resources: readonly SkillFile[];
}

async function allSkills(client: ProgramClient): Promise<readonly Skill[]> {
  const skills: Skill[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.request("skills/list", cursor === undefined ? {} : { cursor });
    assert.ok(page.skills.length <= 100);
    skills.push(...page.skills);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return skills;
}

async function bytesOf(client: ProgramClient, uri: string): Promise<Uint8Array> {
  const { contents: [content] } = await client.readResource(uri);
  assert.equal(content.uri, uri);
  return content.text === undefined
    ? Uint8Array.fromBase64(content.blob)
    : new TextEncoder().encode(content.text);
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

async function walkSkill(client: ProgramClient, uri: string): Promise<Record<string, number>> {
  const files: Record<string, number> = {};
  const { resources } = await client.request("resources/directory/read", { uri });
  for (const child of resources) {
    assert.equal(child.uri, `${uri}/${child.uri.slice(uri.length + 1)}`);
    if (child.mimeType === "inode/directory") Object.assign(files, await walkSkill(client, child.uri));
    else files[child.uri] = child.size;
  }
  return files;
}

const folderOf = (uri: string) => uri.slice(0, -"/SKILL.md".length);
const isSorted = (uris: readonly string[]) => uris.join() === [...uris].sort().join();

Deno.test("the extension is announced in both eras [resources:skills-extension]", async () => {
  const announced = { "io.modelcontextprotocol/skills": { directoryRead: true } };
  await using raw = await startRaw([]);
  await raw.send(INITIALIZE);
  assert.deepEqual((await raw.next(1)).result.capabilities.extensions, announced);
  await using modern = await clientHere({ era: "2026" });
  const { capabilities } = await modern.request("server/discover");
  assert.deepEqual(capabilities.extensions, announced);
});

for (const era of ERAS) {
  Deno.test(`a ${era} client is served every embedded skill`, async (t) => {
    await using client = await clientHere({ era });
    const skills = await allSkills(client);

    await t.step("each is listed once, with all its files [resources:skills-extension]", () => {
      assert.equal(skills.length, 41);
      assert.ok(isSorted(skills.map(({ uri }) => uri)));
      for (const { uri, frontmatter, resources } of skills) {
        assert.match(uri, /^skill:\/\/(bmb|bmm|core|tea)\/bmad-[\w-]+\/SKILL\.md$/);
        assert.equal(frontmatter["name"], uri.split("/").at(-2));
        assert.ok(String(frontmatter["description"]).length > 10, uri);
        const uris = resources.map((resource) => resource.uri);
        assert.ok(uris.includes(uri) && isSorted(uris), uri);
        assert.ok(uris.every((file) => file.startsWith(`${folderOf(uri)}/`)), uri);
      }
    });

    await t.step("size and digest are those of the bytes [resources:skills-extension]", async () => {
      for (const { uri, digest, size } of skills.flatMap(({ resources }) => resources)) {
        const bytes = await bytesOf(client, uri);
        assert.deepEqual([digest, size], [digestOf(bytes), bytes.length], uri);
      }
    });

    await t.step("reading its folders leads to the same files [resources:skills-extension]", async () => {
      for (const { uri, resources } of skills) {
        const listed = Object.fromEntries(resources.map((file) => [file.uri, file.size]));
        assert.deepEqual(await walkSkill(client, folderOf(uri)), listed, uri);
      }
    });

    await t.step("one skill is got by its URI, listed or not [resources:skills-extension]", async () => {
      const wanted = skills.find(({ uri }) => uri.endsWith("/bmad-prd/SKILL.md"))!;
      assert.deepEqual((await client.request("skills/get", { uri: wanted.uri })).skill, wanted);
      const forwarding = "skill://bmm/bmad-create-prd/SKILL.md";
      assert.ok(!skills.some(({ uri }) => uri === forwarding));
      const { skill } = await client.request("skills/get", { uri: forwarding });
      assert.deepEqual([skill.uri, skill.frontmatter.name], [forwarding, "bmad-create-prd"]);
    });

    await t.step("a missing skill comes with those there are [errors:resource-not-found]", async () => {
      const near = "skill://bmm/bmad-prd/SKILL.md";
      for (
        const [method, uri] of [
          ["skills/get", "skill://bmm/bmad-prx/SKILL.md"],
          ["skills/get", "skill://bmm/bmad-prd/assets/prd-template.md"],
          ["resources/read", "skill://bmm/bmad-prd/none.md"],
          ["resources/read", "skill://bmm/bmad-prd/assets"],
          ["resources/read", "skill://bmm/bmad-prd/assets/../SKILL.md"],
          ["resources/directory/read", near],
          ["resources/directory/read", "skill://bmm/bmad-prd/none"],
        ] as const
      ) {
        await assert.rejects(
          client.request(method, { uri }),
          ({ code, data }: { code: number; data: { uri: string; suggestions: string[] } }) => {
            assert.deepEqual([code, data.uri, data.suggestions[0]], [-32602, uri, near]);
            return true;
          },
          `${method} ${uri}`,
        );
      }
    });
  });

  Deno.test(`a ${era} client gets skills as they are on disk [resources:skills-extension]`, async () => {
    const project = await installation({ version: "6.12.0", tools: "claude-code" });
    await using client = await clientHere({ era, cwd: project, args: ["--pack", "none"] });
    const skills = await allSkills(client);
    const folders = [...Deno.readDirSync(`${project}/.claude/skills`)].map(({ name }) => name).sort();
    assert.deepEqual(skills.map(({ uri }) => uri.split("/").at(-2)).sort(), folders);
    for (const { uri, frontmatter, resources } of skills) {
      const dir = `${project}/.claude/skills/${frontmatter["name"]}`;
      const digests = resources.map((file) => [file.uri.slice(folderOf(uri).length + 1), file.digest]);
      const onDisk = (await listTree(dir)).filter((line) => !line.endsWith("/"))
        .map((line) => line.slice(0, line.lastIndexOf(" ")))
        // What the program leaves out everywhere is no part of the skill.
        .filter((path) => !/(^|\/)(tests|__pycache__|\..*)(\/|$)/.test(path));
      const expected = onDisk.map((path) => [path, digestOf(Deno.readFileSync(`${dir}/${path}`))]);
      assert.deepEqual(Object.fromEntries(digests), Object.fromEntries(expected), uri);
    }
  });
}

const skillText = (name: string, description = "Does things") =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo things.\n`;

const ODD_NAMES = ["Q&A sheet (1).md", "notes/über uns.md", "notes/50%#off?.txt"];

treeTest("the skills of a project", {
  ".claude/skills/bmad-odd/SKILL.md": skillText("bmad-odd"),
  ...Object.fromEntries(ODD_NAMES.map((name) => [`.claude/skills/bmad-odd/${name}`, `In ${name}\n`])),
  ".claude/skills/bmad-odd/face.png": new Uint8Array([137, 80, 78, 71, 0, 1, 254, 255]),
  ".claude/skills/bmad-odd/bom.md": "\uFEFFmarked\r\n",
  ".claude/skills/bmad-odd/tests/unseen.md": "unseen",
  // A skill of our kind, since its front matter has the folder's name; not one of the protocol's.
  ".claude/skills/bmad-_wrong/SKILL.md": skillText("bmad-_wrong"),
  // The SDK would read it for seconds.
  ".claude/skills/bmad-long/SKILL.md": skillText("bmad-long", `| #${" ".repeat(50_000)}\u2028\n  a`),
}, async (dir, t) => {
  await using client = await clientHere({ era: "2026", cwd: dir, args: ["--pack", "none"] });
  const root = "skill://skills/bmad-odd";

  await t.step(
    "names that a URL cannot have as they are, and bytes that are no text, arrive whole",
    async () => {
      const [odd] = await allSkills(client);
      assert.equal(odd!.uri, `${root}/SKILL.md`);
      const names = odd!.resources.map(({ uri }) => decodeURIComponent(uri.slice(root.length + 1)));
      assert.deepEqual(names.sort(), ["SKILL.md", "bom.md", "face.png", ...ODD_NAMES].sort());
      for (const { uri, digest } of odd!.resources) {
        const name = decodeURIComponent(uri.slice(root.length + 1));
        const bytes = await bytesOf(client, uri);
        assert.deepEqual(bytes, Deno.readFileSync(`${dir}/.claude/skills/bmad-odd/${name}`), name);
        assert.equal(digest, digestOf(bytes));
      }
      const listed = Object.fromEntries(odd!.resources.map(({ uri, size }) => [uri, size]));
      assert.deepEqual(await walkSkill(client, root), listed);
    },
  );

  await t.step(
    "a skill that breaks the rules of skills is not listed, and says why when it is asked for",
    async () => {
      assert.deepEqual((await allSkills(client)).map(({ uri }) => uri), [`${root}/SKILL.md`]);
      await assert.rejects(
        client.request("skills/get", { uri: "skill://skills/bmad-_wrong/SKILL.md" }),
        /is not a valid skill: .*bmad-_wrong.* must be 1-64 lowercase letters/,
      );
      await assert.rejects(
        client.request("skills/get", { uri: "skill://skills/bmad-long/SKILL.md" }),
        /is not a valid skill: its front matter is longer than 6000 bytes/,
      );
      const { contents: [content] } = await client.readResource("bmad://skills/bmad-_wrong/SKILL.md");
      assert.equal(content.text, skillText("bmad-_wrong"));
    },
  );

  await t.step("a changed file has its new digest at once", async () => {
    const digest = async () =>
      (await client.request("skills/get", { uri: `${root}/SKILL.md` })).skill.resources
        .find(({ uri }: SkillFile) => uri === `${root}/SKILL.md`).digest;
    const before = await digest();
    const path = `${dir}/.claude/skills/bmad-odd/SKILL.md`;
    await Deno.writeTextFile(path, skillText("bmad-odd", "Does other things"));
    assert.notEqual(await digest(), before);
    assert.equal(await digest(), digestOf(await bytesOf(client, `${root}/SKILL.md`)));
    assert.equal(await digest(), digestOf(Deno.readFileSync(path)));
  });
});

Deno.test("a project's skill replaces the embedded one [resources:skills-extension]", () => {
  const many = Array.from({ length: 120 }, (_, i) => `bmad-n${i}`);
  return withTree({
    "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\n",
    "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
      ["bmad-prd", ...many].map((id) => `${id},${id},About ${id},bmm,_bmad/bmm/${id}/SKILL.md\n`).join(""),
    ...Object.fromEntries(
      ["bmad-prd", ...many].map((id) => [`.claude/skills/${id}/SKILL.md`, skillText(id)]),
    ),
  }, async (dir) => {
    await using client = await clientHere({ era: "2025", cwd: dir });
    const first = await client.request("skills/list");
    assert.equal(first.skills.length, 100);
    const skills = await allSkills(client);
    assert.equal(skills.length, 1 + many.length);
    assert.equal(new Set(skills.map(({ uri }) => uri)).size, skills.length);
    const prd = skills.find(({ uri }) => uri === "skill://bmm/bmad-prd/SKILL.md")!;
    assert.deepEqual(prd.resources.map(({ uri }) => uri), [prd.uri]);
    assert.equal(prd.resources[0]!.digest, digestOf(new TextEncoder().encode(skillText("bmad-prd"))));
  });
});

treeTest("a skill with a file that is too large to serve costs only itself", {
  ".claude/skills/bmad-large/SKILL.md": skillText("bmad-large"),
  ".claude/skills/bmad-large/data.txt": "x".repeat(2_000),
  ".claude/skills/bmad-small/SKILL.md": skillText("bmad-small"),
}, async (dir) => {
  const args = ["--pack", "none", "--max-file", "1024"];
  await using client = await clientHere({ era: "2025", cwd: dir, args });
  assert.deepEqual((await allSkills(client)).map(({ uri }) => uri), ["skill://skills/bmad-small/SKILL.md"]);
  const asked = client.request("skills/get", { uri: "skill://skills/bmad-large/SKILL.md" });
  await assert.rejects(asked, /2000 bytes, more than the maximum file size of 1024/);
  const { resources } = await client.request("resources/directory/read", {
    uri: "skill://skills/bmad-large",
  });
  const sizes = resources.map(({ name, size }: { name: string; size?: number }) => [name, size]);
  assert.deepEqual(sizes, [["SKILL.md", skillText("bmad-large").length], ["data.txt", undefined]]);
});

treeTest("a secret in a skill's file is not delivered, and the digest is that of what is", {
  ".claude/skills/bmad-map/SKILL.md": skillText("bmad-map"),
  ".claude/skills/bmad-map/customize.toml": '[workflow]\nhome = "here"\napi_key = "hush-hush"\n',
}, async (dir) => {
  await using client = await clientHere({ era: "2026", cwd: dir, args: ["--pack", "none"] });
  const [skill] = await allSkills(client);
  const { uri, digest, size } = skill!.resources.find((file) => file.uri.endsWith("/customize.toml"))!;
  const bytes = await bytesOf(client, uri);
  assert.equal(new TextDecoder().decode(bytes), '[workflow]\nhome = "here"\napi_key = "[removed]"\n');
  assert.deepEqual([digest, size], [digestOf(bytes), bytes.length]);
  assert.equal((await walkSkill(client, folderOf(skill!.uri)))[uri], bytes.length);
});

Deno.test("the files of a skill are read again for its digests only when one of them has changed", async () => {
  const text = skillText("bmad-kept");
  let reads = 0;
  let state = "one";
  const folder: SkillFolder = {
    path: "skills/bmad-kept",
    name: "bmad-kept",
    location: "/skills/bmad-kept",
    read: () => text,
    isListed: true,
    state: () => state,
    files: () => [{
      path: "SKILL.md",
      mimeType: "text/markdown",
      read: () => {
        reads++;
        return { bytes: new TextEncoder().encode(text), text };
      },
    }],
  };
  const app = { ask: () => Promise.resolve([folder]) } as unknown as App;
  const list = async () => {
    reads = 0;
    const { skills } = await listSkills(app, undefined);
    return [skills.map(({ uri }) => uri), reads];
  };
  const uris = ["skill://skills/bmad-kept/SKILL.md"];
  assert.deepEqual([await list(), await list()], [[uris, 1], [uris, 0]]);
  state = "two";
  assert.deepEqual([await list(), await list()], [[uris, 1], [uris, 0]]);
});
