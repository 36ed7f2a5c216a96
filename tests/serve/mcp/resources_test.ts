/** What can a client open, and in which parts does it get a long text? */
import assert from "node:assert/strict";
import { allUris, type Arguments, refusal, refuses, say, says } from "../../support/answers.ts";
import { clientHere, ERAS, type ProgramClient } from "../../support/client.ts";
import { treeTest } from "../../support/trees.ts";

const ONE_AGENT = {
  ".claude/skills/bmad-agent-ada/SKILL.md":
    "---\nname: bmad-agent-ada\ndescription: Counts things\n---\nCount.\n",
  ".claude/skills/bmad-agent-ada/customize.toml": '[agent]\nname = "Ada"\ntitle = "Counter"\n',
  ".claude/skills/bmad-agent-ada/face.png": new Uint8Array([137, 80, 78, 71, 0, 1, 254, 255]),
};

async function contentOf(client: ProgramClient, uri: string) {
  const { contents } = await client.readResource(uri);
  assert.deepEqual([contents.length, contents[0].uri], [1, uri]);
  return contents[0];
}

for (const era of ERAS) {
  Deno.test(`a ${era} client opens the embedded content`, async (t) => {
    await using client = await clientHere({ era });

    await t.step("the resources are listed in pages, each once [resources:files]", async () => {
      const uris = await allUris(client);
      assert.equal(uris.length, 1082);
      assert.equal(new Set(uris).size, 1082);
      assert.deepEqual(await allUris(client), uris);
      for (const uri of uris) assert.match(uri, /^bmad:\/\/[\w.%-]+(\/[\w.%-]+)*$/);
    });

    await t.step("a resource has the type of its name's ending [resources:mime]", async () => {
      const types: Record<string, string> = {};
      for (
        const path of [
          "bmm/bmad-prd/SKILL.md",
          "bmm/bmad-prd/customize.toml",
          "bmm/module.yaml",
          "core/bmad-brainstorming/assets/brain-icons.json",
          "scripts/memlog.py",
          "tea/bmad-tea/resources/tea-index.csv",
        ]
      ) {
        const { mimeType, text } = await contentOf(client, `bmad://${path}`);
        assert.ok(text.length > 100, path);
        types[path] = mimeType;
      }
      assert.deepEqual(types, {
        "bmm/bmad-prd/SKILL.md": "text/markdown",
        "bmm/bmad-prd/customize.toml": "application/toml",
        "bmm/module.yaml": "application/x-yaml",
        "core/bmad-brainstorming/assets/brain-icons.json": "application/json",
        "scripts/memlog.py": "text/plain",
        "tea/bmad-tea/resources/tea-index.csv": "text/csv",
      });
    });

    await t.step("a folder is answered with the files in it [resources:folder]", async () => {
      const text = await refusal(client, { operation: "read", uri: "bmad://bmm/bmad-agent-pm" });
      assert.match(
        text,
        /is a folder\. Open one of its 2 files, such as bmad:\/\/bmm\/bmad-agent-pm\/SKILL\.md/,
      );
    });

    await t.step("an excerpt is the lines that were asked for [resources:lines]", async () => {
      const uri = "bmad://bmm/bmad-prd/SKILL.md";
      const lines = (await contentOf(client, uri)).text.split("\n");
      assert.equal((await contentOf(client, `${uri}#lines=1-2`)).text, "---\nname: bmad-prd");
      assert.equal((await contentOf(client, `${uri}#lines=10-20`)).text, lines.slice(9, 20).join("\n"));
      for (const range of ["0-3", "5-2", "x", "3"]) {
        await assert.rejects(client.readResource(`${uri}#lines=${range}`), { code: -32602 });
      }
      const manifest = (await contentOf(client, "bmad://manifests/agents")).text.split("\n");
      assert.equal((await contentOf(client, "bmad://manifests/agents#lines=2-2")).text, manifest[1]);
    });

    await t.step(
      "manifests need no installation [resources:manifests-csv, resources:virtual-manifests]",
      async () => {
        const rows: Record<string, number> = {};
        for (const kind of ["agent", "workflow", "task", "tool", "skill"]) {
          const { mimeType, text } = await contentOf(client, `bmad://manifests/${kind}s`);
          assert.equal(mimeType, "text/csv");
          rows[kind] = text.trim().split("\n").length - 1;
          for (const folder of ["_cfg", "_config", "_bmad/_config", "bmad/_cfg"]) {
            assert.equal((await contentOf(client, `bmad://${folder}/${kind}-manifest.csv`)).text, text);
          }
        }
        assert.deepEqual(rows, { agent: 6, workflow: 35, task: 8, tool: 0, skill: 41 });
        const { text } = await contentOf(client, "bmad://manifests/agents");
        assert.match(
          text,
          /^name,displayName,title,icon,role,identity,communicationStyle,principles,module,path,canonicalId,author,source\n"analyst","Mary",/,
        );
      },
    );

    await t.step("the manifest has everything [resources:manifest-json, origins:record-facts]", async () => {
      const { mimeType, text } = await contentOf(client, "bmad://manifest");
      assert.equal(mimeType, "application/json");
      const { entries } = JSON.parse(text);
      assert.equal(entries.length, 62);
      const { origin, status, generation, module, path, uri } = entries[0];
      assert.deepEqual({ origin, status, generation, module, path, uri }, {
        origin: "package",
        status: "verified",
        generation: "skills",
        module: "bmm",
        path: "bmm/agents/bmad-agent-analyst/SKILL.md",
        uri: "bmad://bmm/bmad-agent-analyst/SKILL.md",
      });
    });

    await t.step("a file opens under each way to spell it [resources:forms]", async () => {
      const { text } = await contentOf(client, "bmad://bmm/bmad-prd/customize.toml");
      for (
        const spelling of [
          "bmad://_bmad/bmm/bmad-prd/customize.toml",
          "bmad://bmad/bmm/bmad-prd/customize.toml",
          "{project-root}/_bmad/bmm/bmad-prd/customize.toml",
          "_bmad/bmm/bmad-prd/customize.toml",
          "bmad://bmm/bmad-prd/./assets/../customize.toml",
          "bmad://bmm/bmad-prd/customize%2Etoml",
        ]
      ) await says(client, { operation: "read", uri: spelling }, text);
      const agents = await say(client, { operation: "read", uri: "bmad://_config/agent-manifest.csv" });
      const spelled = { operation: "read", uri: "{project-root}/_bmad/_config/agent-manifest.csv" };
      await says(client, spelled, agents);
    });

    await t.step("each resource has a title and a source [resources:source]", async () => {
      const { items } = await client.listResources();
      const byUri = new Map(items.map(({ uri, ...rest }) => [uri, rest]));
      assert.deepEqual(byUri.get("bmad://manifests/agents"), {
        name: "manifests/agents",
        title: "Manifest of agents",
        mimeType: "text/csv",
        annotations: { audience: ["user", "assistant"], priority: 0.5 },
      });
      const { description, size, ...mary } = byUri.get("bmad://bmm/bmad-agent-analyst/SKILL.md")!;
      assert.deepEqual(mary, {
        name: "bmad-agent-analyst",
        title: "📊 Mary (Business Analyst)",
        mimeType: "text/markdown",
        annotations: { audience: ["user", "assistant"], priority: 0.9 },
        _meta: { "io.modelcontextprotocol.skills/source": "package" },
      });
      assert.match(description, /analyst/i);
      const text: string = (await contentOf(client, "bmad://bmm/bmad-agent-analyst/SKILL.md")).text;
      assert.equal(size, new TextEncoder().encode(text).length);
      const custom = byUri.get("bmad://bmm/bmad-agent-analyst/customize.toml")!;
      assert.deepEqual([custom.title, custom.annotations, custom._meta], [
        undefined,
        { audience: ["assistant"], priority: 0.2 },
        { "bmad/source": "package" },
      ]);
    });
  });

  treeTest(`descriptions for ${era} have one size [tool:description-constant]`, ONE_AGENT, async (dir) => {
    await using small = await clientHere({ era, cwd: dir, args: ["--pack", "none"] });
    await using large = await clientHere({ era, cwd: dir, args: ["--pack", "latest"] });
    const descriptionOf = async (client: ProgramClient) => (await client.listTools())[0].description;
    const [one, many] = [await descriptionOf(small), await descriptionOf(large)];
    assert.match(one, /1 agent and 0 workflows in modules skills\./);
    assert.match(many, /7 agents and 35 workflows in modules bmb, bmm, core, skills, tea\./);
    assert.ok(Math.abs(one.length - many.length) <= 40, `${one.length} and ${many.length}`);

    const uri = "bmad://skills/bmad-agent-ada/face.png";
    const { mtime } = await Deno.stat(`${dir}/.claude/skills/bmad-agent-ada/face.png`);
    const face = (await small.listResources()).items.find((resource) => resource.uri === uri);
    assert.deepEqual([face.size, face.annotations.lastModified], [8, mtime!.toISOString()]);
    assert.deepEqual(await contentOf(small, uri), { uri, mimeType: "image/png", blob: "iVBORwAB/v8=" });
    const told = "bmad://skills/bmad-agent-ada/face.png is a binary file (image/png, 8 bytes).";
    assert.ok((await say(small, { operation: "read", uri })).startsWith(told));
  });

  treeTest(`a ${era} client gets a long answer in parts [tool:parts, tool:result-limit]`, {}, async (cwd) => {
    await using tight = await clientHere({ era, cwd, args: ["--max-result", "1024"] });
    await using loose = await clientHere({ era, cwd, args: ["--max-result=1048576"] });
    for (
      const args of [
        { operation: "execute", agent: "analyst", message: "Grüße 🎉" },
        { operation: "execute", workflow: "prd" },
        { operation: "list", query: "skills", limit: 100 },
      ]
    ) {
      const whole = await say(loose, args);
      let [joined, count] = ["", 1];
      let next: Arguments | undefined = args;
      for (let part = 1; next !== undefined; part++) {
        const text = await say(tight, next);
        assert.ok(new TextEncoder().encode(text).length <= 1_024, `${text.length}`);
        const note: RegExpExecArray | null = /\n\[part (\d+) of (\d+)(?:; next: bmad (\{.*\}))?\]$/.exec(
          text,
        );
        assert.equal(Number(note?.[1]), part);
        count = Number(note?.[2]);
        const body = text.slice(0, note!.index);
        if (part < count && args.agent) assert.ok(body.endsWith("\n"), body.slice(-20));
        joined += body;
        next = note?.[3] === undefined ? undefined : JSON.parse(note[3]);
        if (part < count) assert.deepEqual(next, { ...args, part: part + 1 });
        else assert.equal(next, undefined);
      }
      assert.ok(count > 5, `${count}`);
      assert.equal(joined, whole);
      await refuses(tight, { ...args, part: count + 1 }, /^Invalid part: the answer has \d+ parts/);
    }
  });
}
