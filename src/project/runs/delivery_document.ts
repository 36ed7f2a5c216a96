/**
 * The text of a delivery contract, in French or English.
 *
 * The front matter, the parts and their order are the kit's; the words are ours. Each value stays on its line and in
 * its cell, whatever characters it has.
 */
import { oneLine } from "../../base/text.ts";

/** Something that is handed over. */
export interface Artefact {
  readonly name: string;
  /** Inside the project. */
  readonly path?: string;
  /** What must be true of it. */
  readonly acceptance?: string;
  /** False if the work can begin without it. */
  readonly isRequired: boolean;
}

/** An open question. */
export interface Question {
  readonly question: string;
  /** A critical one must be answered before the work begins. */
  readonly criticality: "critical" | "important" | "minor";
  /** Who has to answer it. */
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
  /** The team that hands over. */
  readonly from: string;
  /** The team that takes over. */
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

/** An artefact after a look at its path. */
export interface FoundArtefact extends Artefact {
  readonly exists: boolean;
}

const FRENCH = {
  title: "Contrat de livraison",
  promise: (from: string, to: string) => `${from} livre à ${to} ce qu'il lui faut pour commencer.`,
  artefacts: "Artefacts livrés",
  required: "Requis",
  optional: "Optionnels",
  path: "Chemin",
  acceptance: "Critère d'acceptation",
  questions: "Questions ouvertes",
  questionColumns: ["#", "Question", "Criticité", "Responsable", "Statut"],
  waiting: "⏳ En attente",
  criticality: { critical: "🔴 Critique", important: "🟡 Important", minor: "🟢 Mineur" },
  completion: "Critères de complétion",
  checks: [
    "Chaque artefact requis est à sa place",
    "Aucun champ n'est resté à remplir",
    "Les questions critiques ont une réponse",
  ],
  decisions: "Décisions clés",
  decisionColumns: ["Décision", "Justification", "Impact"],
  context: "Contexte critique",
  rejected: "Options écartées",
  constraints: "Contraintes",
  risks: "Risques",
  signature: "Signature",
  signedBy: "Signé par",
  acceptanceBlock: "Acceptation",
  answers: ["Accepté", "Rejeté", "À renégocier"],
  acceptedBy: "Par",
  date: "Date",
  none: "Aucun",
};

const ENGLISH: typeof FRENCH = {
  title: "Delivery contract",
  promise: (from, to) => `${from} hands to ${to} what it needs to begin.`,
  artefacts: "Artefacts",
  required: "Required",
  optional: "Optional",
  path: "Path",
  acceptance: "Acceptance criterion",
  questions: "Open questions",
  questionColumns: ["#", "Question", "Criticality", "Owner", "Status"],
  waiting: "⏳ Waiting",
  criticality: { critical: "🔴 Critical", important: "🟡 Important", minor: "🟢 Minor" },
  completion: "Completion",
  checks: [
    "Every required artefact is in its place",
    "Nothing is left to fill in",
    "Critical questions are answered",
  ],
  decisions: "Key decisions",
  decisionColumns: ["Decision", "Reason", "Impact"],
  context: "Critical context",
  rejected: "Rejected options",
  constraints: "Constraints",
  risks: "Risks",
  signature: "Signature",
  signedBy: "Signed by",
  acceptanceBlock: "Acceptance",
  answers: ["Accepted", "Rejected", "To be renegotiated"],
  acceptedBy: "By",
  date: "Date",
  none: "None",
};

/** Without a language, the kit's own: French. */
function wordsFor(language = ""): typeof FRENCH {
  return /^(?:en|angl)/i.test(language) ? ENGLISH : FRENCH;
}

/** Renders the document: blocks of lines with an empty line between them. */
export function renderContract(
  request: DeliveryRequest,
  artefacts: readonly FoundArtefact[],
  { id, date, language }: {
    readonly id: string;
    readonly date: string;
    readonly language: string | undefined;
  },
): string {
  const words = wordsFor(language);
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
  const none = `*${words.none}*`;
  const listOf = (isRequired: boolean) =>
    artefacts.filter((artefact) => artefact.isRequired === isRequired)
      .map((artefact) => renderArtefact(artefact, words)).join("\n");
  const optional = listOf(false);
  const questions = request.questions.map(({ question, criticality, owner = "—" }, at) => [
    String(at + 1),
    question,
    words.criticality[criticality],
    owner,
    words.waiting,
  ]);
  const decisions = request.decisions.map((
    { decision, reason = "—", impact = "—" },
  ) => [decision, reason, impact]);
  const context = (["rejected", "constraints", "risks"] as const).flatMap((key) =>
    request[key].length === 0
      ? []
      : [`**${words[key]}**`, request[key].map((text) => `- ${oneLine(text)}`).join("\n")]
  );
  const boxes = (texts: readonly string[]) => texts.map((text) => `- [ ] ${text}`).join("\n");
  const blocks = [
    // JSON is YAML, whatever the values contain.
    ["---", ...Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`), "---"].join(
      "\n",
    ),
    `# ${words.title} — ${from} → ${to}`,
    `> ${words.promise(from, to)}`,
    `## ${words.artefacts}`,
    `### ${words.required}`,
    listOf(true) || none,
    ...(optional === "" ? [] : [`### ${words.optional}`, optional]),
    `## ${words.questions}`,
    renderTable(words.questionColumns, questions) ?? none,
    `## ${words.completion} — ${from}`,
    boxes(words.checks),
    `## ${words.decisions}`,
    renderTable(words.decisionColumns, decisions) ?? none,
    `## ${words.context}`,
    ...(context.length === 0 ? [none] : context),
    `## ${words.signature}`,
    `${words.signedBy} : ${signer}\n${words.date} : ${date}`,
    `## ${words.acceptanceBlock} — ${to}`,
    boxes(words.answers),
    `${words.acceptedBy} : ____________________\n${words.date} : ____________________`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

function renderArtefact({ name, path, acceptance, exists }: FoundArtefact, words: typeof FRENCH): string {
  return [
    `- [${exists ? "x" : " "}] **${oneLine(name)}**`,
    ...(path === undefined ? [] : [`  - ${words.path} : \`${path}\``]),
    ...(acceptance === undefined ? [] : [`  - ${words.acceptance} : ${oneLine(acceptance)}`]),
  ].join("\n");
}

function renderTable(columns: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [columns, columns.map(() => "---"), ...rows].map(line).join("\n");
}
