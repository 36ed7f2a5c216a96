/**
 * Calls that a native script and BMAD's own must answer alike: one row for each script, with generated input.
 *
 * `parity_test.ts` compares the releases of each row, `deno task verify-scripts` any release or installation.
 * `git_evidence.py` is missing because it needs a repository, and the scripts after 6.12 because no package has them.
 */
import { diskTree, walkFiles } from "../../src/content/tree/mod.ts";
import { SCRIPTS } from "../../src/project/scripts/mod.ts";
import { type Chance, chanceFrom } from "../support/chance.ts";
import { findDifferences, type Outcome, type ScriptCase, skillAt } from "./scripts.ts";
import { normalizeSprint, planCases, retroCases } from "./sprint_cases.ts";
import type { TreeFile } from "./trees.ts";

/** Characters that stand between the pieces of a text now and then. */
const ODD = [
  ..."\u00a0\u3000\u00ad\t\r",
  ...["\r\n", "é", "e\u0301", "ß", "😀", "語", "ﬁ", "'", '"', "\\", "<b>&"],
];

/** Joins random pieces; every tenth is an odd character. */
function textOf(chance: Chance, pieces: readonly string[], count: number): string {
  const length = chance.below(count);
  return Array.from(
    { length },
    () => chance.below(10) === 0 ? chance.pick(ODD) : chance.pick(pieces),
  ).join("");
}

/** A table with this header: rows of any length, empty lines, and quotes where a cell needs them and elsewhere. */
function tableOf(chance: Chance, header: string, cells: readonly string[], count: number): string {
  const end = chance.pick(["\n", "\n", "\r\n"]);
  const cell = (text: string) =>
    /[",\n]/.test(text) || text !== "" && chance.below(6) === 0 ? `"${text.replaceAll('"', '""')}"` : text;
  const row = () => Array.from({ length: 1 + chance.below(6) }, () => cell(chance.pick(cells))).join();
  const rows = Array.from({ length: chance.below(count) }, () => chance.below(8) === 0 ? "" : row());
  return [header, ...rows].map((line) => `${line}${end}`).join("");
}

/** A text that may be cut into bytes that are not UTF-8. */
function bytesOf(chance: Chance, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (chance.below(8) !== 0) return bytes;
  const wrong = chance.pick([[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xf4, 0x90], [
    0xc0,
  ]]);
  const at = chance.below(bytes.length + 1);
  return new Uint8Array([...bytes.slice(0, at), ...wrong, ...bytes.slice(at)]);
}

interface Row {
  readonly versions?: readonly string[];
  /** `installed` are the scripts of the release where an installation has them. */
  cases(chance: Chance, installed: Readonly<Record<string, string>>): readonly ScriptCase[];
  /** Calls for an older release, whose script fails on some of the others. */
  readonly older?: Readonly<Record<string, Row["cases"]>>;
  /** Drops what both say in words of their own. */
  readonly normalize?: (outcome: Outcome, before: ScriptCase) => Outcome;
}

const times = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make);

const calls = (files: Readonly<Record<string, TreeFile>>, lines: readonly (readonly string[])[]) =>
  lines.map((args): ScriptCase => ({ files, args }));

const pieces = (text: string) => text.split("¦");

/** The words of calls; `␣` is a space in a word. */
const words = (...lines: readonly string[]) =>
  lines.flatMap(pieces).map((line) =>
    line.split(" ").filter((word) => word !== "").map((word) => word.replaceAll("␣", " "))
  );

