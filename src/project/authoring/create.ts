/** Creates an agent, workflow, skill or module in the project's own BMAD root. Nothing that exists is replaced. */
import { fail } from "../../base/errors.ts";
import { qualifiedName, shortName } from "../../base/model.ts";
import type { Report } from "../../base/report.ts";
import { type WriteResult, writeResult } from "../../base/work.ts";
import { resolveName } from "../../content/catalog/mod.ts";
import { asTexts, asValues, parseToml } from "../../content/parse.ts";
import { diskTree, findText, parentPath } from "../../content/tree/mod.ts";
import type { Library } from "../../content/library/mod.ts";
import type { NewPlan } from "../../settings/plan/mod.ts";
import { refuseWrite, writeNew, writeOutput } from "../files/mod.ts";
import { type StartFiles, startFiles } from "./starts.ts";

export function createItem(library: Library, plan: NewPlan, now: number): WriteResult<Report> {
  const { root, kind, name, module } = plan;
  const tree = diskTree(root);
  const record = `${plan.folder}/bmod-${module}/bmod.toml`;
  const isMember = plan.form === "records" && kind !== "module" && tree.stat(record) !== undefined;
  // Of a record that exists, only the list of skills changes.
  const files = startFiles(plan).filter(([path]) => !isMember || !path.startsWith(`${parentPath(record)}/`));
  checkFree(library, plan, files);
  const meant = kind === "module" ? undefined : resolveName(library.effective, { name });
  const before = isMember ? findText(tree, record) ?? "" : undefined;
  const listed = before === undefined ? undefined : withMember(before, name, record);
  for (const [path, text] of files) {
    if (!writeNew(root, path, text, now)) refuseWrite(path, EXISTS);
  }
  if (listed !== undefined) {
    const path = `${root}/${record}`;
    writeOutput(new TextEncoder().encode(listed), {
      path,
      draft: `${path}.unfinished`,
      isForced: true,
    });
  }
  const id = kind === "module" && plan.form !== "v4" && plan.form !== "compiled" ? `${name}-start` : name;
  const paths = files.map(([path]) => path);
  const served = `${module}/${id}`;
  return writeResult({
    text: [
      `Created the ${kind} ${name} (served as ${served}):`,
      ...paths.map((path) => `  ${path}`),
      ...(listed === undefined ? [] : [`  ${record} (${name} added to its skills)`]),
      ...(meant?.outcome !== "found" ? [] : [
        `"${name}" also means ${qualifiedName(meant.entry)}. Ask for ${served} if you mean the new one.`,
      ]),
    ].join("\n"),
    data: {
      kind,
      name,
      module,
      served,
      form: plan.form,
      files: paths,
      changed: listed === undefined ? [] : [record],
    },
  });
}

function checkFree({ manifest }: Library, { root, kind, name }: NewPlan, files: StartFiles): void {
  const tree = diskTree(root);
  const taken = files.find(([path]) => tree.stat(path) !== undefined);
  if (taken !== undefined) refuseWrite(taken[0], EXISTS);
  if (kind === "module") return;
  const other = manifest.entries.filter(({ status }) => status !== "no-file-found")
    .find(({ id, module }) => id === name || shortName(id, module) === shortName(name));
  if (other === undefined) return;
  const problem = `"${name}" is already a name of ${qualifiedName(other)} (${other.origin.id})`;
  fail({ code: "invalid-input", problem, hint: "Choose another name" });
}

const EXISTS = "it exists, and nothing is replaced";

/** A record with one skill more in its list; every other byte stays. */
function withMember(text: string, name: string, path: string): string {
  const skillsOf = (toml: string) => asTexts(asValues(parseToml(toml).value["bmod"])["skills"] ?? []);
  const before = skillsOf(text);
  if (before.includes(name)) return text;
  const open = /^skills[ \t]*=[ \t]*\[/m.exec(text);
  const end = open === null ? -1 : text.indexOf("]", open.index);
  const last = text.slice(0, end).trimEnd();
  const comma = /[[,]$/.test(last) ? "" : ",";
  const after = open === null || end < 0
    ? text.replace(/^\[bmod\][ \t]*$/m, (line) => `${line}\nskills = ["${name}"]`)
    : `${last}${comma}${comma === "" && last.endsWith("[") ? "" : " "}"${name}"${
      text.slice(last.length, end)
    }${text.slice(end)}`;
  const expected = [...before, name].join("\n");
  if (skillsOf(after).join("\n") === expected) return after;
  return fail({
    code: "invalid-file",
    path,
    problem: `its list of skills cannot be changed; add "${name}" by hand`,
  });
}
