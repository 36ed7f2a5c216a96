/** Does a change of a ledger leave every other byte as it is? */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { type Ledger, openLedger } from "../../../../src/project/work/ledger/mod.ts";
import { type Chance, chanceFrom } from "../../../support/chance.ts";

const LEDGER = `# head
generated: 01-01-2026 09:00  # never changes
project: "My: project"

development_status: # the plan
  # first
  epic-1: in-progress
  1-1-login: 'done' # merged
    # odd indentation
  1-2-logout: backlog
  '1-3-aligned':   'backlog'

  epic-2: backlog
# at the margin
note: |
  development_status:
    epic-1: a text
tags: [a, {b: c}]
action_items:
  - epic: 1
    action: "Say # and : properly"   # keep
    status: "open"
  # between
  - id: x
    status: open
`;

function changed(text: string, change: (ledger: Ledger) => void): string {
  const ledger = openLedger("sprint-status.yaml", text);
  change(ledger);
  return ledger.toText();
}

function difference(before: string, after: string): readonly [readonly string[], readonly string[]] {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  let [start, end] = [0, 0];
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [old.slice(start, old.length - end), now.slice(start, now.length - end)];
}

const CHANGES: Readonly<Record<string, [(ledger: Ledger) => void, readonly string[], readonly string[]]>> = {
  "a key": [(it) => it.set("generated", "x: y"), ["generated: 01-01-2026 09:00  # never changes"], [
    "generated: 'x: y'  # never changes",
  ]],
  "a quoted key": [(it) => it.set("project", 'a "b"'), ['project: "My: project"'], [
    'project: "a \\"b\\""',
  ]],
  "a missing key": [(it) => it.set("last_updated", "2026-01-01"), [], ["last_updated: '2026-01-01'"]],
  "an entry with quotes and a comment": [(it) => it.setIn("development_status", "1-1-login", "review"), [
    "  1-1-login: 'done' # merged",
  ], ["  1-1-login: 'review' # merged"]],
  "an entry with blanks before its value": [
    (it) => it.setIn("development_status", "1-3-aligned", "review"),
    ["  '1-3-aligned':   'backlog'"],
    ["  '1-3-aligned':   'review'"],
  ],
  "a new entry": [(it) => it.setIn("development_status", "2-1-chat", "backlog"), [], [
    "  2-1-chat: backlog",
  ]],
  "an item": [(it) => it.setItems("action_items", "status", new Map([[0, "done"]])), ['    status: "open"'], [
    '    status: "done"',
  ]],
  "a new key of an item": [(it) => it.setItems("action_items", "owner", new Map([[0, "Amy"]])), [], [
    "    owner: Amy",
  ]],
  "a new item": [
    (it) => it.addItems("action_items", [[["id", { quoted: "y\n" }], ["epic", 2], ["status", "open"]]]),
    [],
    ['  - id: "y\\n"', "    epic: 2", "    status: open"],
  ],
  "what is there already": [(it) => it.setIn("development_status", "epic-2", "backlog"), [], []],
};

Deno.test("one line changes, and no other byte [work:ledger-bytes]", () => {
  for (const [name, [change, old, now]] of Object.entries(CHANGES)) {
    assert.deepEqual(difference(LEDGER, changed(LEDGER, change)), [old, now], name);
    // Line ends, a byte order mark and a missing line end at the end stay as they are.
    const odd = `\uFEFF${LEDGER.trimEnd().replaceAll("\n", "\r\n")}`;
    const after = changed(odd, change);
    assert.equal(after.replaceAll("\r\n", "\n"), `\uFEFF${changed(LEDGER, change).trimEnd()}`, name);
    assert.equal(after.replaceAll("\r\n", "").includes("\n"), false, name);
  }
});

Deno.test("empty sections and lists, and a ledger without lines, are filled", () => {
  const fill = (it: Ledger) => {
    it.setIn("development_status", "epic-1", "backlog");
    it.addItems("action_items", [[["epic", 1]]]);
  };
  const full = "development_status:\n  epic-1: backlog\naction_items:\n  - epic: 1\n";
  assert.equal(changed("", fill), full);
  assert.equal(changed("# x\n", fill), `# x\n${full}`);
  assert.equal(
    changed("development_status: {} # none\naction_items: []\nz: 1\n", fill),
    "development_status: # none\n  epic-1: backlog\naction_items:\n  - epic: 1\nz: 1\n",
  );
  assert.equal(changed("action_items:\ndevelopment_status: ~\n", fill).includes("~"), false);
  assert.equal(
    changed("action_items:\n- epic: 1\n", (it) => it.addItems("action_items", [[["epic", 2], ["id", "b"]]])),
    "action_items:\n- epic: 1\n- epic: 2\n  id: b\n",
  );
});

