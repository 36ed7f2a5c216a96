/** Writes the document with which one team hands its work to another; none is ever overwritten. */
import { CONTRACTS_FOLDER } from "../../../settings/plan/mod.ts";
import { failField, failInput } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { asText, asValues } from "../../../base/values.ts";
import { localDate } from "../../../base/time.ts";
import { checkName, insidePath, joinPath } from "../../../content/tree/mod.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { branchFor, readSessions } from "./sessions.ts";
import type { ChangeTools } from "./run_changes.ts";
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
  for (const [field, items] of Object.entries(request)) {
    if (Array.isArray(items) && items.length > most) failField(field, `expected at most ${most}`);
  }
  const given = request.artefacts.length > 0 ? request.artefacts : outputsOf(project);
  if (given.length === 0) failField("artefacts", "expected at least one: no run of this session has outputs");
  const artefacts = given.map((artefact): FoundArtefact => {
    const path = artefact.path && insidePath("artefact path", artefact.path, project.root);
    const { tree } = project;
    return {
      ...artefact,
      path,
      exists: path !== undefined && (tree.hasFile(path) || tree.list(path).length > 0),
    };
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
  return failInput(`${mostPerDay} contracts from ${from} to ${to} already exist today`);
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
    if (path !== undefined) {
      byPath.getOrInsert(path, { name: asText(output["name"]) ?? path, path, isRequired: true });
    }
  }
  return [...byPath.values().take(LIMITS.kit.contractItems)];
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

const CRITICALITY: Readonly<Record<Question["criticality"], readonly [french: string, english: string]>> = {
  critical: ["🔴 Critique", "🔴 Critical"],
  important: ["🟡 Important", "🟡 Important"],
  minor: ["🟢 Mineur", "🟢 Minor"],
};

type Say = (french: string, english: string) => string;

function renderContract(
  request: DeliveryRequest,
  artefacts: readonly FoundArtefact[],
  { id, date, language = "" }: { id: string; date: string; language: string | undefined },
): string {
  // Without a language, the kit's own: French.
  const isEnglish = /^(?:en|angl)/i.test(language);
  const say: Say = (french, english) => isEnglish ? english : french;
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
  const none = `*${say("Aucun", "None")}*`;
  const { required = [], optional = [] } = Object.groupBy(
    artefacts,
    ({ isRequired }) => isRequired ? "required" : "optional",
  );
  const listOf = (some: readonly FoundArtefact[]) => some.map((one) => renderArtefact(one, say)).join("\n");
  const questions = request.questions.map(({ question, criticality, owner = "—" }, at) => [
    `${at + 1}`,
    question,
    say(...CRITICALITY[criticality]),
    owner,
    say("⏳ En attente", "⏳ Waiting"),
  ]);
  const decisions = request.decisions.map((one) => [one.decision, one.reason ?? "—", one.impact ?? "—"]);
  const context = ([
    [say("Options écartées", "Rejected options"), request.rejected],
    [say("Contraintes", "Constraints"), request.constraints],
    [say("Risques", "Risks"), request.risks],
  ] as const).flatMap(([title, texts]) =>
    texts.length === 0 ? [] : [`**${title}**`, texts.map((text) => `- ${oneLine(text)}`).join("\n")]
  );
  const boxes = (...texts: readonly string[]) => texts.map((text) => `- [ ] ${text}`).join("\n");
  const blank = "____________________";
  const promise = say(
    `livre à ${to} ce qu'il lui faut pour commencer.`,
    `hands to ${to} what it needs to begin.`,
  );
  const blocks = [
    `---\n${fields.join("\n")}\n---`,
    `# ${say("Contrat de livraison", "Delivery contract")} — ${from} → ${to}`,
    `> ${from} ${promise}`,
    `## ${say("Artefacts livrés", "Artefacts")}`,
    `### ${say("Requis", "Required")}`,
    listOf(required) || none,
    ...(optional.length === 0 ? [] : [`### ${say("Optionnels", "Optional")}`, listOf(optional)]),
    `## ${say("Questions ouvertes", "Open questions")}`,
    renderTable(
      [
        "#",
        "Question",
        say("Criticité", "Criticality"),
        say("Responsable", "Owner"),
        say("Statut", "Status"),
      ],
      questions,
    ) ?? none,
    `## ${say("Critères de complétion", "Completion")} — ${from}`,
    boxes(
      say("Chaque artefact requis est à sa place", "Every required artefact is in its place"),
      say("Aucun champ n'est resté à remplir", "Nothing is left to fill in"),
      say("Les questions critiques ont une réponse", "Critical questions are answered"),
    ),
    `## ${say("Décisions clés", "Key decisions")}`,
    renderTable([say("Décision", "Decision"), say("Justification", "Reason"), "Impact"], decisions) ?? none,
    `## ${say("Contexte critique", "Critical context")}`,
    ...(context.length === 0 ? [none] : context),
    "## Signature",
    `${say("Signé par", "Signed by")} : ${signer}\nDate : ${date}`,
    `## ${say("Acceptation", "Acceptance")} — ${to}`,
    boxes(say("Accepté", "Accepted"), say("Rejeté", "Rejected"), say("À renégocier", "To be renegotiated")),
    `${say("Par", "By")} : ${blank}\nDate : ${blank}`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

function renderArtefact({ name, path, acceptance, exists }: FoundArtefact, say: Say): string {
  return joinLines(
    `- [${exists ? "x" : " "}] **${oneLine(name)}**`,
    path !== undefined && `  - ${say("Chemin", "Path")} : \`${path}\``,
    acceptance !== undefined &&
      `  - ${say("Critère d'acceptation", "Acceptance criterion")} : ${oneLine(acceptance)}`,
  );
}

function renderTable(columns: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [columns, columns.map(() => "---"), ...rows].map(line).join("\n");
}
