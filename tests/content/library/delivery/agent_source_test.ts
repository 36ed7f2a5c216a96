/** Is an agent that was never installed delivered in the form of an installed one? */
import assert from "node:assert/strict";
import { parseAgentFile } from "../../../../src/content/inventory/agent_file.ts";
import { compileAgentSource, fillAnswers } from "../../../../src/content/library/delivery/compile_agent.ts";
import { executeEntry, readEntry, resolveEntry } from "../../../../src/content/library/mod.ts";
import { sourceTest, withSource } from "../../../support/library.ts";
import type { TreeFile } from "../../../support/trees.ts";
import { load } from "js-yaml";
import type { Values } from "../../../../src/content/parse.ts";

const PLACE = { id: "sea-scout", name: "fw/sea-scout" };

function compile(source: string, place: Parameters<typeof compileAgentSource>[1] = PLACE): string {
  const { value, problem } = compileAgentSource(source, place);
  assert.equal(problem, undefined);
  return value;
}

const factsOf = (text: string) => parseAgentFile(text).value;

const inside = (text: string, tag: string) =>
  new RegExp(`<${tag}>\n?([\\s\\S]*?)\n?</${tag}>`).exec(text)?.[1] ?? assert.fail(`there is no ${tag}`);

const listSteps = (text: string) =>
  [...text.matchAll(/<step n="(\d+)">(.*?)<\/step>/gs)].map(([, n, step]) => [n, step]);

const handlersOf = (text: string) =>
  [...inside(text, "menu-handlers").matchAll(/<handler type="([\w-]+)">/g)].map(([, type]) => type);

const SCOUT = `
agent:
  webskip: true
  metadata:
    id: "_bmad/fw/agents/sea-scout.md"
    name: Rhea
    title: 'Scout of "Far & Near"'
    icon: 🧭
    module: fw
    type: expert
    capabilities: "charts, tides <small>"
    hasSidecar: true
  persona:
    role: |
      Scout
      and   pilot
    identity: Knows 1 < 2 & 'so on'.
    communication_style: "Speaks \\"plainly\\"."
    principles:
      - Look twice.
      - Trust: the chart
      - Never say "lost".
  discussion: true
  conversational_knowledge:
    - charts: "{project-root}/_bmad/fw/charts.csv"
  critical_actions:
    - "Load {project-root}/_bmad/_memory/sea-scout-sidecar/log.md <now>"
    - Remember: the tide
  prompts:
    - id: sound
      content: |
        If depth < 3 && wind > 5:
          <stop/> & call.
    - id: rest
      content: Drop the anchor.
  memories:
    - "The user gets sick at sea & hates <fish>"
    - 42
  menu:
    - trigger: CM or fuzzy match on chart-map
      workflow: "{project-root}/_bmad/fw/workflows/chart/workflow.yaml"
      data: "{project-root}/_bmad/fw/data/tides.csv"
      tmpl: "{project-root}/_bmad/fw/data/chart.md"
      description: "[CM] Chart a <map> & more"
      ide-only: true
    - trigger: check-map
      validate-workflow: "{project-root}/_bmad/fw/workflows/chart/workflow.yaml"
      checklist: "{project-root}/_bmad/fw/workflows/chart/checklist.md"
      document: "{output_folder}/map.md"
      description: Check it
    - trigger: moved
      workflow: "{project-root}/bmad/far/workflows/moved/workflow.yaml"
      workflow-install: "{project-root}/bmad/fw/workflows/moved/workflow.yaml"
      description: From elsewhere
    - trigger: "*go"
      exec: skill:bmad-sail
      description: Go
      web-only: true
    - trigger: SO or fuzzy match on sound
      action: "#sound"
      description: "[SO] Take soundings"
    - trigger: hail
      action: |
        Call out "Ahoy" if a ship is < 1 mile away
        & wait.
      description: Hail
`;

