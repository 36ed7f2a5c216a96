/**
 * Does any text in content take more than linear time to read? Each reader gets 300,000 characters of what it looks
 * for, repeated and never finished. What takes quadratic time needs most of a minute for them.
 */
import assert from "node:assert/strict";
import { labelsIn, linesOf, plainWords, pointsIn, sectionsOf, tablesIn } from "../../src/base/markdown.ts";
import { parseNotes } from "../../src/base/notes.ts";
import { hideCredentials, isUrl } from "../../src/settings/locations/git.ts";
import { hideLogins, oneLine, safeText, shorten } from "../../src/base/text.ts";
import { parseAgentFile, parseAgentSource } from "../../src/content/inventory/agent_file.ts";
import { splitPrinciples } from "../../src/content/inventory/layout.ts";
import {
  mergeHelp,
  parseHelp,
  parseHelpByFile,
  parseSteps,
} from "../../src/content/inventory/help_catalog.ts";
import { readInventory } from "../../src/content/inventory/mod.ts";
import { compileAgentSource } from "../../src/content/library/delivery/compile_agent.ts";
import { scriptsIn } from "../../src/content/library/delivery/script_substitutes.ts";
import {
  findHeading,
  parseCsv,
  parseFrontMatter,
  parseTable,
  parseToml,
  parseYaml,
} from "../../src/content/parse.ts";
import { maskText } from "../../src/content/library/files/secrets.ts";
import { referencesIn } from "../../src/content/library/health/closure.ts";
import { listNext } from "../../src/project/work/next/mod.ts";
import { openStderr } from "../../src/content/repositories/git_program.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { assertEnds, cpuClock } from "../support/cpu.ts";
import { withProject } from "../support/library.ts";
import { withTree } from "../support/trees.ts";

const SIZE = 300_000;
/** Of processor time, ten times what the slowest linear reader takes. */
const LIMIT_MS = 3_000;

type Pump = string | readonly [head: string, part: string];

const READERS: Readonly<
  Record<string, { readonly read: (text: string) => unknown; readonly pumps: readonly Pump[] }>
