/**
 * Random pairs of edits of one ledger by writers who keep to the rules, merged both ways.
 *
 * Sprints are edited with the code that the program itself uses, deferred work and comments line by line.
 */
import assert from "node:assert/strict";
import { runAtOnce } from "../../src/base/work.ts";
import { asText } from "../../src/base/values.ts";
import { readSprintFile, SECTION, SPRINT_STATUSES } from "../../src/project/work/formats/mod.ts";
import { markSprint, openLedger } from "../../src/project/work/ledger/mod.ts";
import { mergeLedger } from "../../src/project/work/merge/mod.ts";
import type { Chance } from "./chance.ts";
import { inRounds } from "./property.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 7, 1, 12);
const STORY = SPRINT_STATUSES.story;

export async function mergePairs(count: number, seed: number) {
  let [clean, contradictions] = [0, 0];
  await inRounds(count, seed, (chance) => {
    const kind = chance.below(10);
    if (kind < 6) clean += sprintPair(chance);
    else if (kind < 8) clean += deferredPair(chance);
    else contradictions += contradictingPair(chance);
  });
  return { clean, contradictions };
}

/** Merges both ways; the bytes must be the same, except for the order between marks. */
export function mergeBothWays(path: string, base: string, ours: string, theirs: string) {
  const one = mergeLedger(path, { base, ours, theirs });
  const other = mergeLedger(path, { base, ours: theirs, theirs: ours });
  assert.equal(swapped(other.text), one.text);
  assert.equal(other.conflicts, one.conflicts);
  assert.equal(one.conflicts > 0, /^<{7} /m.test(one.text));
  return one;
}

/** A text in which what stands between marks has changed sides. */
function swapped(text: string): string {
  return text.replaceAll(
    /^<{7} ours(\r?\n)([^]*?)^={7}\r?\n([^]*?)^>{7} theirs/gm,
    (_, end: string, ours: string, theirs: string) =>
      `${"<".repeat(7)} ours${end}${theirs}${"=".repeat(7)}${end}${ours}${">".repeat(7)} theirs`,
  );
}

interface Draft {
  text: string;
  readonly comments: string[];
  time: number;
}

function sprintPair(chance: Chance): number {
  const base = sprintText(chance);
  const sides = ["ann", "bob"].map((name) => {
    const draft: Draft = { text: base, comments: [], time: 0 };
    for (let left = 1 + chance.below(6); left > 0; left--) editSprint(chance, draft, name, left);
    return draft;
  });
  const [ours, theirs] = sides as [Draft, Draft];
  const merged = mergeBothWays("out/sprint-status.yaml", base, ours.text, theirs.text);
  const told =
    `\n--- base\n${base}\n--- ours\n${ours.text}\n--- theirs\n${theirs.text}\n--- merged\n${merged.text}`;
  assert.equal(merged.conflicts, 0, `a conflict${told}`);
  const was = readSprintFile(base);
  const mine = readSprintFile(ours.text), yours = readSprintFile(theirs.text);
  const now = readSprintFile(merged.text);
  assert.equal(now.problem, undefined, told);
  const rows = (file: typeof now): Words => new Map(file.rows.map(({ key, word }) => [key, word]));
  const items = (file: typeof now): Words =>
    new Map(
      file.items.map(({ fields }) => [asText(fields?.["action"]) ?? "", asText(fields?.["status"]) ?? ""]),
    );
  assert.equal(now.items.length, items(now).size, `items${told}`);
  for (const [words, order] of [[rows, ["optional", ...STORY]], [items, ITEM]] as const) {
    const wanted = furthest(order, words(was), words(mine), words(yours));
    assert.deepEqual(new Map([...words(now)].toSorted()), wanted, told);
  }
  for (const comment of [...ours.comments, ...theirs.comments]) {
    assert.ok(merged.text.includes(comment), `${comment}${told}`);
  }
  for (const line of base.split("\n").filter((line) => line.trimStart().startsWith("#"))) {
    assert.ok(merged.text.includes(line), `${line}${told}`);
  }
  const times = [ours, theirs].toSorted((a, b) => a.time - b.time);
  const last = times.at(-1)!;
  if (last.time > 0) {
    assert.equal(now.fields["last_updated"], readSprintFile(last.text).fields["last_updated"], told);
  }
  return 1;
}

