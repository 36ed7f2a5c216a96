/**
 * A third set of large documents of which it is known what each story needs: a tram and bus company, in sentences as
 * people write them (transit/en.txt, transit/de.txt). It was written before the ranking was changed for other languages;
 * only its total was looked at while limits were chosen.
 *
 * Each section that a story needs says one to three things about its topic, among sentences that could be anywhere.
 */
import { chanceFrom } from "../support/chance.ts";
import type { Labelled } from "./shop_documents.ts";

const LANGUAGES = {
  en: {
    requirements: "Requirements",
    parts: ["How it works", "Stored data", "When it fails"],
    others: ["Alternatives", "Costs and dates", "History", "People"],
    background: "Background",
    decision: "Decision",
    mention: (name: string) => `This page was moved here together with the notes on ${name.toLowerCase()}.`,
    criteria: "Acceptance Criteria",
    subjects: "The supplier|Our team|The board|A consultant|The annex|Every department|The previous owner",
    verbs: "describes|reviews|postpones|signs off|summarises|questions|rewrites",
    objects: "the glossary|an older draft|the minutes|the cover letter|a figure|the outline|the appendix",
    ends: "twice a year|in the next round|as agreed|for the archive|after the summer|in short|on request",
  },
  de: {
    requirements: "Anforderungen",
    parts: ["Ablauf", "Gespeicherte Daten", "Verhalten bei Fehlern"],
    others: ["Alternativen", "Kosten und Termine", "Vorgeschichte", "Beteiligte"],
    background: "Hintergrund",
    decision: "Entscheidung",
    mention: (name: string) => `Diese Seite wurde mit den Notizen zum Thema ${name} hierher verschoben.`,
    criteria: "Akzeptanzkriterien",
    subjects:
      "Der Lieferant|Unser Team|Der Vorstand|Eine Beraterin|Der Anhang|Jede Abteilung|Die Vorgängerin",
    verbs: "beschreibt|überarbeitet|verschiebt|unterzeichnet|bündelt|hinterfragt|ergänzt",
    objects:
      "das Glossar|einen alten Stand|das Gesprächsprotokoll|das Anschreiben|eine Abbildung|die Gliederung",
    ends:
      "zweimal im Jahr|in der nächsten Runde|wie besprochen|fürs Archiv|nach dem Sommer|in Kürze|auf Wunsch",
  },
} as const;

function topicsIn(language: keyof typeof LANGUAGES) {
  const text = Deno.readTextFileSync(new URL(`transit/${language}.txt`, import.meta.url));
  return text.split(/^# /m).slice(1).map((block) => {
    const [head, ...lines] = block.trim().split("\n");
    const [slug, code, name] = head!.split(" | ");
    const of = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(2));
    return { slug: slug!, code: code!, name: name!, sentences: of("- "), story: of("> ") };
  });
}

export function transitDocuments(seed: number, language: keyof typeof LANGUAGES) {
  const chance = chanceFrom(seed);
  const say = LANGUAGES[language];
  const pick = (listed: string) => chance.pick(listed.split("|"));
  const filler = () => `${pick(say.subjects)} ${pick(say.verbs)} ${pick(say.objects)} ${pick(say.ends)}.`;
  const around = (said: string, count: number) => {
    const lines = Array.from({ length: count }, (_, at) => at % 4 === 3 ? "" : filler());
    return lines.toSpliced(Math.floor(chance.next() * count), 0, said).join("\n");
  };
  const [PRD, ARCHITECTURE] = ["out/plan/prd.md", "out/plan/architecture.md"];
  const [UX, DECISIONS] = ["out/plan/ux-design.md", "out/plan/decisions.md"];
  const documents: Record<string, string[]> = {
    [PRD]: ["# PRD\n"],
    [ARCHITECTURE]: ["# Architecture\n"],
    [UX]: ["# UX\n"],
    [DECISIONS]: ["# Decisions\n"],
  };
  const topics = topicsIn(language);
  for (const [at, { code, name, sentences }] of topics.entries()) {
    const listed = sentences.slice(0, 3).map((one, index) => `- **${code}-${index + 1}**: ${one}`).join("\n");
    documents[PRD]!.push(
      `## ${at + 1}. ${name}\n\n### ${at + 1}.1 ${say.requirements}\n\n${listed}\n`,
      `### ${at + 1}.2 ${say.background}\n\n${around(say.mention(name), 60)}\n`,
    );
    const parts = [
      ...say.parts.map((part, index) => `### ${part}\n\n${around(sentences[3 + index]!, 8)}\n`),
      ...say.others.map((part) => `### ${part}\n\n${around(say.mention(name), 50)}\n`),
    ].toSorted(() => chance.next() - 0.5);
    documents[ARCHITECTURE]!.push(`## ${name}\n\n${parts.join("\n")}`);
    documents[UX]!.push(`## ${name}\n\n${around(sentences[6]!, 4)}\n`);
    documents[DECISIONS]!.push(`## ${say.decision} ${at + 1}\n\n${around(sentences[7]!, 3)}\n`);
  }
  const files: Record<string, string> = Object.fromEntries(
    Object.entries(documents).map(([path, parts]) => [path, parts.join("\n")]),
  );
  const kinds = ["words", "ids", "words", "references", "words"] as const;
  const stories = topics.map(({ slug, code, name, story }, at) => {
    const kind = kinds[at % kinds.length]!;
    const needs: readonly Labelled[] = [
      { path: PRD, heading: `${at + 1}.1 ${say.requirements}` },
      ...say.parts.map((heading) => ({ path: ARCHITECTURE, chapter: name, heading })),
      { path: UX, heading: name },
      { path: DECISIONS, heading: `${say.decision} ${at + 1}` },
    ];
    const named = {
      ids: `${code}-1, ${code}-2, ${code}-3`,
      references: `[Source: architecture.md#${name}], [Source: prd.md#${at + 1}. ${name}]`,
      words: "",
    }[kind];
    const [title, want, ...criteria] = story;
    files[`out/impl/1-${at + 1}-${slug}.md`] =
      `# Story 1.${at + 1}: ${title}\n\nStatus: ready-for-dev\n\n## Story\n\n${want}\n\n${named}\n\n` +
      `## ${say.criteria}\n\n${criteria.map((one, index) => `${index + 1}. ${one}\n`).join("")}`;
    return { kind, ref: `1-${at + 1}`, needs };
  });
  files["out/impl/sprint-status.yaml"] = `development_status:\n${
    topics.map(({ slug }, at) => `  1-${at + 1}-${slug}: ready-for-dev\n`).join("")
  }`;
  return { files, stories };
}
