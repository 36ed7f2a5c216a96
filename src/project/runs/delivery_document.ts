/**
 * The text of a delivery contract, in French or English.
 *
 * The front matter is the kit's, and so are the parts and their order; the words are ours. What a caller says stays on
 * its line and in its cell, whatever signs it holds.
 */

/** Something that is handed over. */
export interface Artefact {
  /** What people call it. */
  readonly name: string;
  /** Inside the project. */
  readonly path?: string;
  /** What must be true of it. */
  readonly acceptance?: string;
  /** False when the work can begin without it. */
  readonly isRequired: boolean;
}

/** Something that is not settled. */
export interface Question {
  /** In a sentence. */
  readonly question: string;
  /** A critical one must be answered before the work begins. */
  readonly criticality: "critical" | "important" | "minor";
  /** Who has to answer it. */
  readonly owner?: string;
}

/** Something that was decided. */
export interface Choice {
  /** In a sentence. */
  readonly decision: string;
  /** Why it was so decided. */
  readonly reason?: string;
  /** What follows from it for those who take over. */
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
  /** What is not settled. */
  readonly questions: readonly Question[];
  /** What those who take over must know. */
  readonly decisions: readonly Choice[];
  /** Options that were looked at and not taken. */
  readonly rejected: readonly string[];
  /** What cannot be changed. */
  readonly constraints: readonly string[];
  /** What may go wrong. */
  readonly risks: readonly string[];
  /** Who signs; the team when nobody is named. */
  readonly signedBy?: string;
}

/** An artefact, looked for. */
export interface Delivery extends Artefact {
  /** Whether something is at its path. */
  readonly isThere: boolean;
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

/** The language that a project's documents are in; where nobody says, the kit's own. */
function wordsFor(language: string | undefined): typeof FRENCH {
  return /^(?:en|angl)/i.test(language ?? "") ? ENGLISH : FRENCH;
}

/** Writes the document. */
export function renderContract(
  request: DeliveryRequest,
  artefacts: readonly Delivery[],
  { id, date, language }: {
    readonly id: string;
    readonly date: string;
    readonly language: string | undefined;
  },
): string {
  const words = wordsFor(language);
  const { from, to, questions, decisions } = request;
  const signer = oneLine(request.signedBy ?? from);
  // JSON is YAML, whatever the values hold.
  const head = {
    contract_id: id,
    version: "1.0",
    status: "pending-acceptance",
    from_team: from,
    to_team: to,
    date,
  };
  const front = Object.entries({ ...head, signed_by: signer }).map(([key, value]) =>
    `${key}: ${JSON.stringify(value)}`
  );
  const list = (isRequired: boolean) =>
    artefacts.filter((artefact) => artefact.isRequired === isRequired).flatMap((artefact) => [
      `- [${artefact.isThere ? "x" : " "}] **${oneLine(artefact.name)}**`,
      ...(artefact.path === undefined ? [] : [`  - ${words.path} : \`${artefact.path}\``]),
      ...(artefact.acceptance === undefined
        ? []
        : [`  - ${words.acceptance} : ${oneLine(artefact.acceptance)}`]),
    ]);
  const points = (title: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`**${title}**`, "", ...texts.map((text) => `- ${oneLine(text)}`), ""];
  const optional = list(false);
  const required = list(true);
  const context = [
    ...points(words.rejected, request.rejected),
    ...points(words.constraints, request.constraints),
    ...points(words.risks, request.risks),
  ];
  const orNone = (lines: readonly string[]) => lines.length === 0 ? [`*${words.none}*`] : lines;
  const lines = [
    "---",
    ...front,
    "---",
    "",
    `# ${words.title} — ${from} → ${to}`,
    "",
    `> ${words.promise(from, to)}`,
    "",
    `## ${words.artefacts}`,
    "",
    `### ${words.required}`,
    "",
    ...orNone(required),
    ...(optional.length === 0 ? [] : ["", `### ${words.optional}`, "", ...optional]),
    "",
    `## ${words.questions}`,
    "",
    ...orNone(
      table(
        words.questionColumns,
        questions.map(({ question, criticality, owner = "—" }, at) => [
          String(at + 1),
          question,
          words.criticality[criticality],
          owner,
          words.waiting,
        ]),
      ),
    ),
    "",
    `## ${words.completion} — ${from}`,
    "",
    ...words.checks.map((check) => `- [ ] ${check}`),
    "",
    `## ${words.decisions}`,
    "",
    ...orNone(
      table(
        words.decisionColumns,
        decisions.map(({ decision, reason = "—", impact = "—" }) => [decision, reason, impact]),
      ),
    ),
    "",
    `## ${words.context}`,
    "",
    ...(context.length === 0 ? [`*${words.none}*`, ""] : context),
    `## ${words.signature}`,
    "",
    `${words.signedBy} : ${signer}`,
    `${words.date} : ${date}`,
    "",
    `## ${words.acceptanceBlock} — ${to}`,
    "",
    ...words.answers.map((answer) => `- [ ] ${answer}`),
    "",
    `${words.acceptedBy} : ____________________`,
    `${words.date} : ____________________`,
  ];
  return `${lines.join("\n")}\n`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)];
}

/** Text that stays on its line. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();
}