type Words = ReadonlyMap<string, string>;

const ITEM = ["open", "in-progress", "done"];

/** What two sides leave of rows: whatever one of them has changed, or the word further on. */
function furthest(order: readonly string[], before: Words, ours: Words, theirs: Words): Words {
  const choose = (old?: string, one?: string, other?: string): string => {
    if (one === undefined || other === undefined) return (one ?? other)!;
    if (one === old) return other;
    if (other === old) return one;
    return order.indexOf(one) > order.indexOf(other) ? one : other;
  };
  const keys = new Set([...ours.keys(), ...theirs.keys()]);
  return new Map(
    [...keys].map((key) => [key, choose(before.get(key), ours.get(key), theirs.get(key))] as const)
      .toSorted(),
  );
}

function sprintText(chance: Chance): string {
  const lines = ["# generated: 07-01-2026 09:00", "# STATUS: backlog to done", ""];
  lines.push(
    "generated: 07-01-2026 09:00",
    `last_updated: ${chance.pick(["07-02-2026 10:00", "2026-07-02"])}`,
  );
  lines.push("project: Shop", 'story_location: "docs/stories"', "", `${SECTION}:`);
  for (let epic = 1; epic <= 1 + chance.below(3); epic++) {
    if (epic > 1 && chance.below(2) === 0) lines.push("");
    if (chance.below(3) === 0) lines.push(`  # about epic ${epic}`);
    lines.push(`  epic-${epic}: ${chance.pick(["backlog", "in-progress"])}`);
    for (let story = 1; story <= chance.below(5); story++) {
      if (chance.below(6) === 0) lines.push(`  # before ${epic}-${story}`);
      const tail = chance.below(6) === 0 ? ` # about ${epic}-${story}` : "";
      const word = chance.pick(STORY);
      lines.push(`  ${epic}-${story}-story: ${chance.below(8) === 0 ? `"${word}"` : word}${tail}`);
    }
    if (chance.below(2) === 0) lines.push(`  epic-${epic}-retrospective: optional`);
  }
  if (chance.below(2) === 0) {
    lines.push("", "# Action items", "action_items:");
    for (let item = 1; item <= 1 + chance.below(3); item++) {
      lines.push(`  - epic: ${item}`, `    action: "Do thing ${item}"`, "    owner: Ann", "    status: open");
    }
  }
  const text = `${lines.join("\n")}\n`;
  const isCut = chance.below(8) === 0;
  const cut = isCut ? text.trimEnd() : text;
  return chance.below(8) === 0 ? cut.replaceAll("\n", "\r\n") : cut;
}

