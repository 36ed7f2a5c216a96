/**
 * A delivery contract: the document with which one team hands its work to another.
 *
 * `_bmad-output/contracts/{from}-to-{to}-{date}.md`, with the front matter and the parts that the kit's contracts have.
 * One that is there is never written over: the next of a day gets a number. What is not there yet is not ticked.
 */
import { CONTRACTS_FOLDER } from "../../settings/plan/mod.ts";
import { fail } from "../../base/errors.ts";
import { checkName, insidePath, joinPath } from "../../content/tree/mod.ts";
import {
  type Artefact,
  type Delivery,
  type DeliveryRequest,
  oneLine,
  type Question,
  renderContract,
} from "./delivery_document.ts";
import type { Project } from "./project.ts";
import type { Report } from "../../base/report.ts";
import { writeNew } from "./write.ts";

/** More contracts of one day are a mistake. */
const MOST_A_DAY = 50;
const MOST_ITEMS = 50;

/** Writes a contract. `language` is that of the project's documents. */
export function createContract(
  project: Project,
  request: DeliveryRequest,
  { now, language }: { readonly now: number; readonly language: string | undefined },
): Report {
  const [from, to] = [checkName("from_team", request.from), checkName("to_team", request.to)];
  for (const [field, items] of Object.entries(request)) {
    if (Array.isArray(items) && items.length > MOST_ITEMS) {
      fail({ code: "invalid-input", field, problem: `name at most ${MOST_ITEMS}` });
    }
  }
  if (request.artefacts.length === 0) {
    fail({
      code: "invalid-input",
      field: "artefacts",
      problem: "name at least one thing that is handed over",
    });
  }
  const artefacts = request.artefacts.map((artefact) => deliveryOf(project, artefact));
  const date = dayOf(now);
  for (let number = 1; number <= MOST_A_DAY; number++) {
    const id = `${from}-to-${to}-${date}${number === 1 ? "" : `-${number}`}`;
    const path = joinPath(project.outputs[0], CONTRACTS_FOLDER, `${id}.md`);
    const text = renderContract({ ...request, from, to }, artefacts, { id, date, language });
    if (writeNew(project, path, text, now)) return reportOf(id, path, artefacts, request.questions);
  }
  return fail({
    code: "invalid-input",
    field: "to_team",
    problem: `there are ${MOST_A_DAY} contracts from ${from} to ${to} of today`,
  });
}

/** The day in the user's own time. */
function dayOf(now: number): string {
  const date = new Date(now);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function deliveryOf(project: Project, artefact: Artefact): Delivery {
  const path = artefact.path === undefined ? undefined : insidePath("artefacts", artefact.path, project.root);
  const isThere = path !== undefined && (project.tree.hasFile(path) || project.tree.list(path).length > 0);
  return { ...artefact, path, isThere };
}

function reportOf(
  id: string,
  path: string,
  artefacts: readonly Delivery[],
  questions: readonly Question[],
): Report {
  const missing = artefacts.filter(({ isRequired, isThere }) => isRequired && !isThere);
  const critical = questions.filter(({ criticality }) => criticality === "critical");
  const open = [
    ...missing.map(({ name, path }) => `- not there: ${name}${path === undefined ? "" : ` (${path})`}`),
    ...critical.map(({ question }) => `- critical question: ${oneLine(question)}`),
  ];
  const lines = [
    `Written: ${path} (pending-acceptance)`,
    ...(open.length === 0
      ? ["Nothing stands in the way of acceptance."]
      : ["Before the other team accepts:", ...open]),
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
