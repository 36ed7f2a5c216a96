import { countEach } from "../../base/values.ts";
import { LIMITS } from "../limits.ts";
import { cellsIn } from "../work/formats/mod.ts";
import { recover } from "../../base/absence.ts";
import {
  answer,
  deliver,
  hasOutput,
  isFile,
  OUTPUT,
  readText,
  refuse,
  type Script,
  Unreadable,
} from "./script.ts";
import { pathText, pythonLines, quote } from "./python.ts";

const SPINE = "ARCHITECTURE-SPINE.md";
const DECISION = /^#{2,4}\s*AD-(\d{1,15})(?![\p{L}\p{N}_]).*$/mgu;
const HEADING = /^#{1,6}\s/mg;
const STACK = /^##\s+Stack(?![\p{L}\p{N}_])/u;
const FENCE = /```[^]*?```/g;
/** For Python, letters of any script belong to a word. */
const MARKER = /(?<![\p{L}\p{N}_])(?:TBD|TODO|FIXME|XXX)(?![\p{L}\p{N}_])/gu;
const SIMILAR = /similar to ad-\d+/gi;
const TOKEN = /\{[a-z_][a-z0-9_ /.-]*\}/g;

function checkCount(findings: number): void {
  if (findings < LIMITS.scripts.spineFindings) return;
  refuse(`${SPINE} has more than ${LIMITS.scripts.spineFindings} findings. Is it the right file?`);
}

interface Finding {
  readonly category: string;
  readonly severity: "high" | "medium" | "low";
  readonly detail: string;
  readonly location: string;
}

export const lintSpine: Script = {
  name: "lint_spine.py",
  usage: {
    about: "Checks the spine of an architecture; prints JSON",
    example: "--workspace DIR",
    args: [
      { names: ["--workspace"], help: "The folder with ARCHITECTURE-SPINE.md", isRequired: true },
      OUTPUT,
    ],
  },
  isWriter: hasOutput,
  run: (values, world) => {
    const path = pathText(values.one("workspace")!, SPINE);
    const report = recover(Unreadable, () => lint(readText(world, path)), ({ isMissing, reason }) => {
      const error = isMissing ? `${path} not found` : `could not read ${path}: ${reason}`;
      return { ok: false, error, findings: [], total_findings: 0 };
    });
    return deliver(answer(report, { indent: 2 }), ["ok", "findings", "total_findings"], values, world);
  },
};

function lint(text: string) {
  const { head, body, offset } = splitFrontMatter(text);
  // Fenced code is not scanned, but its lines count.
  const scan = body.replaceAll(FENCE, (fence) => "\n".repeat(fence.split("\n").length - 1));
  const findings = [
    ...findPlaceholders(head, "frontmatter ", (line) => `${SPINE} frontmatter (line ${1 + line})`),
    ...findPlaceholders(scan, "", (line) => `${SPINE} (line ${offset + line})`),
    ...findDecisionIssues(scan, offset),
    ...findUnpinned(scan, offset),
  ];
  return {
    ok: findings.length === 0,
    spine: SPINE,
    total_findings: findings.length,
    by_severity: countEach(findings.map(({ severity }) => severity)),
    findings,
  };
}

function splitFrontMatter(text: string) {
  const lines = text.split("\n");
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  if (end < 0) return { head: "", body: text, offset: 0 };
  return { head: lines.slice(1, end).join("\n"), body: lines.slice(end + 1).join("\n"), offset: end + 1 };
}

function lineCounter(text: string): (index: number) => number {
  let [line, at] = [1, 0];
  return (index) => {
    for (; at < index; at++) if (text[at] === "\n") line++;
    return line;
  };
}

/** Searches on from growing indices, since blocks may be many and have no end. */
function finder(text: string, pattern: RegExp): (from: number) => number {
  let at = -1;
  return (from) => {
    if (at >= from) return at;
    pattern.lastIndex = from;
    return at = pattern.exec(text)?.index ?? text.length + 1;
  };
}

function findPlaceholders(text: string, where: string, locate: (line: number) => string): readonly Finding[] {
  const kinds = [
    [MARKER, "placeholder marker", "high"],
    ...(where === "" ? [[SIMILAR, "unresolved cross-reference", "high"]] as const : []),
    [TOKEN, "possible unfilled template token (verify)", "low"],
  ] as const;
  return kinds.flatMap(([pattern, label, severity]) => {
    const lineOf = lineCounter(text);
    return Array.from(text.matchAll(pattern), (match, at) => {
      checkCount(at);
      return {
        category: "placeholder",
        severity,
        detail: `${where}${label}: ${quote(match[0])}`,
        location: locate(lineOf(match.index)),
      };
    });
  });
}