function editSprint(chance: Chance, draft: Draft, name: string, turn: number): void {
  const end = draft.text.includes("\r\n") ? "\r\n" : "\n";
  const { rows, items } = readSprintFile(draft.text);
  const change = (edit: (ledger: ReturnType<typeof openLedger>) => void) => {
    const ledger = openLedger("sprint-status.yaml", draft.text);
    edit(ledger);
    draft.text = ledger.toText();
  };
  switch (chance.below(6)) {
    case 0:
    case 1: {
      const row = chance.pick(rows.filter(({ known }) => known?.kind !== "epic"));
      if (row === undefined) return;
      const words = SPRINT_STATUSES[row.known!.kind];
      const further = words.slice(words.indexOf(row.word) + 1);
      if (further.length === 0) return;
      const now = START + chance.below(100) * DAY;
      draft.text = runAtOnce(
        markSprint("sprint-status.yaml", draft.text, { name: row.key, status: chance.pick(further), now }),
      ).text;
      // The last mark counts in the file, whenever it was.
      draft.time = now;
      return;
    }
    case 2: {
      const comment = `# ${name} says ${turn} ${chance.below(1_000)}`;
      const lines = draft.text.split(end);
      const places = lines.flatMap((line, at) => /^ {2}[\w-]/.test(line) || line === "" ? [at] : []);
      const at = chance.pick(places.length === 0 ? [0] : places);
      draft.text = lines.toSpliced(at, 0, `${lines[at]!.startsWith(" ") ? "  " : ""}${comment}`).join(end);
      draft.comments.push(comment);
      return;
    }
    case 3: {
      const epic = 1 + chance.below(5);
      const both = chance.below(3) === 0;
      return change((ledger) => {
        const key = `${epic}-${10 + chance.below(5)}-${both ? "both" : name}`;
        if (!rows.some((row) => row.key === key)) {
          ledger.setIn(SECTION, key, chance.pick(["backlog", "ready-for-dev"]));
        }
      });
    }
    case 4: {
      const both = chance.below(3) === 0;
      const action = both ? "A thing for both" : `A thing of ${name} ${turn} ${chance.below(1_000)}`;
      if (items.some(({ fields }) => fields?.["action"] === action)) return;
      return change((ledger) =>
        ledger.addItems("action_items", [[["epic", 1], ["action", { quoted: action }], ["status", "open"]]])
      );
    }
    default: {
      if (items.length === 0) return;
      const at = chance.below(items.length);
      const further = ITEM.slice(ITEM.indexOf(items[at]!.status ?? "done") + 1);
      if (further.length === 0) return;
      change((ledger) => ledger.setItems("action_items", "status", new Map([[at, chance.pick(further)]])));
    }
  }
}

function deferredPair(chance: Chance): number {
  const entries = ["Fix the race", "Rename the table", "Measure the start", "Drop the old page"];
  const lines = ["# Deferred work", ""];
  for (const entry of entries.slice(0, chance.below(5))) {
    lines.push(chance.below(2) === 0 ? `- [ ] ${entry}` : `- ${entry}`);
    if (chance.below(3) === 0) lines.push(`  because of ${entry.toLowerCase()}`);
  }
  const base = `${lines.join("\n")}${chance.below(8) === 0 ? "" : "\n"}`;
  const added: string[] = [];
  const ticked = new Set<string>();
  const sides = ["ann", "bob"].map((name) => {
    let text = base;
    for (let left = 1 + chance.below(4); left > 0; left--) {
      const number = chance.below(1_000);
      const glue = text.endsWith("\n") ? "" : "\n";
      const kind = chance.below(4);
      if (kind === 0) {
        const entry = `Look at ${name} ${left} ${number}`;
        added.push(entry);
        const head = `## Deferred from: code review of ${chance.pick(["1-1", `2-${number}`])}`;
        text += text.includes(head) ? `${glue}- ${entry}\n` : `${glue}\n${head}\n\n- ${entry}\n`;
      } else if (kind === 1) {
        const summary = `Summary of ${name} ${left} ${number}`;
        added.push(summary);
        text += `${glue}- source_spec: \`spec-${number}.md\`\n  summary: ${summary}\n  evidence: it: broke\n`;
      } else if (kind === 2) {
        if (!text.includes("- Shared by both")) text += `${glue}\n## Shared\n\n- Shared by both\n`;
        added.push("Shared by both");
      } else {
        const open = [...text.matchAll(/^- \[ \] (.+)$/gm)].map(([, entry]) => entry!);
        if (open.length === 0) continue;
        const entry = chance.pick(open);
        ticked.add(entry);
        text = text.replace(`- [ ] ${entry}`, `- [x] ${entry}`);
      }
    }
    return text;
  });
  const { text, conflicts } = mergeBothWays("deferred-work.md", base, sides[0]!, sides[1]!);
  const told = `\n--- base\n${base}\n--- ours\n${sides[0]}\n--- theirs\n${sides[1]}\n--- merged\n${text}`;
  assert.equal(conflicts, 0, told);
  for (const entry of added) {
    assert.equal(text.split("\n").filter((line) => line.endsWith(entry)).length, 1, `${entry}${told}`);
  }
  for (const entry of ticked) assert.ok(text.includes(`- [x] ${entry}`), `${entry}${told}`);
  for (const line of base.split("\n")) {
    assert.ok(text.includes(line.replace("- [ ] ", "")) || text.includes(line), `${line}${told}`);
  }
  return 1;
}