Deno.test("an agent's source is compiled as by its installer [tool:execute-agent-source]", async (t) => {
  const text = compile(SCOUT);
  const facts = factsOf(text);

  await t.step("the front matter, the sentence and one element", () => {
    assert.match(
      text,
      /^---\nname: "sea scout"\ndescription: "Scout of \\"Far & Near\\""\n---\n\n[A-Z][^\n]*persona[^\n]*\.\n\n<agent [^>]*>\n<activation>\n[\s\S]*<\/agent>\n$/,
    );
    assert.equal(facts.form, "element");
    assert.equal(facts.description, 'Scout of "Far & Near"');
    const order = ["activation", "persona", "prompts", "memories", "menu"].map((tag) =>
      text.indexOf(`\n<${tag}>`)
    );
    assert.deepEqual(order, order.toSorted((a, b) => a - b));
    assert.ok(order[0]! > 0);
  });

  await t.step("who the agent is", () => {
    assert.deepEqual([facts.displayName, facts.title, facts.icon], ["Rhea", 'Scout of "Far & Near"', "🧭"]);
    const { menu: _, ...persona } = facts.persona!;
    assert.deepEqual(persona, {
      role: "Scout and pilot",
      identity: "Knows 1 < 2 & 'so on'.",
      communicationStyle: 'Speaks "plainly".',
      principles: ["Look twice.", "Trust: the chart", 'Never say "lost".'],
      capabilities: ["charts", "tides <small>"],
    });
    assert.ok(text.includes("<identity>Knows 1 &lt; 2 &amp; 'so on'.</identity>"));
  });

  await t.step("its own steps come between ours and the greeting, unchanged", () => {
    const steps = listSteps(text);
    assert.deepEqual(steps.map(([n]) => n), ["1", "2", "3", "4", "5", "6"]);
    assert.match(steps[0]![1]!, /\{user_name\}.*\{communication_language\}/);
    assert.match(steps[1]![1]!, /: open PATH\. .*: start skill NAME\./);
    assert.equal(steps[2]![1], "Load {project-root}/_bmad/_memory/sea-scout-sidecar/log.md <now>");
    assert.equal(steps[3]![1], "Remember: the tide");
    assert.match(steps[4]![1]!, /\{user_name\}.*menu.*wait/);
  });

  await t.step("prompts are not escaped, memories are", () => {
    assert.equal(
      inside(text, "prompts"),
      '<prompt id="sound"><content>\nIf depth < 3 && wind > 5:\n  <stop/> & call.\n</content></prompt>\n' +
        '<prompt id="rest"><content>\nDrop the anchor.\n</content></prompt>',
    );
    assert.equal(
      inside(text, "memories"),
      "<memory>The user gets sick at sea &amp; hates &lt;fish&gt;</memory>\n<memory>42</memory>",
    );
  });

  await t.step("every menu item is present with its targets, and ours around them", () => {
    const chart = "{project-root}/_bmad/fw/workflows/chart/workflow.yaml";
    assert.deepEqual(
      facts.persona!.menu.map(({ code, label, target, prompt }) => [code, label, target ?? prompt]),
      [
        ["MH", "Show this menu again", undefined],
        ["CH", "Talk about anything", undefined],
        ["CM", "Chart a <map> & more", chart],
        ["check-map", "Check it", chart],
        ["moved", "From elsewhere", "{project-root}/bmad/fw/workflows/moved/workflow.yaml"],
        ["go", "Go", "bmad-sail"],
        ["SO", "Take soundings", "#sound"],
        ["hail", "Hail", 'Call out "Ahoy" if a ship is < 1 mile away\n& wait.'],
        ["DA", "Dismiss the agent", undefined],
      ],
    );
    assert.ok(
      text.includes(
        `<item cmd="CM or fuzzy match on chart-map" workflow="${chart}" tmpl="{project-root}/_bmad/fw/data/chart.md" ` +
          'data="{project-root}/_bmad/fw/data/tides.csv">[CM] Chart a &lt;map&gt; &amp; more</item>',
      ),
    );
    assert.match(text, / checklist="[^"]*\/checklist.md" document="\{output_folder\}\/map.md">Check it</);
  });

  await t.step("only the attributes that the menu has are explained", () => {
    assert.deepEqual(handlersOf(text), ["workflow", "validate-workflow", "exec", "tmpl", "data", "action"]);
    const plain = compile("agent: {metadata: {name: A}, menu: [{trigger: x, action: Do x}]}");
    assert.deepEqual(handlersOf(plain), ["action"]);
    assert.deepEqual(handlersOf(compile("agent: {metadata: {name: A}}")), []);
  });

  await t.step("fields for the installer are left out", () => {
    assert.doesNotMatch(
      text,
      /webskip|ide-only|web-only|hasSidecar|conversational_knowledge|workflow-install|\/far\//,
    );
  });
});

Deno.test("an item with several choices is one line with a handler for each", () => {
  const text = compile(`
agent:
  persona: {role: Cook}
  menu:
    - multi: "[SO] Soup or [CH] Cheese"
      triggers:
        - soup:
            - input: SO or fuzzy match soup
            - route: "{project-root}/_bmad/fw/workflows/soup/workflow.yaml"
            - data: hot & "deep"
            - type: workflow
        - cheese:
            input: CH or fuzzy match cheese
            route: "{project-root}/_bmad/fw/workflows/cheese/workflow.md"
        - trigger: bread
          input: BR or fuzzy match bread
          action: Bake it
    - multi: Nothing to choose from
`);
  assert.equal(
    /<item type="multi">[\s\S]*?<\/item>/.exec(text)?.[0],
    '<item type="multi">[SO] Soup or [CH] Cheese\n' +
      '<handler match="SO or fuzzy match soup" workflow="{project-root}/_bmad/fw/workflows/soup/workflow.yaml" data="hot &amp; &quot;deep&quot;"></handler>\n' +
      '<handler match="CH or fuzzy match cheese" exec="{project-root}/_bmad/fw/workflows/cheese/workflow.md"></handler>\n' +
      '<handler match="BR or fuzzy match bread" action="Bake it"></handler>\n' +
      "</item>",
  );
  assert.deepEqual(handlersOf(text), ["workflow", "exec", "data", "action", "multi"]);
  // The agent has a CH of its own.
  assert.deepEqual(factsOf(text).persona!.menu.map(({ code, label }) => code || label), [
    "MH",
    "Soup or [CH] Cheese",
    "Nothing to choose from",
    "DA",
  ]);
});

