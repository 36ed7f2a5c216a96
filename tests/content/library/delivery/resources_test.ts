/** Are the generated resources correct and without secrets? */
import assert from "node:assert/strict";
import { resolveConfig, resolveModuleConfig } from "../../../../src/content/library/values/config.ts";
import { listGenerated } from "../../../../src/content/library/delivery/resources.ts";
import { openLibrary, readResource } from "../../../../src/content/library/mod.ts";
import { parseCsv, parseToml, parseYaml } from "../../../../src/content/parse.ts";
import { fixture, opening, openShop, projectTest } from "../../../support/library.ts";

Deno.test("a generated resource has one URI, in every spelling", async () => {
  const library = await openShop();
  for (const asked of ["bmad://_bmad/roster", "{project-root}/_bmad/roster", "bmad://roster/"]) {
    assert.equal((await readResource(library, asked)).uri, "bmad://roster", asked);
  }
  assert.equal((await readResource(library, "bmad://bmad/roster#lines=1-1")).uri, "bmad://roster#lines=1-1");
});

Deno.test("a manifest by kind has the columns of BMAD's own [resources:manifests-csv]", async () => {
  const library = await openShop();
  const { uri, mimeType, text } = await readResource(library, "bmad://manifests/agents");
  assert.deepEqual([uri, mimeType], ["bmad://manifests/agents", "text/csv"]);
  assert.equal(
    text,
    "name,displayName,title,icon,role,identity,communicationStyle,principles,module,path,canonicalId,author,source\n" +
      '"scout","Rhea","My Scout","🧭","Finds a way through unknown country.",' +
      '"Grew up in the hills, ""north side"".","Short sentences.","Look first. Then go. Carry water.","bmm",' +
      '".claude/skills/bmad-agent-scout/SKILL.md","bmad-agent-scout","","both"\n',
  );
  const workflows = parseCsv((await readResource(library, "bmad://manifests/workflows")).text!).value;
  assert.deepEqual(workflows.map((row) => row[0]), ["name", "map", "route", "notes"]);
  assert.deepEqual(workflows[1], [
    "map",
    "Draw Map",
    "Draws a map of the ground.",
    "bmm",
    ".claude/skills/bmad-map/SKILL.md",
    "true",
    "bmad-map",
    "",
    "both",
  ]);
  for (const kind of ["tasks", "tools", "skills"]) {
    const { text } = await readResource(library, `bmad://manifests/${kind}`);
    const columns = "name,displayName,description,module,path,standalone,canonicalId,author,source";
    assert.equal(text?.split("\n")[0], columns);
  }
});

Deno.test("the path in a generated manifest can be opened", async () => {
  const library = await openShop();
  const { value: [header = [], ...rows] } = parseCsv(
    (await readResource(library, "bmad://manifests/skills")).text!,
  );
  const paths = rows.map((row) => row[header.indexOf("path")]!);
  assert.equal(paths.length, 4);
  for (const path of paths) assert.match((await readResource(library, path)).text ?? "", /^---\nname: /);
});

Deno.test("missing manifests are generated [resources:virtual-manifests, resources:forms]", async () => {
  const library = await openShop();
  const folders = ["bmad://_cfg", "bmad://_config", "bmad://bmad/_cfg", "bmad://_bmad/_config"]
    .concat("{project-root}/_bmad/_config", "_bmad/_config");
  const generated = {
    "agent-manifest.csv": "bmad://manifests/agents",
    "bmad-help.csv": "bmad://_config/bmad-help.csv",
  };
  for (const [name, uri] of Object.entries(generated)) {
    const { text } = await readResource(library, uri);
    for (const folder of folders) {
      const made = await readResource(library, `${folder}/${name}`);
      assert.deepEqual([made.mimeType, made.text], ["text/csv", text], folder);
    }
  }
  const { text: help = "" } = await readResource(library, "bmad://_config/bmad-help.csv");
  assert.match(help, /^module,skill,display-name,menu-code,[^]*\n[^,]*,bmad-map,[^]*\n[^,]*,bmad-route,/);
});

Deno.test("a manifest file of an installation overrides the generated one", async () => {
  const library = await openShop();
  const { text } = await readResource(library, "bmad://_config/skill-manifest.csv");
  assert.equal(text?.split("\n")[0], "canonicalId,name,description,module,path");
});

