/** Does every request that reads answer what openapi.json says, in installations that BMAD itself made? */
import assert from "node:assert/strict";
import { startHttp } from "../../support/http.ts";
import { installation, type InstallVersion, ofThisRun } from "../../support/installs.ts";
import { withTree } from "../../support/trees.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
}

type Fields = Readonly<Record<string, unknown>>;

const typeOf = (value: unknown) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** What contradicts a schema; a field that it does not name does, too. */
function contradictions(value: unknown, schema: Schema, path = ""): readonly string[] {
  const { type, properties, required = [], items, additionalProperties, anyOf } = schema;
  if (anyOf !== undefined) {
    const each = anyOf.map((one) => contradictions(value, one, path));
    return each.find((found) => found.length === 0) ?? each[0]!;
  }
  const types = [type ?? []].flat().map((one) => one === "integer" ? "number" : one);
  const own = typeOf(value);
  if (types.length > 0 && !types.includes(own)) return [`${path}: ${own}, not ${types.join(" or ")}`];
  if (own === "array") {
    return items === undefined
      ? []
      : (value as readonly unknown[]).flatMap((one) => contradictions(one, items, `${path}[]`));
  }
  if (own !== "object") return [];
  const fields = value as Fields;
  const missing = required.filter((name) => !Object.hasOwn(fields, name));
  return [
    ...missing.map((name) => `${path}.${name}: missing`),
    ...Object.entries(fields).flatMap(([name, member]) => {
      const known = properties?.[name] ?? additionalProperties;
      if (known !== undefined) return contradictions(member, known, `${path}.${name}`);
      return properties === undefined ? [] : [`${path}.${name}: unknown`];
    }),
  ];
}

const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "out/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n  1-2-b: review\n  1-3-c: done\n",
  "out/1-1-a.md": "# Story 1.1: A\n\nStatus: ready-for-dev\n\n## Acceptance Criteria\n\n1. Dry\n",
  "out/1-2-b.md":
    "# Story 1.2: B\n\nStatus: review\n\n## Tasks\n\n- [ ] Two\n\n## Review Findings\n\n- [ ] [High][Review][Patch] It leaks [src/c.ts:3]\n",
  "out/epics.md": "## Epic 1: A (FR1)\n### Story 1.1: A\n",
  "out/open-questions.md": "- **Q1** Which?\n  - A: This\n",
};

async function checkAnswers(args: readonly string[]): Promise<void> {
  await using program = await startHttp(args);
  const ask = async (path: string) => {
    const answer = await fetch(`${program.url}/api/v1${path}`);
    return { status: answer.status, body: await answer.json() };
  };
  const { body: { paths } } = await ask("/openapi.json");
  const { body: { items: [agent] } } = await ask("/agents");
  const { body: { items: [workflow] } } = await ask("/workflows");
  const values = { story: "1-2", number: "1" };
  const found: string[] = [];
  const asked: string[] = [];
  for (
    const [path, { get }] of Object.entries(paths as Readonly<Record<string, { readonly get?: Fields }>>)
  ) {
    if (get === undefined || path === "/events") continue;
    // deno-lint-ignore no-explicit-any
    const { schema } = (get as any).responses[200].content["application/json"];
    for (const item of path.includes("{name}") ? [agent, workflow] : [agent]) {
      const all: Fields = { ...values, name: item.id };
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, key) => String(all[key]));
      const query = path === "/search"
        ? "?q=story"
        : path === "/file"
        ? "?uri=bmad://_cfg/manifest.yaml"
        : "";
      const { status, body } = await ask(`${filled}${query}`);
      if (status !== 200) continue;
      asked.push(path);
      found.push(...new Set(contradictions(body, schema, path)));
    }
  }
  assert.deepEqual(found, []);
  for (const path of ["/agents", "/skills", "/sources", "/config", "/conflicts", "/doctor", "/search"]) {
    assert.ok(asked.includes(path), path);
  }
}

const VERSIONS: readonly InstallVersion[] = ["6.12.0", "6.0.4"];

for (const version of ofThisRun(VERSIONS, (version) => version)) {
  Deno.test(`in an installation of ${version}, every answer has the form that OpenAPI promises [api:openapi]`, async () => {
    await checkAnswers(["--project", await installation(version)]);
  });
}

Deno.test("where there is work, every answer has the form that OpenAPI promises [api:openapi]", () =>
  withTree(PROJECT, (dir) => checkAnswers(["--project", dir])));

Deno.test("OpenAPI names what a request needs, by the name that the pages about it use [api:openapi]", () =>
  withTree(PROJECT, async (dir) => {
    await using program = await startHttp(["--project", dir]);
    const { paths } = await (await fetch(`${program.url}/api/v1/openapi.json`)).json();
    const { required, content } = paths["/stories/{story}/mark"].post.requestBody;
    assert.ok(required);
    assert.deepEqual(content["application/json"].schema.required, ["status"]);
    const needed = paths["/search"].get.parameters.filter((one: Fields) => one["required"]);
    assert.deepEqual(needed.map(({ name }: Fields) => name), ["q"]);
    const search = async (query: string) =>
      await (await fetch(`${program.url}/api/v1/search${query}`)).json();
    assert.match((await search("")).error.message, /^`q` is missing/);
    assert.deepEqual(await search("?query=story"), await search("?q=story"));
  }));

Deno.test("each address says what it does itself, not what its operation does elsewhere [api:openapi]", () =>
  withTree(PROJECT, async (dir) => {
    await using program = await startHttp(["--project", dir]);
    const { paths } = await (await fetch(`${program.url}/api/v1/openapi.json`)).json();
    const summaries = (path: string) =>
      // deno-lint-ignore no-explicit-any
      Object.fromEntries(Object.entries(paths[path]).map(([method, one]) => [method, (one as any).summary]));
    assert.deepEqual(summaries("/board"), { get: "Show the project's epics and stories." });
    assert.deepEqual(summaries("/stories/{story}/review"), {
      get: "Print what a reviewer of a story needs, and whether another pass is due.",
      post: "Begin a pass of a story's review.",
    });
    const ofQuestions = { get: "List open questions and the last answers.", post: "Answer a question." };
    assert.deepEqual(summaries("/questions"), ofQuestions);
    assert.deepEqual(summaries("/agents"), { get: "List agents." });
    assert.deepEqual(summaries("/config"), { get: "List BMAD's settings." });
    assert.deepEqual(summaries("/doctor"), { get: "List what is served, and its problems." });
  }));