const LOG = "out/.memlog.md";
const LOGS = [
  "---\ntopic: a: b\nupdated: then\n---\n\n- one\n",
  "---\r\na: b\r\n---\r\n- x\r\n",
  "---\n---\n",
  "---\na: b\n--- \n---\nbody\n\n\n- y\n",
  "\n---\n",
];
/** Line ends in types, names and keys are left out: BMAD's own script writes them, and reads several lines back. */
const LOG_CALLS: readonly (readonly string[])[] = [
  ...words(
    `init --path ${LOG} --field topic=a:␣b --field ␣goal␣=␣x=y␣`,
    `init --path ${LOG}`,
    "init --workspace ./out//two/../new --field a=b",
    "append --path out/./.memlog.md --text x",
    "init --workspace out/two --field none",
    `init --workspace out/three --path ${LOG}`,
    "append --text x",
    "append --path out/none.md --text x",
    `set --path ${LOG} --key updated --value never`,
    "list",
    "",
  ),
  ["set", "--path", LOG, "--key", "topic", "--value", "two\nlines"],
  ["set", "--path", LOG, "--key", "with: colon", "--value", ""],
  ["append", "--path", LOG, "--text", "\u2028 spaced\u00a0out \u3000 ", "--by", "coach"],
  ["append", "--path", LOG, "--text", "\ufeff next\u0085line\u200b \u1680\u205f"],
  ["append", "--path", LOG, "--text", ""],
  ...words(
    "--text ---¦--text one␣word --type=note¦¦--text -5¦--text --x¦" +
      "--text -␣a␣dash␣and␣words¦--text é␣😀 --type idée¦--text x --type ␣spaced␣¦" +
      "--text x --type ␣ --by ␣coach␣¦--text x extra words¦--text x --unknown y",
  ).map((more) => ["append", "--path", LOG, ...more]),
];

const SPINE = "w/ARCHITECTURE-SPINE.md";
const SPINE_PIECES = pieces(
  "## AD-¦### AD-¦##AD-¦1¦2¦3¦10¦ Title¦\n¦\n¦\n¦\n¦---\n¦---¦ ¦Binds¦PREVENTS¦rule:¦# H\n¦TBD¦" +
    "TODO¦FIXME¦XXX¦x¦_¦Similar to AD-¦{token}¦{a b/c.d-e}¦{A}¦{¦}¦```¦```\n¦## Stack¦\n## Stack\n¦" +
    "\n| Name | Version |\n¦|¦ | ¦|---|:--|\n¦| Deno | |\n¦| version | NAME | x |\n¦| {n} | |\n¦\n|¦" +
    "|\n",
);

const METRIC_PIECES = pieces(
  "# ¦## Title¦####### ¦#\t¦(preamble)¦word ¦a-b ¦語¦カナ¦한글¦\n¦\n¦\n¦```¦````¦~~~¦   ```¦    ```¦" +
    "``` js¦~~~~¦  ",
);

const RESEARCH_PIECES = pieces(
  "[1]¦[2]¦[03]¦[4](x)¦| [1] | a | b |\n¦| 2 | ¦|¦ | ¦\n¦\n¦\n¦```¦\n```\n¦" +
    "[A](https://example.org/x)¦[](http://h)¦[B](javascript:x)¦[C](https://[::1]/)¦" +
    "https://ex.org/?a=b¦http:// ¦(¦)¦[¦]¦word ¦[E](HTTPS://user@h:1/#f)¦[F](//h)¦[G](http:h)",
);
const ENTRY_PIECES = pieces(
  "- ¦- (claim) ¦- (claim by a b) ¦(note)¦- (idée-1) ¦status=¦verified ¦ref=[1] ¦ref=2 ¦\n¦\n¦\n¦" +
    "---¦---\n¦x ¦status=open-1 ¦- (claim)status=a¦- () ¦-",
);
const DATES = ["2026-01-31", "2026-1-3", "2026-02", "2026", "2024-02-29", "2026-13", " 2025-06 "];
const VALUES = ["1", "12", "0.5", "true", "null", '"3"', '"\\u00e9 & so on"', "[]", '["a", "b"]', '{"b": 1}'];

function claims(chance: Chance): string {
  const claim = () => {
    const keys = ['"class"', '"pub_date"', '"claim"', '"stale"'].filter(() => chance.below(3) > 0);
    const value = (key: string) => {
      const isUsual = chance.below(6) > 0;
      if (key === '"class"' && isUsual) return chance.pick(['"price"', '"SIZE"', '"other"', '"é"']);
      return key === '"pub_date"' && isUsual ? `"${chance.pick(DATES)}"` : chance.pick(VALUES);
    };
    const date = chance.below(8) > 0 ? [`"pub_date": "${chance.pick(DATES.slice(0, 5))}"`] : [];
    return `{${[...keys.map((key) => `${key}: ${value(key)}`), ...date].join(", ")}}`;
  };
  const list = `[${times(chance.below(4), claim).join(",\n")}]`;
  const odd = ["", "[", "{}", '"x"', "3", "[1]", "[] x", "[1,]"];
  return chance.below(6) === 0 ? chance.pick(odd) : chance.below(4) === 0 ? `{"claims": ${list}}` : list;
}

