/** Does the API answer as the command line does, under the rules of the server, and does it tell what it takes? */
import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { runCli } from "../../support/program.ts";
import { startHttp } from "../../support/http.ts";
import { POSIX } from "../../support/run.ts";
import { runShell } from "../../support/shell.ts";
import { askService, withTeam } from "../../support/team_service.ts";
import { withTree } from "../../support/trees.ts";

const PROJECT = {
  "shop/_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "shop/out/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n  1-2-b: in-progress\n  1-3-c: review\n",
  "shop/out/1-1-a.md": "# Story 1.1: A\n\nStatus: ready-for-dev\n\n## Tasks\n\n- [ ] One\n",
  "shop/out/1-2-b.md": "# Story 1.2: B\n\nStatus: in-progress\n\n## Tasks\n\n- [ ] Two\n",
  "shop/out/open-questions.md": "- **Q1** Which?\n  - A: This\n",
  "shop/.claude/skills/bmad-sail/SKILL.md":
    "---\nname: bmad-sail\ndescription: Sail\n---\nSail to {project-root}.\n",
};

const FIRST = [{ name: "ann", role: "worker" as const }];

type Fields = Readonly<Record<string, unknown>>;

const CODES: Readonly<Record<number, string>> = {
  400: "invalid-input",
  404: "not-found",
  405: "wrong-method",
};

/** Without the calls, which each surface spells in its own way. */
function withoutCalls(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer, (key, value) => {
    if (key !== "call") return value;
    assert.match(value, /^(?:GET|POST) \/api\/v1\/|^bmad-mcp /);
    return undefined;
  }));
}

Deno.test("a request answers what the command prints with --json [api:same-data]", () =>
  withTree(PROJECT, async (dir) => {
    const cwd = `${dir}/shop`;
    await using program = await startHttp(["--project", cwd, "--pack", "none", "--allow-git"]);
    const pairs: readonly (readonly [path: string, args: readonly string[]])[] = [
      ["/board", ["board"]],
      ["/stories/1-1", ["board", "1-1"]],
      ["/stories/1-1/check", ["check", "1-1"]],
      ["/check", ["check", "--all"]],
      ["/trace?stale=true", ["trace", "--stale"]],
      ["/stories/1-2/context?budget=500", ["context", "1-2", "--budget", "500"]],
      ["/stories/1-3/review", ["review", "1-3"]],
      ["/questions", ["answer"]],
      ["/log", ["log"]],
      ["/skills", ["list", "skills"]],
      ["/skills?limit=1", ["list", "skills", "--limit", "1"]],
      ["/modules", ["list", "modules"]],
      ["/search?q=sail", ["search", "sail"]],
      ["/items/bmad-sail", ["show", "bmad-sail"]],
      ["/file?uri=bmad://bmad-sail/SKILL.md", ["show", "bmad://bmad-sail/SKILL.md"]],
      ["/items/bmad-sail/diff", ["diff", "bmad-sail"]],
      ["/next", ["next"]],
    ];
    for (const [path, args] of pairs) {
      const answer = await fetch(`${program.url}/api/v1${path}`);
      const { stdout, stderr } = await runCli([...args, "--json", "--pack", "none"], { cwd });
      assert.equal(answer.headers.get("content-type"), "application/json");
      const found = await answer.json();
      if (answer.status === 200) {
        assert.deepEqual(withoutCalls(found), withoutCalls(JSON.parse(stdout)), path);
      } else {assert.equal(
          found.error.data?.code,
          JSON.parse(stderr).error?.code,
          JSON.stringify([path, found, stdout]),
        );}
    }
  }));

