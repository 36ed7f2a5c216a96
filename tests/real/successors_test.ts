/** Does every name that a release of BMAD had lead somewhere in the newest content? */
import assert from "node:assert/strict";
import { type Entry, hasKind, type Kind } from "../../src/base/model.ts";
import { type Library, openLibrary, resolveEntry } from "../../src/content/library/mod.ts";
import { renameNote } from "../../src/content/library/entry_facts.ts";
import {
  installation,
  type InstallRequest,
  type InstallVersion,
  ofThisRun,
  sourceTree,
} from "../support/installs.ts";
import { embedded, openSource } from "../support/library.ts";
import { copyTree, withTree } from "../support/trees.ts";

const openLatest = () => openLibrary([embedded("latest")]);

const INSTALLED: readonly InstallRequest[] = [
  { version: "4.44.3", tools: "claude-code,cursor", extra: "packs" },
  ...(["6.0.4", "6.1.0", "6.2.0", "6.5.0", "6.8.0"] as const)
    .map((version) => ({ version, tools: "claude-code" })),
  { version: "6.12.0", tools: "claude-code,cursor", extra: "shims" },
];

const PACKAGES = ["6.0.0-alpha.7", "6.0.0-alpha.22", "6.0.0-Beta.5", "6.10.0", "6.11.0"] as const;

const STARTED: readonly Kind[] = ["agent", "workflow", "task", "tool", "skill"];

