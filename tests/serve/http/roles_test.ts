/**
 * Does everything that a server answers follow the table of roles, in the projects that somebody may use and in no
 * other?
 */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { httpPlaces } from "../../../src/base/http_state.ts";
import type { Right, Role } from "../../../src/base/roles.ts";
import { openRecordFile } from "../../../src/process/record_file.ts";
import {
  changes,
  type Operation,
  OPERATIONS,
  type Param,
  WORK_OPERATIONS,
  type WorkOperation,
} from "../../../src/operations/mod.ts";
import { addressesOf } from "../../../src/serve/api/addresses.ts";
import { ACTION_NAMES } from "../../../src/serve/board/mod.ts";
import { modernRequest } from "../../support/http.ts";
import { type Seen, type Team, withTeam } from "../../support/team_service.ts";

const MAY: Readonly<Record<Role, readonly Right[]>> = {
  reader: ["read"],
  worker: ["read", "work"],
  owner: ["read", "work", "force", "approve", "audit"],
};

interface Endpoint {
  readonly needs: Right | "nothing";
  readonly isOfProject: boolean;
}

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  ([
    [
      "read",
      true,
      "/mcp / /board /trace /review /questions /documents /memory /library /about /api /connect",
    ],
    ["read", true, "/board/events /api/v1 /api/v1/events"],
    ["work", true, "/board/act"],
    ["read", false, "/metrics /pages.js /board.js /api/v1/openapi.json"],
    ["audit", false, "/record"],
    ["nothing", false, "/mcp/server-card /.well-known/ai-catalog.json"],
    ["nothing", false, "/ready /health /enter /.well-known/oauth-protected-resource"],
    ["nothing", false, "/.well-known/oauth-protected-resource/mcp"],
  ] as const).flatMap(([needs, isOfProject, paths]) =>
    paths.split(" ").map((path) => [path, { needs, isOfProject }] as const)
  ),
);

type Args = Readonly<Record<string, unknown>>;
type Call = readonly [needs: Right, args: Args];

/** Calls of the operations on a project's work that need more than a story; what they take follows from the table. */
const OPERATION_CALLS: Readonly<Partial<Record<WorkOperation, readonly Args[]>>> = {
  review: [{ story: "1-3" }, { story: "1-3", lens: "edge cases" }],
  finding: [
    { story: "1-3", text: "It leaks", severity: "low", file: "a.ts:1" },
    { story: "1-3", text: "It leaks", force: true },
  ],
  evidence: [{ story: "1-1", command: "npm test", after: "ok" }],
  ask: [{ question: "Which?", story: "1-1" }],
  answer: [{}, { number: 1, text: "This" }],
  mark: [
    { story: "1-1", status: "in-progress" },
    { story: "1-2", status: "done", force: true, reason: "now" },
  ],
  // Whether force acts against others depends on who holds the story: team_test.ts.
  claim: [{ story: "1-1" }],
  release: [{ story: "1-1" }, { story: "1-4", force: true }],
  plan: [{}, { force: true }],
  script: [],
};

function callsOf(operation: WorkOperation): readonly Args[] {
  const { story }: Readonly<Record<string, Param>> = OPERATIONS[operation].params;
  return OPERATION_CALLS[operation] ?? [story?.isRequired ? { story: "1-1" } : {}];
}

const needsOf = (operation: WorkOperation, args: Args): Right =>
  args["force"] === true &&
    (OPERATIONS[operation].params as Readonly<Record<string, Param>>)["force"]?.right === "force"
    ? "force"
    : changes(OPERATIONS[operation], args)
    ? "work"
    : "read";

/** A script decides by its own arguments. */
const SCRIPT_CALLS: readonly Call[] = [
  ["read", { script: "sprint_plan.py status --status-file out/sprint-status.yaml" }],
  ["work", { script: "memlog.py init --workspace out/memory" }],
  ["force", { script: "sprint_status.py update --file out/sprint-status.yaml --epic 1 --set-retro-done" }],
];

const TOOLS: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(
    "list_workflows list_tasks get_project_context get_failure_museum get_workflow_status list_sessions"
      .split(" ").map((name): [string, Call] => [name, ["read", {}]]),
  ),
  bmad: ["read", { operation: "list", query: "agents" }],
  get_workflow_details: ["read", { workflow_name: "none" }],
  execute_workflow: ["read", { workflow_name: "none" }],
  execute_task: ["read", { task_name: "none" }],
  get_knowledge: ["read", { domain: "none" }],
  "bmad-workflow": ["read", { workflow: "none" }],
  "bmad-resources": ["read", { operation: "list" }],
  get_agent_memory: ["read", { agent: "dev" }],
  remember_structured: [
    "work",
    { type: "decisions", agent: "dev", text: "Tokens end soon", tags: ["by:Somebody-Else"] },
  ],
  recall_structured: ["read", { query: "tokens" }],
  search_codebase: ["read", { query: "tokens" }],
  spawn_subagent_task: ["work", { agent: "dev", task: "look", output_key: "a" }],
  run_completion_contract: ["work", {}],
  create_delivery_contract: ["work", { from_team: "a", to_team: "b", signed_by: "Somebody Else" }],
  delegate_to_agent: ["read", { agent_id: "dev", task: "look" }],
  update_run: ["work", { action: "start", run_id: "r1" }],
  answer_subagent_task: ["work", { task_id: "t1", action: "claim" }],
};

