/** Do the page, the command line and the tool find the same, the project's own first? */
import assert from "node:assert/strict";
import { DEMO } from "../../docs/demo.ts";
import { startHttp } from "../support/http.ts";
import { runCli } from "../support/program.ts";
import { treeTest } from "../support/trees.ts";

const CONFIG = "output_folder: _bmad-output\nplanning_artifacts: _bmad-output/planning-artifacts\n" +
  "implementation_artifacts: _bmad-output/implementation-artifacts\n";

const SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

const SHOP = Object.fromEntries(
  Object.entries({
    ...DEMO,
    "_bmad/bmm/config.yaml": CONFIG,
    "_bmad/bmm/agents/walker.md": "---\nname: walker\ndescription: Walks dogs\n---\n# Walker\n",
    "_bmad-output/planning-artifacts/keys.md": `# Keys\n\ntoken: ${SECRET}\n`,
  }).map(([path, text]) => [`shop/${path}`, text]),
);

treeTest("page, command line and tool find the same [search:project]", SHOP, async (dir) => {
  const env = { XDG_STATE_HOME: `${dir}/state` };
  const args = ["--project", `${dir}/shop`, "--pack", "none", "--toolsets", "all", "--no-embedder"];
  const cli = (...words: readonly string[]) => runCli([...words, ...args], { env });
  await cli("memory", "remember", "--type", "decisions", "Walks end at night");
  const found = JSON.parse((await cli("search", "walk", "--json")).stdout);
  const names = {
    stories: found.stories.map(({ ref }: { ref: string }) => ref),
    documents: found.documents.map(({ path }: { path: string }) => path),
    memories: found.memories.map(({ text }: { text: string }) => text),
  };
  assert.deepEqual(names.stories, ["1-2", "2-1", "2-2", "1-1", "2-3", "1-3"]);
  assert.ok(names.documents.includes("_bmad-output/planning-artifacts/prd.md"));
  assert.deepEqual(names.memories, ["Walks end at night"]);
  assert.deepEqual([found.items.map(({ name }: { name: string }) => name), found.total], [["walker"], 1]);

  const lines = (await cli("search", "walk")).stdout.split("\n").map((line) => line.split("\t")[0]);
  assert.deepEqual(lines.slice(0, 5), names.stories.slice(0, 5));
  assert.ok(lines.indexOf("bmm/walker") > lines.indexOf("_bmad-output/planning-artifacts/prd.md"));
  assert.match((await cli("search", "walk", "--limit", "2")).stderr, /2 of 6 stories shown/);
  const filtered = JSON.parse((await cli("search", "walk", "--kind", "agent", "--json")).stdout);
  assert.deepEqual([filtered.stories, filtered.documents, filtered.memories, filtered.total], [
    [],
    [],
    [],
    1,
  ]);
  assert.match((await cli("search", "2.1")).stdout, /^2-1\t/);
  assert.match((await cli("search", "Booking")).stdout, /^1-\d\t/m, "by the title of the epic");

  const call = async (given: object) =>
    (await cli("call", "bmad", JSON.stringify({ operation: "search", ...given }))).stdout;
  const told = await call({ query: "walk" });
  assert.match(
    told,
    /^6 stories of the project, 5 shown → bmad \{"operation":"show","story":REF\}\n- 1-2: /,
  );
  assert.match(
    told,
    /\n1 memory of the project\n- Walks end at night \(decisions, user, [\d-]+\)\n1 other result/,
  );
  assert.ok(told.length < 4_000, `${told.length} characters`);
  assert.match(await call({ query: "walk", type: "agent" }), /^1 result for "walk"\n- bmm\/walker/);
  const data = JSON.parse(await call({ query: "walk", format: "json" }));
  assert.deepEqual(data.stories, found.stories.slice(0, 5));
  assert.deepEqual(data.memories, found.memories);

  await using program = await startHttp(args, { env });
  const page = async (words: string) =>
    await (await fetch(`${program.url}/?q=${encodeURIComponent(words)}`)).text();
  const html = await page("walk");
  assert.match(
    html,
    /<h2>Stories <[^]*<h2>Documents <[^]*<h2>Memories <[^]*<h2>Agents, workflows and more <[^]*<h2>Files </,
  );
  const shown = [...html.matchAll(/<a href="\/board\?story=([\d-]+)">/g)].map(([, ref]) => ref);
  assert.deepEqual(shown, names.stories);
  const docs = [...html.matchAll(/<a href="\/\?doc=([^"]+)">/g)].map(([, path]) => decodeURIComponent(path!));
  assert.deepEqual(docs, names.documents);
  assert.match(await page("zebra"), /Nothing has all of these words/);
  for (const evil of ["<script>alert(1)</script>", "((((.*)+)+)+", "\u202e", "x".repeat(4_000)]) {
    assert.doesNotMatch(await page(evil), /<script>alert|\u202e/);
  }
  // A search must not confirm a guess.
  for (const guess of [SECRET, SECRET.slice(0, 12)]) {
    assert.deepEqual(JSON.parse((await cli("search", guess, "--json")).stdout).documents, []);
  }
});

treeTest("about, library, issues, conflicts and the doctor count the same [pages:issues]", {
  "shop/_bmad/bmm/config.yaml": CONFIG,
  "shop/_bmad/bmm/agents/same.md": "---\nname: same\ndescription: Same\n---\n# Same\n",
  "team/_bmad/bmm/agents/same.md": "---\nname: same\ndescription: Same\n---\n# Same\n",
  "shop/_bmad/bmm/agents/other.md": "---\nname: other\ndescription: Ours\n---\n# Ours\n",
  "team/_bmad/bmm/agents/other.md": "---\nname: other\ndescription: Theirs\n---\n# Theirs\n",
  "shop/_bmad/bmm/agents/broken.md": "---\nname: [\n---\n",
  "shop/_bmad-output/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  1-1-a: done\n  \tepic-1: [\n",
}, async (dir) => {
  const args = ["--project", `${dir}/shop`, "--path", `${dir}/team`, "--pack", "none"];
  const doctor = JSON.parse((await runCli(["doctor", "--json", ...args])).stdout);
  const problems = doctor.problems.filter(({ section }: { section: string }) =>
    ["content", "project"].includes(section)
  );
  assert.ok(
    problems.some(({ code }: { code: string }) => code === "bad-ledger"),
    JSON.stringify(problems),
  );
  assert.ok(problems.some(({ section }: { section: string }) => section === "content"));
  assert.equal(doctor.content.conflicts, 2);
  await using program = await startHttp(args);
  const page = async (path: string) =>
    (await (await fetch(program.url + path)).text()).replace(/<style>[^]*?<\/style>/, "")
      .replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  const issues = await page("/?list=doctor");
  assert.match(issues, new RegExp(`Issues ${problems.length} From a full scan`));
  assert.doesNotMatch(issues, /No issues/);
  assert.match(issues, /warning \S*sprint-status\.yaml(?::\d+)? /);
  assert.match(await page("/about"), /Issues warning .*sprint-status\.yaml.* Check every file/);
  assert.match(await page("/library"), /2 items in several sources\. Compare their files/);
  assert.match(
    await page("/?list=conflicts"),
    /Conflicts 1 2 items in several sources: 1 of them differs, 1 is an identical copy\. bmm\/other 1 file/,
  );
});
