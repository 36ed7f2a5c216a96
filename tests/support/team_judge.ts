/**
 * Was a team's work right? Decided by what the program acknowledged, and by what git has at the end: no story is begun again
 * after a review, none has two holders, and no mark is lost, unless somebody forced it or gave it up.
 */
export const FORMS = ["story-file", "spec-story", "v4-story", "ticket"] as const;

export type Form = typeof FORMS[number];

/** One call, with the times before it was made and after its answer came. */
export interface Deed {
  readonly start: number;
  readonly end: number;
  readonly worker: string;
  readonly person: string;
  /** A person in a seat, which workers in one terminal share. */
  readonly holder: string;
  readonly clone: string;
  readonly branch: string;
  readonly form: Form;
  readonly did: "claim" | "mark" | "release";
  readonly number?: number;
  readonly to?: string;
  readonly isForced: boolean;
  /** Unknown if the worker was killed before an answer came. */
  readonly outcome: "done" | "refused" | "unknown";
  /** In the file of this branch, after the answer. */
  readonly state?: string;
  readonly text: string;
}

export interface Ending {
  readonly worker: string;
  readonly at: number;
  readonly isServer: boolean;
}

const RANKS: Readonly<Record<string, number>> = {
  inprogress: 1,
  "in-progress": 1,
  review: 2,
  "in-review": 2,
  done: 3,
};

export function rankOf(word: string | undefined): number {
  return RANKS[word?.toLowerCase() ?? ""] ?? 0;
}

const PATHS: Readonly<Record<Form, (number: number) => string>> = {
  "story-file": () => "out/impl/sprint-status.yaml",
  "spec-story": (number) => `out/specs/spec-shop/stories/${number}-part-${number}.md`,
  "v4-story": (number) => `docs/stories/1.${number}.part.md`,
  "ticket": (number) => `out/initiative-shop/epic-one/story-part-${number}-${number}-plan.md`,
};

/** The word in the file that decides; undefined where nothing says it. `read` takes a path in the repository. */
export function stateIn(form: Form, number: number, read: (path: string) => string | undefined) {
  const status = form === "story-file"
    ? new RegExp(`^  1-${number}-part-${number}: ([\\w-]+)`, "m")
    : /^(?:status: '?|## Status\n\n)([\w-]+)/m;
  return status.exec(read(`${form}/${PATHS[form](number)}`) ?? "")?.[1];
}

export function reportDeeds(deeds: readonly Deed[]): string {
  const count = (is: (deed: Deed) => boolean) => deeds.filter(is).length;
  const done = (did: Deed["did"]) => count((one) => one.did === did && one.outcome === "done");
  const reviews = count((one) => one.to === "review" && one.outcome === "done");
  return `${done("claim")} claims, ${done("mark")} marks (${reviews} reviews), ` +
    `${done("release")} releases, ` +
    `${count((one) => one.isForced && one.to !== "done" && one.outcome === "done")} forced, ` +
    `${count((one) => one.outcome === "refused")} refused, ` +
    `${count((one) => one.outcome === "unknown")} cut off, ${count(({ text }) => UNTOLD.test(text))} untold`;
}

export function judge(
  deeds: readonly Deed[],
  endings: readonly Ending[],
  show: (branch: string, path: string) => string | undefined,
): readonly string[] {
  const stories = Map.groupBy(
    deeds.filter(({ number, outcome }) => number !== undefined && outcome !== "refused"),
    ({ form, number }) => `${form} ${number}`,
  );
  return [...stories].flatMap(([story, all]) => {
    const faults = [...begunAgain(all), ...heldTwice(all, endings), ...lost(all, show)];
    return faults.length === 0
      ? []
      : [`${story}: ${[...faults, "all of it:", ...all.map(tell)].join("\n  ")}`];
  });
}

const tell = ({ worker, person, branch, did, to, state, start, end, text }: Deed) =>
  `${worker} (${person}, ${branch}, ${state}) ${did} ${to ?? ""} at ${start.toFixed(0)}-${end.toFixed(0)} ` +
  JSON.stringify(text.slice(0, 160));

const isDone = ({ outcome }: Deed) => outcome === "done";
/** What lets others begin a story again, or take it. */
const isGivenUp = ({ did, to, isForced, outcome, text }: Deed) =>
  isForced && to !== "done" || did === "release" && (outcome === "unknown" || /no longer counts/.test(text));
const UNTOLD = /other clones do not see it/;
/** Of two clones, where the answer says that the other one was not told. */
const isUntold = (one: Deed, other: Deed) => one.clone !== other.clone && UNTOLD.test(one.text + other.text);

function begunAgain(all: readonly Deed[]): readonly string[] {
  const ended = all.filter((one) => isDone(one) && one.did === "mark" && rankOf(one.to) >= 2);
  const begun = all.filter((one) =>
    isDone(one) && !one.isForced && (one.did === "claim" ? rankOf(one.state) < 2 : one.to === "in-progress")
  );
  return ended.flatMap((end) =>
    begun.filter(({ start }) => start > end.end).filter((again) =>
      !isUntold(end, again) &&
      !all.some((one) => isGivenUp(one) && one.end >= end.start && one.start <= again.end)
    ).slice(0, 1).map((again) => `begun again: ${tell(end)}; then ${tell(again)}`)
  );
}

function heldTwice(all: readonly Deed[], endings: readonly Ending[]): readonly string[] {
  const claims = all.filter((one) => isDone(one) && one.did === "claim");
  const acts = all.filter((one) => isDone(one) && !one.isForced && one.did !== "release");
  const hasEnded = (held: Deed, by: Deed) =>
    all.some((one) =>
      one.end > held.end && one.start < by.end && one !== by &&
      (isGivenUp(one) || one.person === held.person && (one.did === "release" || rankOf(one.to) >= 2))
    ) || held.person === by.person && endings.some(({ worker, at, isServer }) =>
        isServer && worker === held.worker && at < by.end
      );
  return acts.flatMap((by) => {
    const isOther = (held: Deed) =>
      by.did === "claim" ? held.holder !== by.holder : held.person !== by.person;
    const held = claims.find((held) =>
      held.end < by.start && isOther(held) && !isUntold(held, by) && !hasEnded(held, by) &&
      // Whoever claimed it last is its holder.
      !claims.some((one) =>
        one !== by && one.end > held.end && one.end < by.start && one.holder === by.holder
      )
    );
    return held === undefined ? [] : [`two holders: ${tell(held)}; then ${tell(by)}`];
  });
}

function lost(all: readonly Deed[], show: Parameters<typeof judge>[2]): readonly string[] {
  const marks = all.filter((one) => isDone(one) && one.did === "mark");
  return [...Map.groupBy(marks, ({ branch }) => branch)].flatMap(([branch, own]) => {
    const last = own.reduce((one, other) => rankOf(other.to) >= rankOf(one.to) ? other : one);
    const state = stateIn(last.form, last.number!, (path) => show(branch, path));
    return rankOf(state) >= rankOf(last.to) ? [] : [`lost, it is ${state}: ${tell(last)}`];
  });
}
