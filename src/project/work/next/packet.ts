/** The next piece of work as a packet, with who works on what; and the list of all steps. */
import { qualifiedName, startedAs } from "../../../base/model.ts";
import { joinLines, type Report, textLines } from "../../../base/report.ts";
import { abbreviateList, command, quotation } from "../../../base/text.ts";
import {
  agentFor,
  type Filter,
  filterOf,
  type Library,
  type Row,
  type Step,
} from "../../../content/library/mod.ts";
import { findText, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  aboutOf,
  actionLine,
  type QuestionCalls,
  questionLine,
  questionLines,
  repairCall,
  type RepairCalls,
  repairLine,
} from "../board/mod.ts";
import {
  type Board,
  hasHolder,
  isOver,
  lengthProblem,
  markLine,
  readReview,
  readStoryText,
  type Story,
  storyFacts,
} from "../formats/mod.ts";
import { readRoadmap, type Roadmap, type RoadmapOptions } from "./advice.ts";
import { type Advice, callFor, nameOf, type StatusAfter, type StepCall, VERDICTS } from "./stories.ts";

/** Those that write are missing where nothing may be written. */
export interface WriteCalls extends QuestionCalls, RepairCalls {
  execute(call: StepCall): string;
  mark?(story: string, status: string, by: string | undefined, reason?: string): string;
  claim?(story: string, by: string | undefined): string;
  plan?(): string;
  trace?(story: string): string;
  review?(story: string): string;
}

interface PacketTools extends RoadmapOptions {
  readonly calls: WriteCalls;
  clean(text: string): string;
  repair?(board: Board): Promise<string | undefined>;
  /** Undefined without a repository. `enter` goes to the project in it, if a terminal can. */
  worktreeFor?(name: string): Readonly<Record<"worktree" | "enter", string | undefined>>;
}

export async function reportNext(library: Library, tools: PacketTools): Promise<Report> {
  const roadmap = await readRoadmap(library, tools);
  const { advice, overlaps, boards } = roadmap;
  const packets = await Promise.all(advice.map(async (one) => ({
    ...await packetOf(library, one, tools, roadmap),
    ...(tools.count !== undefined && one.story !== undefined && ofWave(one.story, roadmap, tools)),
  })));
  // Modules may share folders.
  const all = boards.flatMap(({ epics }) => epics).flatMap(({ stories }) => stories);
  const isHeld = ({ state, owner, claim }: Story) =>
    state === "in-progress" || claim !== undefined || owner !== undefined && !isOver(state);
  const held = unique(all, ({ ledger, ref }) => `${ledger} ${ref}`)
    .filter((story) => isHeld(story) && !packets.some((one) => one.story?.ref === story.ref));
  const actions = [...new Set(boards.flatMap((board) => board.actions).map(actionLine))];
  const questions = unique(boards.flatMap((board) => board.questions), questionLine);
  const more = questions.length - LIMITS.next.held;
  const asked = textLines(
    questionLines(questions.slice(0, LIMITS.next.held), tools.calls),
    more > 0 && `… and ${more} more`,
  );
  const overlapLines = overlaps.map(({ story, with: other, files }) =>
    `- ${story.ref} ${story.title}: like ${other.ref}, it changes ${abbreviateList(files)}`
  );
  const out = boards.find((board) => repairCall(board, tools.calls));
  const repair = out && await tools.repair?.(out);
  const { taken = [], loose = [] } = Object.groupBy(held, (story) => hasHolder(story) ? "taken" : "loose");
  const linesFor = (stories: readonly Story[]) =>
    stories.slice(0, LIMITS.next.held).map((story) => `- ${story.ref} ${aboutOf(story)}`);
  return {
    text: textLines(
      packets.map(textOf),
      paragraph("Not at the same time:", overlapLines.slice(0, LIMITS.next.held)),
      paragraph("Others at work:", linesFor(taken)),
      paragraph("In progress without a holder:", linesFor(loose)),
      actions.length > 0 && `Open action items: ${abbreviateList(actions)}`,
      paragraph("Open questions, which people decide:", asked),
      repairLine(repair),
    ).join("\n\n"),
    data: {
      next: packets,
      overlaps: overlaps.map(({ story, with: other, files }) => ({ ref: story.ref, with: other.ref, files })),
      held: held.map(({ ref, title, state, owner, claim, findings, stale }) => {
        return { ref, title, state, owner, claim, findings, stale };
      }),
      actions,
      questions,
      repair,
    },
  };
}

function unique<T>(all: readonly T[], key: (one: T) => string): readonly T[] {
  return [...new Map(all.map((one) => [key(one), one])).values()];
}

function paragraph(title: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : joinLines(title, lines);
}

export type WorkStep = Awaited<ReturnType<typeof packetOf>>;
type Packet = WorkStep & Partial<ReturnType<typeof ofWave>>;

