/**
 * Templates that try to keep their reader busy or to fill its memory: some by name, and any number by chance.
 *
 * The values that they use are those of `workflow` in `HOSTILE_VALUES`, some of which are large themselves.
 */
import type { Chance } from "../support/chance.ts";

/** A text of a megabyte and a list of 10,000 are what one configuration file can hold. */
export const HOSTILE_VALUES = {
  text: "ab ".repeat(300_000),
  spaces: " ".repeat(900_000),
  list: Array.from({ length: 10_000 }, (_, at) => `item ${at}`),
  table: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, at])),
  same: "a".repeat(100_000),
  mode: "careful",
} as const;

const times = (count: number, text: string | ((at: number) => string)) =>
  Array.from({ length: count }, (_, at) => typeof text === "string" ? text : text(at)).join("");

/** Sets `a` to a list that has itself so many times over that no printer ends. */
const DOUBLED = `{% set a = ["x"] %}${times(40, "{% set a = [a, a] %}")}`;
const DOUBLED_TABLE = `{% set a = {"k": "x"} %}${times(40, '{% set a = {"b": a, "c": a} %}')}`;
const DOUBLED_TEXT = `{% set a = "xy" %}${times(40, "{% set a = a ~ a %}")}`;
const LARGE = `{% set a = "ab" %}${times(18, "{% set a = a ~ a %}")}`;
const LARGE_LIST = `{% set a = [1] %}${times(13, "{% set a = a + a %}")}`;
const LOOP = (body: string) => `{% for i in range(9000) %}${body}{% endfor %}`;

