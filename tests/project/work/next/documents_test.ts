/** Does whoever starts work in a project hear which documents exist, and only then? */
import assert from "node:assert/strict";
import process from "node:process";
import {
  executeEntry,
  type Library,
  openLibrary,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { describeArtefacts, listNext } from "../../../../src/project/work/next/mod.ts";
import { installation, type InstallVersion } from "../../../support/installs.ts";
import { opening } from "../../../support/library.ts";
import { copyTree, treeTest, withTree, writeTree } from "../../../support/trees.ts";

const PLANNING = "_bmad-output/planning-artifacts";
const BUILDING = "_bmad-output/implementation-artifacts";
const status = (word: string) => `---\nstatus: ${word}\n---\n# Text\n`;

type Files = Readonly<Record<string, string>>;

function inProject(
  version: InstallVersion,
  files: Files,
  use: (library: Library, dir: string) => Promise<void>,
): Promise<void> {
  return withTree({}, async (dir) => {
    await copyTree(await installation({ version, tools: "claude-code" }), dir);
    await writeTree(dir, files);
    await use(await openLibrary([opening("project", 1, dir)], { project: dir }), dir);
  });
}

function projectTest(name: string, ...project: Parameters<typeof inProject>): void {
  Deno.test(name, () => inProject(...project));
}

const linesFor = async (library: Library, name: string) =>
  await describeArtefacts(library, resolveEntry(library, { name }), { now: Date.now });

const SHOP: Files = {
  [`${PLANNING}/briefs/brief-shop-2026-10-01/brief.md`]: status("final"),
  [`${PLANNING}/prds/prd-shop-2026-10-02/prd.md`]: status("final"),
  [`${PLANNING}/prds/prd-shop-2026-10-02/addendum.md`]: "x",
  [`${PLANNING}/prds/prd-shop-2026-10-02/review-rubric.md`]: "x",
  [`${PLANNING}/architecture/architecture-shop-2026-10-03/ARCHITECTURE-SPINE.md`]: status("draft"),
  [`${PLANNING}/epics.md`]: "# Epics",
  [`${BUILDING}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-a: done\n  1-2-b: review\n",
  [`${BUILDING}/1-2-b.md`]: "# Story",
};

const SHOP_LINES = [
  `- brief: ${PLANNING}/briefs/brief-shop-2026-10-01/brief.md (final)`,
  `- PRD: ${PLANNING}/prds/prd-shop-2026-10-02/prd.md (final; 1 more)`,
  `- architecture: ${PLANNING}/architecture/architecture-shop-2026-10-03/ARCHITECTURE-SPINE.md (draft)`,
  `- epics: ${PLANNING}/epics.md`,
  `- current story: ${BUILDING}/1-2-b.md (review)`,
];

projectTest(
  "planning and building hear of the documents, each with its status [tool:execute-artefacts]",
  "6.12.0",
  SHOP,
  async (library) => {
    const names = ["bmad-product-brief", "bmad-prd", "bmad-architecture", "bmad-build", "bmad-agent-pm"];
    for (const name of names) assert.deepEqual(await linesFor(library, name), SHOP_LINES, name);
    assert.deepEqual(await linesFor(library, "bmad-party-mode"), [], "other work");
    const entry = resolveEntry(library, { name: "bmad-prd" });
    const text = await executeEntry(library, entry, { artefacts: SHOP_LINES });
    const artefacts = "\nArtefacts here (files of the project):\n- brief: ";
    const at = ["Already resolved", "\nFiles: ", artefacts, "\n---\n\n---\n"].map((part) =>
      text.indexOf(part)
    );
    assert.deepEqual(at.toSorted((a, b) => a - b), at, "between what is resolved and the text");
    assert.ok(!at.includes(-1), String(at));
    assert.ok(!(await executeEntry(library, entry, { artefacts: [] })).includes("Artefacts"));
  },
);

projectTest(
  "work for any time hears of them if it leaves code [tool:execute-artefacts]",
  "6.8.0",
  { [`${PLANNING}/prd.md`]: status("final") },
  async (library) => {
    assert.deepEqual(await linesFor(library, "bmad-quick-dev"), [`- PRD: ${PLANNING}/prd.md (final)`]);
  },
);

Deno.test("a secret in a status is hidden [work:hostile]", () => {
  const token = "sk-1234567890abcdefghij";
  return inProject("6.12.0", {
    [`${PLANNING}/prds/prd-shop/prd.md`]: status(token),
    [`${BUILDING}/sprint-status.yaml`]: `development_status:\n  1-1-a: ${token}\n  1-2-b: review\n`,
  }, async (library) => {
    const lines = await linesFor(library, "bmad-prd");
    assert.deepEqual(lines[0], `- PRD: ${PLANNING}/prds/prd-shop/prd.md ([removed])`);
    const [next] = await listNext(library, {});
    assert.match(next!.why!, /has the unknown status "\[removed\]"/);
    assert.ok(!JSON.stringify([lines, next]).includes(token));
  });
});

projectTest("a project without documents gets no section [tool:execute-artefacts]", "6.12.0", {
  [`${PLANNING}/notes.md`]: "x",
}, async (library) => {
  assert.deepEqual(await linesFor(library, "bmad-prd"), []);
  const unserved = await openLibrary([opening("cli", 2, library.project!)]);
  const entry = resolveEntry(library, { name: "bmad-prd" });
  assert.deepEqual(await describeArtefacts(unserved, entry, { now: Date.now }), [], "no project");
});

treeTest(
  "the latest documents are named [tool:execute-artefacts]",
  { "prd-secret/prd.md": "x" },
  (outside) =>
    inProject(
      "6.12.0",
      { [`${PLANNING}/prds/prd-a/prd.md`]: status(`"${"x\\e[2J".repeat(50)}"`) },
      async (library, dir) => {
        const prds = `${PLANNING}/prds`;
        const odd = `${prds}/prd-\n- PRD: forged\u202e${"y".repeat(150)}/prd.md`;
        const many = Array.from({ length: 2_000 }, (_, at) => [`${prds}/prd-${at}/prd.md`, "x"]);
        await writeTree(dir, {
          ...Object.fromEntries(many),
          [`${prds}/prd-link`]: { link: outside },
          [odd]: "x",
        });
        const later = new Date(Date.now() + 60_000);
        await Deno.utime(`${dir}/${odd}`, later, later);
        await Deno.utime(`${dir}/${prds}/prd-a/prd.md`, later, new Date(later.getTime() - 1_000));
        const before = process.cpuUsage();
        const lines = await linesFor(library, "bmad-prd");
        const { user, system } = process.cpuUsage(before);
        assert.ok(user + system < 5_000_000, `${user + system} µs`);
        assert.equal(lines.length, 3);
        const isSafe = (line: string) => line.length < 300 && !/[\p{Cc}\p{Cf}]/u.test(line);
        assert.ok(lines.every(isSafe), lines.join("|"));
        assert.match(lines[0]!, /^- PRD: \S+\/prd- - PRD: forged\ufffdy+…$/);
        assert.match(lines[1]!, /prd-a\/prd\.md \(x␛\[2Jx.*…\)$/);
        assert.match(lines[2]!, / \(and \d+ older ones\)$/);
        assert.ok(!lines.join().includes("prd-link"));
      },
    ),
);

projectTest(
  "the help skill points to the list of next steps [tool:list-next]",
  "6.12.0",
  {},
  async (library) => {
    const calls = { open: "open URI", start: "start NAME", next: "list next" };
    const help = await executeEntry(library, resolveEntry(library, { name: "bmad-help" }), { calls });
    assert.match(help, /^---\n(?:.+\n)*next: list next names the next step of this project, and why\n/);
    const other = await executeEntry(library, resolveEntry(library, { name: "bmad-prd" }), { calls });
    assert.ok(!other.includes("list next"));
  },
);

projectTest(
  "the agents and tasks of v4 hear of documents, shards and the story [tool:execute-artefacts]",
  "4.44.3",
  {
    "docs/project-brief.md": "x",
    "docs/prd.md": "x",
    "docs/prd/index.md": "x",
    "docs/prd/epic-1-shop.md": "x",
    "docs/front-end-spec.md": "x",
    "docs/architecture.md": "x",
    "docs/architecture/index.md": "x",
    "docs/architecture/tech-stack.md": "x",
    "docs/stories/1.1.sign-up.md": "# Story\n\n## Status\n\nApproved\n",
    "docs/guide.md": "x",
  },
  async (library) => {
    for (const name of ["dev", "create-next-story"]) {
      assert.deepEqual(await linesFor(library, name), [
        "- brief: docs/project-brief.md",
        "- PRD: docs/prd.md (2 more in docs/prd)",
        "- UX: docs/front-end-spec.md",
        "- architecture: docs/architecture.md (2 more in docs/architecture)",
        "- current story: docs/stories/1.1.sign-up.md (Approved)",
      ], name);
    }
  },
);

projectTest(
  "every change to the documents shows in the next answer [tool:execute-artefacts]",
  "6.12.0",
  {},
  async (library, dir) => {
    const prd = `${PLANNING}/prds/prd-a/prd.md`;
    const ledger = `${BUILDING}/sprint-status.yaml`;
    const write = (path: string, text: string) => writeTree(dir, { [path]: text });
    const lines = () => linesFor(library, "bmad-prd");
    assert.deepEqual(await lines(), []);
    await write(prd, status("draft"));
    assert.match((await lines()).join("\n"), /^- PRD: .*prd-a\/prd\.md \(draft\)$/);
    // Of the same length, and within the same moment.
    for (const word of ["final", "other", "draft"]) {
      await write(prd, status(word));
      assert.match((await lines()).join("\n"), new RegExp(`\\(${word}\\)`));
    }
    await write(ledger, "development_status:\n  epic-1: in-progress\n  1-1-a: review\n");
    assert.match((await lines()).join("\n"), /current story: 1-1-a \(review, no file yet\)/);
    await write(`${BUILDING}/1-1-a.md`, "# Story");
    assert.match((await lines()).join("\n"), /current story: .*1-1-a\.md \(review\)/);
    await Deno.rename(`${dir}/${PLANNING}`, `${dir}/elsewhere`);
    await Deno.remove(`${dir}/${ledger}`);
    assert.deepEqual(await lines(), []);
    await Deno.rename(`${dir}/elsewhere`, `${dir}/${PLANNING}`);
    assert.match((await lines()).join("\n"), /^- PRD: .*\(draft\)$/);
  },
);
