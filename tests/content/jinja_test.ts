/** Are templates in Jinja rendered as BMAD renders them, and never beyond their limits? */
import assert from "node:assert/strict";
import { openTemplates, TemplateError } from "../../src/content/jinja/mod.ts";
import { chanceFrom } from "../support/chance.ts";
import { assertEnds } from "../support/cpu.ts";
import { ATTACKS, HOSTILE_VALUES, hostileTemplate } from "../support/hostile_templates.ts";

const GLOBALS = {
  workflow: { review: true, mode: "careful", rules: ["One.", "Two."], none: "", deep: { inner: "x" } },
  config: { project_name: "Shop", core: { project_name: "Shop" } },
  rendered: (file: string) => `bmad://rendered/${file}`,
  halt: (message: string) => {
    throw new TemplateError("halt", message);
  },
};

const LIST = (items: readonly unknown[]) => items.join(", ");
const render = (text: string) => openTemplates(GLOBALS, LIST)(text);

function refusal(text: string): string {
  try {
    return `rendered: ${render(text).slice(0, 100)}`;
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error));
    return `${error.kind}: ${error.message}`;
  }
}

Deno.test("values, conditions, loops and other files are filled in [tool:launchers-jinja]", () => {
  const text =
    "# {{ config.project_name }}\n{% if workflow.review %}\nIn {{ workflow.mode | upper }} mode.\n" +
    "{% else %}\nNot.\n{% endif %}\n{# a note #}\n{% for rule in workflow.rules %}\n- {{ loop.index }} {{ rule }}\n" +
    '{% endfor %}\nThen {{ rendered("ship.md") }}.\n{{ workflow.missing | default("none") }}\n' +
    "{% if workflow.other is defined %}bad{% endif %}{% raw %}{{ raw }}{% endraw %}\n";
  assert.equal(
    render(text),
    "# Shop\nIn CAREFUL mode.\n- 1 One.\n- 2 Two.\nThen bmad://rendered/ship.md.\nnone\n{{ raw }}",
  );
});

Deno.test("an undefined name is an error everywhere, and halt stops [tool:launchers-jinja]", () => {
  for (const name of ["workflow.missing", "nothing", "workflow.deep.outer", "config.core.x"]) {
    assert.equal(refusal(`a {{ ${name} }} b`), `undefined: ${name}`);
    assert.equal(refusal(`{% if ${name} %}x{% endif %}`), `undefined: ${name}`);
    assert.equal(refusal(`{% for one in ${name} %}x{% endfor %}`), `undefined: ${name}`);
    assert.equal(refusal(`{{ "a" ~ ${name} }}`), `undefined: ${name}`);
  }
  assert.equal(refusal("{% if false %}{{ nothing }}{% endif %}ok"), "rendered: ok");
  assert.equal(refusal('x {{ halt("No spec yet.") }} y'), "halt: No spec yet.");
});

Deno.test("white space around tags is what Jinja leaves of it", () => {
  const cases: readonly (readonly [template: string, expected: string])[] = [
    ["a\n  {% if true %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc\n"],
    ["a\n  {%- if true -%}\n  b\n  {%- endif %}\nc", "abc"],
    ["a\n  {%+ if true +%}\nb{% endif %}\n", "a\n  \nb"],
    ["a {% if true %} b {% endif %} c", "a  b  c"],
    ["  {{ 1 }}\n  {{- 2 -}}  \n3", "  123"],
    ["a\n  {# note #}\nb {#- note -#} c", "a\nbc"],
    ["{% raw %}\n {% if %}\n {% endraw %}\nb", "\n {% if %}\nb"],
    ["a {%- raw -%} {{ b }} {%- endraw -%} c", "a{{ b }}c"],
    ["a\u2028 {% if true %}b{% endif %}\r\n", "a\u2028 b\r\n"],
  ];
  for (const [template, expected] of cases) assert.equal(render(template), expected, template);
});

