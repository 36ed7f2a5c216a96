/** What a story file's heading is about, in many languages, and which boxes below it count. */
import { LIMITS } from "../../limits.ts";

export type Role =
  | "tasks"
  | "criteria"
  | "matrix"
  | "review"
  | "files"
  | "status"
  | "questions"
  | "readiness"
  | "later"
  | "notes";

/** The first that fits: “Review Follow-ups” are not tasks, nor is a “Definition of Ready” one of done. */
const ROLES: readonly (readonly [Role, RegExp])[] = [
  [
    "review",
    /\breview\b|\bqa results\b|\brevues?\b|überprüfung|\brevisi[oó]n\b|revisão|评审|审查|レビュー|리뷰/iu,
  ],
  ["readiness", /\breadiness\b|\bof ready\b|\bdraft\b|\bvalidation\b|\bprerequisites?\b/i],
  [
    "later",
    /^(?:\W*)(?:future|later|deferred|optional|out of scope|nice[ -]to[ -]have|stretch|follow-?ups?|next steps|non-goals|backlog|hors p[eé]rim[eè]tre|plus tard|sp[aä]ter|fuera de alcance)\b/iu,
  ],
  [
    "files",
    /\bfile list\b|\bfiles? (?:changed|modified|touched|created)\b|\b(?:changed|modified) files\b|liste des fichiers|fichiers modifi|dateiliste|geänderte dateien|lista de (?:archivos|arquivos|ficheiros)|archivos modificados|elenco (?:dei )?file|список файлов|文件列表|文件清单|ファイル一覧|파일 목록/iu,
  ],
  ["matrix", /\bmatrix\b/i],
  [
    "tasks",
    /\btasks?\b|\bsubtasks?\b|\btâches?\b|\baufgaben\b|\btareas\b|\btarefas\b|\bcompiti\b|\btaken\b|\bzadania\b|задачи|任务|タスク|작업/iu,
  ],
  [
    "criteria",
    /\bacceptance\b|^acs?\b|^done when\b|acceptation|akzeptanzkriteri|abnahmekriteri|criterios de acepta|critérios de (?:aceita|aceite)|criteri di accetta|acceptatiecriteria|kryteria akceptacji|критерии при[её]мки|tiêu chí chấp nhận|kabul kriterleri|验收标准|验收条件|受け入れ(?:基準|条件)|受入(?:基準|条件)|(?:인수|수용|승인) (?:조건|기준)/iu,
  ],
  [
    "questions",
    /^(?:\W*)(?:open questions|questions ouvertes|offene fragen|preguntas abiertas|(?:questões|perguntas) (?:em aberto|abertas)|domande aperte|open vragen|otwarte pytania|открытые вопросы|câu hỏi mở|açık sorular|开放问题|待解决问题|未解決の(?:質問|問題|課題)|미해결 질문)/iu,
  ],
  ["status", /^(?:\W*)(?:status|statut|estado|stato|статус|状态|ステータス|상태)\W*$/iu],
  [
    "notes",
    /\bnotes\b|\bchange ?log\b|\brecord\b|\bdefinition of done\b|\bverification\b|^story\b|\btesting\b/i,
  ],
];

/** The same headings come in every document. */
const known = new Map<string, Role | undefined>();
const LONGEST_KNOWN = 100;

export function roleOf(heading: string): Role | undefined {
  const role = known.get(heading);
  if (role !== undefined || known.has(heading)) return role;
  const text = heading.slice(0, 200);
  const found = ROLES.find(([, words]) => words.test(text))?.[0];
  if (known.size >= LIMITS.documents.headings) known.clear();
  // Copied: a part of a text keeps all of it in memory.
  if (heading.length <= LONGEST_KNOWN) known.set([...heading].join(""), found);
  return found;
}

export interface Box {
  readonly line: number;
  readonly indent: number;
  readonly text: string;
  readonly isTicked: boolean;
  readonly heading: string;
  readonly role?: Role;
}

export function isReviewBox({ role, text }: Pick<Box, "role" | "text">): boolean {
  return role === "review" || text.trimStart().startsWith("[") && /^\s*\[(?:AI-)?Review\]/i.test(text);
}

export function isTask(box: Pick<Box, "role" | "text">): boolean {
  return !isReviewBox(box) && box.role !== "later" && box.role !== "criteria";
}

/** Those in a list for later, and those struck out, are left alone. */
export function isOpenBox({ isTicked, role, text }: Pick<Box, "isTicked" | "role" | "text">): boolean {
  return !isTicked && role !== "later" && !/^\s*(?:~~|\(?optional\b)/i.test(text);
}
