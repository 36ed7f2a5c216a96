/** `word_metrics.py`: the words of a document and its sections. Each CJK character is a word of its own. */
import { deliver, hasOutput, isFile, jsonWith, OUTPUT, readText, refuse, type Script } from "./script.ts";
import { pathText, pythonJson, pythonLines } from "./python.ts";

const HEADING = /^(#{1,6})\s+(\S.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
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
    const text = pythonJson(metrics, { indent: 2, isAscii: false });
    return deliver(values, world, text, jsonWith("file", "total_words", "sections"));
  },
};

function countWords(text: string): number {
  return (text.match(CJK)?.length ?? 0) + (text.replaceAll(CJK, " ").match(/\S+/g)?.length ?? 0);
}

/** The sections in order; one without words and heading is left out. */
function countSections(text: string) {
  const sections = [{ heading: PREAMBLE, level: 0, lines: [] as string[] }];
  let fence: string | undefined;
  for (const line of pythonLines(text)) {
    const [, mark] = FENCE.exec(line) ?? [];
    const [, marks, heading] = mark !== undefined || fence !== undefined ? [] : HEADING.exec(line) ?? [];
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
