/**
 * What comes next in a project of the generation after 6.12, which has tickets and help in prose instead of a catalogue?
 */
import assert from "node:assert/strict";
import { type Library, listSteps, openLibrary, resolveEntry } from "../../../../src/content/library/mod.ts";
import { describeArtefacts, listNext } from "../../../../src/project/work/next/mod.ts";
import { FLAT_FORMS, type FlatForm, flatSource } from "../../../support/flat.ts";
import { opening } from "../../../support/library.ts";
import { type TreeFile, withTree } from "../../../support/trees.ts";

type Files = Readonly<Record<string, TreeFile>>;

function withProject<T>(form: FlatForm, files: Files, work: (library: Library) => Promise<T>): Promise<T> {
  return withTree(
    { ...flatSource(form, ".agents/skills"), ...files },
    async (dir) => await work(await openLibrary([opening("project", 1, dir)], { project: dir })),
  );
}

const ENTRY = (id: number, title: string, more = "") =>
  `[[entry]]\nid = ${id}\ntype = "story"\ntitle = "${title}"\n${more}\n`;
const EPIC = "_bmad-output/initiative-shop/epic-pay";
const TICKETS: Files = {
  "_bmad-output/initiative-shop/initiative-shop.md": "---\ntype: initiative\ntitle: Shop\n---\n",
  "_bmad-output/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-pay"\ntitle = "Pay"\n',
  [`${EPIC}/epic-pay.md`]: "---\ntype: epic\ntitle: Pay\n---\n",
  [`${EPIC}/tickets.toml`]: ENTRY(1, "Sign in") + ENTRY(2, "Card", "after = [1]"),
};

for (const form of FLAT_FORMS) {
  Deno.test(`without tickets, help says where to start: ${form} [tool:flat-next]`, () =>
    withProject(form, {}, async (library) => {
      const [verdict, ...rows] = await listNext(library, {});
      assert.equal(verdict!.name, "next step unknown");
      assert.match(verdict!.about!, /^there are no stories yet; bmad:\/\/\S+\/help\S*\.md/);
      assert.deepEqual([...new Set(rows.map(({ data }) => data["standing"]))], ["anytime"]);
      assert.ok(rows.every(({ data }) => data["phase"] === "" && data["required"] === false));
      const steps = await listSteps(library);
      const prd = steps.find(({ entry }) => entry.id === "bmad-prd")!;
      assert.match(prd.help.description, /^Start with bmad-prd\./);
      // Named first, hence first.
      assert.ok(steps.indexOf(prd) < steps.findIndex(({ entry }) => entry.id === "bmad-build"));
    }));
}

Deno.test("where skills plan a sprint, a plan without one is planned [tool:flat-next]", () =>
  withProject("manifests", {
    ".agents/skills/bmad-sprint-planning/SKILL.md":
      "---\nname: bmad-sprint-planning\ndescription: Plans\n---\n",
    ".agents/skills/bmad-sprint-planning/module-manifest.toml": 'module = "method"\n',
    "_bmad-output/planning-artifacts/epics.md": "## Epic 1: Pay\n\n### Story 1.1: Sign in\n",
  }, async (library) => {
    const [row] = await listNext(library, {});
    assert.equal(row!.data["id"], "bmad-sprint-planning");
  }));

