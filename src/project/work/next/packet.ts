/**
 * The next piece of work as a packet: what to execute, with which story, its files and when it is done, and who works on
 * what meanwhile.
 */
import { qualifiedName } from "../../../base/model.ts";
import type { Report } from "../../../base/report.ts";
import { command, fewOf } from "../../../base/text.ts";
import { agentFor, type Library } from "../../../content/library/mod.ts";
import {
  aboutOf,
  actionLine,
  type QuestionCalls,
  questionLine,
  questionLines,
  storyFacts,
} from "../board/mod.ts";
import { isOver, type OpenQuestion, type Story } from "../formats/mod.ts";
import { type Ahead, planAhead } from "./advice.ts";
import { type Advice, callFor, nameOf, type StatusAfter, type StepCall } from "./stories.ts";
import { VERDICTS } from "./words.ts";
import type { FilesOf } from "./wave.ts";

/** Writes calls in the words of a surface. Those that write are missing where nothing may be written. */
export interface WriteCalls extends QuestionCalls {
  /** The call that does a step. */
  execute(call: StepCall): string;
  mark?(story: string, status: string, by: string | undefined): string;
  claim?(story: string, by: string | undefined): string;
  plan?(): string;
  /** The calls that show which requirements to read again, and which findings to settle. */
  trace?(story: string): string;
  review?(story: string): string;
}

/** What a packet is made with. */
export interface PacketTools extends Ahead {
  readonly calls: WriteCalls;
  /** Removes secrets from a text. */
  clean(text: string): string;
  /** How the paths of worktrees begin, seen from the project: `../shop`; undefined without a repository. */
  readonly worktrees?: string;
}

/** What to do now. It is what the list of next steps recommends. */
export async function reportNext(library: Library, tools: PacketTools): Promise<Report> {
  const { advice, overlaps, boards, filesOf } = await planAhead(library, tools);
  const packets = await Promise.all(advice.map(async (one) => ({
    ...await packetOf(library, one, tools),
    ...(tools.count !== undefined && one.story !== undefined &&
      ofWave(one.story, filesOf, tools)),
  })));
  // Modules may keep their work in the same folders.
  const stories = new Map(
    boards.flatMap(({ epics }) => epics).flatMap(({ stories }) => stories).map((one) => [
      `${one.ledger} ${one.ref}`,
      one,
    ]),
  );
  const held = [...stories.values()]
    .filter(({ state, owner, claim, ref }) =>
      (state === "in-progress" || claim !== undefined || owner !== undefined && !isOver(state)) &&
      !packets.some(({ story }) => story?.ref === ref)
    );
  const actions = [...new Set(boards.flatMap((board) => board.actions).map(actionLine))];
  const questions = [
    ...new Map(boards.flatMap((board) => board.questions).map((one) => [questionLine(one), one])).values(),
  ];
  return {
    text: [
      ...packets.map(textOf),
      ...(overlaps.length === 0 ? [] : [
        "Not at the same time:\n" +
        overlaps.slice(0, MAX_HELD).map(({ story, with: other, files }) =>
          `- ${story.ref} ${story.title}: like ${other.ref}, it changes ${fewOf(files)}`
        ).join("\n"),
      ]),
      ...(held.length === 0 ? [] : [
        "Others at work:\n" +
        held.slice(0, MAX_HELD).map((story) => `- ${story.ref} ${aboutOf(story)}`).join("\n"),
      ]),
      ...(actions.length === 0 ? [] : [`Open action items: ${fewOf(actions)}`]),
      ...(questions.length === 0 ? [] : [askedText(questions, tools.calls)]),
    ].join("\n\n"),
    data: {
      next: packets,
      overlaps: overlaps.map(({ story, with: other, files }) => ({ ref: story.ref, with: other.ref, files })),
      held: held.map(({ ref, title, state, owner, claim, findings, stale }) => ({
        ref,
        title,
        state,
        owner,
        claim,
        ...(findings && { findings }),
        ...(stale && { stale }),
      })),
      actions,
      questions,
    },
  };
}

function askedText(questions: readonly OpenQuestion[], calls: QuestionCalls): string {
  const more = questions.length - MAX_HELD;
  return [
    "Open questions, which people decide:",
    ...questionLines(questions.slice(0, MAX_HELD), calls),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ].join("\n");
}

const MAX_HELD = 20;
const MAX_CHANGES = 100;

/** One piece of work. */
export interface WorkStep {
  readonly is: "next" | "done" | "held" | "unknown";
  readonly why: string;
  readonly files: readonly string[];
  readonly story?: Story;
  /** What to do, for people. */
  readonly headline: string;
  /** What a person says to a client, if a step is next. */
  readonly say?: string;
  /** What to execute, and the call that does it. */
  readonly item?: string;
  readonly call?: string;
  /** The calls for a sprint without a model, for the beginning and the end of the work, and for what to look at before. */
  readonly or?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly reread?: string;
  readonly settle?: string;
}

