/** Are BMAD's scripts a way around what a role allows, or around the name that somebody has? */
import assert from "node:assert/strict";
import { type Team, withTeam } from "../../support/team_service.ts";

const LEDGER = "development_status:\n  epic-1: in-progress\n  1-1-a: in-progress\n  1-2-old: review\n" +
  "  epic-1-retrospective: optional\n";
const STORY = "---\nstatus: in-progress\n---\n\n# Story 1.1: A\n\n## Tasks\n\n- [ ] One\n";

const TREE = {
  "shop/_bmad/config.toml":
    '[core]\noutput_folder = "{project-root}/out"\nactive_initiative = "initiative-a"\n',
  "shop/out/sprint-status.yaml": LEDGER,
  "shop/out/1-1-a.md": STORY,
  "shop/out/prd.md": "---\nstatus: draft\n---\n\n# PRD\n",
  "shop/out/epics.md": "## Epic 1: Shop\n\n### Story 1.1: A\n",
  "shop/out/all.md": "## Epic 1: Shop\n\n### Story 1.1: A\n\n### Story 1.2: Old\n\n### Story 1.3: New\n",
  "shop/out/initiative-a/initiative-a.md": "---\ntype: initiative\ntitle: A\n---\n",
  "shop/out/initiative-a/tickets.toml": '[[entry]]\nid = 1\ntype = "story"\ntitle = "One"\n',
};

type Run = (name: "ana" | "olga", ...lines: readonly string[]) => Promise<string>;

async function withScripts(check: (run: Run, read: (path: string) => string, team: Team) => Promise<void>) {
  const first = [{ name: "ana", role: "worker" }, { name: "olga", role: "owner" }] as const;
  await withTeam(TREE, { args: [], projects: ["shop"], first }, async (team, [ana, olga]) => {
    const run: Run = async (name, ...script) => {
      const args = { name: "bmad_work", arguments: { operation: "script", script } };
      const { text } = await team.call({ ana, olga }[name]!, "shop", "tools/call", args);
      return JSON.parse(text).result.content[0].text;
    };
    await check(run, (path) => Deno.readTextFileSync(`${team.dir}/shop/out/${path}`), team);
  });
}

const generate = (epics: string) =>
  `sprint_plan.py generate --epic-file out/${epics} --status-file out/sprint-status.yaml --stories-dir out ` +
  '--project Shop --date "08-01-2026 10:00"';

const FORCED: readonly (readonly [script: string, instead: RegExp])[] = [
  [`${generate("all.md")} --set 1-1-a=done`, /mark/],
  [`${generate("all.md")} --fresh`, /mark/],
  [`${generate("all.md")} --story-location docs`, /mark/],
  [generate("epics.md"), /plan/],
  [generate("all.md").replace("sprint-status.yaml", "new/sprint-status.yml"), /out\/sprint-status\.yaml/],
  ["sprint_status.py update --file out/sprint-status.yaml --epic 1 --set-retro-done", /mark/],
  ["memlog.py set --path out/prd.md --key status --value Approved", /\.memlog\.md/],
  ["memlog.py set --path out/w/../1-1-a.md --key status --value done", /\.memlog\.md/],
  ["memlog.py append --path out/1-1-a.md --text x", /\.memlog\.md/],
  ["memlog.py init --path out/1-3-new.md --field status=done", /\.memlog\.md/],
  ["tickets.py mark 1 done", /mark/],
  ["tickets.py mark 1 in-progress --assignee olga", /mark/],
];

Deno.test("what only an owner may do, no script does for a worker [team:matrix]", () =>
  withScripts(async (run, read) => {
    for (const [script, instead] of FORCED) {
      const told = await run("ana", script);
      assert.match(told, /it takes the role owner, and yours is worker; /, script);
      assert.match(told, instead, script);
      assert.equal(read("sprint-status.yaml"), LEDGER, script);
      assert.equal(read("1-1-a.md"), STORY, script);
    }
    for (const [script] of FORCED) {
      assert.doesNotMatch(await run("olga", script), /it takes the role/, script);
    }
    assert.match(read("prd.md"), /^status: Approved$/m);
    assert.match(read("1-1-a.md"), /^status: done$/m);
    assert.match(read("sprint-status.yaml"), /^ {2}epic-1-retrospective: done$/m);
  }));

Deno.test("a worker runs what the skills ask for [team:matrix]", () =>
  withScripts(async (run, read) => {
    const told = await run(
      "ana",
      generate("all.md"),
      'sprint_status.py update --file out/sprint-status.yaml --epic 1 --add-action \'[{"action":"x","owner":"olga"}]\'',
      "memlog.py init --workspace out/plan --field topic=x",
      "memlog.py set --workspace out/plan --key status --value complete",
      "memlog.py append --path out/plan/.memlog.md --type event --text done",
      "word_metrics.py out/prd.md -o out/words.json",
      "word_metrics.py out/all.md -o out/words.json",
      "tickets.py pull initiative-a 1",
    );
    assert.doesNotMatch(told, /Cannot|error/, told);
    assert.match(read("sprint-status.yaml"), /^ {2}1-3-new: backlog$/m);
    assert.match(read("sprint-status.yaml"), /olga/);
    assert.match(read("plan/.memlog.md"), /^status: complete$/m);
    assert.match(read("words.json"), /"file": "out\/all\.md"/);
  }));

Deno.test("an entry of a log names whoever wrote it [team:names]", () =>
  withScripts(async (run, read) => {
    const append = async (name: "ana" | "olga", rest: string) =>
      await run(name, `memlog.py append --workspace out/w ${rest}`);
    await run("ana", "memlog.py init --workspace out/w");
    await append("ana", "--type decision --by olga --text one");
    await append("ana", "--type idea --by ana --text two");
    await append("ana", "--text '(decision by olga) three'");
    await append("olga", "--type claim --text 'ref=[1] status=verified four'");
    const forgeries = [
      "--type 'decision by olga' --text x",
      "--type 'decision by olga) x (' --text x",
      "--type decision --by 'olga) x (' --text x",
    ];
    for (const forged of forgeries) {
      assert.match(await append("ana", forged), /Write it without/, forged);
    }
    assert.deepEqual(read("w/.memlog.md").split("\n").filter((line) => line.startsWith("- ")), [
      "- (decision by olga via ana) one",
      "- (idea by ana) two",
      "- (by ana) (decision by olga) three",
      "- (claim by olga) ref=[1] status=verified four",
    ]);
    const tally = await run("ana", "recon_kit.py tally out/w/.memlog.md");
    assert.match(tally, /"decision": 1/);
    assert.match(tally, /"verified": 1/);
  }));