Deno.test("operators, filters and tests give what Python's Jinja gives", () => {
  const cases: Readonly<Record<string, string>> = {
    '"a" ~ 1 ~ true ~ none': "a1TrueNone",
    "1 + 2 * 3 - -4": "11",
    "7 // 2 ~ -7 // 2 ~ 7 % 4 ~ -7 % 4": "3-431",
    "1 < 2 < 3 and not 1 < 2 < 2": "True",
    '"x" if workflow.none else "y"': "y",
    'workflow.none or "z"': "z",
    '"One." in workflow.rules and "are" in workflow.mode and "b" not in ("a",)': "True",
    "workflow.rules[-1] ~ workflow.rules.0 ~ workflow['mode']": "Two.One.careful",
    '{"a": [1, {"b": 2}]} == {"a": [1, {"b": 2}]}': "True",
    'workflow.rules | join(" + ")': "One. + Two.",
    '["b", "a"] | sort | first ~ ([1, 2] | reverse | last)': "a1",
    '"a-b c" | title ~ ("xY" | capitalize) ~ (" z " | trim)': "A-B CXyz",
    '"aXbX" | replace("X", "--") | length': "6",
    '"a\\nb" | indent(2)': "a\n  b",
    'workflow.mode.startswith("care") and workflow.mode.upper() == "CAREFUL"': "True",
    '"a,b".split(",")': "a, b",
    'workflow.none | default("d", true) ~ (nothing | d)': "d",
    "workflow.mode is string and workflow is mapping and 3 is odd and nothing is not defined": "True",
    "range(1, 6, 2) | join(' ')": "1 3 5",
    '["b", "a", "B"] | unique | join': "ba",
    '{"b": [1, none], "a": "<é>"} | tojson': '{"a": "\\u003c\\u00e9\\u003e", "b": [1, null]}',
    '"7" | int + ("x" | int) + (-2 | abs) + ([1, 2] | sum)': "12",
    '([3, 1] | min) ~ (["a", "c"] | max) ~ ({"k": 1} | list | first)': "1ck",
    'workflow.deep.get("inner") ~ workflow.deep.get("outer", "-") ~ workflow.deep.keys() | join': "x-inner",
  };
  for (const [expression, expected] of Object.entries(cases)) {
    assert.equal(render(`{{ ${expression} }}`), expected, expression);
  }
});

Deno.test("a loop has its own names, and may have a condition, several names and an else", () => {
  const text =
    "{% set a = 1 %}{% for i in range(5) if i is odd %}{% set a = i %}{{ a }}{{ loop.index }}{{ loop.last }} " +
    '{% else %}none{% endfor %}{{ a }}{% for k, v in [["x", 1], ["y", 2]] %}{{ k }}{{ v }}{% endfor %}' +
    "{% for i in [] %}{% else %}none{% endfor %}" +
    "{% for key in workflow.deep %}{{ key }}{% endfor %}{% for k, v in workflow.deep.items() %}{{ k }}={{ v }}{% endfor %}";
  assert.equal(render(text), "11False 32True 1x1y2noneinnerinner=x");
});

/** Many times what a template that is refused takes. */
const LIMIT_MS = 1_000;

/** Renders as a launcher does, within the limits of time. */
function renderHostile(what: string, text: string): string {
  const globals = { ...GLOBALS, workflow: HOSTILE_VALUES };
  let outcome = "";
  const attempt = () => {
    try {
      outcome = `rendered: ${openTemplates(globals, LIST)(text).length}`;
    } catch (error) {
      assert.ok(error instanceof TemplateError, `${what}: ${error}`);
      outcome = `${error.kind}: ${error.message}`;
    }
  };
  assertEnds(what, LIMIT_MS, attempt);
  assert.ok(outcome.length < 300, `${what}: ${outcome.slice(0, 300)}`);
  return outcome;
}

Deno.test("no attack takes long, crashes or becomes code [tool:launchers-bounded]", () => {
  for (const [what, text] of Object.entries(ATTACKS)) renderHostile(what, text);
});

Deno.test("no template by chance takes long or crashes [tool:launchers-bounded]", () => {
  const outcomes = Array.from({ length: 300 }, (_, seed) => {
    const text = hostileTemplate(chanceFrom(seed));
    return renderHostile(`seed ${seed}`, text);
  });
  // A generator whose templates are refused before they do anything attacks nothing.
  const count = (part: string) => outcomes.filter((outcome) => outcome.includes(part)).length;
  assert.ok(count("rendered") > 20 && count("too many steps") > 30, "the templates attack too little");
});

Deno.test("no template runs on, grows without end or becomes code [tool:launchers-bounded]", () => {
  const hostile: Readonly<Record<string, string>> = {
    "a long range": "{% for i in range(10**9) %}x{% endfor %}",
    "loops in loops":
      "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}x{% endfor %}{% endfor %}{% endfor %}",
    "doubling":
      '{% set ns = namespace(x="aaaaaaaaaa") %}{% for i in range(90) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}',
    "doubling a list":
      "{% set ns = namespace(x=[1]) %}{% for i in range(90) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "a long text in a loop": `{% for i in range(9999) %}${"x".repeat(100_000)}{% endfor %}`,
    "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "a wide indent": '{{ ("\\n" * 1) ~ "a" | indent(99999999) }}',
    "replacing all": `{{ "${"a".repeat(2_000)}" | replace("a", "${"b".repeat(2_000)}") }}`,
    "replacing all by a method": `{{ "${"a".repeat(2_000)}".replace("a", "${"b".repeat(2_000)}") }}`,
    "nesting": `{{ ${"(".repeat(20_000)}1${")".repeat(20_000)} }}`,
    "unclosed": "{% if workflow.review %}x",
    "an unknown filter": "{{ workflow.mode | shell }}",
    "a long template": "x".repeat(300_000),
    "the constructor": '{{ rendered.constructor("return 1")() }}',
    "the prototype": "{{ workflow.__proto__.polluted }}",
    "an include": '{% include "/etc/passwd" %}',
  };
  for (const [what, text] of Object.entries(hostile)) {
    assertEnds(what, 5_000, () => assert.match(refusal(text), /^(unsupported|undefined): /, what));
  }
});
