/** Does a clone work that lacks the folder of the client into which the installer copied the skills? */
import assert from "node:assert/strict";
import type { Library } from "../../src/content/library/mod.ts";
import {
  listLibrary,
  openLibrary,
  overviewOf,
  resolveEntry,
  surveyOrigins,
} from "../../src/content/library/mod.ts";
import { allItems, headLine, refusal, say } from "../support/answers.ts";
import { clientHere } from "../support/client.ts";
import { flatSource } from "../support/flat.ts";
import { runGit } from "../support/git.ts";
import { startHttp } from "../support/http.ts";
import { installation, type InstallRequest, type InstallVersion, ofThisRun } from "../support/installs.ts";
import { embedded, type Files, opening, openProject } from "../support/library.ts";
import { readPage } from "../support/pages.ts";
import { runHere } from "../support/program.ts";
import { copyTree, withTree, writeTree } from "../support/trees.ts";

const PACK = "6.12.0";
const VERSIONS: readonly InstallVersion[] = ["6.12.0", "6.11.0", "6.8.0", "6.5.0"];
const CLIENTS = [".claude", ".agents", ".cursor"];
const SPRINT: Files = {
  "_bmad-output/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-sign-up: ready-for-dev\n  1-2-sign-in: backlog\n",
};

/** A copy of an installation without the folders of some clients; `files` are added to it. */
function withClone<T>(
  wanted: InstallRequest | InstallVersion,
  fn: (dir: string) => Promise<T>,
  { gone = CLIENTS, files = {} }: { readonly gone?: readonly string[]; readonly files?: Files } = {},
): Promise<T> {
  return withTree({}, async (dir) => {
    await copyTree(await installation(wanted), dir);
    for (const folder of gone) await Deno.remove(`${dir}/${folder}`, { recursive: true }).catch(() => {});
    await writeTree(dir, files);
    return await fn(dir);
  });
}

const openingsOf = (dir: string) => [
  opening("project", 1, dir),
  { ...embedded("latest"), isFallback: true },
];

const openWithPack = (dir: string) => openLibrary(openingsOf(dir), { project: dir });

const idsOf = ({ visible }: Library, kind: "id" | "module" = "id") =>
  [...new Set(visible.map((entry) => entry[kind]))].sort();

const originsIn = ({ visible }: Library) => [...new Set(visible.map(({ origin }) => origin.id))].sort();

async function sentenceOf(dir: string): Promise<string | undefined> {
  return overviewOf(await surveyOrigins(openingsOf(dir))).standIn;
}

