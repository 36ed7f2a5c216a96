/** Does every command, server and hook answer for the project, one folder below its top? */
import assert from "node:assert/strict";
import { BOTH_ERAS, clientHere } from "../../support/client.ts";
import { runGit } from "../../support/git.ts";
import { runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const FILES = {
  "home/": "",
  "shop/_bmad/bmm/config.yaml": "output_folder: _bmad-output\n",
  "shop/_bmad-output/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-book: in-progress\n  1-2-pay: ready-for-dev\n",
  "shop/_bmad-output/implementation-artifacts/1-1-book.md": "# Story 1.1: Book\n\nStatus: in-progress\n",
  "shop/src/deep/": "",
};

type Run = (cwd: string, ...args: readonly string[]) => ReturnType<typeof runHere>;

const withShop = (fn: (run: Run, dir: string) => Promise<void>) =>
  withTree(FILES, async (dir) => {
    runGit(`${dir}/shop`, "init", "--quiet");
    await fn((cwd, ...args) => runHere(args, { cwd: `${dir}/${cwd}`, env: { HOME: `${dir}/home` } }), dir);
  });

Deno.test("every answer is that of the project's top, and says so once [place:upwards, place:shown]", () =>
  withShop(async (run, dir) => {
    const note = `Project: ${dir}/shop (it has _bmad)\n`;
    const lines = ["board", "next", "show 1-1", "check 1-1", "list agents", "memory list", "log", "prime"];
    for (const line of lines) {
      const [top, below] = [
        await run("shop", ...line.split(" ")),
        await run("shop/src/deep", ...line.split(" ")),
      ];
      assert.deepEqual([below.code, below.stdout], [top.code, top.stdout], line);
      assert.equal(below.stderr, note + top.stderr, line);
    }
    for (const line of ["board --json", "board --quiet", "complete -- show 1"]) {
      assert.equal((await run("shop/src/deep", ...line.split(" "))).stderr, "", line);
    }
    const failed = await run("shop/src", "show", "9-9");
    assert.ok(failed.code === 1 && failed.stderr.startsWith(note), failed.stderr);
  }));

Deno.test("what is remembered and marked below is kept at the top [place:upwards]", () =>
  withShop(async (run, dir) => {
    assert.equal((await run("shop/src", "memory", "remember", "The port is 8080")).code, 0);
    assert.match((await run("shop", "memory", "recall", "port")).stdout, /8080/);
    assert.equal((await run("shop/src", "mark", "1-1", "review")).code, 0);
    const ledger = `${dir}/shop/_bmad-output/implementation-artifacts/sprint-status.yaml`;
    assert.match(await Deno.readTextFile(ledger), /1-1-book: review/);
    assert.equal((await run("shop/src", "team", "init")).code, 0);
    assert.match(await Deno.readTextFile(`${dir}/shop/.gitattributes`), /sprint-status\.yaml merge=/);
    // Refused, it makes no project of the folder.
    const refused = await run("shop/src", "--project", ".", "claim", "--by", "Ann");
    assert.match(refused.stderr, /Cannot claim a story: none can be begun/);
    assert.deepEqual([...Deno.readDirSync(`${dir}/shop/src`)].map(({ name }) => name), ["deep"]);
  }));

Deno.test("doctor and config say which folder is the project, and why [place:shown]", () =>
  withShop(async (run, dir) => {
    const why = `found from the working folder, ${dir}/shop/src: it has _bmad`;
    const doctor = JSON.parse((await run("shop/src", "doctor", "--json")).stdout);
    assert.deepEqual([doctor.project.folder, doctor.project.why], [`${dir}/shop`, why]);
    assert.ok((await run("shop/src", "config")).stdout.startsWith(`project\t${dir}/shop (${why})\n`));
    assert.equal(JSON.parse((await run("shop/src", "config", "--json")).stdout).project, `${dir}/shop`);
    await Deno.mkdir(`${dir}/home/notes/trip`, { recursive: true });
    const nothing = JSON.parse((await run("home/notes/trip", "doctor", "--json")).stdout);
    assert.equal(nothing.project.folder, `${dir}/home/notes/trip`);
    assert.match(
      nothing.project.why,
      /^the working folder; nothing of BMAD above it: .+\/home is your home folder/,
    );
  }));

Deno.test("a client that starts below the top gets its project [place:upwards, place:shown]", () =>
  withShop(async (_, dir) => {
    let asked = 0;
    const roots = () => {
      asked++;
      return { roots: [] };
    };
    for (const era of BOTH_ERAS) {
      for (const [cwd, isAbove] of [["shop", false], ["shop/src/deep", true]] as const) {
        await using client = await clientHere({
          era,
          cwd: `${dir}/${cwd}`,
          env: { HOME: `${dir}/home` },
          ...(era === "2025" && { features: { roots } }),
        });
        assert.ok((await client.listTools()).some(({ name }) => name === "bmad_work"), `${era} ${cwd}`);
        const { content } = await client.callTool("bmad", { operation: "board" });
        assert.match(content[0]!.text, /Book/);
        assert.equal(client.instructions()?.includes(`The project is ${dir}/shop, above`), isAbove);
        await client.close();
        assert.equal(client.stderr().includes(`Project: ${dir}/shop (it has _bmad)`), isAbove);
      }
    }
    assert.equal(asked, 0, "a project above needs no roots");
  }));

Deno.test("a root of the client may lie below its project [place:upwards]", () =>
  withShop(async (_, dir) => {
    await Deno.mkdir(`${dir}/plain`);
    const features = {
      roots: () => ({
        roots: [`${dir}/plain`, `${dir}/shop/src`].map((path) => ({ uri: `file://${path}` })),
      }),
    };
    await using client = await clientHere({
      era: "2025",
      cwd: `${dir}/home`,
      env: { HOME: `${dir}/home` },
      features,
    });
    const { content } = await client.callTool("bmad", { operation: "board" });
    assert.match(content[0]!.text, /Book/);
  }));

Deno.test("a hook answers for the folder of the session, whatever folder it is run in [place:upwards]", () =>
  withShop(async (_, dir) => {
    const prime = async (event: Readonly<Record<string, unknown>>) => (await runHere(["prime", "--hook"], {
      cwd: `${dir}/home`,
      env: { HOME: `${dir}/home` },
      stdin: JSON.stringify({ session_id: crypto.randomUUID(), hook_event_name: "SessionStart", ...event }),
    }));
    for (const event of [{ cwd: `${dir}/shop/src` }, { workspace_roots: [`${dir}/shop/src/deep`] }]) {
      const { stdout, stderr } = await prime(event);
      assert.match(stdout, /In hand: /);
      assert.equal(stderr, "");
    }
    for (const cwd of [dir, "/", `${dir}/none`, 7]) {
      assert.doesNotMatch((await prime({ cwd })).stdout, /In hand: /);
    }
  }));