/** The other requests of the protocol, which all read. */
const METHODS: Readonly<Record<string, Args>> = {
  "tools/list": {},
  "prompts/list": {},
  "prompts/get": { name: "bmad" },
  "resources/list": {},
  "resources/templates/list": {},
  "resources/read": { uri: "bmad://board" },
  "completion/complete": {
    ref: { type: "ref/prompt", name: "bmad" },
    argument: { name: "agent", value: "" },
  },
};

const SECRET = "unheard-of";

const projectOf = (name: string) => ({
  [`${name}/_bmad/config.toml`]: '[core]\noutput_folder = "out"\n',
  [`${name}/out/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n  1-2-b: in-progress\n  1-3-c: review\n",
  [`${name}/out/1-1-a.md`]: `# Story 1.1: ${name}\n\nStatus: ready-for-dev\n\n## Tasks\n\n- [ ] One\n`,
  [`${name}/out/1-2-b.md`]: "# Story 1.2: B\n\nStatus: in-progress\n\n## Tasks\n\n- [ ] Two\n",
  [`${name}/out/1-3-c.md`]: "# Story 1.3: C\n\nStatus: review\n\n## Tasks\n\n- [x] Three\n",
  [`${name}/out/open-questions.md`]: "- **Q1** Which?\n  - A: This\n",
});

const OLD = {
  "old/.bmad-core/core-config.yaml": "prd:\n  prdFile: docs/prd.md\ndevStoryLocation: docs/stories\n",
  "old/.bmad-core/agents/dev.md": "# dev\n",
  "old/docs/prd.md": "## Epic 2: Shop\n### Story 2.1: D\n### Story 2.2: E\n",
  "old/docs/stories/2.1.d.md": "# Story 2.1: D\n\n## Status\n\nDraft\n\n## Story\n\nAs a user\n",
};

const TREE = { ...projectOf("shop"), ...projectOf(SECRET), ...OLD };

type Ask = (role: Role, path: string, message?: unknown, headers?: Args) => Promise<Seen>;

const ISSUER = ["--oidc-issuer", "https://login.example.org", "--oidc-audience", "a", "--roles", "reader=*"];

async function withRoles(check: (ask: Ask, team: Team) => Promise<void>): Promise<void> {
  const first = ROLES.map((role) => ({ name: `the ${role}`, role, projects: ["shop", "old"] }));
  const args = ["--toolsets", "all", ...ISSUER];
  await withTeam(TREE, { args, projects: ["shop", SECRET, "old"], first }, async (team, tokens) => {
    const deed = { at: 1, role: "owner", address: "::1", request: "1", deed: "plan" };
    openRecordFile(httpPlaces(team.state).record).add({ ...deed, project: SECRET });
    await check((role, ...rest) => team.ask(tokens[ROLES.indexOf(role)], ...rest), team);
  });
}

const ROLES = Object.keys(MAY) as readonly Role[];
const PROJECTS = ["shop", SECRET] as const;

function* everybody() {
  for (const role of ROLES) {
    for (const project of PROJECTS) yield { role, project, isOwn: project === "shop" };
  }
}

const may = (role: Role, needs: Right | "nothing") => needs === "nothing" || MAY[role].includes(needs);

Deno.test("every endpoint and page follows the table of roles, here and elsewhere [team:matrix]", () =>
  withRoles(async (ask, { service }) => {
    assert.deepEqual([...service.paths].sort(), [...ENDPOINTS.keys()].sort());
    for (const [path, { needs, isOfProject }] of ENDPOINTS) {
      for (const { role, project, isOwn } of everybody()) {
        const [message, headers] = path === "/mcp" ? modernRequest("tools/list") : [];
        const isAct = path === "/board/act";
        const { status, text } = await ask(
          role,
          `${path === "/api/v1" ? `${path}/board` : path}?project=${project}`,
          isAct ? { action: "claim", story: "1-1" } : message,
          { ...headers, ...(!isAct && path !== "/mcp" && { accept: "text/html" }) },
        );
        const about = `${path} ${role} ${project}: ${status} ${text.slice(0, 300)}`;
        // Not from our page, which is looked at once the role is.
        const allowed = isAct ? [403] : path === "/enter" ? [303] : [200];
        const expected = !may(role, needs) ? [403] : isOfProject && !isOwn && !isAct ? [404] : allowed;
        assert.ok(expected.includes(status), about);
        assert.equal(/it takes the role/.test(text), !may(role, needs), about);
        if (!isOwn) {
          assert.ok(
            !text.replaceAll(`“${SECRET}”`, "").replaceAll(`\\"${SECRET}\\"`, "").includes(SECRET),
            about,
          );
        }
      }
    }
    for (const role of ROLES) {
      assert.ok(!(await ask(role, "/board?all", undefined, { accept: "text/html" })).text.includes(SECRET));
    }
  }));

async function call(ask: Ask, role: Role, project: string, method: string, params: Args): Promise<Seen> {
  const [message, headers] = modernRequest(method, params);
  return await ask(role, `/mcp?project=${project}`, message, headers);
}

const ADDRESSES = addressesOf([]);

/** Those of the API that are no operations on a project's work. */
const CONTENT_PATHS = ["/agents", "/search?q=dev", "/items/dev", "/items/dev/execute", "/file?uri=a", "/log"];

/** The same operation as a request to the API. */
function requestOf(ask: Ask, needs: Right, { operation = "script", path: given, ...args }: Args) {
  const row: Operation = OPERATIONS[operation as WorkOperation];
  const method = given === undefined && changes(row, args) ? "POST" : "GET";
  const { path } = ADDRESSES.findLast((one) =>
    one.operation === operation && one.method === method &&
    [...one.path.matchAll(/\{(\w+)\}/g)].every(([, key]) => Object.hasOwn(args, key!))
  ) ?? { path: String(given) };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key) => String(args[key]));
  const rest = Object.fromEntries(Object.entries(args).filter(([key]) => !path.includes(`{${key}}`)));
  return {
    needs,
    about: `${filled} ${JSON.stringify(args)}`,
    send: (role: Role, project: string) =>
      ask(
        role,
        `/api/v1${filled}${filled.includes("?") ? "&" : "?"}project=${project}`,
        method === "POST" ? rest : undefined,
      ),
  };
}

