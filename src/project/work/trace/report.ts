/** A trace in words, as data, as a drawing and as rows: all of it, one requirement, or one story. */
import { firstLines, joinLines, type Report, type ReportPart, textLines } from "../../../base/report.ts";
import { failUnknown } from "../../../base/errors.ts";
import { abbreviateList, counted } from "../../../base/text.ts";
import { findIds, placeOf, staleWords } from "../formats/mod.ts";
import type { Trace, TracedRequirement, TracedStory } from "./graph.ts";

/** For a requirement or a story, only the part that belongs to it. */
export interface TraceReport extends Report<Pick<Trace, keyof Trace>> {
  readonly mermaid: string;
}

function reportOf(trace: Trace, ...lines: readonly ReportPart[]): TraceReport {
  return { text: joinLines(...lines), mermaid: mermaidOf(trace), data: trace };
}

const MAX_NAMED = 10;
const MAX_TOLD = 100;

export function reportTrace(trace: Trace): TraceReport {
  const { requirements, stories, unread } = trace;
  const missing = requirements.filter(({ isMissing }) => isMissing);
  const aimless = stories.filter((one) => one.requirements.length === 0);
  const criteria = stories.flatMap(({ ref, criteria }) => criteria.map((one) => ({ ref, ...one })));
  const untested = criteria.filter(({ tests }) => tests.length === 0);
  const stale = stories.filter((one) => (one.stale ?? []).length > 0);
  const covered = requirements.filter(({ by }) => by.length > 0).length;
  return reportOf(
    trace,
    [
      `${covered} of ${counted(requirements.length, "requirement is", "requirements are")} covered`,
      `${stories.length - aimless.length} of ${counted(stories.length, "story names", "stories name")} one`,
      `${criteria.length - untested.length} of ${
        counted(criteria.length, "criterion has", "criteria have")
      } a test`,
    ].join("; ") + ".",
    section("Requirements", requirements.map(requirementLine)),
    section("Not covered", missing.map((one) => `${one.id}: ${one.text} (${placeOf(one)})`)),
    section("Stories without a requirement", aimless.map(({ ref, title }) => `${ref} ${title}`)),
    section("Criteria without a test", untested.map((one) => `${one.ref} AC${one.number}: ${one.text}`)),
    section("Stale: the requirement has changed since the story began", stale.map(staleLine)),
    section("Not looked at", unread),
  );
}

export function reportPart(trace: Trace, given: string, findRef: () => string): TraceReport {
  const [id] = findIds(given, { isList: true });
  const requirement = trace.requirements.find((one) => one.id === id);
  if (requirement !== undefined) return reportRequirement(trace, requirement);
  if (id !== undefined) {
    return failUnknown("requirement", given, trace.requirements.map((one) => one.id));
  }
  const ref = findRef();
  return reportStory(trace, trace.stories.find((one) => one.ref === ref)!);
}

function reportRequirement(trace: Trace, one: TracedRequirement): TraceReport {
  const { id, text, epics } = one;
  const stories = trace.stories.filter(({ requirements }) => requirements.includes(id));
  const part = {
    ...trace,
    requirements: [one],
    epics: trace.epics.filter(({ ref }) => epics.includes(ref) || stories.some(({ epic }) => epic === ref)),
    stories: stories.map((story) => ({ ...story, requirements: [id] })),
  };
  const affected = abbreviateList([...new Set(stories.flatMap(({ tests }) => tests))], MAX_NAMED);
  const stale = stories.filter((story) => story.stale?.includes(id)).map(({ ref }) => ref);
  const refs = abbreviateList(stories.map(({ ref }) => ref), MAX_NAMED);
  return reportOf(
    part,
    `# ${id}: ${text}`,
    `- defined in ${placeOf(one)}`,
    `- covered by ${abbreviateList(one.by, MAX_NAMED) || "nothing"}`,
    stories.flatMap(storyLines),
    stale.length > 0 && `- changed since these began: ${abbreviateList(stale, MAX_NAMED)}`,
    stories.length === 0
      ? "- if it changes, no story becomes stale"
      : `- if it changes, these become stale: ${refs}${affected && `; their tests: ${affected}`}`,
  );
}

