/** Does a place with several projects answer as one, each project by its name, and none for another? */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { App, Config } from "../src/app.ts";
import { systemTimer } from "../src/base/work.ts";
import { expectFailure } from "../src/base/errors.ts";
import { denoHost } from "../src/process/host.ts";
import { askAll, joinReports, openProjects } from "../src/projects.ts";
import { callTool } from "../src/serve/mcp/mod.ts";
import { readResource } from "../src/serve/mcp/resources.ts";
import type { Arguments } from "./support/answers.ts";
import { resolveConfig } from "./support/config.ts";
import { type TreeFile, withTree } from "./support/trees.ts";

const story = (title: string, status: string) =>
  `# ${title}\n\nStatus: ${status}\n\n## Acceptance Criteria\n\n1. It works.\n`;

const ledger = (...rows: readonly string[]) =>
  `development_status:\n  epic-1: in-progress\n${rows.map((row) => `  ${row}\n`).join("")}`;

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUT = "_bmad-output/implementation-artifacts";

const PLACE: Readonly<Record<string, TreeFile>> = {
  [`packages/api/${OUT}/sprint-status.yaml`]: ledger("1-1-login: done", "1-2-pay: ready-for-dev"),
  [`packages/api/${OUT}/1-2-pay.md`]: story("Story 1.2: Pay", "ready-for-dev"),
  [`packages/web/${OUT}/sprint-status.yaml`]: ledger("1-2-shop: review", "1-3-cart: backlog"),
};

interface At {
  /** The project in which the caller stands; undefined for the place itself. */
  readonly current?: string;
  readonly names?: readonly string[];
  /** Those that must not be changed. */
  readonly readers?: readonly string[];
}

async function withPlace(
  { current, names = ["packages/api", "packages/web"], readers = [] }: At,
  test: (app: App, dir: string) => Promise<void>,
  tree = PLACE,
): Promise<void> {
  await withTree(tree, async (dir) => {
    const host = denoHost(ROOT);
    const configOf = (cwd: string) =>
      resolveConfig({ ...host, cwd, home: undefined, args: ["--project", cwd], env: () => undefined });
    const standing = { isCurrent: false, findSiblings: () => siblings };
    const config = (name: string): Config => ({
      ...configOf(`${dir}/${name}`),
      ...standing,
      name,
      mayChange: !readers.includes(name),
    });
    const siblings = names.filter((name) => name !== current).map(config);
    const place: Config = current === undefined
      ? {
        ...configOf(dir),
        name: "shop",
        isCurrent: false,
        mayChange: false,
        siblings,
        findSiblings: () => siblings,
      }
      : { ...config(current), isCurrent: true, siblings };
    const clock = { now: Date.now, after: systemTimer.after };
    const { find, home, close } = openProjects(place, clock, {
      open: (name, app) => ({ name, app }),
      bug: (error) => Promise.reject(error),
    });
    try {
      await test(find(home)!.app, dir);
    } finally {
      await close();
    }
  });
}

async function say(app: App, args: Arguments, tool = "bmad"): Promise<string> {
  const { content, isError } = await callTool(app, tool, args);
  const text = content[0]!.text!;
  assert.notEqual(isError, true, text);
  return text;
}

async function refusal(app: App, args: Arguments, tool = "bmad"): Promise<string> {
  const answer = await callTool(app, tool, args).catch((error) =>
    expectFailure(error) && error.message as string
  );
  if (typeof answer === "string") return answer;
  const text = answer.content[0]!.text!;
  assert.equal(answer.isError, true, text);
  return text;
}

