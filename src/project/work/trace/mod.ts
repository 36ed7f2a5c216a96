/** From a requirement to its epic, story, criterion, test and commit; and stale stories. */
import { failUnknown } from "../../../base/errors.ts";
import {
  bulleted,
  joinLines,
  type Report,
  type ReportPart,
  section,
  textLines,
} from "../../../base/report.ts";
import { abbreviateList, counted, hashText, shorten } from "../../../base/text.ts";
import { runInSlices } from "../../../base/work.ts";
import { mapStories, type StoryMatch } from "../board/mod.ts";
import {
  aimsIn,
  beginningOf,
  type CheckWorld,
  type Commits,
  criteriaOf,
  definingDocuments,
  HOW_TESTS_NAME,
  missingIn,
  namedCriteria,
  NOT_ALLOWED,
  openCommits,
  openTexts,
  readRequirements,
  type Requirement,
  testsOf,
  unnamedWords,
} from "../check/mod.ts";
import {
  type Board,
  type Epic,
  findIds,
  listedFiles,
  placeOf,
  staleWords,
  type Story,
  type StoryText,
} from "../formats/mod.ts";

export type TracedRequirement = Omit<Requirement, "words"> & { readonly isMissing: boolean };
/** `stale`: undefined if not asked for or unknown. */
type TracedStory = ReturnType<typeof traceStory> & { readonly stale?: readonly string[] };
export type TracedCriterion = TracedStory["criteria"][number];

export interface Trace {
  readonly requirements: readonly TracedRequirement[];
  readonly epics: readonly (Pick<Epic, "ref" | "title"> & { readonly requirements: readonly string[] })[];
  readonly stories: readonly TracedStory[];
  readonly unread: readonly string[];
}

const MAX_COMMITS = 20;

/** `isStale`: requirements are compared with those when each story began. */
export async function readTrace(world: PastWorld, isStale = false): Promise<Trace> {
  const { board, history, wordsIn } = world;
  const read = await history?.() ?? NOT_ALLOWED;
  const commits = typeof read === "string" ? undefined : openCommits(read, board);
  const { trace, rows, traced } = await runInSlices(traceSteps(world, commits));
  const past = isStale && commits && wordsIn && await findStale(board, rows, commits, wordsIn);
  const uncompared = (count: number, why: string) =>
    count > 0 &&
    `${counted(count, "story was", "stories were")} not compared with earlier requirements: ${why}.`;
  return {
    ...trace,
    stories: trace.stories.map((one, at) => {
      const stale = past && past.changed.get(traced[at]!);
      return stale ? { ...one, stale } : one;
    }),
    unread: textLines(
      typeof read === "string" && `Commits were not read: ${read}.`,
      trace.unread,
      isStale && !past && "Earlier versions of requirements were not read.",
      past && uncompared(past.unknown, `no commit shows when ${past.unknown === 1 ? "it" : "they"} began`),
      past && uncompared(past.unread, "not all of those could be read"),
    ),
  };
}

function* traceSteps(world: PastWorld, commits: Commits | undefined) {
  const { board, tree } = world;
  const rows = yield* readRequirements(world);
  const missing = new Set(missingIn(rows, board).map(({ id }) => id));
  const textsOf = openTexts(tree);
  const aimsOf = aimsIn(rows);
  const stories: TracedStory[] = [];
  const traced: Story[] = [];
  let left = 0;
  for (const epic of board.epics) {
    for (const story of epic.stories.filter(({ state }) => state !== "dropped")) {
      const texts = textsOf({ story, epic });
      if (texts === undefined) left++;
      stories.push(traceStory(world, { story, epic }, texts ?? [], commits, aimsOf({ story, epic })));
      traced.push(story);
      yield;
    }
  }
  const trace: Trace = {
    requirements: rows.map(({ words: _, ...one }) => ({
      ...one,
      text: shorten(world.clean(one.text), 200).replace(/\.$/, ""),
      isMissing: missing.has(one.id),
    })),
    epics: board.epics.map((epic) => ({
      ref: epic.ref,
      title: epic.title,
      requirements: aimsOf({ epic }).requirements,
    })),
    stories,
    unread: left === 0 ? [] : [`The files of ${left} stories were not read: they reach the limit.`],
  };
  return { trace, rows, traced };
}