Deno.test("what changes something takes POST, and is recorded under the name of its token [api:changes]", () =>
  withTeam(
    PROJECT,
    { args: [], projects: ["shop"], first: FIRST },
    async ({ ask, dir, service }, [token]) => {
      const post = async (path: string, fields: unknown, headers: Fields = {}) => {
        const { status, text } = await ask(token, `/api/v1${path}`, fields, headers);
        return { status, ...JSON.parse(text) };
      };
      const marked = await post("/stories/1-1/mark", { status: "in-progress", by: "Somebody Else" });
      assert.deepEqual(marked.changes, [{ key: "1-1-a", from: "ready-for-dev", to: "in-progress" }]);
      assert.match(Deno.readTextFileSync(`${dir}/shop/out/sprint-status.yaml`), /1-1-a: in-progress/);
      const held = JSON.parse((await ask(token, "/api/v1/stories/1-1")).text);
      assert.equal(held.claim.by, "ann");

      const early = await post("/stories/1-2/mark", { status: "done" });
      assert.equal(early.status, 409);
      assert.match(early.error.message, /^Cannot mark 1-2-b as done: /);
      assert.match(early.error.data.objections[0].problem, /^Story 1-2 cannot be/);
      const forced = await post("/stories/1-2/mark", { status: "done", force: true });
      assert.equal(forced.status, 403);
      assert.match(forced.error.message, /it takes the role owner, and yours is worker/);
      const script = await post("/script", {
        script: "sprint_plan.py status --status-file out/sprint-status.yaml",
      });
      assert.equal(script.items[0].status, 0);
      const both = await post("/questions/1", { text: "A" });
      assert.equal(both.outcome, "answered");

      const ticked = await post("/stories/1-1/mark", { status: "done", task: "1" });
      assert.equal(ticked.status, 200, JSON.stringify(ticked));
      assert.match(Deno.readTextFileSync(`${dir}/shop/out/1-1-a.md`), /- \[x\] One/);

      const wrong: readonly (readonly [path: string, fields: unknown, status: number, message: RegExp])[] = [
        ["/stories/9-9/mark", { status: "done" }, 404, /^No story named "9-9"\. GET \/api\/v1\/board lists/],
        ["/stories/1-1/mark", {}, 400, /status/i],
        [
          "/stories/1-1/mark",
          { status: "x", story: "1-2" },
          400,
          /^Unknown parameter story\. mark takes status, by, force, reason, task, project$/,
        ],
        [
          "/plan",
          { nothing: 1 },
          400,
          /^Unknown parameter nothing\. plan takes force, epic, title, project$/,
        ],
        ["/reconcile", { nothing: 1 }, 400, /^Unknown parameter nothing\. reconcile takes project$/],
        [
          "/stories/1-3/finding",
          { text: "It leaks", file: "a.ts", line: "x" },
          400,
          /^Invalid line: expected a line or lines, such as 12 or 12-20, got "x"$/,
        ],
        ["/stories/1-3/finding", { text: "It leaks", file: "a.ts", line: -3 }, 400, /^Invalid line: /],
        ["/plan", { force: "maybe" }, 400, /^Invalid force: expected true or false, got "maybe"$/],
        ["/stories/1-1/mark", { status: "x", title: 1 }, 400, /^Unknown parameter title/],
        ["/stories/1-1/mark", [], 400, /^Expected a JSON object/],
        ["/plan", "text", 400, /^Expected a JSON object/],
        [
          "/stories/1-1/mark?project=shop",
          { status: "done", project: "bank" },
          400,
          /^Invalid project: expected text, got a list$/,
        ],
        [
          "/stories/1-1/mark?project=shop&project=bank",
          { status: "done" },
          400,
          /^Invalid project: .* a list$/,
        ],
        ["/stories/1-1/mark?status=done", { status: "review" }, 400, /^Invalid status: .* a list$/],
        ["/stories/1-1/mark", { status: "done", project: {} }, 400, /^Invalid project: .* an object$/],
        [
          "/stories/1-1/mark",
          { status: "done", project: "bank" },
          404,
          /^Unknown project "bank"\. Use one of shop$/,
        ],
        ["/stories/1-3/review", {}, 400, /lens.* is missing/],
        ["/constructor", {}, 404, /^Nothing at \/api\/v1\/constructor/],
        ["/agents", {}, 405, /^\/api\/v1\/agents accepts GET, HEAD$/],
      ];
      for (const [path, fields, status, message] of wrong) {
        const answer = await post(path, fields);
        assert.equal(answer.status, status, `${path} ${JSON.stringify(answer)}`);
        assert.match(answer.error.message, message);
        assert.equal(answer.error.data.code, CODES[status]);
      }
      const asText = { "content-type": "text/plain" };
      const owned = { authorization: `Bearer ${token}` };
      const send = async (path: string, method = "GET", headers: Fields = owned) => {
        const { status, text } = await askService(service, `/api/v1${path}`, undefined, headers, method);
        return [status, JSON.parse(text).error.data.code, JSON.parse(text).error.message];
      };
      const unasked = await post("/plan", {}, asText);
      assert.deepEqual(
        [unasked.status, unasked.error.data.code],
        [415, "wrong-type"],
        "as a page may send it",
      );
      const only = (
        path: string,
        methods: string,
      ) => [405, "wrong-method", `/api/v1${path} accepts ${methods}`];
      assert.deepEqual(await send("/stories/1-1/mark"), only("/stories/1-1/mark", "POST"));
      assert.deepEqual(await send("/board", "DELETE"), only("/board", "GET, HEAD"));
      assert.deepEqual(
        await send("/questions/1", "PUT"),
        only("/questions/1", "GET, HEAD, POST"),
      );
      for (const method of ["GET", "DELETE"]) {
        assert.deepEqual((await send("/stories/%ZZ", method)).slice(0, 2), [404, "not-found"]);
      }
      assert.deepEqual((await send("/board", "GET", {})).slice(0, 2), [401, "not-signed-in"]);
      for (const path of ["/next?all=maybe", "/items/bmad-sail?raw=maybe"]) {
        const [status, code, message] = await send(path);
        assert.deepEqual([status, code], [400, "invalid-input"]);
        assert.match(message, /^Invalid \w+: expected true or false, got "maybe"$/);
      }
      assert.equal((await askService(service, "/api/v1/board", undefined, owned, "HEAD")).status, 200);
    },
  ));