> = {
  "an agent file": {
    read: parseAgentFile,
    pumps: [
      "<agent",
      "<agent ",
      ["<agent ", "a"],
      ["<agent ", 'a="'],
      ["<agent a=", "-"],
      ["<agent>", "<role>"],
      ["<agent><menu>", "<item"],
      ["<agent><menu>", "<item>"],
      ["<agent><principles>- a", "\n"],
      ["<agent>", "&amp"],
      "```yaml\n",
      ["```yaml\nagent:\n", "- "],
      "# ",
      ["---\n", "name: x\n"],
    ],
  },
  "the menu of an agent file": {
    read: (text) => parseAgentFile(`<agent><menu>${text}</menu>`),
    pumps: ["<item>", ["<item>", "<"], ["<item ", "a"], '<item a="b">x</item>'],
  },
  "the label of a menu item": {
    read: (text) => parseAgentFile(`<agent><menu><item cmd="x">${text}</item></menu></agent>`),
    pumps: ["<", "[ ", ["[", " "], "&lt"],
  },
  principles: {
    read: splitPrinciples,
    pumps: [["- a", "\n"], ["- a", " "], ["- a", "\n "], ["- a", "- "], ["- ", "\n- "]],
  },
  "the source of an agent": {
    read: parseAgentSource,
    pumps: [["agent: ", "{a: "], ["agent:\n  persona:\n    principles: |\n", "      \n"], "- ", "["],
  },
  "a compiled agent": {
    read: (text) =>
      compileAgentSource(`agent:\n  persona:\n    role: ${JSON.stringify(text)}\n`, { id: "a" } as never),
    pumps: ["\n", "\n ", ["- a", " "], "{{#if ", "{"],
  },
  YAML: {
    read: parseYaml,
    pumps: [
      "a: b\n",
      "? ",
      "- ",
      ["a: ", "["],
      ["a: ", "{a: "],
      ['a: "', "\\"],
      ["a: |\n", " \n"],
      "&a ",
      "a: &a b\n",
      ["a: &a [b]\nc: [", "*a,"],
      "#",
      "--- \n",
      "!!a ",
      ["a: ", "' "],
      ["a:\n", "  <<: {a: b}\n"],
    ],
  },
  TOML: {
    read: parseToml,
    pumps: [
      "[a.b]\n",
      ["a = ", "["],
      ["a = ", "{a="],
      "a.",
      ['a = "', "\\"],
      ['a = """', '"'],
      "[[a]]\n",
      ["a = ", "1_"],
      "# ",
    ],
  },
  CSV: {
    read: parseTable,
    pumps: ['"', '"",', '"a,', ",", [",".repeat(SIZE / 2), "\n1,"], '""a', '"\n'],
  },
  "a help catalogue": {
    read: (
      text,
    ) => [parseHelp(text), parseHelpByFile(text), parseSteps(text), mergeHelp([{ module: "a", text }])],
    pumps: [
      ["module,skill\n", "a,anytime\n"],
      ["module,phase,workflow-file\n", "a,anytime,b/c\n"],
      ["module,skill\n", "a,b\n"],
      [",".repeat(SIZE / 2), "\n1,"],
    ],
  },
  "front matter": {
    read: parseFrontMatter,
    pumps: [["---\n", "-"], ["---\n", "name: \n"], ["---\n: {", "\nname: \t"], ["---\n", "---\n"]],
  },
  "a heading": { read: findHeading, pumps: ["# ", ["#", " "], "#"] },
  Markdown: {
    read: (
      text,
    ) => [
      sectionsOf(text),
      tablesIn(linesOf(text)),
      pointsIn(linesOf(text)),
      labelsIn(linesOf(text)),
      parseNotes(text),
    ],
    pumps: [
      "<!--",
      "# ",
      ["#", " "],
      ["# a", " #"],
      "|",
      ["|" + "a|".repeat(SIZE / 4) + "\n", "|a|\n"],
      ["|", "-"],
      "\\|",
      ["- ", " `a`"],
      ["- ", " "],
      ["**", "a"],
      "**a",
      ["-", " "],
      "-",
      "```\n",
      ["- a\n", "  b\n"],
      ["**a**:\n", "b\n"],
    ],
  },
  "references in a text": {
    read: referencesIn,
    pumps: [
      "a/",
      ["a/", "b."],
      "a/b.md ",
      ["a/", "b.md"],
      "{a}/",
      ["](", "a"],
      "](a.md#",
      [
        "skill",
        "\t",
      ],
      ".md",
      "e.g.",
    ],
  },
  "scripts in a text": { read: scriptsIn, pumps: ["scripts/", "a/"] },
  "a setting that may hold a login": {
    read: (text) => [hideCredentials(text), isUrl(text)],
    pumps: ["://", "http:/", "git+a://", ["://", "?"], "@", "a:", [
      "#",
      "://#",
    ]],
  },
  "what git prints": {
    read: (text) => {
      const stderr = openStderr(undefined);
      stderr.push(`${text}\n`);
      return stderr.problem();
    },
    pumps: ["A", ["remote: ", "A "], ". ", "\r"],
  },
  "text to show": {
    read: (text) => [safeText(text), oneLine(text), shorten(text), hideLogins(text), plainWords(text)],
    pumps: ["a", " ", "://", "a://a", "\r", "\x1b[", "é", "e\u0301"],
  },
  "secrets in a text": {
    read: maskText,
    pumps: [
      "a",
      "://",
      "a1",
      "eyJ",
      "token",
      "key=",
      "-----BEGIN PRIVATE KEY-----",
      '"a":"',
      "a:b@",
      "Bearer ",
      "\ta: ",
      "a;",
      "sk-",
    ],
  },
};

for (const [name, { read, pumps }] of Object.entries(READERS)) {
  Deno.test(`${name} is read in linear time [content:bounded]`, () => {
    for (const pump of pumps) {
      const [head, part] = typeof pump === "string" ? ["", pump] : pump;
      const text = head + part.repeat(Math.ceil(SIZE / part.length));
      for (const end of ["", "\0"]) {
        assertEnds(JSON.stringify([head.slice(0, 40), part, end]), LIMIT_MS, () => read(text + end));
      }
    }
  });
}