const REFUSED = /it takes the role (?:worker|owner), and yours is/;

Deno.test("every tool and operation follows the table of roles, here and elsewhere [team:matrix]", () =>
  withRoles(async (ask, { dir, state }) => {
    const { text } = await call(ask, "owner", "shop", "tools/list", {});
    const offered: readonly {
      name: string;
      inputSchema: { properties: Record<string, { enum?: string[] }> };
    }[] = JSON.parse(text).result.tools;
    assert.deepEqual(offered.map(({ name }) => name).sort(), [...Object.keys(TOOLS), "bmad_work"].sort());
    const operations = [
      ...WORK_OPERATIONS.flatMap((operation) =>
        callsOf(operation).map((args) => [needsOf(operation, args), { operation, ...args }] as const)
      ),
      ...SCRIPT_CALLS,
    ];
    const callOf = (name: string, needs: Right, args: Args) => ({
      needs,
      about: `${name} ${JSON.stringify(args)}`,
      send: (role: Role, project: string) =>
        call(ask, role, project, "tools/call", { name, arguments: args }),
    });
    const requests = [
      ...Object.entries(TOOLS).map(([name, [needs, args]]) => callOf(name, needs, args)),
      ...operations.map(([needs, args]) => callOf("bmad_work", needs, args)),
      ...operations.map(([needs, args]) => requestOf(ask, needs, args)),
      ...CONTENT_PATHS.map((path) => requestOf(ask, "read", { path })),
    ];
    const before = await filesOf(dir);
    const lines = () => openRecordFile(httpPlaces(state).record).latest(10_000).length;
    for (const { role, project, isOwn } of everybody()) {
      for (const { needs, about: what, send } of requests) {
        const [files, recorded] = [await filesOf(dir), lines()];
        const { status, text } = await send(role, project);
        const about = `${role} in ${project}: ${what}: ${status} ${text.slice(0, 400)}`;
        if (what.startsWith("/")) assert.equal(status === 403, isOwn && !may(role, needs), about);
        else assert.equal(status, isOwn ? 200 : 404, about);
        const isChanged = !isDeepStrictEqual(await filesOf(dir), files);
        if (isChanged) assert.equal(lines(), recorded + 1, about);
        if (isOwn) assert.equal(REFUSED.test(text), !may(role, needs), about);
        else assert.match(text, /Unknown project \\"unheard-of\\". Use one of shop, old/);
      }
      for (const [method, params] of Object.entries(METHODS)) {
        const { status } = await call(ask, role, project, method, params);
        assert.equal(status, isOwn ? 200 : 404, `${role} in ${project}: ${method}`);
      }
      if (role === "reader") assert.deepEqual(await filesOf(dir), before, "who reads changes nothing");
    }
    const after = await filesOf(dir);
    assert.notDeepEqual(after.get("shop"), before.get("shop"));
    assert.equal(after.get(SECRET), before.get(SECRET), "nothing elsewhere was changed");
    assert.doesNotMatch(after.get("shop")!, /Somebody Else/);
    const recall = { name: "recall_structured", arguments: { query: "tokens" } };
    const recalled = (await call(ask, "worker", "shop", "tools/call", recall)).text;
    assert.match(recalled, /by:the-owner/, "who last had it remembered");
    assert.doesNotMatch(recalled, /Somebody-Else/);
    const record: readonly { name: string; deed: string }[] =
      JSON.parse((await ask("owner", "/record")).text).items;
    assert.deepEqual([...new Set(record.map(({ name }) => name))].sort(), ["the owner", "the worker"]);
    assert.ok(
      record.some(({ name, deed }) => name === "the owner" && deed === "mark 1-2 done by force reason=now"),
    );
  }));