Deno.test("party mode and an initial memory are mentioned where they are served", () => {
  const source = "agent: {metadata: {name: A}, critical_actions: [Go]}";
  const text = compile(source, {
    ...PLACE,
    sidecar: "bmad://fw/agents/sea-scout-sidecar/",
    partyMode: "core/bmad-party-mode",
  });
  assert.deepEqual(factsOf(text).persona!.menu.map(({ code, target }) => [code, target]), [
    ["MH", undefined],
    ["CH", undefined],
    ["PM", "core/bmad-party-mode"],
    ["DA", undefined],
  ]);
  assert.match(text, / exec="skill:core\/bmad-party-mode">/);
  const steps = listSteps(text).map(([, step]) => step!);
  assert.match(steps[2]!, /sea-scout-sidecar\/.*bmad:\/\/fw\/agents\/sea-scout-sidecar\/FILE/);
  assert.equal(steps[3], "Go");
  assert.doesNotMatch(compile(source), /sidecar|\[PM\]/);
});

/** What cannot be compiled, and what is said about it. */
const MALFORMED: readonly (readonly [what: string, source: string, problem: RegExp])[] = [
  ["text that is no YAML", "agent:\n  persona: [unclosed\n menu", /^the YAML cannot be parsed: /],
  ["an empty file", "", /^the file is empty$/],
  ["a list", "- agent\n", /^the file is not a map/],
  ["no agent", "team: {name: x}\n", /^the file has no agent/],
  ["an agent that is a text", "agent: Rhea\n", /^the file has no agent/],
  ["an agent that says nothing", "agent: {webskip: true}\n", /^the file has no agent/],
  [
    "aliases that multiply",
    `agent:\n  persona:\n    role: &big ${"x".repeat(1_000)}\n    principles: [${
      "*big, ".repeat(1_000)
    }*big]\n`,
    /^its aliases expand far beyond/,
  ],
  [
    "a circle",
    "agent:\n  persona: {role: x}\n  menu: &menu\n    - *menu\n",
    /^its aliases expand far beyond/,
  ],
];

for (const [what, source, said] of MALFORMED) {
  Deno.test(`a source that cannot be compiled is returned unchanged: ${what}`, () => {
    const { value, problem } = compileAgentSource(source, PLACE);
    assert.equal(value, source);
    assert.match(problem!, said);
  });
}

