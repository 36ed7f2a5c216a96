/**
 * Which stories wait for others.
 *
 * A story waits for what it builds on until that is in review or done; a dropped one still blocks it. An epic is finished
 * only when it is done. A name that nothing has does not block: its state is unknown here.
 */
import type { Epic, Reading, Story } from "../formats/mod.ts";

/** The same, each story and epic with what it waits for. References hold inside one ledger. */
export function withDependencies({ epics, ...rest }: Reading): Reading {
  const open = new Set(epics.flatMap((epic) => [
    ...(epic.state === "done" ? [] : [plain(epic.ref)]),
    ...epic.stories.filter(({ state }) => state !== "done" && state !== "review").map(({ ref }) =>
      plain(ref)
    ),
  ]));
  const waits = ({ after }: Epic | Story) => after.filter((ref) => open.has(plain(ref)));
  return {
    epics: epics.map((epic) => {
      const gate = waits(epic);
      const stories = epic.stories.map((story) =>
        story.after.length === 0 && gate.length === 0
          ? story
          : { ...story, waitsFor: [...new Set([...gate, ...waits(story)])] }
      );
      return { ...epic, waitsFor: gate, stories };
    }),
    ...rest,
  };
}

function plain(ref: string): string {
  return ref.toLowerCase().replaceAll(".", "-");
}
