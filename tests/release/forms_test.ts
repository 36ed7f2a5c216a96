/** Do the forms that people fill in on GitHub work, and is the change log what releases take their notes from? */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { COMMAND_NAMES } from "../../src/operations/mod.ts";

const ROOT = new URL("../../", import.meta.url);
const FORMS = ".github/ISSUE_TEMPLATE/";
const read = (path: string) => Deno.readTextFileSync(new URL(path, ROOT));

interface Form {
  readonly name: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly body: readonly Field[];
}

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly validations?: { readonly required: boolean };
}

const FIELDS: Readonly<Record<string, readonly [required: string, ...optional: string[]]>> = {
  markdown: ["value"],
  input: ["label", "description", "placeholder"],
  textarea: ["label", "description", "placeholder", "render"],
};

for (const name of ["bug", "feature", "layout"]) {
  Deno.test(`the form ${name} is one that GitHub can show`, () => {
    const form = load(read(`${FORMS}${name}.yml`)) as Form;
    assert.deepEqual(Object.keys(form), ["name", "description", "labels", "body"]);
    // The labels that every new repository has: GitHub leaves out a label that does not exist.
    assert.ok(form.labels.every((label) => ["bug", "enhancement"].includes(label)));
    const ids = form.body.flatMap(({ id }) => id ?? []);
    assert.equal(new Set(ids).size, form.body.filter(({ type }) => type !== "markdown").length);
    assert.ok(form.body.some(({ validations }) => validations?.required));
    for (const { type, attributes } of form.body) {
      const [required, ...optional] = FIELDS[type]!;
      assert.ok(required in attributes, `${type} without ${required}`);
      assert.deepEqual(Object.keys(attributes).filter((key) => ![required, ...optional].includes(key)), []);
    }
  });
}

Deno.test("what a form or a policy asks people to run exists", () => {
  for (const path of [`${FORMS}bug.yml`, `${FORMS}layout.yml`, ".github/SECURITY.md"]) {
    const commands = [...read(path).matchAll(/`bmad-mcp ([a-z]+)/g)].map(([, command]) => command!);
    assert.notDeepEqual(commands, []);
    assert.deepEqual(commands.filter((name) => !COMMAND_NAMES.some((known) => known === name)), []);
  }
});

Deno.test("the change log has a section for what comes next, then one with a date for each release", () => {
  const text = read("CHANGELOG.md");
  const [next, ...released] = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
  assert.equal(next, "[Unreleased]");
  assert.deepEqual(
    released.filter((heading) => !/^\[\d+\.\d+\.\d+\S*\] - \d{4}-\d\d-\d\d$/.test(heading)),
    [],
  );
  const kinds = new Set([...text.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading!));
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  assert.deepEqual([...kinds].filter((kind) => !known.includes(kind)), []);
});