function traceStory(
  world: PastWorld,
  { story, epic }: StoryMatch,
  texts: readonly StoryText[],
  commits: Commits | undefined,
  { requirements, isOfEpic }: ReturnType<ReturnType<typeof aimsIn>>,
) {
  const { clean } = world;
  const own = commits?.naming(story) ?? [];
  const found = commits?.workOf(story, texts);
  const work = typeof found === "object" ? found : undefined;
  const tests = testsOf(world, { story, commits, listed: texts.flatMap(listedFiles), ...(work && { work }) });
  const named = tests.map(({ path, text }) => ({ path, numbers: namedCriteria(text) }));
  const began = commits && beginningOf(story, commits);
  const known = typeof began === "object" ? began.commit?.id : undefined;
  const baseline = commits === undefined ? story.baseline : known;
  const { ref, title, state, file } = story;
  return {
    ref,
    title,
    state,
    epic: epic.ref,
    ...(file !== undefined && { file }),
    requirements,
    ...(isOfEpic && requirements.length > 0 && { isOfEpic }),
    criteria: Array.from(criteriaOf(story, texts), ([number, { text }]) => ({
      number,
      text: shorten(clean(text), 200),
      tests: named.filter(({ numbers }) => numbers.has(number)).map(({ path }) => path),
    })),
    tests: tests.map(({ path }) => path),
    commits: own.slice(0, MAX_COMMITS)
      .map(({ id, subject }) => ({ id: id.slice(0, 12), subject: shorten(clean(subject), 100) })),
    ...(baseline !== undefined && { baseline }),
  };
}

export type Words = ReadonlyMap<string, string>;

export interface PastWorld extends CheckWorld {
  /** By version; one that could not be read is missing, one that never existed is empty. */
  readonly wordsIn?: (versions: readonly string[]) => Promise<ReadonlyMap<string, Words>>;
}

const MAX_VERSIONS = 200;

async function findStale(
  board: Board,
  rows: readonly Requirement[],
  commits: Commits,
  wordsIn: NonNullable<PastWorld["wordsIn"]>,
) {
  const defined = new Map(rows.map((one) => [one.id, one]));
  const byWords = new Map(rows.map(({ id, words }) => [words, id]));
  const documents = [...new Set(rows.map(({ path }) => path))];
  // If it is gone, it may have been in any document.
  const placesOf = (id: string): readonly { id: string; path: string; words?: string }[] =>
    defined.has(id) ? [defined.get(id)!] : documents.map((path) => ({ id, path }));
  const aimsOf = aimsIn(rows);
  const wanted = new Set<string>();
  let unknown = 0;
  const compared = board.epics.flatMap((epic) =>
    epic.stories.filter(({ state }) => state !== "dropped").flatMap((story) => {
      const aims = aimsOf({ story, epic }).requirements.flatMap(placesOf);
      if (aims.length === 0) return [];
      const document = story.file ?? story.plan;
      const began = beginningOf(story, commits);
      // A document knows those of the commit that added it.
      const known = typeof began === "object" ? began.known : commits.addedIn(document ?? "");
      if (known === undefined) {
        if (document !== undefined) unknown++;
        return [];
      }
      const versions = aims.flatMap(({ id, path, words }) => {
        const version = commits.versionAt(known.id, path);
        if (version === undefined || version === commits.versionOf(path)) return [];
        if (wanted.size < MAX_VERSIONS) wanted.add(version);
        return [{ id, words, version }];
      });
      return [{ story, versions }];
    })
  );
  const past = wanted.size === 0 ? new Map<string, Words>() : await wordsIn([...wanted]);
  const changed = new Map<Story, readonly string[]>();
  let unread = 0;
  for (const { story, versions } of compared) {
    const ids = versions.flatMap(({ id, words, version }) => {
      const then = past.get(version);
      const before = then?.get(id);
      if (before === undefined || before === words || isAccepted(story, id, words)) return [];
      const now = byWords.get(before);
      if (now !== undefined && now !== id) return `${id} is now ${now}`;
      // Another one may have its number.
      const isGone = words === undefined || then!.values().some((one) => one === words);
      return isGone ? `${id} was removed` : id;
    });
    if (ids.length === 0 && versions.some(({ version }) => !past.has(version))) unread++;
    else changed.set(story, [...new Set(ids)]);
  }
  // `unknown`: no commit shows when it began; `unread`: some version could not be read.
  return { changed, unknown, unread };
}

