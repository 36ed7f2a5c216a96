/**
 * Does work that writes fail to compile where it might be repeated? `deno check` judges this file: every line below a
 * `@ts-expect-error` must be an error. Nothing here is run.
 */
import { writeResult } from "../../../src/base/work.ts";
import { originsOf, readResource } from "../../../src/content/library/mod.ts";
import type { Live } from "../../../src/content/live/mod.ts";
import type { Authoring } from "../../../src/project/authoring/mod.ts";
import { createItem } from "../../../src/project/authoring/mod.ts";
import { prepareExport } from "../../../src/project/authoring/mod.ts";
import type { ProjectFiles } from "../../../src/project/files/mod.ts";
import type { ProjectWork } from "../../../src/project/work/mod.ts";
import type { Entry } from "../../../src/base/model.ts";
import type { ExportPlan, NewPlan } from "../../../src/settings/plan/mod.ts";

interface Given {
  readonly live: Live;
  readonly entry: Entry;
  readonly creating: NewPlan;
  readonly exporting: ExportPlan;
  readonly files: ProjectFiles;
  readonly work: ProjectWork;
  readonly authoring: Authoring;
}

/** Reading, and preparing a write that is done afterwards. */
export async function allowed({ live, entry, creating, exporting }: Given): Promise<void> {
  await live.ask(originsOf);
  await live.ask(({ project }) => project);
  await live.ask(async (library) => (await readResource(library, "bmad://x")).text);
  createItem(await live.ask((library) => library), creating, 0);
  const write = await live.ask((library) => prepareExport(library, entry, exporting, {}));
  write(0);
}

/** What `new` and `export` once did, and everything else that writes. */
export async function refused(given: Given): Promise<void> {
  const { live, entry, creating, exporting, files, work, authoring } = given;
  // @ts-expect-error: creates files
  await live.ask((library) => createItem(library, creating, 0));
  // @ts-expect-error: writes the export
  await live.ask(async (library) => (await prepareExport(library, entry, exporting, {}))(0));
  // @ts-expect-error: both, through the interface of authors
  await live.ask(() => authoring.create());
  // @ts-expect-error: the same
  await live.ask(() => authoring.export(entry));
  // @ts-expect-error: changes a ledger
  await live.ask(() => work.mark({ story: "1-1", status: "done" }));
  // @ts-expect-error: runs a script
  await live.ask(() => work.script("sprint.py"));
  // @ts-expect-error: has no result, so it can only be there for its effects
  await live.ask(() => files.replace("a.md", "text", undefined));
  // @ts-expect-error: writes in one of two cases
  await live.ask(({ project }) => project === undefined ? undefined : writeResult({ text: "" }));
}
