/** Can plugins of a marketplace and skills of a lock file be added by their names? */
import assert from "node:assert/strict";
import { entriesOf } from "../../../src/commands/sources/wanted.ts";
import { parsePins } from "../../../src/settings/mod.ts";
import { agentFile, sourcesTest, withSources } from "../../support/sources.ts";
import { writeTree } from "../../support/trees.ts";

const market = (...plugins: readonly unknown[]) => JSON.stringify({ name: "acme", plugins });
const skills = (skills: Readonly<Record<string, unknown>>) => JSON.stringify({ version: 1, skills });

Deno.test("an entry is the folder, repository or package that it names [add:lists]", () => {
  const other = { name: "other", source: "./other" };
  const hub = "git+https://github.com/acme/ops.git";
  const table: readonly (readonly [text: string, found: unknown])[] = [
    [market({ name: "a", source: "./plugins/a/" }), [{ folder: "plugins/a" }]],
    [market({ name: "a", source: "./", skills: ["./x"] }), [{ folder: "" }]],
    [market({ name: "a", source: "./", skills: ["./skills/x", "skills/y"] }, other), [
      { folder: "skills/x" },
      { folder: "skills/y" },
    ]],
    [JSON.stringify({ metadata: { pluginRoot: "./plugins" }, plugins: [{ name: "a", source: "a" }] }), [
      { folder: "plugins/a" },
    ]],
    [market({ name: "a", source: { source: "github", repo: "acme/ops", ref: "v2" } }), [{
      locations: [`${hub}#v2`],
    }]],
    [market({ name: "a", source: { source: "url", url: "https://github.com/acme/ops.git" } }), [{
      locations: [hub],
    }]],
    [market({ name: "a", source: { source: "git-subdir", url: "acme/ops", path: "packs/a", ref: "main" } }), [
      { locations: [`${hub}#main:/packs/a`] },
    ]],
    [market({ name: "a", source: { source: "npm", package: "@acme/ops", version: "^1.0.0" } }), [
      { locations: ["npm:@acme/ops@^1.0.0"] },
    ]],
    [
      skills({
        a: { source: "acme/ops", sourceType: "github", skillPath: "skills/a/SKILL.md", computedHash: "x" },
      }),
      [
        { locations: [`${hub}:/skills/a`] },
      ],
    ],
    [skills({ a: { source: "x", sourceType: "git", sourceUrl: "https://example.org/x.git", ref: "v1" } }), [
      { locations: ["git+https://example.org/x.git#v1"] },
    ]],
    [skills({ a: { source: "./local/a", sourceType: "local" } }), [{ folder: "local/a" }]],
  ];
  for (const [text, found] of table) assert.deepEqual(entriesOf(text, ["a"], "list.json"), found, text);
});

Deno.test("an entry that leads elsewhere, or is none, is refused [add:lists]", () => {
  const table: readonly (readonly [text: string, names: readonly string[], reason: RegExp])[] = [
    ["{}", ["a"], /neither a marketplace nor a list of skills/],
    ["nonsense", [], /neither a marketplace nor a list of skills/],
    [market({ name: "a", source: "./a" }, { name: "b", source: "./b" }), [], /several entries.*: a, b/],
    [market({ name: "abc", source: "./a" }), ["abd"], /No entry named "abd"\. Did you mean abc/],
    [market({ name: "a", source: "../../etc" }), ["a"], /outside its list/],
    [market({ name: "a", source: "./x/../../.." }), ["a"], /outside its list/],
    [
      market({ name: "a", source: { source: "url", url: "ext::sh -c evil" } }),
      ["a"],
      /no source that can be added/,
    ],
    [
      market({ name: "a", source: { source: "npm", package: "--evil" } }),
      ["a"],
      /no source that can be added/,
    ],
    [
      market({ name: "a", source: { source: "git-subdir", url: "acme/ops", path: "../x" } }),
      ["a"],
      /outside its list/,
    ],
    ...[
      "file:///srv/private.git",
      "git+file:///srv/private.git",
      "FILE:///srv/x",
      "/srv/private",
      "../private",
    ].map(
      (url) =>
        [
          market({ name: "a", source: { source: "url", url } }),
          ["a"],
          /no source that can be added/,
        ] as const,
    ),
    [
      skills({
        a: { source: "x", sourceType: "git", sourceUrl: "file:///srv/private.git", skillPath: "a/SKILL.md" },
      }),
      ["a"],
      /no source that can be added: it lies on this machine, outside the list/,
    ],
    [
      market({ name: "a", source: { source: "npm", package: "x", version: "file:../x" } }),
      ["a"],
      /no source/,
    ],
    [market({ name: "a", source: { source: "hg", repo: "x" } }), ["a"], /type "hg"/],
    [skills({ a: { source: "/etc", sourceType: "local" } }), ["a"], /outside its list/],
    [skills({ a: { source: "example.org", sourceType: "well-known" } }), ["a"], /type "well-known"/],
  ];
  for (const [text, names, reason] of table) {
    assert.throws(() => entriesOf(text, names, "list.json"), reason, text);
  }
});