async function filesOf(dir: string): Promise<ReadonlyMap<string, string>> {
  const read = async (folder: string): Promise<string> => {
    const names = (await Array.fromAsync(Deno.readDir(folder))).toSorted((a, b) => a.name < b.name ? -1 : 1);
    const texts = await Promise.all(
      names.map(async ({ name, isDirectory }) =>
        `${name}\n${await (isDirectory ? read(`${folder}/${name}`) : Deno.readTextFile(`${folder}/${name}`))}`
      ),
    );
    return texts.join("\n");
  };
  return new Map(
    await Promise.all(PROJECTS.map(async (name) => [name, await read(`${dir}/${name}`)] as const)),
  );
}

Deno.test("every action of the board follows the table [team:matrix]", () =>
  withRoles(async (ask) => {
    assert.ok(ACTION_NAMES.length >= 4);
    for (const role of ROLES) {
      const page = await ask(role, "/board", undefined, { accept: "text/html" });
      const [, proof] = /data-proof="([^"]*)"/.exec(page.text) ?? [];
      assert.equal(proof !== undefined, may(role, "work"), role);
      if (proof !== undefined) assert.match(page.text, new RegExp(`data-name="the ${role}"`));
      for (const action of ACTION_NAMES) {
        for (const fields of callsOf(action).filter((args) => changes(OPERATIONS[action], args))) {
          const needs = needsOf(action, fields);
          const headers = { "x-bmad-proof": proof ?? "", origin: "http://localhost" };
          const message = {
            action,
            by: "Somebody Else",
            reason: "now",
            ...fields,
            number: "1",
            epic: "1",
            title: "B",
            verdict: "fixed",
          };
          const { text } = await ask(role, "/board/act", message, headers);
          assert.equal(REFUSED.test(text), !may(role, needs), `${role} ${JSON.stringify(message)} ${text}`);
          assert.doesNotMatch(text, /Somebody Else/);
          if (!may(role, "force")) assert.doesNotMatch(text, /"way":"force"/);
        }
      }
    }
  }));

Deno.test("a draft is approved by an owner, by whatever word [team:matrix]", () =>
  withRoles(async (ask, { dir }) => {
    for (const role of ROLES) {
      for (const status of ["approved", "ready"]) {
        const args = { operation: "mark", story: "2.1", status };
        const { text } = await call(ask, role, "old", "tools/call", { name: "bmad_work", arguments: args });
        assert.equal(REFUSED.test(text), !may(role, "approve"), text);
      }
    }
    assert.match(Deno.readTextFileSync(`${dir}/old/docs/stories/2.1.d.md`), /Approved/);
  }));

Deno.test("only who may release a story is offered it on its page [pages:act]", () =>
  withTeam(
    {
      "shop/_bmad/config.toml": '[core]\noutput_folder = "out"\n',
      "shop/out/sprint-status.yaml": "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n",
    },
    {
      args: [],
      projects: ["shop"],
      first: [
        { name: "ann", role: "worker" },
        { name: "bob", role: "worker" },
        { name: "eve", role: "owner" },
      ],
    },
    async ({ ask }, [ann, bob, eve]) => {
      assert.equal((await ask(ann, "/api/v1/stories/1-1/claim", {})).status, 200);
      const offered = await Promise.all([ann, bob, eve].map(async (token) => {
        const { text } = await ask(token, "/board?story=1-1", undefined, { accept: "text/html" });
        return text.includes(">Release</button>");
      }));
      assert.deepEqual(offered, [true, false, true]);
    },
  ));
