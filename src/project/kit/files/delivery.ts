/**
 * Writes the document with which one team hands its work to another, in the kit's form. None is overwritten: the next
 * one of the day gets a number.
 */
import { CONTRACTS_FOLDER } from "../../../settings/plan/mod.ts";
import { fail } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { asText, asValues } from "../../../base/values.ts";
import { localDate } from "../../../base/time.ts";
import { checkName, insidePath, joinPath } from "../../../content/tree/mod.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { branchFor, readSessions } from "./sessions.ts";
import type { ChangeTools } from "./update.ts";
import { joinLines, type Report } from "../../../base/report.ts";
import { writeNew } from "../../files/mod.ts";
import { LIMITS } from "../../limits.ts";

export function writeContract(
  project: ProjectFolder,
  request: DeliveryRequest,
  { now, changing }: ChangeTools,
  language: string | undefined,
): Report {
  const from = checkName("sending team", request.from);
  const to = checkName("receiving team", request.to);
  const { contractItems: most, contractsPerDay: mostPerDay } = LIMITS.kit;
  const refuse = (problem: string, field?: string) => fail({ code: "invalid-input", field, problem });
  for (const [field, items] of Object.entries(request)) {
    if (Array.isArray(items) && items.length > most) refuse(`expected at most ${most}`, field);
  }
  const given = request.artefacts.length > 0 ? request.artefacts : outputsOf(project);
  if (given.length === 0) refuse("expected at least one: no run of this session has outputs", "artefacts");
  const artefacts = given.map((artefact): FoundArtefact => {
    const path = artefact.path && insidePath("artefact path", artefact.path, project.root);
    return { ...artefact, path, exists: isThere(project, path) };
  });
  const time = now(), date = localDate(time);
  changing?.();
  for (let number = 1; number <= mostPerDay; number++) {
    const id = `${from}-to-${to}-${date}${number === 1 ? "" : `-${number}`}`;
    const path = joinPath(project.outputs[0], CONTRACTS_FOLDER, `${id}.md`);
    const text = renderContract({ ...request, from, to }, artefacts, { id, date, language });
    if (writeNew(project.root, path, text, time)) {
      return reportContract(id, path, artefacts, request.questions);
    }
  }
  return refuse(`${mostPerDay} contracts from ${from} to ${to} already exist today`);
}

function outputsOf(project: ProjectFolder): readonly Artefact[] {
  const branch = branchFor(project, undefined);
  const runs = readSessions(project).find((session) => session.branch === branch)?.runs ?? [];
  const outputs = runs.flatMap(({ state: { artefacts_produced: all } }) =>
    Array.isArray(all) ? all.map(asValues) : []
  );
  const byPath = new Map<string, Artefact>();
  for (const output of outputs) {
    const path = asText(output["path"]);
    if (path === undefined || byPath.size === LIMITS.kit.contractItems) continue;
    byPath.getOrInsert(path, { name: asText(output["name"]) ?? path, path, isRequired: true });
  }
  return [...byPath.values()];
}

function isThere({ tree }: ProjectFolder, path: string | undefined): boolean {
  return path !== undefined && (tree.hasFile(path) || tree.list(path).length > 0);
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
  const text = joinLines(
    `Written: ${path} (pending-acceptance)`,
    open.length === 0 ? "Ready for acceptance" : ["To settle before acceptance:", ...open],
  );
  const data = {
    contract_id: id,
    path,
    status: "pending-acceptance",
    missing: missing.map(({ name, path }) => ({ name, path })),
    critical_questions: critical.map(({ question }) => question),
  };
  return { text, data };
}

export interface Artefact {
  readonly name: string;
  readonly path?: string;
  readonly acceptance?: string;
  readonly isRequired: boolean;
}

export interface Question {
  readonly question: string;
  readonly criticality: "critical" | "important" | "minor";
  readonly owner?: string;
}

export interface Choice {
  readonly decision: string;
  readonly reason?: string;
  readonly impact?: string;
}

export interface DeliveryRequest {
  readonly from: string;
  readonly to: string;
  readonly artefacts: readonly Artefact[];
  readonly questions: readonly Question[];
  readonly decisions: readonly Choice[];
  readonly rejected: readonly string[];
  readonly constraints: readonly string[];
  readonly risks: readonly string[];
  readonly signedBy?: string;
}

interface FoundArtefact extends Artefact {
  readonly exists: boolean;
}