function researchCase(chance: Chance): ScriptCase {
  const file = (text: string) => ({ "in put.md": text });
  const command = chance.pick(["citations", "tally", "staleness", "staleness", "slug", "escape-sources"]);
  if (command === "slug") {
    const topic = textOf(chance, ["A", "b c", "-", "--", "É", "{date}", "long words here ", "½"], 12);
    const pattern = chance.pick([[], ["--pattern", "{date}/{topic_slug}/{research_type}{research_type}"]]);
    return {
      files: {},
      args: [command, "--type", "t{topic_slug}", "--date", "2026-01-02", ...pattern, "--", topic],
    };
  }
  if (command === "staleness") {
    const windows = chance.pick([
      ...[
        '{"price": 3, "size": 18}',
        '{"Price": 3.9, "É": "12", "none": -5}',
        '{"price": 1, "size": 0}',
        "x",
      ],
    ]);
    const today = chance.pick(["2026-06-30", chance.pick(DATES)]);
    return {
      files: file(claims(chance)),
      args: [command, "in put.md", "--windows", windows, "--today", today],
    };
  }
  const text = textOf(chance, command === "tally" ? ENTRY_PIECES : RESEARCH_PIECES, 30);
  const front = chance.below(3) === 0 ? "---\na: b\n---\n" : "";
  if (chance.below(10) === 0) return { files: {}, args: [command, "-"], stdin: front + text };
  return { files: file(front + text), args: [command, "in put.md"] };
}

const METHOD_HEADERS = [
  "num,category,method_name,description,output_pattern",
  "method_name,num,category",
  "num,num,category",
  "category,extra,method_name",
];
const METHOD_CELLS = pieces(
  '1¦2¦10¦¦a, b¦two\nlines¦Say "why"¦risk¦Core¦core¦Red Team¦red team¦ x ¦→¦é¦語¦😀¦\u00a0x',
);
const METHOD_NAMES = ["risk", "core", "Red Team", "1", "2", "x", "", " red team "];
const METHOD_ITEMS = [
  '{"method_name": "Red Team", "category": "new"}',
  '{"method_name": "Own", "num": 7, "description": " Ask "}',
  "{}",
  "3",
];
const TECHNIQUE_HEADERS = ["category,technique_name,description,detail", "technique_name,detail,category"];
const TECHNIQUE_CELLS = pieces(
  '¦a, b¦Ask "why"¦deep¦Wild¦wild¦Five Whys¦five whys¦ x ¦é¦語¦d.md¦sub/d.md¦none.md',
);
const TECHNIQUE_NAMES = ["deep", "wild", "Five Whys", "x", "", " FIVE whys ", "a, b"];
const TECHNIQUE_ITEMS = [
  '{"technique_name": "Five Whys", "category": "new", "detail": "d.md"}',
  '{"technique_name": "x", "description": 5}',
  "{}",
  "3",
];

/** A call of one of the scripts that have a catalogue, whose random answers come in any order. */
function catalogueCall(
  chance: Chance,
  names: readonly string[],
  { files, extra, excludes = false }: Pick<ScriptCase, "files"> & {
    readonly extra: readonly string[];
    readonly excludes?: boolean;
  },
): ScriptCase {
  const some = (option: string) => chance.below(2) === 0 ? [] : [option, chance.pick(names)];
  const command = chance.pick([
    ["categories"],
    ["list", "--all"],
    ["list", ...some("--category"), ...some("--category")],
    ["show", chance.pick(names), chance.pick(names)],
    ["random", "-n", "99", ...some("--category"), ...excludes ? some("--exclude") : []],
  ]);
  const isRandom = command[0] === "random";
  const json = !isRandom && chance.below(3) === 0 ? ["--json"] : [];
  return {
    files,
    args: ["--file", "c/m.csv", ...extra, ...json, ...command],
    ...isRandom && { isUnordered: true },
  };
}

