/**
 * A second set of large documents of which it is known what each story needs, written unlike the first
 * (shop_documents.ts): numbered chapters, requirements in tables with ids of their own, an architecture of many files with
 * data tables and code, decisions in files of their own, in English or in German. The ranking was not tuned on it.
 */
import { chanceFrom } from "../support/chance.ts";
import type { Labelled } from "./shop_documents.ts";

/** A topic: its file, its name, the letters of its requirements, its words, what a story calls it, and in other words. */
type Topic = readonly [
  file: string,
  name: string,
  letters: string,
  words: string,
  title: string,
  other: string,
];

function topicsIn(table: string): readonly Topic[] {
  return table.trim().split("\n").map((line) => line.split(" | ") as unknown as Topic);
}

const ENGLISH = topicsIn(`
scheduling | Appointment scheduling | APT | appointment slot calendar overlap reschedule cancellation | Book a visit | date time meeting with the doctor
waiting-list | Waiting list | WL | waitlist priority offer expiry vacancy reminder | Move patients up when somebody cancels | queue next in line free place
prescriptions | Prescriptions | RX | prescription dosage pharmacy interaction renewal substance | Prescribe medicine | drugs pills allergy warning
lab-results | Laboratory results | LAB | specimen laboratory result threshold panel notification | See blood values | test findings measured sample
billing | Billing | BIL | invoice insurer tariff reimbursement copayment claim | Charge the insurance | money payment health plan fee
consents | Consents | CNS | consent signature withdrawal guardian form revision | Ask for permission | agree sign allow treatment
imaging | Imaging | IMG | dicom modality scan viewer annotation series | Look at x-rays | picture radiology photograph
referrals | Referrals | REF | referral specialist letter acceptance handover urgency | Send patients to a colleague | transfer another doctor expert
vaccinations | Vaccinations | VAC | vaccine batch booster certificate schedule contraindication | Give a shot | immunization injection protect
messaging | Secure messaging | MSG | message thread attachment encryption recipient receipt | Write to the practice | chat mail contact
inventory | Inventory | INV | stock supply reorder shelf lot shortage | Order bandages in time | material goods run out purchase
access-control | Access control | ACC | role privilege break-glass session audit delegation | Let a locum see records | rights who may open emergency
`);

const GERMAN = topicsIn(`
termine | Terminvergabe | TER | Termin Kalender Überschneidung Absage Verlegung Sprechstunde | Einen Besuch buchen | Uhrzeit beim Arzt vereinbaren
warteliste | Warteliste | WAR | Warteliste Nachrücker Priorität Angebot Frist Erinnerung | Freie Plätze füllen | Schlange der Nächste an der Reihe
rezepte | Rezepte | REZ | Rezept Wirkstoff Dosierung Apotheke Wechselwirkung Verlängerung | Medikamente verordnen | Arznei Tabletten Verschreibung
labor | Laborbefunde | LAB | Probe Labor Befund Grenzwert Messung Meldung | Blutwerte ansehen | Untersuchung Ergebnis Test
abrechnung | Abrechnung | ABR | Rechnung Krankenkasse Tarif Erstattung Zuzahlung Ziffer | Mit der Kasse abrechnen | Geld Bezahlung Versicherung
einwilligung | Einwilligungen | EIN | Einwilligung Unterschrift Widerruf Vormund Formular Fassung | Um Erlaubnis bitten | zustimmen genehmigen unterschreiben
bilder | Bildgebung | BIL | Aufnahme Röntgen Betrachter Serie Gerät Markierung | Röntgenbilder zeigen | Foto Radiologie Durchleuchtung
ueberweisung | Überweisungen | UEB | Überweisung Facharzt Arztbrief Annahme Übergabe Dringlichkeit | An Kollegen weitergeben | Spezialist schicken Experte
impfung | Impfungen | IMP | Impfstoff Charge Auffrischung Impfpass Impfplan Gegenanzeige | Eine Spritze geben | Schutz Immunisierung Vakzin
nachrichten | Nachrichten | NAC | Nachricht Empfänger Anhang Verschlüsselung Verlauf Lesebestätigung | Der Praxis schreiben | Mail Kontakt Mitteilung
lager | Lagerhaltung | LAG | Bestand Nachbestellung Regal Lieferung Engpass Verbandsmaterial | Rechtzeitig Material bestellen | Ware Einkauf Vorrat
zugriff | Zugriffsrechte | ZUG | Rolle Berechtigung Notfallzugriff Sitzung Protokoll Vertretung | Vertretungen Akten zeigen | darf öffnen Befugnis
`);