Deno.test("help rows are ordered in time [content:bounded, content:limits-reported]", () => {
  const row = (action: number) => `bmm,bmad-one,One,ON,About,${action},,1-analysis,bmad-one,,false,,\n`;
  return withProject({
    "_bmad/_config/manifest.yaml":
      "installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\nides:\n  - claude-code\n",
    "_bmad/_config/skill-manifest.csv":
      "canonicalId,name,description,module,path\nbmad-one,bmad-one,One,bmm,_bmad/bmm/bmad-one/SKILL.md\n",
    "_bmad/bmm/module-help.csv":
      "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required," +
      `output-location,outputs\n${Array.from({ length: 5_000 }, (_, at) => row(at)).join("")}`,
    ".claude/skills/bmad-one/SKILL.md": "---\nname: bmad-one\ndescription: One\n---\nDo it.\n",
  }, async (library) => {
    const took = cpuClock();
    const rows = await listNext(library, {});
    assert.ok(took() < 10 * LIMIT_MS, `${took()} ms`);
    assert.ok(rows.length >= 1_000);
    const cut = library.diagnostics.filter(({ code }) => code === "limit-reached");
    assert.match(
      `${cut[0]?.path}: ${cut[0]?.message}`,
      /^_bmad\/bmm\/module-help\.csv: only the first 1000 rows/,
    );
  });
});

Deno.test("what a limit leaves out is reported [content:limits-reported]", async () => {
  const long = "x".repeat(1_100_000);
  await withTree({
    "_bmad/_config/manifest.yaml": `installation:\n  version: 6.0.4\nmodules: [bmm]\n# ${long}\n`,
    "_bmad/_config/workflow-manifest.csv": `name,description,module,path\n${"a,b,bmm,c\n".repeat(500_000)}`,
    "_bmad/_config/task-manifest.csv": `name,description,module,path${",".repeat(100)}\n`,
    "_bmad/bmm/workflows/a/workflow.yaml": "name: a\ndescription: A\n",
  }, async (dir) => {
    const { diagnostics } = await readInventory(diskTree(dir));
    const cut = diagnostics.filter(({ code }) => code === "limit-reached");
    assert.deepEqual(cut.map(({ path, message }) => `${path}: ${message}`).sort(), [
      "_bmad/_config/manifest.yaml: the text has more than 1048576 characters or 30000 lines and items",
      "_bmad/_config/task-manifest.csv: only the first 100 columns and 2000000 cells are read",
      "_bmad/_config/workflow-manifest.csv: only the first 100 columns and 2000000 cells are read",
    ]);
  });
  for (
    const [parse, text, limit] of [
      [parseToml, `a = "${long}"`, /more than 1048576 characters or 30000 lines and items$/],
      [parseToml, `a = [${"1,".repeat(30_001)}]`, /30000 lines and items$/],
      [parseYaml, `a:\n${"- x\n".repeat(15_000)}`, /30000 lines and items$/],
      [parseYaml, `a: [${"{},".repeat(30_001)}]`, /30000 lines and items$/],
      [parseFrontMatter, `---\na: ${long}\n---\n`, /longer than 65536 characters$/],
    ] as const
  ) {
    const { isLimit, problem } = parse(text);
    assert.ok(isLimit);
    assert.match(problem!, limit);
  }
  const stories = Array.from({ length: 20_000 }, (_, at) => `  1-${at}-a-story: backlog\n`).join("");
  assert.equal(parseYaml(`development_status:\n${stories}`).problem, undefined);
  assert.equal(parseFrontMatter(`---\na: 1\n---\n${long}`).value["a"], 1);
  assert.match(parseFrontMatter(`---\n${long}`).problem!, /is not closed$/);
  assert.equal(parseCsv("a,b\n".repeat(50_000)).isLimit, undefined);
});