function methodCase(chance: Chance): ScriptCase {
  const text = tableOf(chance, chance.pick(METHOD_HEADERS), METHOD_CELLS, 12);
  const files = { "c/m.csv": bytesOf(chance, chance.below(6) === 0 ? `\ufeff${text}` : text) };
  const items = `[${times(chance.below(4), () => chance.pick(METHOD_ITEMS)).join()}]`;
  const extra = chance.pick(["", "", items, items, "{}", "[1", " [ ]", "c/m.csv"]);
  return catalogueCall(chance, METHOD_NAMES, {
    files,
    extra: extra === "" ? [] : ["--extra", extra],
    excludes: true,
  });
}

function techniqueCase(chance: Chance): ScriptCase {
  const items = `[${times(chance.below(4), () => chance.pick(TECHNIQUE_ITEMS)).join()}]`;
  const files = {
    "c/m.csv": bytesOf(chance, tableOf(chance, chance.pick(TECHNIQUE_HEADERS), TECHNIQUE_CELLS, 12)),
    "c/d.md": "\n text \r\n",
    "c/sub/d.md": chance.pick(["", " \u00a0x "]),
    "e.json": bytesOf(chance, chance.below(4) === 0 ? chance.pick(["", "{}", "[1", "\ufeff[]"]) : items),
  };
  return catalogueCall(chance, TECHNIQUE_NAMES, { files, extra: chance.pick([[], ["--extra", "e.json"]]) });
}

function olderTechniqueCase(chance: Chance): ScriptCase {
  const rows = ["deep,Five Whys,Ask,\n", "wild,Chaos,Break it,\n", "deep,x,y,\n"].slice(chance.below(3));
  const extra = chance.pick([
    '[{"technique_name": "five whys", "category": "new"}]',
    '[{"technique_name": "x", "category": "own", "description": "z"}, {}]',
  ]);
  const options = chance.pick([[], ["--extra", "e.json"], ["--extra", "e.json", "--json"]]);
  const [command] = words(
    chance.pick(["categories", "list --all", "list --category DEEP", "show five␣whys x"]),
  );
  return {
    files: { "m.csv": `category,technique_name,description,detail\n${rows.join("")}`, "e.json": extra },
    args: ["--file", "m.csv", ...options, ...command!],
  };
}

const CUSTOM_TABLES = pieces(
  "[agent]\n¦[workflow]\nname = 'x'\n¦agent = 1\n¦[[workflow]]\n¦x = 1\n¦[a¦\ufeff[agent]\n",
);
const HEAD_PIECES = pieces(
  "---¦---\n¦---\n¦\n¦\n¦description: ¦description:¦'Some text'¦\"¦'¦name: x\n¦  ¦---  \n¦text",
);

function customizableCase(chance: Chance): ScriptCase {
  const files: Record<string, TreeFile> = { "skills/": "", "_bmad/custom/b.user.toml": "" };
  for (const name of ["a", "b", "C", "é", "a-b"]) {
    const root = chance.pick(["skills", "more", "more/deep"]);
    const tables = chance.pick(CUSTOM_TABLES) + chance.pick(CUSTOM_TABLES);
    if (chance.below(4) > 0) files[`${root}/${name}/customize.toml`] = tables;
    const head = chance.pick(["", "---\n", "---\n\n"]) + textOf(chance, HEAD_PIECES, 16);
    if (chance.below(4) > 0) files[`${root}/${name}/SKILL.md`] = bytesOf(chance, head);
  }
  const [extra] = words(
    chance.pick(["", "--extra-root more", "--extra-root more --extra-root ./more/deep/"]),
  );
  return { files, args: ["--project-root", ".", "--skills-root", "skills", ...extra!] };
}

const CONFIGS = [
  '[core]\na = 1\nb = "x"\n',
  '[core]\na = 2\n[modules.bmm]\nlist = ["é", "b"]\n',
  '[[core.items]]\ncode = "one"\nx = 1\n[[core.items]]\ncode = "two"\n',
  '[[core.items]]\ncode = "two"\ny = 2\n[[core.items]]\ncode = "three"\n',
  "[[core.items]]\ncode = 1\nx = 1\n",
  "[[core.items]]\nid = 1\nx = 2\n",
  '[[core.items]]\nid = ""\n',
  "[core\n",
  "",
];
const AGENTS = '[agents.bmad-agent-pm]\nname = "John"\nicon = "📋"\ntitle = "PM"\nmodule = "bmm"\n' +
  '[agents.zoe]\nname = "Zoé"\ndescription = "Sees"\n';
