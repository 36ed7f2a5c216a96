/**
 * Do the documents that a project's work consists of leave the library as it is? They are written all the time, often
 * by this program itself, and to read an installation again for each would make every other request wait.
 */
import assert from "node:assert/strict";
import { type Live, openLive } from "../../../src/content/live/mod.ts";
import { pause } from "../../../src/base/work.ts";
import { configOf, handClock, ONE, skill } from "../../support/live.ts";
import { withTree } from "../../support/trees.ts";

interface Scene {
  readonly live: Live;
  /** Changes something on disk; how often the library was then read again. */
  reloadsAfter(change: (at: (path: string) => string) => void): Promise<number>;
  ids(): Promise<readonly string[]>;
}

/** A project that is found by itself, and one whose folder is named: of that, more folders are looked through. */
const STARTS = { "as a project": [], "as a named folder": ["."] } as const;

async function inEachStart(work: (scene: Scene) => Promise<void>): Promise<void> {
  for (const [how, args] of Object.entries(STARTS)) {
    await withTree({
      [ONE]: skill("first"),
      "_bmad-output/initiative-a/tickets.toml": "",
      "_bmad-output/plans/epics.md": "",
    }, async (dir) => {
      const config = configOf(dir, undefined, args);
      const kit = { base: "_bmad", output: "_bmad-output", root: Deno.realPathSync(dir) };
      const clock = handClock();
      const live = openLive({ ...config, kit }, clock);
      const ids = () => live.ask(({ effective }) => effective.map(({ id }) => id));
      assert.deepEqual(await ids(), ["bmad-one"], how);
      await work({
        live,
        ids,
        reloadsAfter: async (change) => {
          const { done } = live.reloads();
          // The times of files have steps of some milliseconds.
          await pause(20);
          change((path) => `${dir}/${path}`);
          clock.advance(1_000);
          await ids();
          // A folder whose names were accepted must not become a reason later.
          clock.advance(1_000);
          await ids();
          return live.reloads().done - done;
        },
      });
    });
  }
}

Deno.test("a document of the project costs no new reading [resources:documents]", () =>
  inEachStart(async ({ reloadsAfter }) => {
    const write = (path: string) => (at: (path: string) => string) => Deno.writeTextFileSync(at(path), "x");
    assert.equal(await reloadsAfter(write("_bmad-output/notes.md")), 0);
    assert.equal(await reloadsAfter(write("_bmad-output/initiative-a/story-x.md")), 0);
    assert.equal(
      await reloadsAfter((at) => Deno.mkdirSync(at("_bmad-output/w/1"), { recursive: true })),
      0,
    );
    assert.equal(await reloadsAfter(write("_bmad-output/w/1/.memlog.md")), 0);
    assert.equal(
      await reloadsAfter((at) => Deno.removeSync(at("_bmad-output/plans"), { recursive: true })),
      0,
    );
    // Elsewhere a new name may mean anything.
    assert.ok(await reloadsAfter(write("notes.md")) > 0);
  }));

Deno.test("a changed installation is read again, also among documents [resources:documents]", () =>
  inEachStart(async ({ reloadsAfter, ids }) => {
    assert.equal(await reloadsAfter((at) => Deno.writeTextFileSync(at("_bmad-output/a.md"), "")), 0);
    assert.ok(
      await reloadsAfter((at) => {
        Deno.mkdirSync(at("_bmad/own/skills/bmad-three"));
        Deno.writeTextFileSync(
          at("_bmad/own/skills/bmad-three/SKILL.md"),
          skill("third").replace("bmad-one", "bmad-three"),
        );
      }) > 0,
    );
    assert.deepEqual(await ids(), ["bmad-one", "bmad-three"]);
    // What a builder made lies in the output folder.
    assert.ok(
      await reloadsAfter((at) => {
        Deno.mkdirSync(at("_bmad-output/agents"));
        Deno.writeTextFileSync(
          at("_bmad-output/agents/dan.agent.yaml"),
          "agent:\n  metadata: { name: Dan, title: Builder }\n  persona: { role: Builds }\n",
        );
      }) > 0,
    );
    assert.deepEqual((await ids()).toSorted(), ["bmad-one", "bmad-three", "dan"]);
    assert.ok(
      await reloadsAfter((at) =>
        Deno.writeTextFileSync(at("_bmad-output/agents/eve.agent.yaml"), "agent: {}\n")
      ) > 0,
      "content is no document",
    );
  }));