Deno.test("values of the wrong type are dropped, and nothing else", () => {
  const text = compile(`
agent:
  metadata: {name: 7, title: [a], icon: {x: y}, capabilities: [sail, row]}
  persona: {role: {deep: [1, 2]}, identity: 2020-01-01, communication_style: true, principles: {a: b}}
  critical_actions: Only one
  prompts: none
  memories: {a: b}
  menu:
    - just text
    - null
    - {description: Without a trigger}
    - {trigger: ok, exec: [x], action: 5, description: {a: b}}
`);
  const { displayName, title, icon, persona } = factsOf(text);
  assert.deepEqual([displayName, title, icon], ["7", undefined, undefined]);
  assert.deepEqual(persona!.capabilities, ["sail", "row"]);
  assert.deepEqual([persona!.role, persona!.communicationStyle, persona!.principles], ["deep: 1 2", "true", [
    "a: b",
  ]]);
  assert.deepEqual(persona!.menu.map(({ code, prompt }) => [code, prompt]), [
    ["MH", undefined],
    ["CH", undefined],
    ["ok", "5"],
    ["DA", undefined],
  ]);
  assert.deepEqual(listSteps(text).map(([, step]) => step)[2], "Only one");
  assert.doesNotMatch(text, /\[object|undefined|null|<prompts>/);
});

const FLEET: Readonly<Record<string, TreeFile>> = {
  "module.yaml": "code: fw\nname: Fleet\nharbour: {prompt: Which?, default: Kiel, result: '{value}'}\n",
  "agents/sea-scout/sea-scout.agent.yaml": SCOUT,
  "agents/sea-scout/sea-scout-sidecar/log.md": "# Log\n",
  "agents/cook.agent.yaml":
    "agent: {metadata: {name: Otto, title: Cook}, menu: [{trigger: x, action: Do}]}\r\n",
  "agents/lost.agent.yaml": "agent: [\n",
  "workflows/party-mode/workflow.md": "---\nname: party-mode\ndescription: All together.\n---\n\nTalk.\n",
};

sourceTest(
  "an uninstalled agent is compiled [tool:execute-agent-source, tool:execute-raw-option]",
  FLEET,
  async (library) => {
    const entry = resolveEntry(library, { name: "sea-scout" });
    const executed = await executeEntry(library, entry, { message: "Ahoy", item: "SO" });
    assert.ok(
      executed.startsWith(
        '---\nagent: fw/sea-scout\nmenu-item: SO (#sound)\nuser-prompt: "Ahoy"\n---\n\nAlready resolved ',
      ),
    );
    const text = compile(SCOUT, {
      ...PLACE,
      sidecar: "bmad://fw/agents/sea-scout/sea-scout-sidecar/",
      partyMode: "fw/party-mode",
    });
    assert.ok(executed.endsWith(`\n---\n\n${text}`));
    assert.match(executed, /\nconfig:\n {2}harbour: Kiel\n\nFiles: /);

    assert.equal(await executeEntry(library, entry, { raw: true }), SCOUT);
    const { text: read, data } = await readEntry(library, entry);
    assert.ok(read.endsWith(`\n---\n${SCOUT}`));
    assert.equal(data["content"], SCOUT);
  },
);

Deno.test("an uninstalled agent with a broken source is delivered unchanged, with the reason", () =>
  withSource(FLEET, async (library) => {
    const executed = await executeEntry(library, resolveEntry(library, { name: "lost" }), {});
    assert.match(
      executed,
      /^---\nagent: fw\/lost\nproblem: the YAML cannot be parsed: .*source.*\n---\n\n[^]*\n---\n\nagent: \[\n$/,
    );
  }));

const QUESTIONS = `
questions:
  - {var: nick, prompt: Which name?, type: text, default: Ann}
  - {var: tone, prompt: Which tone?, type: choice, default: calm}
  - {var: loud, prompt: Loud?, type: boolean, default: false}
  - {var: crew, prompt: How many?, default: 3}
  - {var: open, prompt: No default}
  - just text
`;

const AGENT: Values = { install_config: load(QUESTIONS) };

const fill = (text: string, saved: Values = {}) => fillAnswers({ ...AGENT, text }, saved)["text"];

const TEXTS: readonly (readonly [text: string, plain: string, saved: string])[] = [
  ["{{nick}} and {{ nick }}", "Ann and {{ nick }}", "Ann and {{ nick }}"],
  ["{{crew}} times {{tone}}", "3 times calm", "3 times wild"],
  ["{{nobody}}, {user_name}, {{{nick}}}", "{{nobody}}, {user_name}, {Ann}", "{{nobody}}, {user_name}, {Ann}"],
  ['{{#if tone == "calm"}}Sea{{/if}}{{#if tone == "wild"}}Storm{{/if}}', "Sea", "Storm"],
  ["{{#if loud}}Ho!{{/if}}{{#unless loud}}Hush.{{/unless}}", "Hush.", "Ho!"],
  ["{{#if loud}}A{{#if crew}}B{{/if}}C{{/if}}D", "D", "ABCD"],
  ["{{#if crew}}A{{#unless loud}}{{tone}}{{/unless}}{{/if}}", "Acalm", "A"],
  [
    "{{#if open}}x{{/if}}{{#unless toString}}y{{/unless}}{{constructor}}",
    "y{{constructor}}",
    "y{{constructor}}",
  ],
  ["a {{/if}} b {{#if", "a  b {{#if", "a  b {{#if"],
];

Deno.test("texts contain the default answers, or the saved ones", () => {
  for (const [text, plain, saved] of TEXTS) {
    assert.equal(fill(text), plain, text);
    assert.equal(fill(text, { tone: "wild", loud: true }), saved, text);
  }
});

Deno.test("answers reach every depth, and the questions themselves are left out", () => {
  const agent = fillAnswers({ ...AGENT, menu: [{ action: "Say {{tone}}", n: 1, none: null }], on: true }, {});
  assert.deepEqual(agent, { menu: [{ action: "Say calm", n: 1, none: null }], on: true });
});

Deno.test("an agent without questions keeps its texts", () => {
  const agent = { text: "{{tone}} {{#if x}}y{{/if}}" };
  assert.deepEqual(fillAnswers(agent, {}), agent);
});

Deno.test("answers of any length and number stay within bounds", () => {
  const text = String(fill("{{a}}".repeat(20_000), { a: "y".repeat(1_000) }));
  assert.ok(text.length < 300_000, `${text.length} characters`);
  assert.ok(text.startsWith("yyy") && text.endsWith("{{a}}"));
});
