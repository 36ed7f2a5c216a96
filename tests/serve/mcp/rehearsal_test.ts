/** Is what the first calls need prepared in silence, without a trace and without anybody having to wait for it? */
import assert from "node:assert/strict";
import { denoHost } from "../../../src/process/host.ts";
import { type App, openApp } from "../../../src/app.ts";
import { rehearse } from "../../../src/serve/mcp/mod.ts";
import { resolveConfig } from "../../support/config.ts";
import { withTree } from "../../support/trees.ts";

const AGENT = "---\nname: scout\ndescription: Looks out\n---\n<agent name='Nemo' title='Scout'></agent>\n";
const PROJECT = {
  "bmad/sea/agents/scout.md": AGENT,
  "bmad/sea/agents/cook.md": AGENT.replaceAll("scout", "cook"),
};

async function withApp(test: (app: App) => Promise<void>): Promise<void> {
  await withTree(PROJECT, async (dir) => {
    const host = denoHost(dir);
    const args = ["--project", dir, "--pack", "none"];
    await test(openApp(resolveConfig({ ...host, home: undefined, args, env: () => undefined }), host));
  });
}

Deno.test("a rehearsal makes every kind of call, and none of them counts as a use [start:first-call]", () =>
  withApp(async (app) => {
    const made = new Set<string>();
    /** The same app, and those that it makes, noting every call. */
    const noting = (inner: App): App =>
      new Proxy(inner, {
        get: (_, name: keyof App) => {
          const value = inner[name];
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            made.add(name);
            const result = Reflect.apply(value, inner, args);
            return name === "forRequest" || name === "overriding" ? noting(result as App) : result;
          };
        },
      });
    let asked = 0;
    await rehearse(noting(app), () => Promise.resolve(++asked > 0));
    for (const call of ["entries", "list", "execute", "read", "search", "resources"]) {
      assert.ok(made.has(call), `${call} is not among ${[...made].join(", ")}`);
    }
    assert.equal(asked, 9, "before each step it asks whether it may go on");
    const backwards = (await app.entries()).toReversed();
    assert.ok(backwards.length > 1);
    assert.deepEqual(await app.rank(backwards, (entry) => entry), backwards);
  }));

Deno.test("a rehearsal asks no memory, which would load its model [memory:lazy]", () =>
  withTree({ ...PROJECT, "_bmad/_memory/": "", "state/": "" }, async (dir) => {
    const host = denoHost(dir);
    const args = ["serve", "--project", dir, "--pack", "none", "--toolsets", "bmad,memory"];
    const env = (name: string) => name === "XDG_STATE_HOME" ? `${dir}/state` : undefined;
    const app = openApp(resolveConfig({ ...host, home: undefined, args, env }), host);
    const memory = await app.project.memory();
    await memory.remember({ type: "decisions", agent: "user", text: "Tokens live 15 minutes", tags: [] });
    const countFor = async (one: App) => (await one.find({ words: "token" })).memories.length;
    assert.equal(await countFor(app), 1);
    assert.equal(await countFor(app.forRequest({ isRehearsal: true })), 0);
    await app.close();
  }));

Deno.test("a client that leaves ends the rehearsal [start:first-call]", () =>
  withApp(async (app) => {
    let asked = 0;
    await rehearse(app, () => Promise.resolve(++asked < 3));
    assert.equal(asked, 3);
  }));