function answerTo(library: Library, name: string): string {
  try {
    const entry = resolveEntry(library, { name });
    return renameNote(library, name, entry) === undefined ? "itself" : "its successor";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const REFUSED = /^No agent, workflow or skill named "[^"]+"\. Older releases of BMAD had it/;

async function check(latest: Library, folder: string): Promise<void> {
  const old = await openSource(folder);
  const names = new Set(
    old.manifest.entries.filter((entry: Entry) => STARTED.some((kind) => hasKind(entry, kind))).map((
      { id },
    ) => id),
  );
  assert.ok(names.size >= 29);
  const unanswered = [...names].map((name) => [name, answerTo(latest, name)] as const)
    .filter(([, answer]) => !["itself", "its successor"].includes(answer) && !REFUSED.test(answer));
  assert.deepEqual(unanswered, []);
}

Deno.test("every name of every installation is answered [names:older-releases]", async (t) => {
  const latest = await openLatest();
  for (const request of ofThisRun(INSTALLED, ({ version }) => version)) {
    await t.step(request.version, async () => await check(latest, await installation(request)));
  }
});

Deno.test("and every name of the packages between them [names:older-releases]", async (t) => {
  const latest = await openLatest();
  for (const version of PACKAGES) {
    await t.step(version, async () => await check(latest, await sourceTree(`bmad-method@${version}`)));
  }
});

Deno.test("answers name the successor, module or nearest [names:older-releases]", async () => {
  const latest = await openLatest();
  const successors: Readonly<Record<string, string>> = {
    "bmad-master": "core/bmad-help",
    "bmad-orchestrator": "core/bmad-help",
    "core/bmad-master": "core/bmad-help",
    "greenfield-fullstack": "core/bmad-help",
    "create-next-story": "bmm/bmad-build",
    "story-context": "bmm/bmad-build",
    "bmad-quick-dev-new-preview": "bmm/bmad-build",
    "bmad-product-brief-preview": "bmm/bmad-product-brief",
    "review-story": "bmm/bmad-code-review",
    "trace-requirements": "tea/bmad-testarch-trace",
    "audit-workflow": "bmb/bmad-workflow-builder",
  };
  for (const [name, successor] of Object.entries(successors)) {
    const entry = resolveEntry(latest, { name });
    assert.equal(`${entry.module}/${entry.id}`, successor, name);
    assert.match(renameNote(latest, name, entry) ?? "", /^"/, name);
  }
  assert.throws(() => resolveEntry(latest, { name: "bmad-master", kind: "agent" }), {
    message: 'No agent named "bmad-master". core/bmad-help, which does its work now, is a workflow',
  });
  const refusals: Readonly<Record<string, RegExp>> = {
    "bmad-investigate": /nothing replaced it; the nearest here is core\/bmad-deep-recon/,
    "bmad-bmm-story-done": /nothing replaced it; the nearest here is bmm\/bmad-sprint-planning/,
    "create-excalidraw-wireframe": /nothing replaced it; the nearest here is bmm\/bmad-ux/,
    "plot-architect": /nothing replaced it; the nearest here is core\/bmad-brainstorming/,
    "storyteller": /its work is now that of the module cis, which is not installed here/,
    "game-designer": /its work is now that of the module gds, which is not installed here/,
  };
  for (const [name, refusal] of Object.entries(refusals)) {
    assert.match(
      answerTo(latest, name),
      refusal,
      name,
    );
  }
});

interface OfItsTime {
  /** Of items that a newer release has no more, or that had successors before they were gone. */
  readonly files: readonly string[];
  /** Agents that this release never had, and other names of the missing ones. */
  readonly foreign?: readonly string[];
}

const QUICK = "bmm/workflows/bmad-quick-flow";

const OF_THEIR_TIME: Readonly<Partial<Record<InstallVersion, OfItsTime>>> = {
  "4.44.3": {
    files: [".bmad-core/agents/sm.md", ".bmad-core/agents/bmad-master.md"],
    foreign: ["tech-writer", "quick-flow-solo-dev"],
  },
  "6.0.0-alpha.7": { files: ["bmad/bmm/agents/sm.md"], foreign: ["quick-flow-solo-dev"] },
  "6.0.0-alpha.22": {
    files: ["_bmad/bmm/agents/sm.md", `_bmad/${QUICK}/create-tech-spec/workflow.md`],
  },
  "6.0.0-Beta.5": { files: ["_bmad/bmm/agents/sm.md", `_bmad/${QUICK}/quick-spec/workflow.md`] },
  "6.0.4": {
    files: [
      "_bmad/bmm/agents/sm.md",
      `_bmad/${QUICK}/quick-dev/workflow.md`,
      "_bmad/bmm/workflows/4-implementation/sprint-status/workflow.yaml",
    ],
  },
  "6.1.0": { files: ["_bmad/bmm/workflows/document-project/workflow.md"] },
  "6.3.0": { files: [".claude/skills/bmad-agent-tech-writer/SKILL.md"], foreign: ["tech-writer", "Paige"] },
  "6.5.0": { files: [".claude/skills/bmad-sprint-status/SKILL.md", ".claude/skills/bmad-help/SKILL.md"] },
  "6.10.0": { files: [".claude/skills/bmad-agent-tech-writer/SKILL.md"] },
};

Deno.test("nobody does the work of an item of their own generation whose file is missing [names:no-stand-in]", async (t) => {
  const rows = Object.entries(OF_THEIR_TIME) as [InstallVersion, OfItsTime][];
  for (const [version, { files, foreign = [] }] of ofThisRun(rows, ([version]) => version)) {
    await t.step(version, async () => {
      await withTree({ "p/": "" }, async (dir) => {
        await copyTree(await installation(version), `${dir}/p`);
        const whole = await openSource(`${dir}/p`);
        const missing = whole.manifest.entries.filter(({ file }) => files.includes(file));
        assert.equal(missing.length, files.length);
        for (const file of files) await Deno.remove(`${dir}/p/${file}`);
        const library = await openSource(`${dir}/p`);
        const names = missing.flatMap(({ id, module }) => [id, `${module}/${id}`]);
        for (const name of [...names, ...foreign]) {
          for (const kind of [undefined, ...foreign.includes(name) ? ["agent"] as const : []]) {
            assert.throws(
              () => resolveEntry(library, { name, kind }),
              /No (?:agent|agent, workflow or skill) named [^]* (?:[Aa]gents|workflows|skills) here: \S/,
              name,
            );
          }
        }
      });
    });
  }
});

const V4_PERSONAS: Readonly<Record<string, string>> = {
  analyst: "Mary",
  architect: "Winston",
  "bmad-master": "BMad Master",
  "bmad-orchestrator": "BMad Orchestrator",
  dev: "James",
  pm: "John",
  po: "Sarah",
  qa: "Quinn",
  sm: "Bob",
  "ux-expert": "Sally",
};

Deno.test("a missing agent of v4 is refused by its persona's name, too [names:no-stand-in]", async () => {
  await withTree({ "p/": "" }, async (dir) => {
    await copyTree(await installation("4.44.3"), `${dir}/p`);
    const whole = await openSource(`${dir}/p`);
    for (const [id, persona] of Object.entries(V4_PERSONAS)) {
      assert.equal(resolveEntry(whole, { name: persona }).id, id);
      await Deno.rename(`${dir}/p/.bmad-core/agents/${id}.md`, `${dir}/${id}.md`);
      const library = await openSource(`${dir}/p`);
      for (const name of [persona, id]) {
        assert.throws(() => resolveEntry(library, { name }), /its file is missing; agents here: \S/, name);
      }
      await Deno.rename(`${dir}/${id}.md`, `${dir}/p/.bmad-core/agents/${id}.md`);
    }
    // Where nothing lists it, nobody stands in either.
    for (const file of ["install-manifest.yaml", "agents/bmad-master.md"]) {
      await Deno.remove(`${dir}/p/.bmad-core/${file}`);
    }
    const unlisted = await openSource(`${dir}/p`);
    assert.throws(() => resolveEntry(unlisted, { name: "BMad Master" }), /^BmadError: No agent/);
  });
});