export async function stepFor(
  library: Library,
  story: Story,
  tools: PacketTools,
): Promise<WorkStep | undefined> {
  if (isOver(story.state)) return undefined;
  const roadmap = await readRoadmap(library, { ...tools, only: story, by: story.claim?.by });
  const { advice } = roadmap;
  const next = advice.find((one) => one.story !== undefined) ?? advice.find(({ is }) => is === "next");
  return next && await packetOf(library, next, tools, roadmap);
}

/** By its reference, if that is unique. */
function referenceOf(story: Story, { boards }: Roadmap): string {
  const { ref, key, ledger } = story;
  const stories = boards.flatMap(({ epics }) => epics).flatMap((epic) => epic.stories);
  const isAlone = stories.every((one) => one.ref !== ref || one.key === key && one.ledger === ledger);
  return isAlone && /^\d+-\d+$/.test(ref) ? ref : nameOf(story);
}

function ofWave(story: Story, roadmap: Roadmap, { calls, by, worktreeFor }: PacketTools) {
  const name = nameOf(story);
  const changes = [...roadmap.filesOf(story)].slice(0, LIMITS.next.changes);
  // Claimed work continues where it is.
  if (story.claim !== undefined) return { worktree: undefined, claim: undefined, changes };
  const { worktree, enter } = BRANCH.test(name) && worktreeFor?.(name) || {};
  const reference = referenceOf(story, roadmap);
  const given = calls.claim?.(reference, by);
  // There, no other project is meant.
  const own = { line: by === undefined ? "" : command` --by ${by}` };
  const claim = given && enter ? command`${{ line: enter }} && bmad-mcp claim ${reference}${own}` : given;
  return { worktree, claim, changes };
}

const BRANCH = /^[a-z0-9][\w-]{0,100}(?:\.(?!lock$)[\w-]{1,100})?$/i;

async function packetOf(
  library: Library,
  advice: Advice,
  { calls, clean, by }: PacketTools,
  roadmap: Roadmap,
) {
  const { is, headline, request = headline, why, files, story, begin, end, canPlan } = advice;
  const call = callFor(advice);
  const reference = story === undefined ? "" : referenceOf(story, roadmap);
  const markCall = ({ name: given, status }: StatusAfter) => {
    const name = story !== undefined && given === nameOf(story) ? reference : given;
    // Its changed requirements are accepted with a reason.
    const why = status === "done" && story?.stale ? "WHY" : undefined;
    return markLine(story?.tracked, status, (reason = why) => calls.mark?.(name, status, by, reason));
  };
  return {
    is,
    headline: clean(headline),
    say: call && await sayingOf(library, request, call),
    why,
    files,
    item: call && qualifiedName(call.entry),
    call: call && calls.execute(call),
    or: canPlan
      ? calls.plan?.()
      : isReviewed(advice, roadmap.artefacts?.tree)
      ? calls.review?.(reference)
      : undefined,
    begin: begin && markCall(begin),
    end: end && markCall(end),
    tests: end?.status === "review" && story !== undefined && story.criteria.length > 0
      ? "name each criterion by its number, as in AC2: trace and check look for that"
      : undefined,
    // Before the story is built or reviewed.
    reread: story?.stale && calls.trace?.(reference),
    settle: story?.findings ? calls.review?.(reference) : undefined,
    story: story && { ...story, criteria: story.criteria.map(clean) },
  };
}

function isReviewed({ story, end }: Advice, tree: Tree | undefined): boolean {
  if (story === undefined || end?.status !== "done") return false;
  return [story.file, story.plan].some((path) => {
    const text = path === undefined ? undefined : tree && findText(tree, path);
    return text !== undefined && lengthProblem(text) === undefined &&
      readReview(readStoryText(path!, text)).passes.length > 0;
  });
}

async function sayingOf(library: Library, request: string, { entry, item }: StepCall): Promise<string> {
  const agent = await agentFor(library, entry);
  const way = item === undefined ? entry.id : `*${item}`;
  const name = agent?.displayName;
  return name === undefined ? `${request} with ${way}` : `${request} with ${name} (${way})`;
}

const PLANS = "makes the sprint from the epics, without a model";
const IS_REVIEWED = "the short way, as findings of a review are recorded: the user chooses";

const LISTS = new Set(["answered", "done when", "drift"]);
/** What other lines say, or a story that is handed out cannot have. */
const UNTOLD = new Set(
  ["ledger", "reason", "refined", "waits for an answer", "owner", "held by", "waits for", "forced"],
);