Deno.test("a cookie reads; what it changes takes the page's proof and Origin [api:cookie]", () =>
  withTeam(PROJECT, { args: [], projects: ["shop"], first: FIRST }, async ({ ask }, [token]) => {
    const entered = await ask(undefined, `/?token=${token}`, undefined, { accept: "text/html" });
    const [cookie] = entered.headers.get("set-cookie")!.split(";");
    const page = await ask(undefined, "/board", undefined, { accept: "text/html", cookie });
    const [, proof] = /data-proof="([^"]*)"/.exec(page.text) ?? [];
    const origin = "http://localhost";
    const claim = (headers: Fields) =>
      ask(undefined, "/api/v1/stories/1-1/claim", {}, { cookie, ...headers });
    const events = (headers: Fields) => ask(undefined, "/api/v1/events", undefined, { cookie, ...headers });
    assert.equal((await ask(undefined, "/api/v1/board", undefined, { cookie })).status, 200);
    const refusals = [{}, { origin }, { "x-bmad-proof": proof }, { "x-bmad-proof": "x", origin }];
    for (const headers of refusals) assert.equal((await claim(headers)).status, 403);
    for (const headers of [{}, { origin }, { "x-bmad-proof": proof, "sec-fetch-site": "same-site" }]) {
      assert.equal((await events(headers)).status, 403);
    }
    assert.equal((await claim({ origin, "x-bmad-proof": proof })).status, 200);
    assert.equal((await events({ "x-bmad-proof": proof })).status, 200);
    assert.equal((await ask(token, "/api/v1/events")).status, 200, "a token is no cookie");
  }));