Deno.test("a section is arranged: lines that stay keep their form and their comments", () => {
  const arranged = changed(LEDGER, (it) =>
    it.arrange("development_status", [
      ["epic-2", "backlog"],
      ["1-1-login", "done"],
      ["1-3-new", "backlog"],
      ["epic-3", "backlog"],
    ], (key) => key.startsWith("epic-")));
  assert.equal(
    arranged.slice(arranged.indexOf("development"), arranged.indexOf("# at the margin")),
    `development_status: # the plan
  # first

  epic-2: backlog
  1-1-login: 'done' # merged
    # odd indentation
  1-3-new: backlog

  epic-3: backlog
`,
  );
  assert.equal(difference(LEDGER, arranged)[0].at(-1), "  epic-2: backlog");
});

Deno.test("a section with very many comments is arranged", () => {
  const text = `development_status:\n  a: b\n${"#\n".repeat(29_000)}  c: d\n`;
  const after = changed(
    text,
    (it) => it.arrange("development_status", [["a", "b"], ["c", "e"]], () => false),
  );
  assert.equal(after, text.replace("c: d", "c: e"));
});

const REFUSED: Readonly<Record<string, string>> = {
  "an anchor": "development_status:\n  epic-1: &a backlog\n",
  "an alias": "x: &a b\ndevelopment_status:\n  epic-1: *a\n",
  "a tag": "development_status:\n  epic-1: !!str backlog\n",
  "a flow map": "development_status: {epic-1: backlog}\n",
  "a flow map over lines": "development_status: {\n  epic-1: backlog\n  }\n",
  "a tab": "development_status:\n  epic-1:\tbacklog\n",
  "an indenting tab": "development_status:\n\tepic-1: backlog\n",
  "a key twice": "development_status:\n  epic-1: backlog\n  epic-1: done\n",
  "a section twice": "development_status:\n  epic-1: a\ndevelopment_status:\n  epic-1: b\n",
  "two documents": "development_status:\n  epic-1: backlog\n---\nx: y\n",
  "a document end": "development_status:\n  epic-1: backlog\n...\n",
  "a directive": "%YAML 1.2\n---\ndevelopment_status:\n  epic-1: backlog\n",
  "a value of several lines": "development_status:\n  epic-1: back\n    log\n",
  "a block": "development_status:\n  epic-1: |\n    backlog\n",
  "a map in a section": "development_status:\n  epic-1:\n    a: b\n",
  "a list": "development_status:\n  - epic-1: backlog\n",
  "a list as a whole": "- a\n",
  "a text": "backlog\n",
  "a complex key": "? development_status\n:\n  epic-1: backlog\n",
  "an escaped key": 'development_status:\n  "epic\\u002d1": backlog\n',
  "a section inside a text": "x: 'a\n\n  development_status:\n    epic-1: backlog'\n y: z\n",
  "no YAML": "development_status: [\n",
  "a carriage return": "a: b\rdevelopment_status:\n  epic-1: backlog\n",
};

Deno.test("several items change at once, whether they have the key or not", () => {
  const texts = new Map([[2, "done"], [0, "done"], [1, "open"]]);
  const text = "action_items:\n- id: a\n# why\n- id: b\n  status: done # now\n- id: c\nlast: x\n";
  assert.equal(
    changed(text, (it) => it.setItems("action_items", "status", texts)),
    "action_items:\n- id: a\n  status: done\n# why\n- id: b\n  status: open # now\n- id: c\n  status: done\nlast: x\n",
  );
});

Deno.test("what cannot be changed by lines is refused", () => {
  for (const [name, text] of Object.entries(REFUSED)) {
    const change = () => changed(text, (it) => it.setIn("development_status", "epic-1", "done"));
    assert.throws(change, { name: "BmadError" }, name);
  }
  const items = ["action_items: [{id: a}]\n", "action_items:\n  - {id: a}\n", "action_items:\n  - a\n"];
  for (const text of items) {
    assert.throws(() => changed(text, (it) => it.setItems("action_items", "id", new Map([[0, "b"]]))), {
      name: "BmadError",
    });
  }
});

