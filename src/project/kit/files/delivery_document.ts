/**
 * The text of a delivery contract, in French or English.
 *
 * The front matter, the parts and their order are the kit's; the words are ours. Each value stays on its line and in
 * its cell, whatever characters it has.
 */
import { oneLine } from "../../../base/text.ts";

/** Something that is handed over. */
export interface Artefact {
  readonly name: string;
  /** Inside the project. */
  readonly path?: string;
  readonly acceptance?: string;
  /** False if the work can begin without it. */
  readonly isRequired: boolean;
}

/** An open question. */
export interface Question {
  readonly question: string;
  /** A critical one must be answered before the work begins. */
  readonly criticality: "critical" | "important" | "minor";
  readonly owner?: string;
}

/** A decision that the receiving team must know. */
export interface Choice {
  readonly decision: string;
  readonly reason?: string;
  /** On the receiving team. */
  readonly impact?: string;
}

/** What a contract says. */
export interface DeliveryRequest {
  readonly from: string;
  readonly to: string;
  /** At least one. */
  readonly artefacts: readonly Artefact[];
  readonly questions: readonly Question[];
  readonly decisions: readonly Choice[];
  /** Options that were considered and not taken. */
  readonly rejected: readonly string[];
  readonly constraints: readonly string[];
  readonly risks: readonly string[];
  /** The sending team if missing. */
  readonly signedBy?: string;
}

export interface FoundArtefact extends Artefact {
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

/** Renders the document: blocks of lines with an empty line between them. */
export function renderContract(
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
  return [
    `- [${exists ? "x" : " "}] **${oneLine(name)}**`,
    ...(path === undefined ? [] : [`  - ${say("path")} : \`${path}\``]),
    ...(acceptance === undefined ? [] : [`  - ${say("acceptance")} : ${oneLine(acceptance)}`]),
  ].join("\n");
}

function renderTable(columns: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [columns, columns.map(() => "---"), ...rows].map(line).join("\n");
}
