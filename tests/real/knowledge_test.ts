/** Is the knowledge of real BMAD releases found, each fragment once? */
import assert from "node:assert/strict";
import { findKnowledge } from "../../src/content/library/mod.ts";
import { parseTable } from "../../src/content/parse.ts";
import { installation, type SourcePackage, sourceTree } from "../support/installs.ts";
import { openSource } from "../support/library.ts";

const TEA = "bmad-method-test-architecture-enterprise@1.27.2";

async function domainsOf(dir: string): Promise<Readonly<Record<string, number>>> {
  const library = await openSource(dir);
  const found = await findKnowledge(library, {});
  assert.ok(found.is === "index");
  for (const { name: domain, data } of found.rows) {
    const index = await findKnowledge(library, { domain });
    assert.equal(index.is === "index" && index.rows.length, data["fragments"], domain);
  }
  return Object.fromEntries(found.rows.map(({ data }) => [data["domain"], data["fragments"]]));
}

function* filesNamed(dir: string, name: string): Generator<string> {
  for (const { name: own, isDirectory } of Deno.readDirSync(dir)) {
    if (isDirectory) yield* filesNamed(`${dir}/${own}`, name);
    else if (own === name) yield `${dir}/${own}`;
  }
}

Deno.test("knowledge that nine skills have is listed once [toolsets:knowledge]", async () => {
  const dir = await sourceTree(TEA);
  const indexes = [...filesNamed(`${dir}/src`, "tea-index.csv")];
  const rows = indexes.map((path) => parseTable(Deno.readTextFileSync(path)).value);
  assert.deepEqual([indexes.length, new Set(rows.map(({ length }) => length))], [9, new Set([59])]);

  const library = await openSource(dir);
  const index = await findKnowledge(library, { domain: "testarch" });
  assert.ok(index.is === "index");
  assert.deepEqual(index.rows.map(({ name }) => name), rows[0]!.map(({ id }) => id));
  for (const [at, { data, about }] of index.rows.entries()) {
    const { id, name, description, tags, tier, fragment_file } = rows[0]![at]!;
    assert.deepEqual([data["name"], data["description"], data["tier"]], [name, description, tier]);
    assert.ok(about.startsWith(`${name} [${tags!.split(",")[0]!.trim()}`), about);
    const found = await findKnowledge(library, { domain: "testarch", topic: id });
    assert.ok(found.is === "fragments" && found.files.length === 1, id);
    const folder = indexes[0]!.slice(0, indexes[0]!.lastIndexOf("/"));
    assert.equal(found.files[0]!.text, Deno.readTextFileSync(`${folder}/${fragment_file}`), id);
  }
  assert.deepEqual(await domainsOf(dir), {
    architecture: 3,
    patterns: 9,
    "teach-me-testing": 4,
    testarch: 59,
  });
});

const PACKAGES: readonly (readonly [SourcePackage, Readonly<Record<string, number>>])[] = [
  ["bmad-method@6.0.0-alpha.7", { testarch: 21, architecture: 23, "design-thinking": 1, brainstorming: 1 }],
  ["bmad-method@6.0.0-alpha.22", { testarch: 32, gametest: 16, excalidraw: 3, "create-architecture": 2 }],
  ["bmad-method@4.44.3", { core: 6 }],
  ["bmad-method@6.12.0", { brainstorming: 9, "advanced-elicitation": 1, architecture: 5, review: 9 }],
];

for (const [name, domains] of PACKAGES) {
  Deno.test(`${name} has its knowledge domains [toolsets:knowledge]`, async () => {
    const found = await domainsOf(await sourceTree(name));
    for (const [domain, count] of Object.entries(domains)) assert.equal(found[domain], count, domain);
    // Manifests, catalogues of help and parties are tables too, and no knowledge.
    for (const domain of ["config", "teams", "_config"]) assert.equal(found[domain], undefined, domain);
  });
}

Deno.test("an installation of 6.0.4 has its tables and data [toolsets:knowledge]", async () => {
  const dir = await installation("6.0.4");
  assert.deepEqual(await domainsOf(dir), {
    "advanced-elicitation": 1,
    architecture: 11,
    brainstorming: 1,
    "create-architecture": 2,
    "create-prd": 3,
    "document-project": 1,
    patterns: 4,
  });
});

const CURATED: readonly (readonly [name: SourcePackage, domain: string, ids: readonly string[]])[] = [
  ["bmad-method@4.44.3", "architecture", ["architect", "architect-checklist", "fullstack-architecture-tmpl"]],
  ["bmad-method@4.44.3", "patterns", ["technical-preferences"]],
  [
    "bmad-method@6.0.0-alpha.7",
    "architecture",
    ["architect", "architecture", "architecture-instructions", "pattern-categories", "decision-catalog"],
  ],
  [
    "bmad-method@6.0.0-alpha.7",
    "patterns",
    ["architecture-patterns", "pattern-categories", "test-healing-patterns"],
  ],
  [
    "bmad-method@6.0.0-alpha.22",
    "architecture",
    ["architect", "create-architecture", "step-04-decisions", "project-types"],
  ],
  ["bmad-method@6.0.0-alpha.22", "patterns", ["step-05-patterns", "test-healing-patterns"]],
  ["bmad-method@6.12.0", "architecture", ["architect", "architecture", "spine-template", "reviewer-gate"]],
  [TEA, "patterns", ["api-testing-patterns", "fixture-architecture", "test-healing-patterns"]],
];

for (const [name, domain, ids] of CURATED) {
  Deno.test(`${name} has ${domain}, and each of it opens [toolsets:knowledge-curated]`, async () => {
    const library = await openSource(await sourceTree(name));
    const index = await findKnowledge(library, { domain });
    assert.ok(index.is === "index");
    const found = index.rows.map(({ data }) => data["id"] as string);
    for (const id of ids) assert.ok(found.includes(id), `${id}: ${found.join(", ")}`);
    for (const { name, data } of index.rows) {
      const opened = await findKnowledge(library, { domain, topic: name });
      assert.ok(opened.is === "fragments");
      assert.ok(opened.files.some(({ uri, origin }) => uri === data["uri"] && origin === "cli"), name);
    }
  });
}