function findDecisionIssues(scan: string, offset: number): readonly Finding[] {
  const findings: Finding[] = [];
  const lines = new Map<number, number>();
  const lineOf = lineCounter(scan);
  const nextHeading = finder(scan, HEADING);
  const fields = ["binds", "prevents", "rule"].map((name) => ({
    name,
    next: finder(scan, new RegExp(name, "gi")),
  }));
  let highest: number | undefined;
  for (const match of scan.matchAll(DECISION)) {
    const number = Number(match[1]);
    const line = offset + lineOf(match.index);
    const location = `${SPINE} AD-${number} (line ${line})`;
    checkCount(findings.length);
    const report = (category: string, detail: string) =>
      findings.push({ category, severity: "high", detail, location });
    const earlier = lines.get(number);
    if (earlier !== undefined) report("ad_id", `AD-${number} id reused (also at line ${earlier})`);
    else lines.set(number, line);
    if (highest !== undefined && number <= highest) {
      report(
        "ad_id",
        `AD-${number} is non-monotonic (follows AD-${highest}); ids must ascend and never renumber`,
      );
    }
    highest = Math.max(number, highest ?? number);
    const start = match.index + match[0].length;
    const end = nextHeading(start);
    const missing = fields.filter(({ name, next }) => next(start) + name.length > end).map(({ name }) =>
      name
    );
    if (missing.length > 0) {
      report("ad_fields", `AD-${number} missing required field(s): ${missing.join(", ")}`);
    }
  }
  return findings;
}

function findUnpinned(scan: string, offset: number): readonly Finding[] {
  const findings: Finding[] = [];
  let isStack = false;
  let columns: { readonly name: number; readonly version: number } | undefined;
  for (const [at, line] of pythonLines(scan).entries()) {
    if (line.search(HEADING) === 0) {
      isStack = STACK.test(line);
      columns = undefined;
      continue;
    }
    const row = line.trim();
    if (!isStack || !row.startsWith("|") || /^[|\-: ]*$/.test(row)) continue;
    const cells = cellsIn(row);
    if (columns === undefined) {
      const titles = cells.map((cell) => cell.toLowerCase());
      const columnOf = (title: string, otherwise: number) =>
        titles.includes(title) ? titles.lastIndexOf(title) : otherwise;
      columns = { name: columnOf("name", 0), version: columnOf("version", 1) };
      continue;
    }
    const [name = "", version = ""] = [cells[columns.name], cells[columns.version]];
    if (name === "" || hasToken(name) || version !== "" && !hasToken(version)) continue;
    checkCount(findings.length);
    findings.push({
      category: "version_pin",
      severity: "medium",
      detail: `Stack entry ${quote(name)} has no version`,
      location: `${SPINE} (line ${offset + at + 1})`,
    });
  }
  return findings;
}

function hasToken(text: string): boolean {
  return text.search(TOKEN) >= 0;
}

const TITLE = /^(#{1,6})\s+(\S.*)$/;
const FENCE_MARK = /^ {0,3}(`{3,}|~{3,})/;
const CJK = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f]/g;
const PREAMBLE = "(preamble)";

export const wordMetrics: Script = {
  name: "word_metrics.py",
  usage: {
    about: "Counts words by section; prints JSON",
    example: "FILE",
    args: [{ names: ["path"], help: "The document" }, OUTPUT],
  },
  isWriter: hasOutput,
  run: (values, world) => {
    const file = pathText(values.one("path")!);
    if (!isFile(world, file)) return refuse(`not a readable file: ${file}`);
    const document = readText(world, file, { isLenient: true });
    const metrics = { file, total_words: countWords(document), sections: countSections(document) };
    return deliver(answer(metrics, { indent: 2, isAscii: false }), Object.keys(metrics), values, world);
  },
};

function countWords(text: string): number {
  return (text.match(CJK)?.length ?? 0) + (text.replaceAll(CJK, " ").match(/\S+/g)?.length ?? 0);
}

function countSections(text: string) {
  const sections = [{ heading: PREAMBLE, level: 0, lines: [] as string[] }];
  let fence: string | undefined;
  for (const line of pythonLines(text)) {
    const [, mark] = FENCE_MARK.exec(line) ?? [];
    const [, marks, heading] = mark !== undefined || fence !== undefined ? [] : TITLE.exec(line) ?? [];
    if (heading !== undefined) {
      sections.push({ heading: heading.trim(), level: marks!.length, lines: [] });
      continue;
    }
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && mark.startsWith(fence!) && line.trim() === mark) fence = undefined;
    sections.at(-1)!.lines.push(line);
  }
  return sections.map(({ heading, level, lines }) => ({
    heading,
    level,
    words: countWords(lines.join("\n")),
  }))
    .filter(({ heading, words }) => heading !== PREAMBLE || words > 0);
}
