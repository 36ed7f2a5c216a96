/** Do commands answer for a folder with several projects, and change only the one that they name? */
import assert from "node:assert/strict";
import { runGit } from "../../support/git.ts";
import { runHere } from "../../support/program.ts";
import { type TreeFile, withTree } from "../../support/trees.ts";

const OUT = "_bmad-output/implementation-artifacts";

const ledger = (...rows: readonly string[]) =>
  `development_status:\n  epic-1: in-progress\n${rows.map((row) => `  ${row}\n`).join("")}`;

const story = (title: string, status: string) =>
  `# ${title}\n\nStatus: ${status}\n\n## Acceptance Criteria\n\n1. It works.\n`;

const skill = (name: string, of: string) =>
  `---\nname: ${name}\ndescription: The ${name} of ${of}.\n---\nWork.\n`;

const FILES: Readonly<Record<string, TreeFile>> = {
  "home/": "",
  [`shop/packages/api/${OUT}/sprint-status.yaml`]: ledger("1-1-login: done", "1-2-pay: ready-for-dev"),
  [`shop/packages/api/${OUT}/1-2-pay.md`]: story("Story 1.2: Pay", "ready-for-dev"),
  "shop/packages/api/_bmad/own/skills/scout/SKILL.md": skill("scout", "api"),
  "shop/packages/api/_bmad/own/skills/miner/SKILL.md": skill("miner", "api"),
  "shop/packages/api/_bmad/own/config.yaml": "user_name: Ann\n",
  [`shop/packages/web/${OUT}/sprint-status.yaml`]: ledger("1-2-shop: review", "1-3-cart: backlog"),
  [`shop/packages/web/${OUT}/1-2-shop.md`]: story("Story 1.2: Shop", "review"),
  "shop/packages/web/_bmad/own/skills/scout/SKILL.md": skill("scout", "web"),
  "shop/packages/web/_bmad/own/config.yaml": "user_name: Bo\n",
};

type Run = (line: string, cwd?: string) => ReturnType<typeof runHere>;

const withShop = (fn: (run: Run, dir: string) => Promise<void>, files = FILES) =>
  withTree(files, async (dir) => {
    runGit(`${dir}/shop`, "init", "--quiet");
    await fn(
      (line, cwd = "shop") =>
        runHere(line.split(" "), { cwd: `${dir}/${cwd}`, env: { HOME: `${dir}/home`, USER: "ann" } }),
      dir,
    );
  });

