/**
 * Writes a delivery contract: the document with which one team hands its work to another.
 *
 * It becomes `_bmad-output/contracts/{from}-to-{to}-{date}.md`. An existing one is never overwritten: the next one of
 * the day gets a number. Artefacts that do not exist yet are not ticked.
 */
import { CONTRACTS_FOLDER } from "../../../settings/plan/mod.ts";
import { fail } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { asText, asValues } from "../../../base/values.ts";
import { localDate } from "../../../base/work.ts";
import { checkName, insidePath, joinPath } from "../../../content/tree/mod.ts";
import {
  type Artefact,
  type DeliveryRequest,
  type FoundArtefact,
  type Question,
  renderContract,
} from "./delivery_document.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { branchFor, readSessions } from "./sessions.ts";
import type { ChangeTools } from "./update.ts";
import type { Report } from "../../../base/report.ts";
import { writeNew } from "../../files/mod.ts";

/** Between two teams. More are a mistake. */
const MAX_PER_DAY = 50;
/** In each list of a contract. */
const MAX_ITEMS = 50;

/** Writes a contract. `language` is that of the project's documents. */
export function writeContract(
  project: ProjectFolder,
  request: DeliveryRequest,
  { now, language, changing }: Pick<ChangeTools, "now" | "changing"> & {
    readonly language: string | undefined;
  },
): Report {
  const from = checkName("sending team", request.from);
  const to = checkName("receiving team", request.to);
  const refuse = (problem: string, field?: string) => fail({ code: "invalid-input", field, problem });
  for (const [field, items] of Object.entries(request)) {
    if (Array.isArray(items) && items.length > MAX_ITEMS) refuse(`expected at most ${MAX_ITEMS}`, field);
  }
  const given = request.artefacts.length > 0 ? request.artefacts : outputsOf(project);
  if (given.length === 0) refuse("expected at least one: no run of this session has outputs", "artefacts");
  const artefacts = given.map((artefact) => lookFor(project, artefact));
  const date = localDate(now);
  changing?.();
  for (let number = 1; number <= MAX_PER_DAY; number++) {
    const id = `${from}-to-${to}-${date}${number === 1 ? "" : `-${number}`}`;
    const path = joinPath(project.outputs[0], CONTRACTS_FOLDER, `${id}.md`);
    const text = renderContract({ ...request, from, to }, artefacts, { id, date, language });
    if (writeNew(project.root, path, text, now)) {
      return reportContract(id, path, artefacts, request.questions);
    }
  }
  return refuse(`${MAX_PER_DAY} contracts from ${from} to ${to} already exist today`);
}

/** What the runs of the current session have produced, the latest first. */
function outputsOf(project: ProjectFolder): readonly Artefact[] {
  const branch = branchFor(project, undefined);
  const runs = readSessions(project).find((session) => session.branch === branch)?.runs ?? [];
  const outputs = runs.flatMap(({ state }) => {
    const produced = state["artefacts_produced"];
    return (Array.isArray(produced) ? produced : []).map(asValues);
  });
  const byPath = new Map<string, Artefact>();
  for (const output of outputs) {
    const path = asText(output["path"]);
    if (path === undefined || byPath.has(path) || byPath.size === MAX_ITEMS) continue;
    byPath.set(path, { name: asText(output["name"]) ?? path, path, isRequired: true });
  }
  return [...byPath.values()];
}

function lookFor(project: ProjectFolder, artefact: Artefact): FoundArtefact {
  const { path: given } = artefact;
  const path = given === undefined ? undefined : insidePath("artefact path", given, project.root);
  const exists = path !== undefined && (project.tree.hasFile(path) || project.tree.list(path).length > 0);
  return { ...artefact, path, exists };
}

function reportContract(
  id: string,
  path: string,
  artefacts: readonly FoundArtefact[],
  questions: readonly Question[],
): Report {
  const missing = artefacts.filter(({ isRequired, exists }) => isRequired && !exists);
  const critical = questions.filter(({ criticality }) => criticality === "critical");
  const open = [
    ...missing.map(({ name, path }) => `- not found: ${name}${path === undefined ? "" : ` (${path})`}`),
    ...critical.map(({ question }) => `- critical question: ${oneLine(question)}`),
  ];
  const lines = [
    `Written: ${path} (pending-acceptance)`,
    ...(open.length === 0 ? ["Ready for acceptance"] : ["To settle before acceptance:", ...open]),
  ];
  const data = {
    contract_id: id,
    path,
    status: "pending-acceptance",
    missing: missing.map(({ name, path }) => ({ name, path })),
    critical_questions: critical.map(({ question }) => question),
  };
  return { text: lines.join("\n"), data };
}