Deno.test("plugins of a repository and of a folder are added and served [add:lists]", () =>
  withSources(async ({ make, run, json, project }) => {
    const list = market({ name: "ops", source: "./plugins/ops" }, { name: "sea", source: "./plugins/sea" });
    const files = {
      ".claude-plugin/marketplace.json": list,
      "plugins/ops/agents/captain.md": agentFile("captain"),
      "plugins/sea/skills/bmad-sail/SKILL.md": "---\nname: bmad-sail\ndescription: Sail it.\n---\n\nSail.\n",
    };
    const team = make("team", files);
    const { added } = await json("add", team.folder, "ops", "sea");
    assert.deepEqual(added.map(({ source }: { source: string }) => source), [
      `${team.address}:/plugins/ops`,
      `${team.address}:/plugins/sea`,
    ]);
    assert.equal((await run("execute", "captain")).code, 0);
    assert.match((await run("execute", "bmad-sail")).stdout, /Sail\./);
    await writeTree(`${project}/market`, files);
    const local = await json("add", "./market/.claude-plugin/marketplace.json", "ops", "--project");
    assert.equal(local.added[0].source, "./market/plugins/ops");
    assert.match((await run("add", "./market", "opps")).stderr, /No entry named "opps"\. Did you mean ops/);
  }));

sourcesTest("an update follows a marketplace's entry [add:entries]", async ({ make, run, json, lock }) => {
  const listing = (...plugins: readonly unknown[]) => ({
    ".claude-plugin/marketplace.json": market(...plugins),
  });
  const other = { name: "sea", source: "./sea" };
  const team = make("team", {
    ...listing({ name: "ops", source: "./plugins/ops" }, other),
    "plugins/ops/agents/captain.md": agentFile("captain", "First orders."),
  });
  await json("add", team.folder, "ops");
  const source = `${team.address}:/plugins/ops`;
  const moved = `${team.address}:/packs/ops`;
  const entry = { list: team.address, name: "ops" };
  const pinned = async () => JSON.parse(await Deno.readTextFile(lock)).sources[source];
  const first = team.git("rev-parse", "main");
  assert.deepEqual(await pinned(), { commit: first, entry });
  const second = team.commit({
    ...listing({ name: "ops", source: "./packs/ops" }, other),
    "plugins/ops": null,
    "packs/ops/agents/captain.md": agentFile("captain", "Second orders."),
  });
  const { items: [update] } = await json("update", "ops");
  assert.deepEqual([update.source, update.outcome, update.location], [source, "updated", moved]);
  assert.deepEqual(await pinned(), {
    commit: second,
    location: moved,
    previous: { commit: first },
    entry,
  });
  assert.match((await run("execute", "captain")).stdout, /Second orders/);
  assert.match((await run("update")).stdout, /: unchanged, commit /);

  team.commit(listing(other));
  const gone = await run("update");
  assert.equal(gone.code, 3);
  assert.match(gone.stdout, /: failed: No entry named "ops"/);
  assert.match(
    (await run("update", "--rollback", "--offline")).stdout,
    /\n {2}now at \S+:\/plugins\/ops\n/,
  );
  assert.deepEqual(await pinned(), { commit: first, entry });
  assert.match((await run("execute", "captain")).stdout, /First orders/);
});

Deno.test("a lock file leads to repositories and packages, and to nothing else [add:entries]", () => {
  const commit = "a".repeat(40);
  const pinsOf = (row: unknown) =>
    parsePins(JSON.stringify({ version: 1, sources: { "npm:a": row } }))?.get("npm:a");
  const location = "git+https://example.org/x.git:/a";
  assert.deepEqual(pinsOf({ commit, location }), { commit, location });
  for (const wrong of ["/etc", "../x", "./x.tgz", "git+http://x/y", "npm:--evil", 5, null]) {
    assert.equal(pinsOf({ commit, location: wrong }), undefined, String(wrong));
    assert.deepEqual(pinsOf({ commit, entry: { list: wrong, name: "a" } }), { commit }, String(wrong));
  }
});
