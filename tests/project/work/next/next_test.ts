/** Is the next step of a project correct, and is an unknown one reported with the reason? */
import assert from "node:assert/strict";
import { type Library, listLibrary, openLibrary } from "../../../../src/content/library/mod.ts";
import { listNext } from "../../../../src/project/work/next/mod.ts";
import { opening } from "../../../support/library.ts";
import { listTree, type TreeFile, treeTest, withTree } from "../../../support/trees.ts";

const HEADER =
  "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required," +
  "output-location,outputs\n";

/** A way of five steps in the wrong order, two of which can be skipped, and something for any time. */
const HELP = HEADER + [
  "Garden,gd-harvest,Harvest,HA,Brings it in.,,,ship,gd-sow,,true,beds,harvest report",
  "Garden,gd-dream,Dream,DR,Thinks of a garden.,,,1-analysis,,,false,plans,garden dream",
  "Garden,gd-sow,Sow,SO,Sows it.,,,plan,gd-draw,,true,{plans}/rows,row and seed list",
  "Garden,gd-draw,Draw,DW,Draws a plan.,,,plan,,,true,plans,garden plan",
  "Garden,gd-rest,Rest,RE,Rests.,,,anytime,,,false,,",
  "Garden,gd-fence,Fence,FE,Fences it in.,,,plan,gd-draw,gd-sow,false,plans,fence drawing",
].join("\n");

const skill = (id: string) => `---\nname: ${id}\ndescription: Does ${id}\n---\n`;

const SKILLS = ["gd-harvest", "gd-dream", "gd-sow", "gd-draw", "gd-rest", "gd-fence"];

const GARDEN = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: garden\n",
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    SKILLS.map((id) => `${id},${id},Does it,garden,_bmad/garden/${id}/SKILL.md\n`).join(""),
  ...Object.fromEntries(SKILLS.map((id) => [`_bmad/garden/${id}/SKILL.md`, skill(id)])),
  "_bmad/garden/module-help.csv": HELP,
  "_bmad/garden/config.yaml": 'plans: "{project-root}/out/plans"\nbeds: "{plans}/../beds"\n',
};

function inGarden<T>(
  files: Readonly<Record<string, TreeFile>>,
  ask: (library: Library, dir: string) => Promise<T>,
): Promise<T> {
  return withTree(
    { ...GARDEN, ...files },
    async (dir) => ask(await openLibrary([opening("project", 1, dir)], { project: dir }), dir),
  );
}

const standings = async (library: Library) =>
  (await listNext(library, {})).map(({ data }) => `${data["id"] ?? "-"} ${data["standing"]}`);

const inDoctor = async (library: Library) =>
  (await listLibrary(library, { what: "doctor" }, { next: listNext })).find(({ name }) => name === "next")
    ?.about;

const draft = "---\nstatus: draft\n---\n";
const final = "---\nstatus: final\n---\n";

Deno.test("the steps are listed in the order of a project [tool:list-next]", () =>
  inGarden({}, async (library) => {
    assert.deepEqual(await standings(library), [
      "gd-draw next",
      "gd-dream optional",
      "gd-fence later",
      "gd-sow later",
      "gd-harvest later",
      "gd-rest anytime",
    ]);
    const [next] = await listNext(library, {});
    const why = "gd-draw is the first required step; no garden plan in out/plans yet";
    assert.deepEqual([next?.name, next?.about, next?.why], ["garden/gd-draw", "next", why]);
    assert.deepEqual([next?.data["why"], next?.data["files"]], [why, []]);
  }));

Deno.test("an item of several steps is listed once [tool:list-next]", () =>
  inGarden({
    "_bmad/garden/module-help.csv":
      `${HELP}\nGarden,gd-draw,Draw again,DA,Draws a plan.,,,anytime,,,false,,\n`,
  }, async (library) => {
    const listed = (await standings(library)).filter((one) => one.startsWith("gd-draw "));
    assert.deepEqual(listed, ["gd-draw next"]);
  }));

Deno.test("artefacts decide which step comes next [tool:list-next]", async () => {
  const plan = "out/plans/garden-plan.md";
  const [a, b] = ["out/plans/garden-plans/a/plan.md", "out/plans/garden-plans/b/plan.md"];
  const first = "gd-draw is the first required step; no garden plan in out/plans yet";
  const table: readonly (readonly [files: Readonly<Record<string, string>>, next: string, why: string])[] = [
    // An optional step is no progress, and neither is what no step leaves.
    [{ "out/plans/dream-of-a-garden.md": final, "out/plans/notes.md": "x" }, "gd-draw", first],
    [{ [plan]: draft }, "gd-draw", `gd-draw is under way: ${plan} is not marked as finished`],
    [{ [plan]: final }, "gd-sow", `gd-draw is done: ${plan}`],
    [{ [plan]: "# P" }, "gd-sow", `gd-draw has left ${plan}; if that is not finished, continue with gd-draw`],
    // One that is finished is enough, and a folder of plans is one too.
    [{ [a]: final, [b]: draft }, "gd-sow", `gd-draw is done: ${a} and ${b}`],
    [
      { "out/plans/rows/seeds.md": final },
      "gd-harvest",
      "gd-sow is done: out/plans/rows/seeds.md; skipped, with no files: gd-draw",
    ],
    // What lies in a folder of its own is not taken for what the folder above is for.
    [{ "out/plans/rows/garden-plan.md": final }, "gd-draw", first],
    // Hidden files and old ones do not count.
    [{ "out/plans/.garden-plan.md": final, "out/plans/archive/garden-plan.md": final }, "gd-draw", first],
  ];
  for (const [files, id, why] of table) {
    await inGarden(files, async (library) => {
      const { data } = (await listNext(library, {}))[0]!;
      assert.deepEqual([data["id"], data["standing"], data["why"]], [id, "next", why], JSON.stringify(files));
    });
  }
});