const PARTIES = [
  '[[workflow.party_members]]\ncode = "pm"\nname = "Joan"\npersona = "Calm"\n',
  '[[workflow.party_members]]\ncode = "ray"\n[[workflow.party_members]]\ncode = "kim"\nname = "John"\nmodel = "x"\n',
  '[workflow]\ndefault_party = "camp"\nparty_mode = "auto"\n[[workflow.party_groups]]\nid = "camp"\n' +
  'members = ["pm", "John", "zoe", "nobody"]\nscene = "Fire"\nmemory = true\n',
  '[workflow]\nparty_memory = false\n[[workflow.party_groups]]\nid = "open"\nname = "Open"\n',
  '[workflow]\ndefault_party = "none"\n',
  "[workflow\n",
  "",
];

function customizedProject(chance: Chance): Record<string, TreeFile> {
  const layers = (paths: readonly string[], texts: readonly string[]) =>
    Object.fromEntries(
      paths.filter(() => chance.below(3) > 0).map((path) => [`_bmad/${path}`, chance.pick(texts)]),
    );
  return {
    "_bmad/_config/manifest.yaml": "",
    "_bmad/config.toml": chance.pick(CONFIGS.slice(0, 5)) + AGENTS,
    ".claude/skills/bmad-party-mode/customize.toml": chance.pick(PARTIES.slice(0, 5)),
    ".claude/skills/bmad-forge-idea/customize.toml": "",
    "sub/.claude/skills/go/customize.toml": chance.pick(CONFIGS),
    ...chance.pick<Record<string, string>>([{}, { "sub/_bmad/": "" }, { "sub/.git": "" }, {
      "sub/_bmad": "a file",
    }]),
    ...layers(
      ["config.user.toml", "custom/config.toml", "custom/config.user.toml", "custom/go.toml"],
      CONFIGS,
    ),
    ...layers(["custom/bmad-party-mode.toml", "custom/bmad-party-mode.user.toml"], PARTIES),
  };
}

/** Calls of a resolver in some projects; those of the last two scripts start two more processes each. */
const resolver = (projects: number, versions: readonly string[], ...lines: readonly string[]): Row => ({
  versions,
  cases: (chance, installed) =>
    times(projects, () => calls({ ...installed, ...customizedProject(chance) }, words(...lines))).flat(),
});

const PARTY = "--project-root . --skill .claude/skills/bmad-party-mode";