export const ATTACKS: Readonly<Record<string, string>> = {
  "a list in itself, inserted": `${DOUBLED}{{ a }}`,
  "a list in itself, as text": `${DOUBLED}{{ a ~ "" }}`,
  "a list in itself, joined": `${DOUBLED}{{ a | join(",") }}`,
  "a list in itself, compared": `${DOUBLED}{% set b = a %}${DOUBLED}{{ a == b }}`,
  "a list in itself, searched": `${DOUBLED}{% set b = a %}${DOUBLED}{{ [b] in [a] }}`,
  "a list in itself, to a function": `${DOUBLED}{{ rendered(a) }}`,
  "a list in itself, to halt": `${DOUBLED}{{ halt(a) }}`,
  "a list in itself, sorted": `${DOUBLED}{{ [a, a, a] | sort }}`,
  "a list in itself, as JSON": `${DOUBLED}{{ a | tojson }}`,
  "a list in itself, unique": `${DOUBLED}{{ a | unique }}`,
  "a table in itself, inserted": `${DOUBLED_TABLE}{{ a }}`,
  "a table in itself, in a list": `${DOUBLED_TABLE}{{ [a] }}`,
  "a table in itself, as JSON": `${DOUBLED_TABLE}{{ a | tojson(indent=4) }}`,
  "a table in itself, its items": `${DOUBLED_TABLE}{{ a.items() }}`,
  "a list that deepens": `{% set a = 1 %}${times(15_000, "{% set a = [a] %}")}{{ a }}`,
  "a list that deepens, compared": `{% set a = 1 %}${times(15_000, "{% set a = [a] %}")}{{ a == [a] }}`,
  "a doubling text": `${DOUBLED_TEXT}{{ a }}`,
  "a doubling text by replace": `{% set a = "aa" %}${times(40, '{% set a = a | replace("a", a) %}')}`,
  "a doubling text by join": `{% set a = "xy" %}${times(40, "{% set a = [a, a] | join(a) %}")}`,
  "a doubling list": `{% set a = [1] %}${times(40, "{% set a = a + a %}")}`,
  "a large text, changed over and over": `${LARGE}${LOOP("{% set b = a | upper %}")}`,
  "a large text, titled": `${LARGE}${LOOP("{% set b = a | title %}")}`,
  "a large text, trimmed": LOOP("{% set b = workflow.spaces | trim %}"),
  "a large text, compared": `${LARGE}{% set b = a ~ "" %}${LOOP("{% if a == b %}{% endif %}")}`,
  "a large text, ordered": `${LARGE}{% set b = a ~ "" %}${LOOP("{% if a < b %}{% endif %}")}`,
  "a large text, searched": LOOP('{% if workflow.same ~ "b" in workflow.same %}{% endif %}'),
  "a large text, searched for what is almost there": `{% set b = "b" ~ workflow.same %}${
    LOOP("{% if b in workflow.text %}{% endif %}")
  }`,
  "a large text, split": LOOP('{% set b = workflow.text.split(" ") %}'),
  "a large text, replaced": LOOP('{% set b = workflow.text | replace("a", "bb") %}'),
  "a large text, indented": '{{ workflow.text | replace(" ", "\\n") | indent(5000) }}',
  "a large text, printed": LOOP("{{ workflow.text }}"),
  "a large list, sorted": `${LARGE_LIST}${LOOP("{% set b = a | sort %}")}`,
  "a large list, reversed": `${LARGE_LIST}${LOOP("{% set b = a | reverse %}")}`,
  "a large list, joined": LOOP("{% set b = workflow.list | join %}"),
  "a large list, counted": LOOP("{% if workflow.table | length and workflow.table %}{% endif %}"),
  "a large list, compared": LOOP('{% if workflow.list == workflow.list + ["x"] %}{% endif %}'),
  "a large table, compared": LOOP('{% if workflow.table == {"a": 1} %}{% endif %}'),
  "a large table, compared with itself": LOOP("{% if workflow.table == workflow.table %}{% endif %}"),
  "a range of ranges": LOOP("{% set b = range(9000) %}"),
  "an endless range": "{% for i in range(0, 1, 0) %}x{% endfor %}",
  "a range of fractions": "{% for i in range(0, 1, 0.0000001) %}x{% endfor %}",
  "nested loops": `${times(50, (at) => `{% for i${at} in range(99) %}`)}x${times(50, "{% endfor %}")}`,
  "names of outer loops": `${times(90, (at) => `{% for i${at} in [1] %}`)}${LOOP("{{ workflow.mode }}")}${
    times(90, "{% endfor %}")
  }`,
  "spaces before a tag": times(200, " ".repeat(1_200) + "x{% if true %}y{% endif %}"),
  "spaces before no tag": `${" ".repeat(260_000)}x`,
  "lines before a tag": `${"\n".repeat(130_000)}{%- if true -%}${"\n".repeat(130_000)}{%- endif -%}`,
  "spaces and lines before a tag": `${" \n".repeat(130_000)}{% if true %}{% endif %}`,
  "spaces in a tag": `{%${" ".repeat(260_000)}if true %}{% endif %}`,
  "spaces in tags that are not raw": times(260, `{%${" ".repeat(900)}if true %}{% endif %}`),
  "raw blocks that do not end": times(20_000, "{% raw %}"),
  "ends of raw blocks": `{% raw %}${times(10_000, "{% endraw")}`,
  "openings": "{".repeat(260_000),
  "comments that do not end": "{#".repeat(130_000),
  "closings": "{{" + "}".repeat(260_000),
  "a text that does not end": `{{ "${"\\a".repeat(130_000)} }}`,
  "backslashes": `{{ "${"\\\\".repeat(100_000)}" }}`,
  "texts side by side": `{{ ${'"a"'.repeat(80_000)} }}`,
  "parentheses": `{{ ${"(".repeat(130_000)}`,
  "closed parentheses": `{{ ${"(".repeat(120_000)}1${")".repeat(120_000)} }}`,
  "brackets": `{{ ${"[".repeat(120_000)}${"]".repeat(120_000)} }}`,
  "braces": `{{ ${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)} }}`,
  "negations": `{{ ${"not ".repeat(60_000)}1 }}`,
  "signs": `{{ ${"- ".repeat(120_000)}1 }}`,
  "choices": `{{ ${"1 if 0 else ".repeat(20_000)}2 }}`,
  "conditions of choices": `{{ ${"1 if ".repeat(40_000)}2 }}`,
  "ifs": `${"{% if 1 %}".repeat(12_000)}${"{% endif %}".repeat(12_000)}`,
  "elifs": `{% if 0 %}${"{% elif 0 %}".repeat(20_000)}{% endif %}`,
  "loops in loops": `${"{% for i in [1] %}".repeat(7_000)}${"{% endfor %}".repeat(7_000)}`,
  "a sum": `{{ 1${" + 1".repeat(60_000)} }}`,
  "a chain of texts": `{{ "a"${' ~ "a"'.repeat(40_000)} }}`,
  "a chain of comparisons": `{{ 1${" == 1".repeat(50_000)} }}`,
  "a chain of ands": `{{ 1${" and 1".repeat(40_000)} }}`,
  "a chain of members": `{{ workflow${".a".repeat(120_000)} }}`,
  "a chain of indexes": `{{ workflow${"[0]".repeat(80_000)} }}`,
  "a chain of filters": `{{ workflow.text${" | upper".repeat(30_000)} }}`,
  "a chain of tests": `{{ 1${" is defined".repeat(20_000)} }}`,
  "a chain of calls": `{{ rendered${"()".repeat(120_000)} }}`,
  "a long name": `{{ ${"a".repeat(260_000)} }}`,
  "a long number": `{{ ${"9".repeat(260_000)} }}`,
  "a long list": `{{ [${"1,".repeat(125_000)}] }}`,
  "many links": LOOP('{{ rendered("x") }}'),
  "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
  "a namespace":
    "{% set n = namespace(a=[1]) %}{% for i in range(90) %}{% set n.a = n.a + n.a %}{% endfor %}",
  "the constructor": '{{ "".constructor.constructor("return 1")() }}',
  "the prototype": '{{ {"__proto__": 1}.__proto__.toString }}',
};