Deno.test("with tickets, the next one is to be built [tool:flat-next]", async (t) => {
  const first = async (files: Files) =>
    await withProject("tickets", { ...TICKETS, ...files }, async (library) => {
      const [row] = await listNext(library, {});
      return [row!.data["id"], row!.data["story"], row!.why ?? row!.about];
    });
  await t.step("the first", async () => {
    const [id, story, why] = await first({});
    assert.deepEqual([id, story], ["bmad-build", "1.1"]);
    assert.match(String(why), /is first in the backlog; 0 of 2 stories in \S+ are done/);
  });
  await t.step("in mid-epic", async () => {
    const plan = "---\ntitle: Sign in\nticket: 1\nstatus: done\n---\n";
    const [id, story] = await first({ [`${EPIC}/story-sign-in-plan.md`]: plan });
    assert.deepEqual([id, story], ["bmad-build", "1.2"]);
  });
  await t.step("or to be refined, once nothing else can begin", async () => {
    const entries = ENTRY(1, "Sign in", "refine = true") + ENTRY(2, "Card", 'unknown = "Which bank?"');
    const [id, story, why] = await first({ [`${EPIC}/tickets.toml`]: entries });
    assert.deepEqual([id, story], ["bmad-ticket", "1.1"]);
    assert.match(String(why), /^story 1\.1 has to be refined.*; blocked: 1\.2 \(Which bank\?\)/);
    const both = { [`${EPIC}/tickets.toml`]: entries + ENTRY(3, "Bill") };
    assert.deepEqual((await first(both)).slice(0, 2), ["bmad-build", "1.3"]);
    const asked = { [`${EPIC}/tickets.toml`]: ENTRY(2, "Card", 'unknown = "Which bank?"') };
    assert.match(String((await first(asked))[2]), /^0 of 1 story .*blocked: 1\.2 \(Which bank\?\)$/);
  });
  await t.step("and no ledger is named that is not there", async () => {
    const home = "_bmad-output/initiative-shop";
    for (const place of [home, `${home}/epic-pay`]) {
      const why = await withProject("tickets", {
        [`${home}/initiative-shop.md`]: "---\ntype: initiative\ntitle: Shop\n---\n",
        ...(place === home ? {} : { [`${place}/epic-pay.md`]: TICKETS[`${EPIC}/epic-pay.md`]! }),
        [`${place}/story-sign-in.md`]: "---\ntype: story\ntitle: Sign in\n---\n",
      }, async (library) => (await listNext(library, {}))[0]!.why);
      assert.match(String(why), RegExp(`; 0 of 1 story in ${home} is done`));
    }
  });
  await t.step("of the initiative that is worked on", async () => {
    const [, , why] = await first({
      "_bmad/custom/config.user.toml": '[core]\nactive_initiative = "initiative-web"\n',
      "_bmad-output/initiative-web/initiative-web.md": "---\ntype: initiative\ntitle: Web\n---\n",
      "_bmad-output/initiative-web/tickets.toml": ENTRY(1, "Home page"),
    });
    assert.match(String(why), /^story 1 is first in the backlog/);
  });
});

Deno.test("a sprint of the forms before is followed as well", () =>
  withProject("manifests", {
    "_bmad-output/implementation-artifacts/sprint-status.yaml":
      "development_status:\n  epic-1: in-progress\n  1-1-sign-in: in-progress\n",
  }, async (library) => {
    const [row] = await listNext(library, {});
    assert.deepEqual([row!.data["id"], row!.data["story"]], ["bmad-build", "1-1-sign-in"]);
  }));

Deno.test("documents of an initiative are named [tool:execute-artefacts]", async () => {
  const HOME = "_bmad-output/initiative-shop";
  const describe = (library: Library) =>
    describeArtefacts(library, resolveEntry(library, { name: "bmad-prd" }), { now: Date.now });
  const linesIn = (form: FlatForm, files: Files) =>
    withProject(form, files, async (library) => await describe(library));
  assert.deepEqual(
    await linesIn("tickets", {
      ...TICKETS,
      [`${HOME}/brief-shop/brief-shop.md`]: "# Brief",
      [`${HOME}/prd-shop/prd-shop.md`]: "---\nstatus: final\n---\n# PRD",
      [`${HOME}/prd-shop/addendum.md`]: "x",
      [`${HOME}/ux-shop/ux-shop.md`]: "# UX",
      [`${HOME}/ux-shop/DESIGN.md`]: "x",
      [`${HOME}/architecture-shop/architecture-shop.md`]: "# Architecture",
      [`${HOME}/research-shop/research-shop.md`]: "# Research",
      [`${HOME}/archive-v6/prd-old/prd-old.md`]: "# Old",
      [`${HOME}/notes/index.md`]: "# Notes",
    }),
    [
      `- brief: ${HOME}/brief-shop/brief-shop.md`,
      `- PRD: ${HOME}/prd-shop/prd-shop.md (final; 1 more)`,
      `- UX: ${HOME}/ux-shop/DESIGN.md (1 more)`,
      `- architecture: ${HOME}/architecture-shop/architecture-shop.md`,
      "- current story: 1.1 (backlog, no file yet)",
    ],
  );
  // The forms before keep the folders of 6.12.
  assert.deepEqual(
    await linesIn("manifests", {
      "_bmad-output/planning-artifacts/prds/prd-shop-2026-10-02/prd.md": "# PRD",
      "_bmad-output/planning-artifacts/epics.md": "# Epics",
      "_bmad-output/specs/spec-shop/SPEC.md": "# Spec",
    }),
    [
      "- PRD: _bmad-output/planning-artifacts/prds/prd-shop-2026-10-02/prd.md",
      "- spec: _bmad-output/specs/spec-shop/SPEC.md",
      "- epics: _bmad-output/planning-artifacts/epics.md",
    ],
  );
  assert.deepEqual(await linesIn("tickets", {}), []);
});