Deno.test(
  "the manifest has every record [resources:manifest-json, origins:nothing-flattened, origins:record-paths]",
  async () => {
    const library = await openShop();
    const { mimeType, text } = await readResource(library, "bmad://manifest");
    assert.equal(mimeType, "application/json");
    const { entries } = JSON.parse(text!) as { entries: Record<string, unknown>[] };
    assert.deepEqual(entries.map(({ key, status }) => `${status} ${key}`), [
      "verified project:bmm:skill:bmad-agent-scout",
      "verified project:bmm:skill:bmad-map",
      "verified project:bmm:skill:bmad-old-map",
      "no-file-found project:bmm:skill:bmad-lost",
      "verified cli:bmm:skill:bmad-agent-scout",
      "verified cli:bmm:skill:bmad-map",
      "verified cli:bmm:skill:bmad-route",
      "verified cli:core:skill:bmad-notes",
    ]);
    assert.deepEqual(entries[1], {
      key: "project:bmm:skill:bmad-map",
      kind: "skill",
      roles: ["workflow"],
      id: "bmad-map",
      name: "map",
      module: "bmm",
      origin: "project",
      originKind: "project",
      priority: 1,
      status: "verified",
      source: "both",
      author: "",
      generation: "skills",
      version: "6.12.0",
      title: "Draw Map",
      description: "Draws a map of the ground.",
      path: ".claude/skills/bmad-map/SKILL.md",
      absolutePath: `${fixture("shop")}/.claude/skills/bmad-map/SKILL.md`,
      exists: true,
      uri: "bmad://bmm/bmad-map/SKILL.md",
    });
    const { uri, exists, absolutePath } = entries[3]!;
    assert.deepEqual([uri, exists, absolutePath], [
      undefined,
      false,
      `${fixture("shop")}/_bmad/bmm/plan/bmad-lost/SKILL.md`,
    ]);
  },
);

Deno.test("the effective configuration has no secrets [resources:config-current]", async () => {
  const { mimeType, text } = await readResource(await openShop(), "bmad://config/current");
  assert.equal(mimeType, "application/json");
  for (const secret of ["t0p", "k3y", "hush", "s1"]) assert.equal(text?.includes(secret), false, secret);
  const config = JSON.parse(text!) as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(config), ["core", "modules", "agents"]);
  const { mail, servers } = config["modules"]!["bmm"] as Record<string, unknown>;
  assert.deepEqual([mail, servers], [{ host: "mail.example.org" }, [{ name: "north" }]]);
});

Deno.test("missing configuration is generated [resources:config-current, closure:opens]", async () => {
  const library = await openLibrary([opening("cli", 2, fixture("team"))], { project: "/home/ann/shop" });
  const { mimeType, text } = await readResource(library, "{project-root}/_bmad/bmm/config.yaml");
  assert.deepEqual([mimeType, parseYaml(text!).value], [
    "application/x-yaml",
    { ...resolveModuleConfig(library, "bmm"), output_folder: "{project-root}/_out" },
  ]);
  const { text: toml } = await readResource(library, "bmad://config.toml");
  assert.deepEqual(JSON.parse(JSON.stringify(parseToml(toml!).value)), resolveConfig(library));
  await assert.rejects(readResource(library, "bmad://nobody/config.yaml"), {
    message: /^No resource named /,
  });
  const made = listGenerated(library).map(({ uri }) => uri).filter((uri) => /\/config\./.test(uri));
  assert.deepEqual(made, ["bmad://config.toml", "bmad://bmm/config.yaml", "bmad://core/config.yaml"]);
  // Of an installation it is all that is in force, and its file on request.
  const shop = await openShop();
  const { text: own } = await readResource(shop, "bmad://bmm/config.yaml");
  const merged = { ...resolveModuleConfig(shop, "bmm"), output_folder: "{project-root}/_out" };
  assert.deepEqual(parseYaml(own!).value, merged);
  const { text: raw } = await readResource(shop, "bmad://bmm/config.yaml", { raw: true });
  assert.equal(raw, await Deno.readTextFile(`${fixture("shop")}/_bmad/bmm/config.yaml`));
});

Deno.test("the generated resources are listed, and each can be read", async () => {
  const library = await openShop();
  const uris = listGenerated(library).map(({ uri }) => uri);
  assert.deepEqual(uris, [
    "bmad://manifest",
    "bmad://manifests/agents",
    "bmad://manifests/workflows",
    "bmad://manifests/tasks",
    "bmad://manifests/tools",
    "bmad://manifests/skills",
    "bmad://_config/bmad-help.csv",
    "bmad://roster",
    "bmad://roster/agents",
    "bmad://roster/parties",
    "bmad://roster/personas",
    "bmad://scripts",
    "bmad://config/current",
  ]);
  for (const { uri, mimeType } of listGenerated(library)) {
    assert.equal((await readResource(library, uri)).mimeType, mimeType, uri);
  }
});

projectTest("generated resources mark hidden characters [resources:generated-visible]", {
  "_bmad/bmm/agents/spy.md":
    '---\nname: spy\ndescription: "Watch\u202e\u200b, =1+1"\ntitle: "=cmd|x"\n---\n# Spy\u202e\n',
}, async (library) => {
  for (const uri of ["bmad://manifests/agents", "bmad://_cfg/agent-manifest.csv"]) {
    const { text = "" } = await readResource(library, uri);
    assert.doesNotMatch(text, /[\u202e\u200b]/, uri);
    const { value: [header = [], row = []] } = parseCsv(text);
    // Models read it, and readers of BMAD compare it with the files: nothing is put before a formula.
    assert.equal(row[header.indexOf("title")], "=cmd|x");
  }
  const { text = "" } = await readResource(library, "bmad://manifest");
  assert.doesNotMatch(text, /[\u202e\u200b]/);
  // JSON has a way to write it that loses nothing.
  const [entry] = JSON.parse(text).entries;
  assert.equal(entry.description, "Watch\u202e\u200b, =1+1");
  // A file is delivered as it is.
  assert.match((await readResource(library, "bmad://bmm/agents/spy.md")).text!, /Spy\u202e/);
});