Deno.test("a clone without its skills is served from the pack [place:clone-without-skills]", async (t) => {
  for (const version of ofThisRun(VERSIONS, (one) => one)) {
    await t.step(version, () =>
      withClone(version, async (dir) => {
        const library = await openWithPack(dir);
        assert.deepEqual(idsOf(library, "module"), ["bmm", "core"]);
        assert.deepEqual(originsIn(library), ["package"]);
        const architect = resolveEntry(library, { name: "architect" });
        assert.deepEqual([architect.id, architect.version], ["bmad-agent-architect", PACK]);

        await using client = await clientHere({ era: "2026", args: ["--project", dir] });
        const sentence = (await sentenceOf(dir))!;
        assert.match(sentence, new RegExp(`BMAD ${RegExp.escape(version)}.*${RegExp.escape(PACK)}`));
        for (const query of ["agents", "workflows"]) {
          const items = await allItems(client, { query });
          assert.ok(items.length >= 5);
          for (const { id, origin, version: served, installed } of items) {
            assert.deepEqual([origin, served, installed], ["package", PACK, version], id);
          }
          const text = await say(client, { operation: "list", query, limit: 5 });
          assert.ok(text.includes(sentence), text);
          assert.match(text, version === PACK ? /\(embedded 6\.12\.0\)/ : /\(embedded 6\.12\.0, installed /);
        }
        assert.ok((await say(client, { operation: "execute", agent: "architect" })).includes(sentence));
        assert.match(await refusal(client, { operation: "execute", agent: "Murat" }), /"package"/);
        const asked = await say(client, { operation: "execute", agent: "Murat", origin: "package" });
        assert.equal(headLine(asked), "agent: tea/bmad-tea");
        const described = (await client.listTools()).find(({ name }) => name === "bmad")!.description;
        assert.ok(described.includes(sentence));
      }));
  }
});

Deno.test("work begins in such a clone [place:clone-without-skills, place:clone-said]", async (t) => {
  for (const version of ofThisRun(VERSIONS, (one) => one)) {
    await t.step(version, () =>
      withClone(version, async (dir) => {
        runGit(dir, "init", "-q");
        runGit(dir, "config", "user.name", "Ada");
        const sentence = (await sentenceOf(dir))!;
        const run = (...args: readonly string[]) => runHere([...args, "--project", dir]);
        const next = await run("next");
        assert.match(next.stdout, /^.*1-1.*\n[^]*bmad-build/);
        assert.doesNotMatch(next.stdout, /unknown/);
        assert.match((await run("board")).stdout, /1-1/);
        const claimed = await run("claim");
        assert.equal(claimed.code, 0, claimed.stderr);
        assert.match(claimed.stdout, /^Ada holds 1-1-sign-up /);
        for (const args of [["next"], ["board"], ["claim"], ["list", "agents"], ["execute", "pm"]]) {
          const { stderr } = await run(...args);
          assert.equal(stderr.split(sentence).length, 2, `${args}: ${stderr}`);
        }
        assert.ok((await run("prime")).stdout.includes(sentence));

        const report = JSON.parse((await run("doctor", "--json")).stdout);
        const found = report.problems.filter(({ code }: { code: string }) => code === "stand-in");
        assert.deepEqual(found.map(({ message }: { message: string }) => message.includes(sentence)), [true]);
        assert.ok(found[0].fix.includes(`npx -y bmad-method@${version} install --directory ${dir} `));

        await using client = await clientHere({ era: "2026", args: ["--project", dir] });
        for (const args of [{ operation: "next" }, { operation: "board" }]) {
          assert.ok((await say(client, args)).includes(sentence), args.operation);
        }
        const claim = await say(client, { operation: "claim", story: "1-2" }, "bmad_work");
        assert.ok(claim.includes(sentence));
      }, { files: SPRINT }));
  }
});

Deno.test("the overview page of a clone says it [place:clone-said]", () =>
  withClone("6.5.0", async (dir) => {
    await using program = await startHttp(["--project", dir]);
    const { text } = await readPage(program, "/");
    assert.ok(text.includes((await sentenceOf(dir))!), text);
  }));

Deno.test("a client's folder that is left serves as before [place:clone-without-skills]", async (t) => {
  const two = { version: "6.12.0", tools: "claude-code,cursor", extra: "shims" } as const;
  for (const gone of [".claude", ".agents"]) {
    await t.step(`without ${gone}`, () =>
      withClone(two, async (dir) => {
        const library = await openWithPack(dir);
        assert.deepEqual(originsIn(library), ["project"]);
        assert.equal(await sentenceOf(dir), undefined);
      }, { gone: [gone] }));
  }
  await t.step(
    "without both",
    () => withClone(two, async (dir) => assert.deepEqual(originsIn(await openWithPack(dir)), ["package"])),
  );
});

Deno.test("a single missing skill is refused [place:clone-without-skills]", () =>
  withClone("6.12.0", async (dir) => {
    const library = await openWithPack(dir);
    assert.deepEqual(originsIn(library), ["project"]);
    assert.equal(await sentenceOf(dir), undefined);
    assert.throws(() => resolveEntry(library, { name: "architect" }), /its file is missing/);
    const { stderr, code } = await runHere(["execute", "architect", "--project", dir]);
    assert.equal(code, 1);
    assert.match(stderr, /its file is missing/);
    assert.doesNotMatch((await runHere(["next", "--project", dir])).stdout, /unknown/);
  }, { gone: [".claude/skills/bmad-agent-architect"] }));

Deno.test("the clone's own values apply to what is served [place:clone-own-values]", () =>
  withClone("6.8.0", async (dir) => {
    const text = (await runHere(["execute", "architect", "--project", dir])).stdout;
    assert.match(text, /name: Wilma/);
    assert.match(text, /communication_language: Latin/);
    const named = await runHere(["execute", "Wilma", "--project", dir]);
    assert.equal(headLine(named.stdout), "agent: bmm/bmad-agent-architect");
    const { stdout } = await runHere(["list", "agents", "--project", dir]);
    assert.match(stdout, /bmad-agent-architect\tWilma, .*\(embedded 6\.12\.0, installed 6\.8\.0\)/);
    const own = await runHere(["execute", "analyst", "--project", dir]);
    assert.match(own.stdout, /Hand-written/);
  }, {
    files: {
      "_bmad/custom/bmad-agent-architect.toml": '[agent]\nname = "Wilma"\n',
      "_bmad/custom/config.toml": '[core]\ncommunication_language = "Latin"\n',
      "_bmad/bmm/agents/analyst.md": "---\nname: analyst\n---\n# Hand-written\n",
    },
  }));

Deno.test("modules that are not embedded are named [place:clone-said]", () =>
  withClone("6.12.0", async (dir) => {
    const manifest = `${dir}/_bmad/_config/skill-manifest.csv`;
    const rows = '"garden-dig","garden-dig","Digs","garden","_bmad/garden/garden-dig/SKILL.md"\n' +
      '"bmad-tea","bmad-tea","Tests","tea","_bmad/tea/bmad-tea/SKILL.md"\n';
    await Deno.writeTextFile(manifest, rows, { append: true });
    const list = `${dir}/_bmad/_config/manifest.yaml`;
    const listed = await Deno.readTextFile(list);
    await Deno.writeTextFile(list, listed.replace("\nides:", "\n  - name: tea\n    version: 1.20.0\nides:"));
    const library = await openWithPack(dir);
    assert.deepEqual(idsOf(library, "module"), ["bmm", "core", "tea"]);
    const [tea] = await listLibrary(library, { what: "agents", module: "tea" });
    assert.equal(tea!.why, "embedded 1.27.2, installed 1.20.0");
    assert.match((await sentenceOf(dir))!, /\(bmm, core, tea\)\. Not embedded: garden$/);
  }));

Deno.test("what a user has installed for all projects comes first [place:clone-without-skills]", () =>
  withClone("6.8.0", async (dir) => {
    const home = await Deno.makeTempDir({ dir });
    const skills = `${await installation("6.8.0")}/.claude/skills`;
    const open = () => {
      const user = { ...opening("user", 4, home), use: "shared" } as const;
      return openLibrary([openingsOf(dir)[0]!, user, openingsOf(dir)[1]!], { project: dir });
    };
    await copyTree(`${skills}/bmad-agent-pm`, `${home}/bmad-agent-pm`);
    const some = await open();
    assert.equal(resolveEntry(some, { name: "pm" }).origin.id, "user");
    assert.equal(resolveEntry(some, { name: "architect" }).origin.id, "package");
    await copyTree(skills, home);
    assert.deepEqual(originsIn(await open()), ["user"]);
  }));

Deno.test("a linked worktree lacks ignored folders, and works [place:clone-without-skills]", () =>
  withClone("6.12.0", async (dir) => {
    const main = `${dir}/main`;
    await copyTree(await installation("6.12.0"), main);
    await Deno.writeTextFile(`${main}/.gitignore`, ".claude/\n");
    runGit(main, "init", "-q");
    runGit(main, "add", "-A");
    runGit(main, "commit", "-qm", "Install");
    runGit(main, "worktree", "add", "-q", `${dir}/tree`);
    assert.deepEqual(originsIn(await openWithPack(main)), ["project"]);
    const { stdout } = await runHere(["next"], { cwd: `${dir}/tree` });
    assert.match(stdout, /Next: bmm\/bmad-prd/);
  }));

Deno.test("flat skills over such a clone serve alone [place:clone-without-skills]", async (t) => {
  const files = flatSource("tickets", ".agents/skills");
  await t.step("while they are there", () =>
    withClone("6.12.0", async (dir) => {
      assert.ok(!originsIn(await openWithPack(dir)).includes("package"));
    }, { files }));
  await t.step("and gone, they need nothing", () =>
    withTree({ "skills-lock.json": "{}" }, async (dir) => {
      const { stdout } = await runHere(["next", "--project", dir]);
      assert.match(stdout, /Next: bmm\/bmad-prd/);
    }));
});

Deno.test("installations that keep their content in their own folder stay [place:clone-without-skills]", async (t) => {
  for (const version of ofThisRun(["4.44.3", "6.0.4", "6.1.0", "6.2.0"] as const, (one) => one)) {
    await t.step(version, () =>
      withClone(version, async (dir) => {
        const whole = idsOf(await openProject(await installation(version)));
        assert.deepEqual(idsOf(await openWithPack(dir)), whole);
      }));
  }
});