const COMMENTS = ["", "", " # why", "   #x: y", " # 'quoted'"];
const KEYS = ["epic-1", "1-1-a", "'1-2-b'", '"1-3-c"', "x y", "a:b", "é", "1-10-z#z"];
const VALUES = [
  "done",
  "'in progress'",
  '"a # b"',
  "",
  "~",
  "'it''s'",
  '"\\u00e9\\n"',
  "http://x/#y",
  "08",
  "é",
];
const OTHERS = [
  "note: |\n  epic-1: no\n\n  # no comment",
  "tags: [a, b]",
  'text: "a\n  b"',
  "# epic-1: x",
  "",
  "n: 1",
];
const TEXTS = [
  "done",
  "a: b",
  "#x",
  "it's",
  '"',
  "",
  "null",
  "1",
  " x ",
  "two\nlines",
  "é😀",
  "- x",
  "2026-01-01",
  "\t",
];

/** A ledger of odd but legal lines. */
function randomLedger({ below, pick }: Chance): string {
  const indent = " ".repeat(1 + below(4));
  const trivia = () => pick(["", "", "", "\n", `${indent}# note\n`, "# margin\n", "       # far\n"]);
  const keys = KEYS.filter(() => below(3) > 0);
  const section = keys.map((key) => `${trivia()}${indent}${key}: ${pick(VALUES)}${pick(COMMENTS)}\n`).join(
    "",
  );
  const dash = pick(["", "  ", "    "]);
  const items = Array.from(
    { length: below(4) },
    (_, at) =>
      `${trivia()}${dash}- id: i${at}${pick(COMMENTS)}\n${dash}  status: ${pick(VALUES)}${pick(COMMENTS)}\n`,
  );
  const others = [...OTHERS].filter(() => below(2) > 0);
  const parts = [
    `development_status:${pick(COMMENTS)}\n${section}`,
    `action_items:\n${items.join("")}`,
    ...others.map((other) => `${other}\n`),
  ].sort(() => below(3) - 1);
  const text = parts.join("");
  const ended = below(4) === 0 ? text.trimEnd() : text;
  return (below(4) === 0 ? "\uFEFF" : "") + (below(4) === 0 ? ended.replaceAll("\n", "\r\n") : ended);
}

type Tree = Record<string, Record<string, unknown> | null> & {
  action_items?: Record<string, unknown>[] | null;
};

Deno.test("random changes of random ledgers change what they mean to [work:ledger-bytes]", () => {
  let done = 0;
  for (let seed = 1; seed <= 2_000; seed++) {
    const chance = chanceFrom(seed);
    const before = randomLedger(chance);
    const value = load(before) as Tree;
    const text = chance.pick(TEXTS);
    const section = value["development_status"];
    const keys = Object.keys(section ?? {});
    const key = chance.below(4) === 0 || keys.length === 0 ? "9-9-new" : chance.pick(keys);
    const items = value.action_items ?? [];
    const kind = chance.below(items.length > 0 ? 3 : 2);
    const after = changed(before, (it) => {
      if (kind === 0) {
        it.setIn("development_status", key, text);
        value["development_status"] = { ...section, [key]: text };
      } else if (kind === 1) {
        it.addItems("action_items", [[["id", { quoted: text }]]]);
        value.action_items = [...items, { id: text }];
      } else {
        const at = chance.below(items.length);
        it.setItems("action_items", "status", new Map([[at, text]]));
        items[at]!["status"] = text;
      }
    });
    assert.deepEqual(load(after), value, `seed ${seed}\n${before}\n---\n${after}`);
    const [old, now] = difference(before, after);
    assert.ok(
      old.length <= now.length && now.length <= 1,
      `seed ${seed}: ${old} → ${now}`,
    );
    const ends = (text: string) => new Set(text.match(/\r?\n/g));
    if (ends(before).size === 1) assert.deepEqual(ends(after), ends(before), `seed ${seed}`);
    assert.equal(after.endsWith("\n"), before.endsWith("\n"), `seed ${seed}`);
    const comment = COMMENTS.find((one) => one !== "" && old[0]?.trimEnd().endsWith(one)) ?? "";
    assert.ok((now[0] ?? "").trimEnd().endsWith(comment), `seed ${seed}: ${old} → ${now}`);
    done += old.length + now.length > 0 ? 1 : 0;
  }
  assert.ok(done > 1_000, String(done));
});