/** Somebody has said that the story is as it now wants it. */
function isAccepted({ accepted = [] }: Story, id: string, words: string | undefined): boolean {
  return accepted.includes(acceptedAs(id, words));
}

/** In our records: as it is now, or gone. */
function acceptedAs(id: string, words = ""): string {
  return `${id} ${hashText(words).toString(36)}`;
}

/** Recorded if somebody says that a story is as its requirements now want it; nothing if none changed. */
export async function acceptedNow(world: PastWorld, { ledger, key }: Story): Promise<readonly string[]> {
  const { epics } = await withStale(world);
  const story = epics.flatMap(({ stories }) => stories).find((one) =>
    one.ledger === ledger && one.key === key
  );
  if (story?.stale === undefined) return [];
  const rows = await runInSlices(readRequirements(world));
  const ids = story.stale.map((one) => one.split(" ")[0]!);
  const now = ids.map((id) => acceptedAs(id, rows.find((one) => one.id === id)?.words));
  return [...new Set([...story.accepted ?? [], ...now])];
}

/** With beginnings that only commits tell. The same board if those cannot be read. */
export async function withStale(world: PastWorld): Promise<Board> {
  const { board, history, wordsIn } = world;
  const read = wordsIn === undefined || board.epics.length === 0 ? undefined : await history?.();
  if (read === undefined || typeof read === "string") return board;
  const commits = openCommits(read, board);
  const documents = await runInSlices(definingDocuments(world));
  const rows = commits.areUnchanged(documents) ? [] : await runInSlices(readRequirements(world, documents));
  const { changed } = await findStale(board, rows, commits, wordsIn!);
  return mapStories(board, (story) => {
    const stale = changed.get(story) ?? [];
    const began = story.baseline === undefined ? commits.startIn(story) : story.began;
    return { ...story, ...(stale.length > 0 && { stale }), ...(began !== undefined && { began }) };
  });
}

export interface TraceReport extends Report<Pick<Trace, keyof Trace>> {
  readonly mermaid: string;
}

function reportOf(trace: Trace, ...lines: readonly ReportPart[]): TraceReport {
  return { text: joinLines(...lines), mermaid: mermaidOf(trace), data: trace };
}

const UNTESTED = "Criteria without a test";
const MAX_NAMED = 10;
const MAX_TOLD = 100;

