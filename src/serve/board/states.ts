/**
 * How people see the states of a story: one word, one column and one colour each, the same wherever a state is shown.
 */
import type { State, Story } from "../../app.ts";
import { type Markup, markup } from "../../base/markup.ts";

type Look = Readonly<{ label: string; style: string; column?: State }>;

const LOOKS: Readonly<Record<State, Look>> = {
  "backlog": { label: "Backlog", style: "s-backlog", column: "backlog" },
  "ready": { label: "Ready", style: "s-ready", column: "ready" },
  "in-progress": { label: "In progress", style: "s-progress", column: "in-progress" },
  // As far as what is under way, and with a mark of its own.
  "blocked": { label: "Blocked", style: "s-blocked", column: "in-progress" },
  "review": { label: "Review", style: "s-review", column: "review" },
  "done": { label: "Done", style: "s-done", column: "done" },
  "dropped": { label: "Dropped", style: "s-dropped" },
};

const ALL = Object.entries(LOOKS) as readonly (readonly [State, Look])[];

export const STATE_STYLES: readonly string[] = ALL.map(([, { style }]) => style);

export type Column = Readonly<{ state: State; title: string }>;

export const COLUMNS: readonly Column[] = ALL.filter(([state, { column }]) => state === column)
  .map(([state, { label: title }]) => ({ state, title }));

export function columnOf(state: State): State | undefined {
  return LOOKS[state].column;
}

export function styleOf(state: State): string {
  return LOOKS[state].style;
}

export function stateTag({ state, status }: Pick<Story, "state" | "status">): Markup {
  const isOdd = state === "blocked" && status !== undefined && status !== state;
  return markup`<span class="tag ${styleOf(state)}">${LOOKS[state].label}${isOdd && ` (${status})`}</span>`;
}

export function doneIn(stories: readonly Pick<Story, "state">[]): number {
  return stories.filter(({ state }) => state === "done").length;
}

export function drawProgress(
  stories: readonly Pick<Story, "state">[],
  around = (mark: Markup) => mark,
): Markup {
  const total = stories.length;
  const counts = ALL.toReversed().map(([state, { label, style }]) => ({
    label,
    style,
    count: stories.filter((one) => one.state === state).length,
  })).filter(({ count }) => count > 0);
  let at = 0;
  const parts = counts.map(({ style, count }) => {
    const [x, width] = [at, 100 * count / total];
    at += width;
    return markup`<rect x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="4" class="${style}"/>`;
  });
  const words = counts.map(({ label, count }) => `${count} ${label.toLowerCase()}`).join(", ");
  // A drawing, because the pages allow no style in an element.
  return markup`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="${words}">${parts}</svg>
<p class="legend">${
    counts.map(({ label, style, count }) =>
      markup`${
        around(markup`<span class="${style}"><i class="dot"></i>${count} ${label.toLowerCase()}</span>`)
      } `
    )
  }</p>`;
}