Deno.test("commands answer for all projects, each story by its project's name [place:story, place:all]", () =>
  withShop(async (run) => {
    assert.match((await run("board")).stdout, /^packages\/api:1-2\t.*Pay$[^]*^packages\/web:1-3\t.*Cart$/m);
    for (const line of ["show packages/api:1-2", "show api:1-2", "api:1-2", "board packages/api:1-2"]) {
      assert.match((await run(line)).stdout, /^title\tPay$/m, line);
    }
    assert.match((await run("show 1-3")).stdout, /Cart/);
    assert.match((await run("show 1-2")).stderr, /packages\/api, packages\/web/);
    assert.match((await run("answer")).stdout, /^No open questions/);
    assert.match((await run("search pay")).stdout, /^packages\/api:1-2\tPay/m);
    const found = JSON.parse((await run("search scout --json")).stdout);
    assert.deepEqual(
      found.items.map(({ project, name }: Record<string, string>) => `${project} ${name}`).slice(0, 2),
      ["packages/api scout", "packages/web scout"],
    );
    const prime = (await run("prime")).stdout;
    assert.match(prime, /^# packages\/api\n.*Pay[^]*"project":"packages\/api"/m);
    assert.match(prime, /^# packages\/web\n.*Shop[^]*"project":"packages\/web"/m);
    for (const row of (await run("list next")).stdout.trim().split("\n")) {
      assert.match(row, /\tpackages\/(?:api|web): /);
    }
  }));

Deno.test("a story is shown by every name that is printed or taken elsewhere [place:story, cli:habits]", () =>
  withTree({
    "home/": "",
    [`shop/packages/my api/${OUT}/sprint-status.yaml`]: ledger("1-2-pay: backlog", "bug-pulled-bug: backlog"),
    [`shop/api:v2/${OUT}/sprint-status.yaml`]: ledger("1-2-shop: backlog", "1-9-log-out: backlog"),
    "shop/specs/_bmad-output/spec-order/SPEC.md": "# Order",
    "shop/specs/_bmad-output/spec-order/stories.yaml": "- id: 2\n  title: Two\n",
  }, async (dir) => {
    runGit(`${dir}/shop`, "init", "--quiet");
    const env = { HOME: `${dir}/home`, USER: "ann" };
    const show = async (...words: string[]) => await runHere(words, { cwd: `${dir}/shop`, env });
    const asked = (await show("show", "1-2")).stderr;
    const [, named = ""] = /Say which: (.*?:1-2)/.exec(asked) ?? [];
    assert.match(named, /^(?:packages\/my api|api:v2):1-2$/, asked);
    const titles = {
      "packages/my api:1-2": "Pay",
      "my api:1-2": "Pay",
      "api:v2:1-9": "Log out",
      "log out": "Log out",
      "bug-pulled-bug": "Bug pulled bug|Pulled bug",
      "specs:spec-order/2": "Two",
      "spec-order/2": "Two",
    };
    for (const [name, title] of Object.entries(titles)) {
      const { stdout, stderr } = await show("show", name);
      assert.match(stdout, new RegExp(`^title\t(?:${title})$`, "m"), `${name}: ${stderr}`);
    }
    assert.match((await show("show", "log out", "--json")).stdout, /"title": "Log out"/);
    assert.match((await show("my api:1-2")).stdout, /^title\tPay$/m);
    assert.match((await show("show", "nobody")).stderr, /No agent, workflow or skill named "nobody"/);
  }));

const COUNTING = { "bin/git": '#!/bin/sh\necho "$*" >>"$0.log"\nPATH="${PATH#*:}" exec git "$@"\n' };

Deno.test("projects of one repository ask git once [place:all]", {
  ignore: Deno.build.os === "windows",
}, () =>
  withShop(async (_, dir) => {
    Deno.chmodSync(`${dir}/bin/git`, 0o755);
    runGit(`${dir}/shop`, "add", ".");
    runGit(`${dir}/shop`, "commit", "--quiet", "--message", "Begin");
    const env = { HOME: `${dir}/home`, PATH: `${dir}/bin:${Deno.env.get("PATH")}` };
    for (const line of ["board", "check"]) {
      const { stdout } = await runHere([line], { cwd: `${dir}/shop`, env });
      assert.match(stdout, /packages\/api/);
      const log = Deno.readTextFileSync(`${dir}/bin/git.log`);
      assert.equal(log.match(/ status --porcelain/g)?.length, 1, log);
      Deno.removeSync(`${dir}/bin/git.log`);
    }
  }, { ...FILES, ...COUNTING }));

Deno.test("the project in which somebody holds a story comes first [place:all]", () =>
  withShop(async (run) => {
    const first = async () =>
      await Promise.all(
        ["next", "prime"].map(async (line) => /^# (.*)$/m.exec((await run(line)).stdout)?.[1]),
      );
    assert.deepEqual(await first(), ["packages/api", "packages/api"]);
    assert.equal((await run("claim packages/web:1-3")).code, 0);
    assert.deepEqual(await first(), ["packages/web", "packages/web"]);
  }));

Deno.test("a line may change the project that it names, and no other [place:writes]", () =>
  withShop(async (run, dir) => {
    assert.match((await run("mark api:1-2 in-progress")).stdout, /1-2-pay: ready-for-dev → in-progress/);
    assert.match((await run("claim packages/web:1-3", "shop/packages/api")).stdout, /holds 1-3-cart/);
    const refused = await run("mark 1-3 ready-for-dev");
    assert.notEqual(refused.code, 0);
    assert.ok(refused.stderr.includes(`--project ${dir}/shop/packages/web`), refused.stderr);
    for (const line of ["log", "team init", "memory list", "claim", "trace", "board --watch"]) {
      const { code, stderr } = await run(line);
      assert.ok(code !== 0 && stderr.includes(`--project ${dir}/shop/packages/api`), `${line}: ${stderr}`);
    }
    assert.deepEqual([...Deno.readDirSync(`${dir}/shop`)].map(({ name }) => name).sort(), [
      ".git",
      "packages",
    ]);
  }));

Deno.test("a name that several projects have is asked back, and one that one has is its own [place:content]", () =>
  withShop(async (run) => {
    for (const line of ["execute scout", "show scout"]) {
      assert.match((await run(line)).stderr, /packages\/api, packages\/web/, line);
    }
    assert.match((await run("execute miner")).stdout, /^project: packages\/api\n/);
    assert.match((await run("show miner")).stdout, /The miner of api/);
    // The embedded agents work in a project, too.
    assert.match((await run("execute Mary")).stderr, /packages\/api, packages\/web/);
    assert.match((await run("execute nobody")).stderr, /nobody/);
  }));

Deno.test("doctor, config and the list of sources name the projects [place:listed]", () =>
  withShop(async (run, dir) => {
    const items = ["api", "web"].map((name) => ({
      name: `packages/${name}`,
      folder: `${dir}/shop/packages/${name}`,
      isCurrent: false,
      mayChange: false,
    }));
    for (const line of ["doctor --json", "config --json", "list sources --json", "sources --json"]) {
      const data = JSON.parse((await run(line)).stdout);
      const { projects } = line.startsWith("doctor") ? data.project : data;
      assert.deepEqual(projects.items, items, line);
    }
    assert.match((await run("doctor")).stdout, /projects .*packages\/api.*packages\/web/);
    const own = JSON.parse((await run("config --json", "shop/packages/web")).stdout).projects.items;
    assert.deepEqual(own.map(({ isCurrent, mayChange }: Record<string, boolean>) => [isCurrent, mayChange]), [
      [true, true],
      [false, false],
    ]);
    assert.equal(JSON.parse((await run("config --json", "home")).stdout).projects, undefined);
  }));

Deno.test("of each settings file, doctor names the folder to trust [place:trust]", () =>
  withShop(async (run, dir) => {
    for (const name of ["api", "web"]) {
      await Deno.writeTextFile(`${dir}/shop/packages/${name}/.bmad-mcp.toml`, 'paths = ["/srv/team"]\n');
    }
    const { stdout } = await run("doctor");
    for (const name of ["api", "web"]) {
      assert.match(stdout, new RegExp(`config trust .*/shop/packages/${name}$`, "m"));
    }
  }));

Deno.test("one look at the repository tells of each project what a look at it alone does [place:all]", () =>
  withShop(async (run, dir) => {
    const shop = `${dir}/shop`;
    const ledger = `${shop}/packages/web/${OUT}/sprint-status.yaml`;
    await Deno.writeTextFile(ledger, (await Deno.readTextFile(ledger)).replace("review", "done"));
    await Deno.mkdir(`${shop}/packages/web/src`);
    await Deno.writeTextFile(`${shop}/packages/web/src/a.ts`, "1");
    runGit(shop, "add", "--all");
    runGit(shop, "commit", "--quiet", "--message=feat(1-1): all");
    const baseline = `---\nbaseline_commit: ${runGit(shop, "rev-parse", "HEAD").trim()}\n---\n`;
    await Deno.writeTextFile(
      `${shop}/packages/web/${OUT}/1-2-shop.md`,
      `${baseline}${story("Story 1.2: Shop", "done")}\n## File List\n\n- src/a.ts\n`,
    );
    await Deno.writeTextFile(`${shop}/packages/web/src/a.ts`, "2");
    await Deno.writeTextFile(`${shop}/packages/api/new.ts`, "");
    const { items, problems } = JSON.parse((await run("board --json")).stdout);
    const { items: found } = JSON.parse((await run("check --json")).stdout);
    for (const name of ["packages/api", "packages/web"]) {
      const own = <T>(all: readonly (T & { readonly project: string })[]) =>
        JSON.parse(
          JSON.stringify(
            all.filter(({ project }) => project === name),
            (key, value) => key === "project" ? undefined : value,
          ),
        );
      const alone = JSON.parse((await run(`board --json --project ${shop}/${name}`)).stdout);
      assert.deepEqual([own(items), own(problems)], [alone.items, alone.problems]);
      const checked = JSON.parse((await run(`check --json --project ${shop}/${name}`)).stdout);
      assert.deepEqual(own(found), checked.items);
    }
    assert.match(JSON.stringify(items), /not committed/i);
  }));

Deno.test("a project with settings that cannot be used is one line of an answer over all [place:hostile]", () =>
  withShop(async (run, dir) => {
    await Deno.mkdir(`${dir}/home/.config/bmad-mcp`, { recursive: true });
    const trust = (...names: readonly string[]) =>
      Deno.writeTextFile(
        `${dir}/home/.config/bmad-mcp/config.toml`,
        `trusted = ${JSON.stringify(names.map((name) => `${dir}/shop/packages/${name}`))}\n`,
      );
    for (const name of ["api", "web"]) {
      await Deno.writeTextFile(`${dir}/shop/packages/${name}/.bmad-mcp.toml`, "mode");
    }
    await trust("api");
    for (const line of ["board", "check", "next"]) {
      const { stdout, stderr } = await run(line);
      assert.match(stdout + stderr, /packages\/web/, line);
      assert.equal(`${stdout}${stderr}`.match(/^packages\/api: .*\.bmad-mcp\.toml:1/gm)?.length, 1, line);
    }
    await trust("api", "web");
    for (
      const line of ["board", "next", "check", "prime", "execute pm", "list next", "search pay", "doctor"]
    ) {
      const { code, stderr } = await run(line);
      assert.equal(code, line === "doctor" ? 2 : 0, `${line}: ${stderr}`);
      if (line !== "doctor") assert.match(stderr, /packages\/api is left out/, line);
    }
  }));