const LANGUAGES = {
  en: {
    topics: ENGLISH,
    needed: ["Responsibilities", "Data", "Failure handling"],
    other: ["Interfaces of partners", "History", "Alternatives considered", "Cost estimate"],
    chapters: ["Requirements", "Use case", "Market"],
    screen: "Screen",
    decision: ["Context", "Decision", "Consequences"],
    starts: [
      ..."The practice|A nurse|Nobody but the owner|The nightly job|Each site|Our partner".split("|"),
    ],
    verbs: ["confirms", "shows", "archives", "recalculates", "hands over", "blocks", "announces"],
    ends: [
      "before the day begins",
      "without delay",
      "unless the law forbids it",
      "in every branch",
      "after a failure",
    ],
    joined: "and the",
    head: "| Id | Requirement | Priority |\n|---|---|---|\n",
    story: (title: string) => `As a physician,\nI want to ${title.toLowerCase()},\nso that my day is easier.`,
    criteria: "Acceptance Criteria",
    works: "is right",
    filler: ["Deployment", "Monitoring", "Coding standards", "Networks", "Backups", "Licences"],
    fillerWords: "container pipeline dashboard probe linter subnet mirror snapshot vendor release",
  },
  de: {
    topics: GERMAN,
    needed: ["Zuständigkeit", "Daten", "Fehlerbehandlung"],
    other: ["Schnittstellen der Partner", "Vorgeschichte", "Verworfene Lösungen", "Kostenschätzung"],
    chapters: ["Anforderungen", "Anwendungsfall", "Markt"],
    screen: "Maske",
    decision: ["Ausgangslage", "Entscheidung", "Folgen"],
    starts: [
      "Die Praxis",
      "Eine Pflegekraft",
      "Niemand außer der Leitung",
      "Der nächtliche Lauf",
      "Jeder Standort",
    ],
    verbs: ["bestätigt", "zeigt", "archiviert", "berechnet", "übergibt", "sperrt", "meldet"],
    ends: [
      "vor Beginn des Tages",
      "ohne Verzug",
      "sofern das Gesetz es erlaubt",
      "in jeder Filiale",
      "nach einem Ausfall",
    ],
    joined: "und",
    head: "| Kennung | Anforderung | Priorität |\n|---|---|---|\n",
    story: (title: string) => `Als Ärztin möchte ich Folgendes: ${title}, damit mein Tag leichter wird.`,
    criteria: "Akzeptanzkriterien",
    works: "stimmt",
    filler: ["Auslieferung", "Überwachung", "Programmierregeln", "Netze", "Sicherungen", "Lizenzen"],
    fillerWords: "Container Fließband Übersicht Sonde Prüfer Teilnetz Spiegel Abbild Anbieter Ausgabe",
  },
} as const;