Deno.test("a project with every required step is done [tool:list-next]", () =>
  inGarden({
    "out/plans/garden-plan.md": final,
    "out/plans/rows/seed-list.md": final,
    "out/beds/harvest-report.md": final,
    "out/plans/dream-garden.md": draft,
  }, async (library) => {
    assert.deepEqual(await standings(library), [
      "- all done",
      "gd-dream begun",
      "gd-fence step",
      "gd-draw done",
      "gd-sow done",
      "gd-harvest done",
      "gd-rest anytime",
    ]);
    assert.match(await inDoctor(library) ?? "", /^all done: every required step is done: \S+$/);
  }));

Deno.test("a skipped step is listed as passed", () =>
  inGarden({ "out/plans/rows/seed-list.md": final, "out/plans/garden-plan.md": "x" }, async (library) => {
    assert.deepEqual(await standings(library), [
      "gd-harvest next",
      "gd-draw found",
      "gd-sow done",
      "gd-dream passed",
      "gd-fence passed",
      "gd-rest anytime",
    ]);
    assert.equal(
      await inDoctor(library),
      "garden/gd-harvest: gd-sow is done: out/plans/rows/seed-list.md",
    );
  }));

Deno.test("an unknown next step is listed with the reason [tool:list-next]", async () => {
  const row = async (library: Library) => (await listNext(library, {}))[0];
  await withTree(GARDEN, async (dir) => {
    const library = await openLibrary([opening("cli", 2, dir)]);
    const unknown = await row(library);
    assert.deepEqual([unknown?.name, unknown?.data["standing"]], ["next step unknown", "unknown"]);
    assert.equal(unknown?.about, "no project folder is served");
    const [ofOrigin] = await listLibrary(library, { what: "next", origin: "cli" }, { next: listNext });
    assert.equal(ofOrigin?.name, "next step unknown", "also of one origin");
    // The steps are listed all the same.
    assert.equal((await standings(library))[1], "gd-dream step");
  });
  await inGarden({ "_bmad/garden/module-help.csv": HEADER }, async (library) => {
    assert.equal((await row(library))?.about, "no help catalogue has required steps");
  });
  await inGarden({ "out/plans/garden-plan.md": "---\na: 1\n b: [\n---\n" }, async (library) => {
    assert.match(
      String((await row(library))?.about),
      /^out\/plans\/garden-plan\.md: the front matter cannot be parsed: .* \(3:\d+\)\. Fix that line$/,
    );
  });
  for (const plans of ["/somewhere/else", "~/plans", "{project-root}/../plans", "{unknown}"]) {
    await inGarden({ "_bmad/garden/config.yaml": `plans: "${plans}"\n` }, async (library) => {
      assert.equal(
        (await row(library))?.about,
        "whether gd-draw is done cannot be seen: its folder plans is not in the project",
        plans,
      );
    });
  }
});

treeTest(
  "a link out of the project is not followed",
  { "elsewhere/garden-plan.md": final },
  (other) =>
    inGarden({}, async (library, dir) => {
      await Deno.mkdir(`${dir}/out`);
      await Deno.symlink(`${other}/elsewhere`, `${dir}/out/plans`);
      assert.equal((await standings(library))[0], "gd-draw next");
    }),
);

Deno.test("nothing is written to determine the next step", () =>
  inGarden({ "out/plans/garden-plan.md": final }, async (library, dir) => {
    const before = await listTree(dir);
    await listNext(library, {});
    assert.deepEqual(await listTree(dir), before);
  }));

Deno.test("steps that wait for each other are listed all the same", async () => {
  const help = HEADER + [
    "G,gd-draw,A,A,,,,plan,gd-sow,,true,plans,a",
    "G,gd-sow,B,B,,,,plan,gd-draw,,true,plans,b",
  ].join("\n");
  await inGarden({ "_bmad/garden/module-help.csv": help }, async (library) => {
    assert.deepEqual(await standings(library), ["gd-draw next", "gd-sow later"]);
  });
});

Deno.test("one long document under many names is not read for each of them [work:hostile]", () => {
  const long = "A line about the garden and its beds.\n".repeat(24_000);
  const names = Array.from({ length: 90 }, (_, at) => `out/plans/garden-plan-${at}.md`);
  const links = Object.fromEntries(names.map((name) => [name, { link: "../../long.md" }]));
  return inGarden({ "long.md": long, ...links }, async (library) => {
    const [verdict] = await listNext(library, {});
    assert.equal(verdict!.name, "next step unknown");
    assert.match(verdict!.about, /^out\/plans\/garden-plan-\d+\.md: limit reached, the file is not read$/);
  });
});