Deno.test("a stream says where the board stands, and then each change [api:events]", () =>
  withTree(PROJECT, async (dir) => {
    await using program = await startHttp(["--project", `${dir}/shop`, "--pack", "none"]);
    const stop = new AbortController();
    const stream = await fetch(`${program.url}/api/v1/events`, { signal: stop.signal });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let said = "";
    const until = async (pattern: RegExp) => {
      while (!pattern.test(said)) said += (await reader.read()).value ?? assert.fail(said);
    };
    await until(/^event: board\ndata: \{"total":3,[^\n]*\n\n/);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ status: "in-progress", by: "Ann" });
    const marked = await fetch(`${program.url}/api/v1/stories/1-1/mark`, { method: "POST", headers, body });
    assert.equal(marked.status, 200, await marked.text());
    await until(/event: change\ndata: \{[^\n]*"1-1[^\n]*\n\n/);
    stop.abort();
    await reader.cancel().catch(() => {});
  }));

Deno.test("OpenAPI describes every address, and the page shows them [api:openapi]", () =>
  withTeam(PROJECT, { args: [], projects: ["shop"], first: FIRST }, async ({ ask }, [token]) => {
    const { text } = await ask(token, "/api/v1/openapi.json");
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    assert.ok(valid, JSON.stringify(errors));
    const { paths } = JSON.parse(text) as { paths: Readonly<Record<string, Fields>> };
    const page = await ask(token, "/api", undefined, { accept: "text/html" });
    const needed = { "/file": "?uri=bmad://bmad-sail/SKILL.md", "/search": "?q=sail" };
    const values = { story: "1-2", name: "bmad-sail", number: "1" };
    for (const [path, methods] of Object.entries(paths)) {
      assert.ok(page.text.includes(`/api/v1${path}<`), path);
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, key) => values[key as keyof typeof values]);
      for (const method of Object.keys(methods)) {
        const [query, body] = method === "get"
          ? [needed[path as keyof typeof needed] ?? ""]
          : ["", { nothing: 1 }];
        const { status, text } = await ask(token, `/api/v1${filled}${query}`, body);
        // Nothing else is wrong with the others than what was sent.
        assert.ok(
          method === "get" ? [200, 404, 409].includes(status) : status === 400,
          `${path} ${status} ${text}`,
        );
        if (status === 404) assert.match(text, /bmad-sail/, "the only one of its name overrides nothing");
      }
    }
  }));

Deno.test("anybody may read the server's card, and the catalogue that leads to it [api:card]", () =>
  withTeam(PROJECT, { args: [], projects: ["shop"], first: FIRST }, async ({ ask }) => {
    const seen = async (path: string, type: string) => {
      const { status, text, headers } = await ask(undefined, path, undefined, {
        origin: "https://example.com",
      });
      assert.deepEqual(
        [status, headers.get("content-type"), headers.get("access-control-allow-origin")],
        [200, type, "*"],
      );
      assert.match(headers.get("cache-control")!, /^public, max-age=\d+$/);
      return JSON.parse(text);
    };
    const { entries: [entry], specVersion } = await seen(
      "/.well-known/ai-catalog.json",
      "application/ai-catalog+json",
    );
    assert.equal(specVersion, "1.0");
    assert.equal(entry.type, "application/mcp-server-card+json");
    const { name, remotes, ...card } = await seen(new URL(entry.url).pathname, entry.type);
    assert.match(name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.deepEqual(remotes, [{ type: "streamable-http", url: "http://localhost/mcp" }]);
    assert.deepEqual(Object.keys(card).sort(), ["$schema", "description", "title", "version"]);
    const { status } = await ask(undefined, "/api/v1/board", undefined, { origin: "https://example.com" });
    assert.equal(status, 403);
  }));

Deno.test("the requests of the page about HTTP work as written [api:docs]", POSIX, () =>
  withTree({
    "shop/_bmad/config.toml": "[core]\n",
    "shop/_bmad-output/implementation-artifacts/sprint-status.yaml":
      "development_status:\n  epic-1: in-progress\n  1-2-login: in-progress\n",
  }, async (dir) => {
    const page = Deno.readTextFileSync(new URL("../../../docs/http.md", import.meta.url));
    const [, lines] = /^## The API$[^]*?^```sh\n([^]*?)^```/m.exec(page) ?? [];
    assert.ok(lines!.split("\n").filter((line) => line.startsWith("curl ")).length >= 5);
    await using program = await startHttp(["--project", `${dir}/shop`], {
      env: { BMAD_TOKEN: "secret-of-the-test" },
    });
    const run = lines!.replace("http://127.0.0.1:8080", program.url);
    const { code, stdout, stderr } = await runShell(
      `export BMAD_TOKEN=secret-of-the-test\ncurl() { command curl --silent --fail-with-body "$@" || exit 1; }\n${run}`,
    );
    assert.equal(code, 0, stdout.slice(-500) + stderr);
  }));