Deno.test("a story is of the project that it names, or of the only one that has it [place:story]", () =>
  withPlace({}, async (app) => {
    assert.match(await say(app, { operation: "show", story: "packages/api:1-2" }), /^# 1-2: Pay/);
    assert.match(await say(app, { operation: "show", story: "web:1-2" }), /^# 1-2: Shop/);
    assert.match(
      await say(app, { operation: "show", story: "1-2", project: "packages/web" }),
      /^# 1-2: Shop/,
    );
    assert.match(await say(app, { operation: "show", story: "1-3" }), /^# 1-3: Cart/);
    const both = await refusal(app, { operation: "show", story: "1-2" });
    assert.match(both, /packages\/api, packages\/web.*packages\/api:1-2/);
    assert.match(await refusal(app, { operation: "show", story: "7-7" }), /7-7/);
    assert.match(await refusal(app, { operation: "board", project: "packages/ap" }), /packages\/api/);
  }));

Deno.test("a bare story belongs to the project in which one stands [place:story]", () =>
  withPlace({ current: "packages/web" }, async (app) => {
    assert.match(await say(app, { operation: "show", story: "1-2" }), /^# 1-2: Shop/);
    assert.match(await say(app, { operation: "show", story: "packages/api:1-2" }), /^# 1-2: Pay/);
    const board = await say(app, { operation: "board" });
    assert.doesNotMatch(board, /Pay/);
    assert.equal(board.match(/^.*packages\/api.*$/gm)?.length, 1);
  }));

Deno.test("where no project is current, board, next, check and questions are about all [place:all]", () =>
  withPlace({}, async (app) => {
    const board = await say(app, { operation: "board" });
    assert.match(board, /^- packages\/api:1-2 ready: Pay/m);
    assert.match(board, /^- packages\/web:1-2 review: Shop/m);
    const data = JSON.parse(await say(app, { operation: "board", format: "json" }));
    assert.deepEqual([data.total, data.counts.done, data.counts.ready], [4, 1, 1]);
    assert.deepEqual(data.epics.map(({ project }: { project: string }) => project), [
      "packages/api",
      "packages/web",
    ]);
    assert.equal(data.epics[1].stories[0].project, "packages/web");
    const next = await say(app, { operation: "next" });
    for (const [, call] of next.matchAll(/call(?:ing)? (bmad\w*) (\{.*?\})(?=[\s.]|$)/gm)) assert.ok(call);
    assert.match(next, /"project":"packages\/api"/);
    assert.match(next, /"project":"packages\/web"/);
    const check = JSON.parse(await say(app, { operation: "check", format: "json" }));
    assert.deepEqual(check.projects.map(({ project }: { project: string }) => project), [
      "packages/api",
      "packages/web",
    ]);
    await say(app, { operation: "ask", project: "packages/web", question: "Which colour?" }, "bmad_work");
    assert.match(await say(app, { operation: "answer" }, "bmad_work"), /# packages\/web\n[^]*Which colour\?/);
    assert.match(await refusal(app, { operation: "plan" }, "bmad_work"), /packages\/api, packages\/web/);
  }));

Deno.test("resources of the board are about all projects, as the operations are [place:all]", () =>
  withPlace({}, async (app) => {
    await say(app, { operation: "ask", project: "packages/web", question: "Which colour?" }, "bmad_work");
    const read = async (uri: string, of = app) =>
      ((await readResource(of, uri)).contents[0] as { text: string }).text;
    const board = await read("bmad://board");
    assert.match(board, /^- packages\/api:1-2 ready: Pay/m);
    assert.match(board, /^- packages\/web:1-2 review: Shop/m);
    assert.match(await read("bmad://questions"), /# packages\/web\n[^]*Which colour\?/);
    assert.doesNotMatch(await read("bmad://questions"), /No open questions/);
    assert.match(await read("bmad://trace"), /# packages\/api\n[^]*# packages\/web\n/);
    assert.doesNotMatch(await read("bmad://board", app.projects!.find("packages/web")!), /packages/);
  }));

Deno.test("agents and files are those of the project that a call names [place:content]", () =>
  withPlace(
    {},
    async (app) => {
      const scout = { operation: "execute", skill: "scout" };
      const api = await say(app, { ...scout, project: "packages/api" });
      assert.match(api, /^project: packages\/api\n[^]*packages\/api/);
      assert.match(api, /Look for Ann\./);
      assert.doesNotMatch(api, /Bo|packages\/web/);
      assert.match(
        await say(app, { ...scout, project: "packages/web" }),
        /^project: packages\/web\n[^]*Look for Bo\./,
      );
      assert.match(
        await refusal(app, { ...scout, project: "packages/none" }),
        /packages\/api, packages\/web/,
      );
      const calls = api.match(/bmad \{"(?:uri|skill)":[^}]*\}/g) ?? [];
      assert.ok(calls.every((call) => call.includes('"project":"packages/api"')), calls.join());
    },
    Object.fromEntries(
      ["api", "web"].flatMap((name) => [
        [`packages/${name}/_bmad/core/config.yaml`, `user_name: ${name === "api" ? "Ann" : "Bo"}\n`],
        [`packages/${name}/_bmad/own/config.yaml`, `user_name: ${name === "api" ? "Ann" : "Bo"}\n`],
        [
          `packages/${name}/_bmad/own/skills/scout/SKILL.md`,
          `---\nname: scout\ndescription: Of ${name}.\n---\nLook for ${name === "api" ? "Ann" : "Bo"}.\n`,
        ],
      ]),
    ),
  ));

Deno.test("a project that the start may not write is only read [place:writes]", () =>
  withPlace({ readers: ["packages/web"] }, async (app, dir) => {
    const mark = { operation: "mark", story: "packages/web:1-3", status: "ready-for-dev" };
    const why = await refusal(app, mark, "bmad_work");
    assert.ok(why.includes("packages/web") && why.includes(`--project ${dir}/packages/web`), why);
    assert.match(await say(app, { operation: "show", story: "packages/web:1-3" }), /backlog/);
    assert.match(
      await say(app, { ...mark, story: "packages/api:1-2", status: "in-progress" }, "bmad_work"),
      /1-2/,
    );
  }));

Deno.test("a model is told what its user can do to have a project changed [place:writes]", () =>
  withPlace({ readers: ["packages/api", "packages/web"] }, async (app, dir) => {
    const said = "this server only reads here; the user can start it with --project";
    const claim = { operation: "claim" };
    for (
      const args of [claim, { ...claim, project: "packages/api" }, { ...claim, story: "packages/api:1-2" }]
    ) {
      const why = await refusal(app, args, "bmad_work");
      assert.ok(why.includes(`${said} ${dir}/packages/api`), why);
      assert.doesNotMatch(why, /Say which|run it in/);
    }
    assert.match(await refusal(app, { operation: "trace" }), /Say which: project packages\/api/);
  }));

Deno.test("a project that cannot be read is one line, and harms no other [place:hostile]", () =>
  withPlace({}, async (app) => {
    const board = await say(app, { operation: "board" });
    assert.match(board, /^- packages\/api:1-2 /m);
    assert.match(board, /packages\/web/);
  }, { ...PLACE, [`packages/web/${OUT}/sprint-status.yaml`]: "development_status: [1, {" }));

Deno.test("a project that takes too long is one line [place:hostile]", () =>
  withPlace({}, async ({ projects }) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const [api, web] = await askAll(
      projects!,
      (app) => app.named === "packages/api" ? promise : Promise.resolve("here"),
      0,
    );
    assert.match(api!.problem!, /ask for it alone/);
    assert.deepEqual(web, { project: "packages/web", answer: "here" });
    resolve("late");
  }));

Deno.test("a model gets no call that would be refused [place:writes]", () =>
  withPlace({ readers: ["packages/web"] }, async (app) => {
    const next = await say(app, { operation: "next" });
    assert.match(next, /bmad_work \{"operation":"mark"[^}]*"project":"packages\/api"/);
    assert.doesNotMatch(next, /bmad_work \{[^}]*"project":"packages\/web"/);
  }));

Deno.test("where no project has an answer, the refusal of the first is one [place:hostile]", () => {
  const answers = ["a", "b"].map((project) => ({ project, problem: "It cannot be read" }));
  assert.throws(() => joinReports("board", answers), /a: It cannot be read/);
});