function textOf(packet: Packet): string {
  const { is, headline, item, or, story, worktree, changes } = packet;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Worktree", worktree],
    [worktree === undefined ? "Claim" : "Claim there", packet.claim],
    ["Read again", packet.reread],
    ["Findings to settle", packet.settle],
    ["Before", packet.begin],
    ["Call", packet.call],
    ["Or", or && `${or} (${story === undefined ? PLANS : IS_REVIEWED})`],
    ["When finished", packet.end],
    ["Tests", packet.tests],
    ["Story", story && `${story.ref} ${quotation(story.title)} (${story.state})`],
    ["Changes", changes && (abbreviateList(changes) || "unknown: its documents name no files yet")],
  ];
  const told = Map.groupBy(story === undefined ? [] : storyFacts(story), ([label]) => label);
  return joinLines(
    is === "next" && `${headline}${story === undefined ? "" : ` (${story.ref})`}`,
    `${VERDICTS[is]}${item === undefined ? "" : `: ${item}`}`,
    `Why: ${packet.why}`,
    facts.filter(([, value]) => value).map(([label, value]) => `${label}: ${value}`),
    [...told].filter(([label]) => !UNTOLD.has(label)).map(([label, all]) => {
      const values = all.map(([, value]) => LISTS.has(label) ? `\n  - ${value}` : ` ${value}`);
      return `${label[0]!.toUpperCase()}${label.slice(1)}:${values.join("")}`;
    }),
  );
}

/** In this order. `found`: files without a status; `passed`: skipped; `step`: the next is unknown. */
const ORDER = ["next", "begun", "optional", "later", "step", "found", "done", "passed", "anytime"] as const;
type StepStatus = typeof ORDER[number];

export async function listNext(
  library: Library,
  filter: Filter,
  ahead?: RoadmapOptions,
): Promise<readonly Row[]> {
  const roadmap = await readRoadmap(library, ahead);
  const passes = filterOf(filter);
  const rows = roadmap.steps.filter(({ entry }) => passes(entry)).map((step) => {
    const advice = roadmap.advice.find((one) => one.step === step);
    const standing = advice === undefined ? statusOf(step, roadmap) : "next";
    return { standing, row: stepRow(step, standing, roadmap, advice) };
  });
  const ordered = ORDER.flatMap((standing) => rows.filter((one) => one.standing === standing));
  const byItem = Map.groupBy(ordered, ({ row: { name, data } }) => `${name} ${data["action"] ?? ""}`);
  return [
    ...roadmap.advice.filter(({ step }) => step === undefined).map(verdictRow),
    ...byItem.values().map(([first]) => first!.row),
  ];
}

const BY_STATE = { done: "done", started: "begun", present: "found" } as const;

function statusOf(step: Step, { steps, advice, progressOf }: Roadmap): StepStatus {
  if (!step.isInPhase) return "anytime";
  const { state } = progressOf(step);
  if (state !== "none" && state !== "unknown") return BY_STATE[state];
  const next = advice.find((one) => one.step?.module === step.module)?.step;
  if (next === undefined) return "step";
  if (steps.indexOf(step) > steps.indexOf(next)) return "later";
  const reached = steps.slice(0, steps.indexOf(next)).findLastIndex((one) =>
    one.module === step.module && one.help.required && progressOf(one).files.length > 0
  );
  if (steps.indexOf(step) < reached) return "passed";
  // With another story, it comes again.
  return step.help.required ? "later" : "optional";
}

function stepRow(step: Step, standing: StepStatus, { progressOf }: Roadmap, advice?: Advice): Row {
  const { entry, help: { phase, after, before, required, outputs, code, title, action, description } } = step;
  const { why, story, files = progressOf(step).files } = advice ?? {};
  const { item, message } = callFor({ ...advice, step })!;
  const { name, id, module, origin } = entry;
  const words = { title, description, code, action: action === "" ? undefined : action };
  const schedule = { phase, after, before, required, outputs };
  return {
    name: qualifiedName(entry),
    about: describeStep(step, standing, files[0]),
    why,
    data: {
      name,
      id,
      module,
      kind: startedAs(entry),
      origin: origin.id,
      ...words,
      ...schedule,
      standing,
      why,
      item,
      story: story && nameOf(story),
      message,
      files,
    },
  };
}

function describeStep({ help }: Step, standing: StepStatus, file: string | undefined): string {
  const { phase, after, before, required, description } = help;
  if (standing === "next") return standing;
  if (standing === "done" || standing === "begun" || standing === "found") return `${standing}: ${file}`;
  const notes = [required && "required", after && `after ${after}`, before && `before ${before}`]
    .filter(Boolean);
  const label = standing === "step" ? phase : standing;
  const noted = notes.length === 0 ? label : `${label} (${notes.join(", ")})`;
  return description === "" ? noted : `${noted}: ${description}`;
}

function verdictRow({ is, why, files }: Advice): Row {
  const name = VERDICTS[is].toLowerCase();
  return { name, about: why, data: { standing: is === "done" ? name : is, why, files } };
}
