/** For authors: the check of what they write, what they start from, and exports. */
import { fail } from "../../base/errors.ts";
import type { Entry } from "../../base/model.ts";
import type { Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import type { Clock, Work, WriteResult } from "../../base/work.ts";
import { type Library, validateSource } from "../../content/library/mod.ts";
import type { Ask } from "../../content/live/mod.ts";
import type { Config } from "../../settings/plan/mod.ts";

export type Authoring = ReturnType<typeof openAuthoring>;

interface AuthoringTools extends Work {
  readonly config: Config;
  readonly clock: Pick<Clock, "now">;
  readonly ask: Ask;
}

export function openAuthoring({ config, clock, ask, ...work }: AuthoringTools) {
  return {
    validate: () => {
      const { validation } = config;
      if (validation === undefined) fail({ code: "invalid-input", problem: "Missing PATH" });
      return ask((library) => report(library, validation.within, work));
    },
    create: async (): Promise<WriteResult<Report>> => {
      const { creating } = config;
      if (creating === undefined) fail({ code: "invalid-input", problem: "Missing NAME" });
      const { createItem } = await import("./create.ts");
      return createItem(await ask((library) => library), creating, clock.now());
    },
    export: async (entry: Entry) => {
      const { exporting } = config;
      if (exporting === undefined) fail({ code: "invalid-input", problem: "Missing --to" });
      const { prepareExport } = await import("./export.ts");
      const write = await ask((library) => prepareExport(library, entry, exporting, work));
      return write();
    },
  };
}

async function report(library: Library, within: string, work: Work) {
  const { faults, items, files, generations } = await validateSource(library, within, work);
  const known = faults.filter((fault) => fault.known !== undefined).length;
  const count = faults.length - known;
  const checked = `${counted(items, "item")} in ${counted(files, "file")}`;
  const rest = known === 0 ? "" : `, ${counted(known, "known upstream fault")}`;
  return {
    rows: faults.map((fault) => {
      const { path, line, message, rule, fix, known: because } = fault;
      const name = line === undefined ? path : `${path}:${line}`;
      const about = because === undefined
        ? `${message} [${rule}]. ${fix}`
        : `known upstream (${because}): ${message}`;
      return { name: name || ".", about, data: { ...fault } };
    }),
    // Known upstream faults do not count.
    isClean: count === 0,
    summary: `${checked}: ${count === 0 ? "no faults" : counted(count, "fault")}${rest}`,
    data: {
      items: faults,
      total: faults.length,
      faults: count,
      known,
      checked: { items, files, generations },
    },
  };
}