const TEXTS: readonly ((a: string, b: string, list: string) => string)[] = [
  (a, b) => `${a} ~ ${b}`,
  (a, b) => `${a} + ${b}`,
  (a, b) => `[${a}, ${b}] | join(${a})`,
  (a, b) => `${a} | replace("a", ${b})`,
  (a, b) => `${a} | replace(${b}, ${a})`,
  (a) => `${a} | upper | title`,
  (a) => `${a} | trim | indent(999)`,
  (a, b) => `(${a}) if ${a} in ${b} else (${b})`,
  (a, b) => `(${a} == ${b}) ~ (${a} < ${b})`,
  (_, __, list) => `${list} ~ ""`,
  (a, _, list) => `${list} | join(${a})`,
  () => "workflow.text",
  () => "workflow.same",
  () => '"a b\\nc"',
];
const LISTS: readonly ((a: string, b: string, text: string) => string)[] = [
  (a, b) => `${a} + ${b}`,
  (a, b) => `[${a}, ${b}, ${a}]`,
  (a, b) => `[{"a": ${a}, "b": ${b}}]`,
  (a, b) => `[${a} == ${b}, ${a} in ${b}]`,
  (a) => `${a} | sort`,
  (a) => `${a} | reverse`,
  (a, _, text) => `[${text}, ${a} | length]`,
  (_, __, text) => `${text}.split("a")`,
  (_, __, text) => `${text}.split(${text})`,
  () => "range(9000)",
  () => "workflow.list",
  () => "[workflow.table, workflow.table == workflow.table]",
];

const SPACES = [
  "",
  " ",
  "\n",
  " ".repeat(600),
  "\n".repeat(600),
  " \n\t".repeat(400),
  "\u2028".repeat(400),
];
const PUMPS = [
  "{",
  "{{",
  "{%",
  "{#",
  "%}",
  "}}",
  "(",
  "[",
  "not ",
  "- ",
  "{% raw %}",
  "{% if 1 %}",
  '"',
  "\\",
  "|a",
  ".a",
];

/** A template of statements by chance, most of which are allowed; some have a run of something that is not. */
export function hostileTemplate(chance: Chance): string {
  const text = () => `t${chance.below(2)}`;
  const list = () => `l${chance.below(2)}`;
  const textValue = () => chance.pick(TEXTS)(text(), text(), list());
  const listValue = () => chance.pick(LISTS)(list(), list(), text());
  const body = (depth: number): string => times(1 + chance.below(6), () => statement(depth));
  const statement = (depth: number): string => {
    const space = chance.below(6) === 0 ? chance.pick(SPACES) : "";
    const sign = chance.pick(["", "", "-", "+"]);
    const kind = chance.below(depth > 4 ? 6 : 9);
    if (kind === 8) {
      return `${space}{%${sign} for i in ${listValue()} %}${body(depth + 1)}{% endfor ${sign}%}`;
    }
    if (kind === 7) return `{% for i in range(${chance.below(50)}) %}${body(depth + 1)}{% endfor %}${space}`;
    if (kind === 6) {
      return `${space}{%${sign} if ${textValue()} %}${body(depth + 1)}{% else %}${space}{% endif %}`;
    }
    if (kind === 5) return `${space}{{ ${textValue()} }}`;
    // Again and again: what doubles once is harmless.
    const [name, value] = kind < 3 ? [text(), textValue()] : [list(), listValue()];
    return times(1 + chance.below(20), `${space}{%${sign} set ${name} = ${value} %}`);
  };
  const start = '{% set t0 = "ab" %}{% set t1 = "b" %}{% set l0 = ["x"] %}{% set l1 = ["y", "z"] %}';
  const run = chance.below(10) === 0 ? chance.pick(PUMPS).repeat(chance.below(40_000)) : "";
  return `${start}${body(0)}${run}${body(0)}`.slice(0, 262_000);
}
