/**
 * Sets for measuring recall: documents, questions, and which documents answer which question.
 *
 * JSON with the members `docs`, `queries` and `qrels`, or their names in other sets. Documents and questions are lists
 * of objects with an id and a text, or one object from ids to texts; answers are an object from the id of a question to
 * ids of documents, as a list or with grades, or a list of rows. A grade of 0 is not an answer.
 */

/** A set in a uniform format. */
export interface RecallSet {
  readonly name: string;
  readonly documents: readonly string[];
  readonly questions: readonly Question[];
}

/** A question and the indices of the documents that answer it, at least one. */
export interface Question {
  readonly text: string;
  readonly answers: ReadonlySet<number>;
}

/** Averages over all questions. */
export interface Quality {
  /** The share of the possible answers among the first five hits. */
  readonly recall: number;
  /** 1 / the rank of the first answer among the first ten hits. */
  readonly rank: number;
}

type Row = Readonly<Record<string, unknown>>;

/** Reads a set; questions without an answer are left out. */
export function readRecallSet(json: string, file: string): RecallSet {
  const data: Row = JSON.parse(json);
  const documents = textsIn(member(data, "docs", "documents", "corpus"));
  const places = new Map(documents.map(({ id }, place) => [id, place]));
  const answers = new Map<string, Set<number>>();
  for (const [question, document, grade] of gradesIn(member(data, "qrels", "relevance", "judgements"))) {
    const place = places.get(document);
    if (place === undefined || !(grade > 0)) continue;
    if (!answers.has(question)) answers.set(question, new Set());
    answers.get(question)!.add(place);
  }
  const questions = textsIn(member(data, "queries", "questions")).flatMap(({ id, text }) => {
    const own = answers.get(id);
    return own === undefined ? [] : [{ text, answers: own }];
  });
  if (questions.length === 0) throw new Error(`${file}: no question has an answer among the documents`);
  const name = typeof data.name === "string" ? data.name : file.replace(/^.*[\\/]|\.json$/g, "");
  return { name, documents: documents.map(({ text }) => text), questions };
}

/** Measures answers: for each question the indices of documents, the best first. */
export function qualityOf({ questions }: RecallSet, answers: readonly (readonly number[])[]): Quality {
  let recall = 0, rank = 0;
  for (const [at, { answers: right }] of questions.entries()) {
    const hits = answers[at]!;
    recall += hits.slice(0, 5).filter((hit) => right.has(hit)).length / Math.min(5, right.size);
    const first = hits.slice(0, 10).findIndex((hit) => right.has(hit));
    rank += first < 0 ? 0 : 1 / (first + 1);
  }
  return { recall: recall / questions.length, rank: rank / questions.length };
}

function member(row: Row, ...names: readonly string[]): unknown {
  const name = names.find((name) => row[name] !== undefined);
  if (name === undefined) throw new Error(`the set has none of ${names.join(", ")}`);
  return row[name];
}

function textsIn(value: unknown): readonly { readonly id: string; readonly text: string }[] {
  if (!Array.isArray(value)) {
    return Object.entries(value as Row).map(([id, text]) => ({ id, text: textOf(text) }));
  }
  return value.map((row, place) => {
    const id = typeof row === "object" ? row.id ?? row._id ?? row.doc_id ?? row.query_id : place;
    return { id: String(id ?? place), text: textOf(row) };
  });
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const row = value as Row;
  const text = row.t ?? row.text ?? row.content ?? row.query ?? row.memory ?? "";
  return [row.title, text].filter((part) => typeof part === "string" && part !== "").join("\n");
}

/** Question, document and grade of each row. */
function gradesIn(value: unknown): readonly (readonly [question: string, document: string, grade: number])[] {
  if (Array.isArray(value)) {
    return value.map((row) => {
      if (Array.isArray(row)) {
        return [String(row[0]), String(row.at(row.length > 3 ? 2 : 1)), Number(row[3] ?? row[2] ?? 1)];
      }
      const question = row.query ?? row.query_id ?? row.qid ?? row.question;
      const document = row.doc ?? row.doc_id ?? row.corpus_id ?? row.document;
      return [String(question), String(document), Number(row.score ?? row.grade ?? row.relevance ?? 1)];
    });
  }
  return Object.entries(value as Row).flatMap(([question, own]) => {
    if (!Array.isArray(own) && typeof own !== "object") return [[question, String(own), 1] as const];
    const grades = Array.isArray(own) ? own.map((document) => [document, 1]) : Object.entries(own as Row);
    return grades.map(([document, grade]) => [question, String(document), Number(grade)] as const);
  });
}