export function reportTrace(trace: Trace): TraceReport {
  const { requirements, stories, unread } = trace;
  const missing = requirements.filter(({ isMissing }) => isMissing);
  const aimless = stories.filter((one) => one.requirements.length === 0);
  const unnamed = stories.filter(({ isOfEpic }) => isOfEpic).length;
  const criteria = stories.flatMap(({ ref, criteria }) => criteria.map((one) => ({ ref, ...one })));
  const untested = criteria.filter(({ tests }) => tests.length === 0);
  const stale = stories.filter((one) => (one.stale ?? []).length > 0);
  const covered = requirements.filter(({ by }) => by.length > 0).length;
  return reportOf(
    trace,
    [
      `${covered} of ${counted(requirements.length, "requirement is", "requirements are")} covered`,
      `${stories.length - aimless.length - unnamed} of ${
        counted(stories.length, "story names", "stories name")
      } one${unnamed === 0 ? "" : `, ${unnamed} ${unnamed === 1 ? "has its" : "have their"} epic's`}`,
      `${criteria.length - untested.length} of ${
        counted(criteria.length, "criterion has", "criteria have")
      } a test`,
    ].join("; ") + ".",
    listed(
      "Requirements",
      requirements.map(({ id, text, by }) =>
        `${id}: ${text} → ${abbreviateList(by, MAX_NAMED) || "no story"}`
      ),
    ),
    listed("Not covered", missing.map((one) => `${one.id}: ${one.text} (${placeOf(one)})`)),
    listed("Stories without a requirement", aimless.map(({ ref, title }) => `${ref} ${title}`)),
    listed(
      UNTESTED,
      untested.map(({ ref, number, text }) => `Story ${ref}: ${unnamedWords("test", number, text)}`),
    ),
    untested.length > 0 && HOW_TESTS_NAME,
    listed("Stale: the requirement has changed since the story began", stale.map(staleLine)),
    listed("Not looked at", unread),
  );
}

export function reportPart(trace: Trace, given: string, findRef: () => string): TraceReport {
  const [id] = findIds(given, { isList: true });
  const requirement = trace.requirements.find((one) => one.id === id);
  if (requirement !== undefined) return reportRequirement(trace, requirement);
  if (id !== undefined) return reportUndefined(trace, id, given);
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
  const stale = stories.filter((story) => story.stale?.some((what) => isAbout(what, id))).map(({ ref }) =>
    ref
  );
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

function reportUndefined(trace: Trace, id: string, given: string): TraceReport {
  const stories = trace.stories.filter(({ requirements }) => requirements.includes(id));
  if (stories.length === 0) {
    return failUnknown("requirement", given, trace.requirements.map((one) => one.id));
  }
  const part = { ...trace, requirements: [], epics: [], stories };
  return reportOf(
    part,
    `# ${id}: no document defines it`,
    `- still named by ${abbreviateList(stories.map(({ ref }) => ref), MAX_NAMED)}`,
    stories.flatMap(storyLines),
    stories.flatMap((one) =>
      (one.stale ?? []).some((what) => isAbout(what, id)) ? `- ${staleLine(one)}` : []
    ),
  );
}

function isAbout(stale: string, id: string): boolean {
  return stale === id || stale.startsWith(`${id} `);
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
    requirements.map((one) =>
      `- for ${one.id}${story.isOfEpic ? ", as its epic" : ""}: ${one.text} (${placeOf(one)})`
    ),
    unknown.map((id) => `- for ${id}, which no document defines`),
    storyLines(story).slice(1),
    story.criteria.some(({ tests }) => tests.length === 0) && HOW_TESTS_NAME,
    story.stale && story.stale.length > 0 && `- ${staleLine(story)}`,
  );
}

function storyLines({ ref, title, state, criteria, tests, commits }: TracedStory): readonly string[] {
  return textLines(
    `- story ${ref} (${state}): ${title}`,
    criteria.map(({ number, text, tests }) =>
      tests.length === 0
        ? `  - ${unnamedWords("test", number, text)}`
        : `  - AC${number}: ${text} – ${abbreviateList(tests, MAX_NAMED)}`
    ),
    tests.length > 0 && `  - tests: ${abbreviateList(tests, MAX_NAMED)}`,
    commits.map(({ id, subject }) => `  - commit ${id}: ${subject}`),
  );
}

function staleLine({ ref, stale = [] }: TracedStory): string {
  return `${ref}: ${staleWords(stale)}`;
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  return section(title, bulleted(lines, MAX_TOLD));
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