function reportStory(trace: Trace, story: TracedStory): TraceReport {
  const requirements = trace.requirements.filter(({ id }) => story.requirements.includes(id));
  const unknown = story.requirements.filter((id) => !requirements.some((one) => one.id === id));
  const epics = trace.epics.filter(({ ref }) => ref === story.epic);
  const part = { ...trace, requirements, epics, stories: [story] };
  return reportOf(
    part,
    `# ${story.ref}: ${story.title}`,
    story.requirements.length === 0 && "- for no requirement",
    requirements.map((one) => `- for ${one.id}: ${one.text} (${placeOf(one)})`),
    unknown.map((id) => `- for ${id}, which no document defines`),
    storyLines(story).slice(1),
    story.stale && story.stale.length > 0 && `- ${staleLine(story)}`,
  );
}

function storyLines({ ref, title, state, criteria, tests, commits }: TracedStory): readonly string[] {
  return textLines(
    `- story ${ref} (${state}): ${title}`,
    criteria.map((one) =>
      `  - AC${one.number}: ${one.text} – ${abbreviateList(one.tests, MAX_NAMED) || "no test names it"}`
    ),
    tests.length > 0 && `  - tests: ${abbreviateList(tests, MAX_NAMED)}`,
    commits.map(({ id, subject }) => `  - commit ${id}: ${subject}`),
  );
}

function requirementLine({ id, text, by }: TracedRequirement): string {
  return `${id}: ${text} → ${abbreviateList(by, MAX_NAMED) || "no story"}`;
}

function staleLine({ ref, stale = [] }: TracedStory): string {
  return `${ref}: ${staleWords(stale)}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  const shown = firstLines(lines, MAX_TOLD).map((line) => `- ${line}`);
  return lines.length === 0 ? [] : ["", `## ${title}`, ...shown];
}

function mermaidOf({ requirements, epics, stories }: Trace): string {
  const lines = new Set<string>();
  const nodes = new Map<string, string>();
  const node = (kind: string, name: string, label: string) => {
    const id = nodes.getOrInsertComputed(`${kind} ${name}`, () => `${kind}${nodes.size}`);
    lines.add(`  ${id}["${label.replaceAll(/["[\]{}()<>#;|`\\]/g, " ").trim()}"]`);
    return id;
  };
  const edge = (from: string, to: string) => lines.add(`  ${from} --> ${to}`);
  const told = new Map(
    requirements.map((one) => [one.id, node("r", one.id, `${one.id} ${one.text.slice(0, 40)}`)]),
  );
  const byRef = new Map(epics.map((one) => [one.ref, one]));
  const epicNode = (ref: string) =>
    node("e", ref, `Epic ${ref} ${(byRef.get(ref)?.title ?? "").slice(0, 40)}`);
  for (const { ref, requirements } of epics) {
    for (const id of requirements) if (told.has(id)) edge(told.get(id)!, epicNode(ref));
  }
  for (const { ref, title, epic, requirements, criteria, tests, commits } of stories) {
    const own = node("s", ref, `${ref} ${title.slice(0, 40)}`);
    const isOfEpic = byRef.get(epic)?.requirements.some((id) => requirements.includes(id)) === true;
    if (isOfEpic) edge(epicNode(epic), own);
    else for (const id of requirements) if (told.has(id)) edge(told.get(id)!, own);
    for (const one of criteria) {
      const criterion = node("c", `${ref} ${one.number}`, `AC${one.number}`);
      edge(own, criterion);
      for (const test of one.tests) edge(criterion, node("t", test, test));
    }
    const unnamed = tests.filter((test) => !criteria.some((one) => one.tests.includes(test)));
    for (const test of unnamed) edge(own, node("t", test, test));
    for (const { id } of commits) edge(own, node("g", id, id));
  }
  return ["graph LR", ...lines].join("\n");
}