type Packet = WorkStep & Partial<ReturnType<typeof ofWave>>;

/** What to do with one story, or before it can begin; undefined if that is over or cannot be said. */
export async function stepFor(
  library: Library,
  story: Story,
  tools: PacketTools,
): Promise<WorkStep | undefined> {
  if (isOver(story.state)) return undefined;
  const { advice } = await planAhead(library, { ...tools, only: story, by: story.claim?.by });
  const next = advice.find((one) => one.story !== undefined) ?? advice.find(({ is }) => is === "next");
  return next && await packetOf(library, next, tools);
}

/** What whoever takes one of several stories needs besides: a folder of their own, and the claim. */
function ofWave(
  story: Story,
  filesOf: FilesOf,
  { calls, by, worktrees }: PacketTools,
) {
  const name = nameOf(story);
  const changes = [...filesOf(story)].slice(0, MAX_CHANGES);
  // What one holds already goes on where it is.
  if (story.claim !== undefined) return { worktree: undefined, claim: undefined, changes };
  return {
    worktree: worktrees !== undefined && BRANCH.test(name)
      ? command`git worktree add ${`${worktrees}-${name}`} -b ${name}`
      : undefined,
    claim: calls.claim?.(name, by),
    changes,
  };
}

/** The names of stories that git takes for a branch as they are. */
const BRANCH = /^[a-z0-9][\w-]{0,100}(?:\.(?!lock$)[\w-]{1,100})?$/i;

async function packetOf(
  library: Library,
  advice: Advice,
  { calls, clean, by }: PacketTools,
): Promise<WorkStep> {
  const { is, words, why, files, story, begin, end, canPlan } = advice;
  const call = callFor(advice);
  const markCall = ({ name, status }: StatusAfter) => calls.mark?.(name, status, by);
  return {
    is,
    headline: clean(words.headline),
    say: call && words.request && await sayingOf(library, words.request, call),
    why,
    files,
    ...(call !== undefined && { item: qualifiedName(call.entry), call: calls.execute(call) }),
    or: canPlan ? calls.plan?.() : undefined,
    begin: begin && markCall(begin),
    end: end && markCall(end),
    // What a story was made from is read again before it is built or reviewed.
    reread: story?.stale && calls.trace?.(nameOf(story)),
    settle: story?.findings ? calls.review?.(nameOf(story)) : undefined,
    ...(story !== undefined && { story: { ...story, criteria: story.criteria.map(clean) } }),
  };
}

/** What a person says to a client: `Continue story 2-2 with Amelia (bmad-build)`. */
async function sayingOf(library: Library, request: string, { entry, item }: StepCall): Promise<string> {
  const agent = await agentFor(library, entry);
  const way = item === undefined ? entry.id : `*${item}`;
  const name = agent?.displayName;
  return name === undefined ? `${request} with ${way}` : `${request} with ${name} (${way})`;
}

const LISTS: readonly string[] = ["answered", "done when", "drift"];
/** The facts of a story that whoever works on it needs. */
const TOLD = [
  "file",
  "plan",
  "open question",
  "note",
  "builds on",
  "covers",
  "boxes",
  "findings",
  "stale",
  ...LISTS,
];

function textOf(
  { is, headline, why, item, call, or, story, begin, end, reread, settle, worktree, claim, changes }: Packet,
): string {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Worktree", worktree],
    [worktree === undefined ? "Claim" : "Claim there", claim],
    ["Read again", reread],
    ["Findings to settle", settle],
    ["Before", begin],
    ["Call", call],
    ["Or", or && `${or} (makes the sprint from the epics, without a model)`],
    ["When finished", end],
    ["Story", story && `${story.ref} ${story.title} (${story.state})`],
    ["Changes", changes && (fewOf(changes) || "unknown: its documents name no files yet")],
  ];
  const told = Map.groupBy(story === undefined ? [] : storyFacts(story), ([label]) => label);
  return [
    ...(is === "next" ? [`${headline}${story === undefined ? "" : ` (${story.ref})`}`] : []),
    `${VERDICTS[is]}${item === undefined ? "" : `: ${item}`}`,
    `Why: ${why}`,
    ...facts.filter(([, value]) => value).map(([label, value]) => `${label}: ${value}`),
    ...[...told].filter(([label]) => TOLD.includes(label)).map(([label, all]) => {
      const values = all.map(([, value]) => LISTS.includes(label) ? `\n  - ${value}` : ` ${value}`);
      return `${label[0]!.toUpperCase()}${label.slice(1)}:${values.join("")}`;
    }),
  ].join("\n");
}
