/** Is an agent's file understood as its author meant it? */
import assert from "node:assert/strict";
import { parseAgentFile, parseAgentSource } from "../../../src/content/inventory/agent_file.ts";
import { splitPrinciples } from "../../../src/content/inventory/layout.ts";

const menuOf = (items: string) =>
  parseAgentFile(`<agent name="A">\n<menu>\n${items}\n</menu>\n</agent>`).value.persona!.menu;

const sourceMenuOf = (items: string) => parseAgentSource(`agent:\n  menu:\n${items}`).value.persona!.menu;

Deno.test("escaped text in a menu stays inside its attribute or label", () => {
  assert.deepEqual(
    menuOf(
      '<item cmd="*hail" action="Say &quot;Ahoy&quot; if a &gt; b &amp;amp; c">Hail &lt;x&gt; &apos;now&apos;</item>\n' +
        '<item cmd="GO or fuzzy match on go" exec="skill:bmad-go">[GO] Go on</item>',
    ),
    [
      { code: "hail", label: "Hail <x> 'now'", target: undefined, prompt: 'Say "Ahoy" if a > b &amp; c' },
      { code: "GO", label: "Go on", target: "bmad-go", prompt: undefined },
    ],
  );
});

Deno.test("principles are split at line starts, or at dashes on a single line", () => {
  assert.deepEqual(splitPrinciples("- One - or so.\n- Two\n  goes on."), ["One - or so.", "Two\n  goes on."]);
  assert.deepEqual(splitPrinciples("- One. - Two."), ["One.", "Two."]);
  assert.deepEqual(splitPrinciples("- One - alone."), ["One", "alone."]);
  assert.deepEqual(splitPrinciples("No list - at all."), ["No list - at all."]);
  assert.deepEqual(splitPrinciples(undefined), []);
});

Deno.test("a menu item of a source starts the installed path of its workflow", () => {
  const [moved, several] = sourceMenuOf(
    "    - {trigger: moved, workflow: far/workflow.yaml, workflow-install: near/workflow.yaml}\n" +
      "    - {multi: '[SO] Soup or [CH] Cheese', triggers: []}\n",
  );
  assert.equal(moved?.target, "near/workflow.yaml");
  assert.equal(several?.label, "Soup or [CH] Cheese");
});