export function clinicDocuments(seed: number, language: keyof typeof LANGUAGES) {
  const chance = chanceFrom(seed);
  const say = LANGUAGES[language];
  const sentence = (words: readonly string[]) =>
    `${chance.pick(say.starts)} ${chance.pick(say.verbs)} ${chance.pick(words)} ${say.joined} ${
      chance.pick(words)
    } ${chance.pick(say.ends)}.`;
  const text = (count: number, words: readonly string[]) =>
    Array.from(
      { length: count },
      (_, at) => at % 4 === 3 ? "" : `${at % 8 === 0 ? "- " : ""}${sentence(words)}`,
    )
      .join("\n");
  const REQUIREMENTS = "docs/requirements.md";
  const UX = "docs/ux/screens.md";
  const files: Record<string, string> = {};
  const chapters: string[] = [];
  const screens: string[] = [];
  const folderOf = (file: string) => `docs/architecture/${file}.md`;
  const decisionOf = (at: number, file: string) => `docs/adr/${String(at + 1).padStart(4, "0")}-${file}.md`;
  for (const [at, [file, name, letters, listed]] of say.topics.entries()) {
    const words = listed.split(" ");
    const number = at + 3;
    const row = (one: number) =>
      `| ${letters}-${String(one).padStart(2, "0")} | ${sentence(words)} | high |\n`;
    chapters.push(
      `## ${number} ${name}\n\n### ${number}.1 ${say.chapters[0]}\n\n${say.head}${
        [1, 2, 3, 4].map(row).join("")
      }\n` +
        `### ${number}.2 ${say.chapters[1]}\n\n${text(16, words)}\n\n` +
        `### ${number}.3 ${say.chapters[2]}\n\n${text(80, say.fillerWords.split(" "))}\n`,
    );
    const parts = [...say.needed, ...say.other].toSorted(() => chance.next() - 0.5).map((part) => {
      const table = `| Field | Type |\n|---|---|\n${words.map((word) => `| ${word} | text |\n`).join("")}\n`;
      const code = "```ts\ninterface Entry {\n  id: string;\n}\n```\n\n";
      return `## ${part}\n\n${part === say.needed[1] ? table + code : ""}${text(16, words)}\n`;
    });
    files[folderOf(file)] = `# ${name}\n\n${sentence(words)}\n\n${parts.join("\n")}`;
    files[decisionOf(at, file)] = `# ${at + 1}. ${name}\n\n${
      say.decision.map((part) => `## ${part}\n\n${text(4, words)}\n`).join("\n")
    }`;
    screens.push(`### ${say.screen}: ${name}\n\n${text(10, words)}\n`);
  }
  for (const name of say.filler) {
    files[`docs/architecture/${name.toLowerCase()}.md`] = `# ${name}\n\n${
      Array.from(
        { length: 20 },
        (_, at) => `## ${name} ${at + 1}\n\n${text(28, say.fillerWords.split(" "))}\n`,
      )
        .join("\n")
    }`;
  }
  files[REQUIREMENTS] = `# Clinic\n\n## 1 Purpose\n\nOne system.\n\n## 2 Scope\n\nAll branches.\n\n${
    chapters.join("\n")
  }`;
  files[UX] = `# UX\n\n## Screens\n\n${screens.join("\n")}`;
  const kinds = ["ids", "references", "words", "other words"] as const;
  const stories = say.topics.map(([file, name, letters, listed, title, other], at) => {
    const kind = kinds[at % kinds.length]!;
    const words = listed.split(" ");
    const number = at + 3;
    const needs: readonly Labelled[] = [
      { path: REQUIREMENTS, heading: `${number}.1 ${say.chapters[0]}` },
      { path: REQUIREMENTS, heading: `${number}.2 ${say.chapters[1]}` },
      ...say.needed.map((heading) => ({ path: folderOf(file), heading })),
      { path: decisionOf(at, file), heading: say.decision[1] },
      { path: UX, heading: `${say.screen}: ${name}` },
    ];
    const body = {
      ids: `${letters}-01, ${letters}-02, ${letters}-03, ${letters}-04`,
      references: [...new Set(needs.map(({ path, heading }) => `[Source: ${path}#${heading}]`))].join("\n"),
      words: `${words.slice(0, 4).join(", ")}.`,
      "other words": `${other}.`,
    };
    const own = kind === "other words" ? other.split(" ") : words;
    files[`out/impl/1-${at + 1}-${file}.md`] =
      `# Story 1.${at + 1}: ${title}\n\nStatus: ready-for-dev\n\n## Story\n\n${say.story(title)}\n\n${
        body[kind]
      }\n\n` +
      `## ${say.criteria}\n\n1. ${own[0]} ${say.works}\n2. ${own[1]} ${say.works}\n`;
    return { kind, ref: `1-${at + 1}`, needs };
  });
  files["out/impl/sprint-status.yaml"] = `development_status:\n${
    say.topics.map(([file], at) => `  1-${at + 1}-${file}: ready-for-dev\n`).join("")
  }`;
  return { files, stories };
}
