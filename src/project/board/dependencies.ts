/**
 * Which stories wait for others.
 *
 * A story waits for what it builds on until that is in review or done; a dropped one still blocks it. An epic is finished
 * only when it is done. A name that nothing has, such as the id of a tracker, does not block: nobody here knows its state.
 */
import type { Epic, Story } from "./model.ts";

/** The same epics, each story and epic with what it waits for. */
export function withDependencies(epics: readonly Epic[]): readonly Epic[] {
  const open = new Set<string>();
  for (const epic of epics) {
    if (epic.state !== "done") add(open, epic.ledger, epic.ref);
    for (const story of epic.stories) {
      if (story.state !== "done" && story.state !== "review") {
        add(open, story.ledger, story.ref, story.key);
      }
    }
  }
  const waits = ({ ledger, after }: Epic | Story) => after.filter((ref) => open.has(nameIn(ledger, ref)));
  return epics.map((epic) => {
    const gate = waits(epic);
    const stories = epic.stories.map((story) =>
      story.after.length === 0 && gate.length === 0
        ? story
        : { ...story, waitsFor: [...gate, ...waits(story)] }
    );
    return { ...epic, waitsFor: gate, stories };
  });
}

function add(names: Set<string>, ledger: string, ...refs: readonly string[]): void {
  for (const ref of refs) names.add(nameIn(ledger, ref));
}

/** References hold inside one ledger. */
function nameIn(ledger: string, ref: string): string {
  return `${ledger}\0${ref.toLowerCase().replaceAll(".", "-")}`;
}
