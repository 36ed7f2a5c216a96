/**
 * Skills that a newer installation in the same tree has replaced.
 *
 * `npx skills` puts the skills of the flat generation over those of 6.12 and leaves the rest: the old manifest, copies for
 * other coding tools, and skills that BMAD no longer has. Such a skill is the same item as the new one, or is left out.
 */
import type { Diagnostic, Item, Root } from "../../base/model.ts";
import type { Findings } from "./layout.ts";
import { layoutOf } from "./roots.ts";

interface ReadRoot {
  readonly findings: Findings;
  readonly root: Root;
}

/** The same roots without the skills that another one of them has replaced. */
export function withoutReplaced<T extends ReadRoot>(read: readonly T[]): readonly T[] {
  const replaced = new Map(read.flatMap(({ findings }) => [...findings.replaced ?? []]));
  if (replaced.size === 0) return read;
  return read.map((one) => {
    const { items, mounts, modules, diagnostics, ...rest } = one.findings;
    const gone = items.filter(({ id }) => replaced.has(id));
    if (layoutOf(one.root).inUpgrade !== "is replaced" || gone.length === 0) return one;
    const left = items.filter(({ id }) => !replaced.has(id));
    const folders = new Set(gone.map(({ folder }) => folder));
    const isComplete = left.every(({ status }) => status !== "no-file-found");
    const findings: Findings = {
      ...rest,
      items: left,
      mounts: mounts.filter(({ path }) => path === "" || !folders.has(path)),
      modules: modules.filter(({ code }) => left.some(({ module }) => module === code)),
      diagnostics: [
        ...diagnostics.filter(({ code }) => code !== "no-file-found" || !isComplete),
        ...gone.flatMap((item) => retired(item, replaced.get(item.id))),
      ],
    };
    return { ...one, findings };
  });
}

function retired({ status, folder }: Item, reason: string | undefined): readonly Diagnostic[] {
  if (reason === undefined || status === "no-file-found") return [];
  const message = `is not served: ${reason}`;
  return [{ level: "info", code: "retired-skill", message, path: folder }];
}