const ROWS: Readonly<Record<string, Row>> = {
  "memlog.py": {
    cases: () => [{}, ...LOGS.map((log) => ({ [LOG]: log }))].flatMap((files) => calls(files, LOG_CALLS)),
  },
  "lint_spine.py": {
    cases: (chance) => [
      ...times(400, () => {
        const start = chance.below(3) === 0 ? "---\nscope: {scope}\n---\n" : "";
        const files = { [SPINE]: `${start}${textOf(chance, SPINE_PIECES, 60)}` };
        return { files, args: ["--workspace", "w"] };
      }),
      ...calls(
        { [SPINE]: "\ufeff## AD-1\0\r\n" },
        words(
          "¦--workspace none¦--workspace w//.¦--workspace w -o w/o.json¦--workspace w x¦" +
            "--workspace=w --output no/o.json¦--workspace é'\\",
        ),
      ),
    ],
  },
  "word_metrics.py": {
    cases: (chance) => [
      ...times(200, () => ({
        files: { "doc.md": bytesOf(chance, textOf(chance, METRIC_PIECES, 40)) },
        args: ["doc.md"],
      })),
      ...calls(
        { "a/b.md": "x\0y\r\nz" },
        words(
          "¦a//./b.md¦none.md¦a¦a/b.md -o o.json¦a/b.md --output=a/o.json¦a/b.md -ono/o¦a/b.md x¦" + "-o",
        ),
      ),
    ],
  },
  "recon_kit.py": {
    cases: (chance) => [
      ...times(700, () => researchCase(chance)),
      ...calls(
        { "a.md": "x\0[1]" },
        words("", "citations", "tally none.md", "x", "staleness a.md", "slug --type x"),
      ),
    ],
  },
  "pick_methods.py": {
    cases: (chance) => [
      ...times(500, () => methodCase(chance)),
      ...calls(
        {},
        words(
          "categories¦--json list --all¦show 1 2¦random -n x¦list¦show¦" +
            "--file none.csv categories¦--extra none categories¦random --spread -n 0",
        ),
      ),
    ],
  },
  "brain.py": {
    versions: ["6.10.0", "6.11.0", "6.12.0"],
    older: { "6.10.0": (chance) => times(60, () => olderTechniqueCase(chance)) },
    cases: (chance) => [
      ...times(200, () => techniqueCase(chance)),
      ...calls(
        {},
        words(
          "categories¦--json list --all¦show Five␣Whys¦html¦list¦¦--file none.csv categories¦" +
            "--extra none categories¦random -n 0",
        ),
      ),
    ],
  },
  "list_customizable_skills.py": {
    cases: (chance) => [
      ...times(80, () => customizableCase(chance)),
      ...calls(
        { f: "" },
        words("", "--project-root none", "--project-root f", "--project-root . --skills-root f"),
      ),
    ],
  },
  "resolve_config.py": resolver(
    12,
    ["6.5.0", "6.10.0", "6.11.0", "6.12.0"],
    "-p .",
    "--project-root . --key core.items -k none",
  ),
  "resolve_customization.py": resolver(
    12,
    ["6.5.0", "6.8.0", "6.10.0", "6.11.0", "6.12.0"],
    "-s sub/.claude/skills/go",
    "--skill .claude/skills/bmad-party-mode --key workflow",
    "--skill sub/.claude/skills/none",
  ),
  "resolve_party.py": resolver(
    2,
    ["6.10.0", "6.11.0", "6.12.0"],
    ...["", "--list-groups", "--party camp", "--party open"].map((more) => `${PARTY} ${more}`),
  ),
  "resolve_personas.py": resolver(
    4,
    ["6.10.0", "6.11.0", "6.12.0"],
    "--project-root . --skill .claude/skills/bmad-forge-idea",
  ),
  "sprint_plan.py": { versions: [], cases: () => planCases(150, 2), normalize: normalizeSprint },
  "sprint_status.py": { versions: [], cases: () => retroCases(150, 2), normalize: normalizeSprint },
};

/** Any number serves: with a fixed one, everybody sees the same calls. */
const SEED = 4;

export function originalsIn(folder: string) {
  return scriptFiles(folder).flatMap(({ name, path }) =>
    Object.hasOwn(ROWS, name) ? [{ name, file: `${folder}/${path}`, row: ROWS[name]! }] : []
  );
}

export const PARITY: readonly { readonly name: string; readonly version: string }[] = Object.entries(ROWS)
  .flatMap(([name, { versions = ["6.12.0"] }]) => versions.map((version) => ({ name, version })));

export async function compareOriginal(
  folder: string,
  { name, file, row: { cases, older, normalize } }: ReturnType<typeof originalsIn>[number],
  { python, version = "" }: { readonly python?: string; readonly version?: string } = {},
) {
  const script = SCRIPTS.find((one) => one.name === name)!;
  const skill = file.slice(0, file.lastIndexOf("/scripts/"));
  const helpers = scriptFiles(folder).filter(({ name }) => /^(?:resolve_\w+|config_utils)\.py$/.test(name));
  const installed = Object.fromEntries(
    helpers.map(({ path, place }) => [place, Deno.readTextFileSync(`${folder}/${path}`)]),
  );
  return await findDifferences(script, file, (older?.[version] ?? cases)(chanceFrom(SEED), installed), {
    ...normalize && { normalize },
    ...python !== undefined && { python },
    world: /\/(?:src|_bmad)$/.test(skill) ? {} : { skill: skillAt(skill) },
  });
}

function scriptFiles(folder: string) {
  return [...walkFiles(diskTree(folder), "", (path) => path.endsWith("/node_modules"))].flatMap((path) => {
    const [, skill, name] = /(?:^|\/)([^/]+)\/scripts\/([^/]+\.py)$/.exec(path) ?? [];
    if (skill === undefined || name === undefined) return [];
    const isShared = skill === "src" || skill === "_bmad";
    return [{
      name,
      path,
      place: isShared ? `_bmad/scripts/${name}` : `.claude/skills/${skill}/scripts/${name}`,
    }];
  });
}