const WORDS = {
  title: ["Contrat de livraison", "Delivery contract"],
  promise: ["livre à {to} ce qu'il lui faut pour commencer.", "hands to {to} what it needs to begin."],
  artefacts: ["Artefacts livrés", "Artefacts"],
  required: ["Requis", "Required"],
  optional: ["Optionnels", "Optional"],
  path: ["Chemin", "Path"],
  acceptance: ["Critère d'acceptation", "Acceptance criterion"],
  questions: ["Questions ouvertes", "Open questions"],
  question: ["Question", "Question"],
  criticality: ["Criticité", "Criticality"],
  critical: ["🔴 Critique", "🔴 Critical"],
  important: ["🟡 Important", "🟡 Important"],
  minor: ["🟢 Mineur", "🟢 Minor"],
  owner: ["Responsable", "Owner"],
  status: ["Statut", "Status"],
  waiting: ["⏳ En attente", "⏳ Waiting"],
  completion: ["Critères de complétion", "Completion"],
  inPlace: ["Chaque artefact requis est à sa place", "Every required artefact is in its place"],
  filledIn: ["Aucun champ n'est resté à remplir", "Nothing is left to fill in"],
  answered: ["Les questions critiques ont une réponse", "Critical questions are answered"],
  decisions: ["Décisions clés", "Key decisions"],
  decision: ["Décision", "Decision"],
  reason: ["Justification", "Reason"],
  impact: ["Impact", "Impact"],
  context: ["Contexte critique", "Critical context"],
  rejected: ["Options écartées", "Rejected options"],
  constraints: ["Contraintes", "Constraints"],
  risks: ["Risques", "Risks"],
  signature: ["Signature", "Signature"],
  signedBy: ["Signé par", "Signed by"],
  acceptanceBlock: ["Acceptation", "Acceptance"],
  accepted: ["Accepté", "Accepted"],
  refused: ["Rejeté", "Rejected"],
  renegotiated: ["À renégocier", "To be renegotiated"],
  acceptedBy: ["Par", "By"],
  date: ["Date", "Date"],
  none: ["Aucun", "None"],
} as const;
type Word = keyof typeof WORDS;
type Say = (word: Word) => string;

function renderContract(
  request: DeliveryRequest,
  artefacts: readonly FoundArtefact[],
  { id, date, language = "" }: { id: string; date: string; language: string | undefined },
): string {
  // Without a language, the kit's own: French.
  const column = /^(?:en|angl)/i.test(language) ? 1 : 0;
  const say: Say = (word) => WORDS[word][column];
  const { from, to } = request;
  const signer = oneLine(request.signedBy ?? from);
  const front = {
    contract_id: id,
    version: "1.0",
    status: "pending-acceptance",
    from_team: from,
    to_team: to,
    date,
    signed_by: signer,
  };
  // JSON is YAML, whatever the values contain.
  const fields = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const none = `*${say("none")}*`;
  const listOf = (isRequired: boolean) =>
    artefacts.filter((artefact) => artefact.isRequired === isRequired)
      .map((artefact) => renderArtefact(artefact, say)).join("\n");
  const optional = listOf(false);
  const questions = request.questions.map(({ question, criticality, owner = "—" }, at) => {
    return [`${at + 1}`, question, say(criticality), owner, say("waiting")];
  });
  const decisions = request.decisions.map((one) => [one.decision, one.reason ?? "—", one.impact ?? "—"]);
  const context = (["rejected", "constraints", "risks"] as const).flatMap((key) =>
    request[key].length === 0
      ? []
      : [`**${say(key)}**`, request[key].map((text) => `- ${oneLine(text)}`).join("\n")]
  );
  const boxes = (...words: readonly Word[]) => words.map((word) => `- [ ] ${say(word)}`).join("\n");
  const blank = "____________________";
  const blocks = [
    `---\n${fields.join("\n")}\n---`,
    `# ${say("title")} — ${from} → ${to}`,
    `> ${from} ${say("promise").replace("{to}", to)}`,
    `## ${say("artefacts")}`,
    `### ${say("required")}`,
    listOf(true) || none,
    ...(optional === "" ? [] : [`### ${say("optional")}`, optional]),
    `## ${say("questions")}`,
    renderTable(["#", ...(["question", "criticality", "owner", "status"] as const).map(say)], questions) ??
      none,
    `## ${say("completion")} — ${from}`,
    boxes("inPlace", "filledIn", "answered"),
    `## ${say("decisions")}`,
    renderTable((["decision", "reason", "impact"] as const).map(say), decisions) ?? none,
    `## ${say("context")}`,
    ...(context.length === 0 ? [none] : context),
    `## ${say("signature")}`,
    `${say("signedBy")} : ${signer}\n${say("date")} : ${date}`,
    `## ${say("acceptanceBlock")} — ${to}`,
    boxes("accepted", "refused", "renegotiated"),
    `${say("acceptedBy")} : ${blank}\n${say("date")} : ${blank}`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

function renderArtefact({ name, path, acceptance, exists }: FoundArtefact, say: Say): string {
  return joinLines(
    `- [${exists ? "x" : " "}] **${oneLine(name)}**`,
    path !== undefined && `  - ${say("path")} : \`${path}\``,
    acceptance !== undefined && `  - ${say("acceptance")} : ${oneLine(acceptance)}`,
  );
}

function renderTable(columns: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [columns, columns.map(() => "---"), ...rows].map(line).join("\n");
}
