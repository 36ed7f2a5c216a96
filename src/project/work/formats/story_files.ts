/** Story files without a ledger, each with its status; a planned story without a file is in the backlog. */
import type { Interruptible } from "../../../base/work.ts";
import { joinPath, parentPath } from "../../../content/tree/mod.ts";
import { type Adapter, epicIn, epicOf, stateIn, stateOfStories, storyOf, titleFromKey } from "./adapter.ts";
import { findPlans, type Planned, type Plans, readPlans } from "./epics_document.ts";
import { formInSprint } from "./forms.ts";
import { type FormName, stateOf } from "./model.ts";
import { type Epic, readFacts, type Story } from "./story_facts.ts";
import { type Source, uniqueFolders } from "./source.ts";
import { namedRef, refInName } from "./sprint_keys.ts";

/** A build outside any epic: `spec-faster-search.md`. */
const BUILD = /^(?:tech-)?spec-.+\.md$/i;

export const STORY_FILES: Adapter = {
  format: "story-files",
  find: (source) => {
    const { v4, implementation } = source.folders;
    return uniqueFolders(v4?.stories, ...implementation).filter((folder) =>
      filesIn(source, folder).length > 0 || plansFor(source, folder).length > 0
    );
  },
  read: function* (source, folder) {
    const paths = plansFor(source, folder);
    const hasSprints = folder !== source.folders.v4?.stories;
    const plans = yield* readPlans(source, paths, hasSprints);
    paths.forEach(source.claim);
    return { epics: yield* epicsIn(source, folder, plans), actions: [] };
  },
};

function filesIn(source: Source, folder: string): readonly string[] {
  return source.filesIn(folder).filter((name) => refInName(name) !== undefined || BUILD.test(name))
    .filter((name) => !source.isClaimed(joinPath(folder, name)));
}

function plansFor(source: Source, folder: string): readonly string[] {
  const { v4, planning } = source.folders;
  const ofPrd = v4 && [
    v4.prdFile,
    ...source.filesIn(v4.prd).filter((name) => name.endsWith(".md")).map((name) => joinPath(v4.prd, name)),
  ].filter(source.has);
  const paths = v4?.stories === folder ? ofPrd! : planning.flatMap((folder) => findPlans(source, folder));
  return paths.filter((path) => !source.isClaimed(path));
}

function* epicsIn(source: Source, folder: string, plans: Plans): Interruptible<readonly Epic[]> {
  const groups = new Map<string, Map<string, Story>>();
  const storiesOf = (epic: string) => groups.getOrInsertComputed(epic, () => new Map());
  const form = folder === source.folders.v4?.stories ? "v4-story" : "story-file";
  for (const epic of plans.epics.keys()) storiesOf(epic);
  for (const planned of plans.stories.values()) {
    storiesOf(planned.ref.split("-")[0]!).set(planned.ref, plannedStory(planned, form));
  }
  for (const name of filesIn(source, folder)) {
    yield;
    const path = joinPath(folder, name);
    const number = refInName(name);
    const ref = number ?? name.slice(0, -3);
    const stories = storiesOf(number?.split("-")[0] ?? "");
    const story = storyIn(source, path, ref, plans.stories.get(ref));
    const other = stories.get(ref)?.file;
    if (story === undefined) continue;
    if (other === undefined) stories.set(ref, story);
    else source.report(path, `story ${ref} has another file, ${other}`);
  }
  const isLoose = (ref: string) => ref === "" ? 1 : 0;
  return [...groups].toSorted(([a], [b]) => isLoose(a) - isLoose(b) || Number(a) - Number(b)).map(
    ([ref, byRef]) => {
      const stories = [...byRef.values()].toSorted((a, b) =>
        a.ref.localeCompare(b.ref, "en", { numeric: true })
      );
      const planned = plans.epics.get(ref);
      const state = stateOfStories(stories);
      return epicOf({ ...epicIn(ref, planned), state, ledger: folder, line: planned?.line, stories });
    },
  );
}

function plannedStory(planned: Planned, form: FormName): Story {
  const { ref, title, path, line, boxes } = planned;
  const word = planned.status?.word;
  return storyOf({
    ...readFacts({ section: planned }),
    ref,
    key: ref,
    form,
    title,
    state: (word && stateOf(word)) || "backlog",
    status: word,
    ledger: path,
    line,
    boxes,
  });
}

function storyIn(source: Source, path: string, ref: string, planned?: Planned): Story | undefined {
  const isV4 = parentPath(path) === source.folders.v4?.stories;
  const document = source.claim(path) ? source.document(path) : undefined;
  if (document === undefined) return undefined;
  const key = path.slice(path.lastIndexOf("/") + 1, -3);
  const { state, status } = stateIn(source, ref, document);
  const plan = planned?.status;
  const isOther = plan !== undefined && status !== undefined && stateOf(plan.word) !== stateOf(status);
  const { title = titleFromKey(key), after, ...facts } = readFacts({ file: document, section: planned });
  return storyOf({
    ...facts,
    ref,
    key,
    form: isV4 ? "v4-story" : formInSprint(document.fields),
    title,
    after: after?.map(namedRef),
    state,
    status,
    ledger: path,
    line: document.status?.line,
    file: path,
    drift: !isOther ? [] : [{
      path: planned!.path,
      line: plan.line,
      problem: `it says "${plan.word}", but the story file says "${status}"`,
    }],
  });
}
