/**
 * Are templates in Jinja rendered as BMAD renders them, and never beyond their limits?
 */
import assert from "node:assert/strict";
import { openTemplates, TemplateError } from "../../src/content/jinja.ts";
import { cpuTime } from "../support/cpu.ts";
import { verifies } from "../support/requirements.ts";

const GLOBALS = {
  workflow: { review: true, mode: "careful", rules: ["One.", "Two."], none: "", deep: { inner: "x" } },
  config: { project_name: "Shop", core: { project_name: "Shop" } },
  rendered: (file: string) => `bmad://rendered/${file}`,
  halt: (message: string) => {
    throw new TemplateError("halt", message);
  },
};

const render = (text: string) => openTemplates(GLOBALS)(text);

/** Why a template is refused. */
function refusal(text: string): string {
  try {
    return `rendered: ${render(text).slice(0, 100)}`;
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error));
    return `${error.kind}: ${error.message}`;
  }
}

Deno.test(verifies("tool:launchers-jinja", "values, conditions, loops and other files are filled in"), () => {
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

Deno.test(
  verifies("tool:launchers-jinja", "an undefined name is an error wherever it is used, and halt stops"),
  () => {
    for (const name of ["workflow.missing", "nothing", "workflow.deep.outer", "config.core.x"]) {
      assert.equal(refusal(`a {{ ${name} }} b`), `undefined: ${name}`);
      assert.equal(refusal(`{% if ${name} %}x{% endif %}`), `undefined: ${name}`);
      assert.equal(refusal(`{% for one in ${name} %}x{% endfor %}`), `undefined: ${name}`);
      assert.equal(refusal(`{{ "a" ~ ${name} }}`), `undefined: ${name}`);
    }
    assert.equal(refusal("{% if false %}{{ nothing }}{% endif %}ok"), "rendered: ok");
    assert.equal(refusal('x {{ halt("No spec yet.") }} y'), "halt: No spec yet.");
  },
);

Deno.test(
  verifies("tool:launchers-bounded", "no template runs on, grows without end or becomes code"),
  () => {
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
      const took = cpuTime(() => assert.match(refusal(text), /^(unsupported|undefined): /, what));
      assert.ok(took < 5_000, `${what} took ${took} ms`);
    }
  },
);