/** One side goes on while the other goes back, or both write words that nobody knows. */
function contradictingPair(chance: Chance): number {
  const base = sprintText(chance).replaceAll("\r\n", "\n");
  const stories = readSprintFile(base).rows.filter(({ known, word }) =>
    known?.kind === "story" && word !== "backlog" && word !== "done"
  );
  if (stories.length === 0) return 0;
  const { key, word } = chance.pick(stories);
  const at = STORY.indexOf(word);
  const [one, other] = chance.below(3) === 0
    ? ["parked", "waiting-for-ann"]
    : [chance.pick(STORY.slice(0, at)), chance.pick(STORY.slice(at + 1))];
  const write = (status: string) =>
    base.replace(new RegExp(`^(  ${key}: )("?)[a-z-]+("?)`, "m"), `$1$2${status}$3`);
  const [ours, theirs] = [write(one), write(other)];
  const { text, conflicts } = mergeBothWays("sprint-status.yaml", base, ours, theirs);
  assert.equal(conflicts, 1, text);
  const [, inside] = /^<{7} ours\n([^]*?)^>{7} theirs\n?/m.exec(text)!;
  assert.equal(inside!.split("\n").length, 4, text);
  assert.ok(inside!.includes(one) && inside!.includes(other), text);
  return 1;
}

const NOISE: readonly string[] = [
  "  1-9-new: backlog",
  "  1-1-login: done",
  "  # noise",
  "",
  "---",
  "\ttab",
  "- [ ] noise",
  "## Noise",
  "### Noise",
  "```",
  "noise: yes",
  "    noise: deep",
  "- epic: 3\n  action: noise",
  "  - epic: 3\n    action: noise",
  "  status: done",
  "noise",
];

const OTHER_WORDS: Readonly<Record<string, string>> = {
  "review": "done",
  "backlog": "review",
  "open": "done",
  "[ ]": "[x]",
  "race": "races",
};

function withNoise(chance: Chance, text: string): string {
  const lines = text.split("\n");
  for (let left = 1 + chance.below(4); left > 0; left--) {
    const at = chance.below(lines.length);
    const line = lines[at]!;
    const change: readonly (() => void)[] = [
      () => lines.splice(at, 1),
      () => lines.splice(at, 0, ...chance.pick(NOISE).split("\n")),
      () => lines.splice(chance.below(lines.length), 0, ...lines.splice(at, 1)),
      () => lines[at] = line.replace(/review|backlog|open|\[ \]|race/, (word) => OTHER_WORDS[word]!),
      () => lines[at] = `${line} # noise`,
    ];
    chance.pick(change)();
  }
  return lines.join("\n");
}

/**
 * Merges a comment at the top of a text with noise of the other side, and noise with noise. Returns how many of the
 * former had no conflict: the result is the noise with the comment, which follows what it stands above.
 */
export async function mergeNoise(base: string, path: string, count: number, seed: number): Promise<number> {
  const known = new Set(base.split("\n"));
  let clean = 0;
  await inRounds(count, seed, (chance) => {
    const [ours, theirs] = [withNoise(chance, base), withNoise(chance, base)];
    const comment = "# a comment of ours";
    const one = mergeBothWays(path, base, `${comment}\n${base}`, theirs);
    const rest = one.text.split("\n").filter((line) => line !== comment).join("\n");
    if (one.conflicts === 0) assert.equal(rest, theirs);
    clean += Number(one.conflicts === 0);
    const both = mergeBothWays(path, base, ours, theirs);
    const added = `${ours}\n${theirs}`.split("\n").filter((line) =>
      line.includes("noise") && !known.has(line)
    );
    // A comment behind a status may stand behind another one.
    for (const line of added) {
      assert.ok(
        both.text.includes(line.trim()) || line.endsWith("# noise") && both.text.includes("# noise"),
        line,
      );
    }
  });
  return clean;
}
