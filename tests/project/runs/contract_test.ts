/**
 * Is the completion contract run as allowed, judged right, and ended with all that it started?
 *
 * The scripts here are ours and say what the kit's says. Whether processes are left is asked of the system.
 */
import assert from "node:assert/strict";
import { plainOutput } from "../../../src/project/runs/contract.ts";
import { KIT_NAMES, type KitNames, openKit } from "../../support/kit.ts";
import { verifies } from "../../support/requirements.ts";
import { type TreeFile, withTree } from "../../support/trees.ts";

const NO_BASH = Deno.build.os === "windows";
const VARIABLES = { path: Deno.env.get("PATH"), home: "/home/zoe" };
const PASS =
  `echo; echo -e "\\033[0;32m\\033[1m✅ CC PASS — [go, python] — 2026-03-10 12:00:00\\033[0m"; echo`;

type Tools = Parameters<typeof openKit>[2];

/** A project with a script, and a way to run it. */
function withScript(
  script: TreeFile,
  test: (
    run: ReturnType<typeof openKit>["verify"],
    dir: string,
    again: (tools: Tools) => ReturnType<typeof openKit>["verify"],
  ) => Promise<void>,
  names: KitNames = KIT_NAMES[0],
) {
  return withTree({
    [`${names.base}/_config/custom/cc-verify.sh`]: script,
    "api/go.mod": "module herbier",
    "outside": { link: "/tmp" },
  }, (dir) => {
    const open = (tools: Tools) => openKit(dir, names, { script: VARIABLES, now: Date.now, ...tools }).verify;
    return test(open({}), dir, open);
  });
}

/** How scripts end, and what that is: exit code, what is printed, the verdict, the stacks and the note. */
const ENDS: readonly (readonly [script: string, status: string, stacks: readonly string[], note?: string])[] =
  [
    [`echo "  → build OK"; ${PASS}`, "PASS", ["go", "python"]],
    [PASS, "PASS", ["go", "python"], "no check ran: the tools for these stacks may be missing"],
    ['echo "  → tests FAILED"; echo "🔴 CC FAIL — [go] — 2026"; echo "  Corriger"; exit 1', "FAIL", ["go"]],
    ["exit 1", "FAIL", []],
    [
      'echo "⚠️  Aucun stack détecté — vérification non requise (doc-only ?)"',
      "NONE",
      [],
      "the script found no stack to check",
    ],
    ["echo fini", "NONE", [], "the script found no stack to check"],
    ["cd /nowhere/at/all || exit 2", "ERROR", [], "the script broke off with exit code 2"],
    ["exit 5", "ERROR", [], "the script broke off with exit code 5"],
    ["kill -9 $$", "ERROR", [], "the script broke off with exit code 137"],
    ["if then", "ERROR", [], "the script broke off with exit code 2"],
    ['echo "CC FAIL — [go] — x"; exit 0', "FAIL", ["go"]],
  ];

Deno.test({
  name: verifies("runs:contract", "the end of the script is PASS, FAIL, NONE or ERROR"),
  ignore: NO_BASH,
  fn: async (t) => {
    for (const [script, status, stacks, note] of ENDS) {
      await t.step(`${status}: ${script.slice(0, 40)}`, () =>
        withScript(script, async (verify) => {
          const { text, data } = await verify({});
          assert.equal(data["status"], status, text);
          assert.deepEqual(data["stacks"], stacks);
          assert.equal(data["note"], note);
          assert.ok(Number.isInteger(data["duration_ms"]) && Number(data["duration_ms"]) >= 0);
          assert.match(
            text,
            new RegExp(`^${status}(: [a-z, ]+)? \\(\\d+\\.\\d s, exit code ${data["exit_code"]}\\)\n`),
          );
        }));
    }
  },
});

Deno.test({
  name: verifies(
    "runs:contract",
    "the script gets its stack and its folder, and nothing of our environment or input",
  ),
  ignore: NO_BASH,
  fn: async () => {
    Deno.env.set("HERBIER_SECRET", "ne-pas-montrer");
    try {
      for (const names of KIT_NAMES) {
        const script =
          `pwd; echo "args: $*"; cat; env | sort; echo "stack: \${CC_STACK-none}"; echo oops >&2`;
        await withScript(script, async (verify, dir) => {
          const { data } = await verify({ stack: "ts", workingDir: "api" });
          const lines = String(data["output"]).split("\n");
          assert.deepEqual(lines.slice(0, 2), [`${dir}/api`, "args:"]);
          assert.deepEqual(lines.slice(-2), ["stack: typescript", "oops"]);
          assert.deepEqual(lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split("=")[0]), [
            "CC_STACK",
            "HOME",
            "LANG",
            "NO_COLOR",
            "PATH",
            "PWD",
            "SHLVL",
            "TERM",
            "_",
          ]);
          assert.equal(data["script"], `${names.base}/_config/custom/cc-verify.sh`);
          assert.equal(data["working_dir"], "api");
          assert.match(String((await verify({})).data["output"]), /\nstack: none\n/);
          assert.match(
            String((await verify({ workingDir: `${dir}/api` })).data["output"]),
            new RegExp(`^${dir}/api\n`),
          );
        }, names);
      }
    } finally {
      Deno.env.delete("HERBIER_SECRET");
    }
  },
});

Deno.test(
  verifies("toolsets:contract-needs-exec", "without leave nothing is run, and it is said how to give it"),
  () =>
    withScript("touch ran", async (_verify, dir, again) => {
      await assert.rejects(again({ script: undefined })({}), {
        message:
          "Cannot run _bmad/_config/custom/cc-verify.sh: the user has to allow it: start the server with " +
          "--allow-exec or BMAD_ALLOW_EXEC=1 (no settings file can)",
      });
      await assert.rejects(Deno.stat(`${dir}/ran`), Deno.errors.NotFound);
    }),
);

Deno.test("only the project's own script is run, and only inside the project", async () => {
  await withTree({}, async (dir) => {
    await assert.rejects(openKit(dir, KIT_NAMES[0], { script: VARIABLES }).verify({}), {
      message:
        'Cannot find completion contract "_bmad/_config/custom/cc-verify.sh". The project-memory kit puts it there',
    });
  });
  await withTree(
    { "evil.sh": "touch ran" },
    (outer) =>
      withScript({ link: `${outer}/evil.sh` }, async (verify, dir) => {
        await assert.rejects(verify({}), {
          message: /Cannot open "_bmad\/_config\/custom\/cc-verify\.sh": it lies outside/,
        });
        await assert.rejects(Deno.stat(`${dir}/ran`), Deno.errors.NotFound);
      }),
  );
  await withScript("touch ran", async (verify, dir) => {
    const refused: readonly (readonly [Parameters<typeof verify>[0], RegExp])[] = [
      [{ workingDir: "../" }, /is outside the project/],
      [{ workingDir: "/etc" }, /is outside the project/],
      [{ workingDir: `${dir}/../x` }, /is outside the project/],
      [{ workingDir: "C:\\Windows" }, /is outside the project/],
      [{ workingDir: "outside" }, /lies outside the folders/],
      [{ workingDir: "api/go.mod" }, /Cannot find folder "api\/go\.mod"/],
      [{ workingDir: "nowhere" }, /Cannot find folder "nowhere"/],
      [{ workingDir: "a\0b" }, /contains control characters/],
      [{ workingDir: "a".repeat(10_000) }, /more than 500 characters/],
      [{ stack: "go; touch ran" }, /is no stack\. Use auto, go, typescript/],
      [{ stack: "constructor" }, /is no stack/],
      [{ stack: "\u0000".repeat(10_000) }, /is no stack/],
    ];
    for (const [request, message] of refused) {
      await assert.rejects(verify(request), { message }, JSON.stringify(request).slice(0, 80));
    }
    await assert.rejects(Deno.stat(`${dir}/ran`), Deno.errors.NotFound);
  });
});

/** Starts a process that sleeps, and one of its own that does; both write down who they are. */
const SLEEPERS = `echo "begin"
( bash -c 'echo $$ > grandchild; exec sleep 300' & echo $BASHPID > child; wait ) &
while [ ! -s grandchild ] || [ ! -s child ]; do sleep 0.01; done
`;

async function isRunning(dir: string, name: string): Promise<boolean> {
  const pid = (await Deno.readTextFile(`${dir}/${name}`)).trim();
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", pid], stderr: "null" })
    .output();
  const state = new TextDecoder().decode(stdout).trim();
  return state !== "" && !state.startsWith("Z");
}

async function assertGone(dir: string): Promise<void> {
  for (const name of ["child", "grandchild"]) {
    for (let tries = 0; await isRunning(dir, name); tries++) {
      assert.ok(tries < 100, `${name} is still running`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function waitFor(path: string): Promise<void> {
  for (let size = 0; size === 0;) {
    size = (await Deno.stat(path).catch(() => undefined))?.size ?? 0;
    if (size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

Deno.test({
  name: verifies("runs:contract", "a script that takes too long is ended, and so is all that it started"),
  ignore: NO_BASH,
  fn: () =>
    withScript(`${SLEEPERS}echo "waiting"; wait`, async (_verify, dir, again) => {
      const { text, data } = await again({ limitMs: 1_500 })({});
      assert.equal(data["status"], "ERROR");
      assert.equal(data["timed_out"], true);
      assert.equal(data["note"], "ended after the time limit of 1.5 s");
      assert.match(text, /\nbegin\nwaiting$/);
      await assertGone(dir);
    }),
});

Deno.test({
  name: verifies("runs:contract", "what a script leaves running behind it is ended with it"),
  ignore: NO_BASH,
  fn: () =>
    withScript(`${SLEEPERS}${PASS}`, async (verify, dir) => {
      assert.equal((await verify({})).data["status"], "PASS");
      await assertGone(dir);
    }),
});

Deno.test({
  name: verifies("runs:contract", "a caller who gives up ends the script, and the next one may run it"),
  ignore: NO_BASH,
  fn: () =>
    withScript(`[ -e go ] && { ${PASS}; exit; }\n${SLEEPERS}wait`, async (verify, dir, again) => {
      const giveUp = new AbortController();
      const progress: unknown[] = [];
      const run = again({
        signal: giveUp.signal,
        progress: (_done, total, phase) => progress.push([total, phase]),
      })({});
      const outcome = assert.rejects(run, { name: "AbortError" });
      await waitFor(`${dir}/grandchild`);
      await assert.rejects(verify({}), { message: /it is running already; wait until it is done/ });
      giveUp.abort();
      await outcome;
      assert.deepEqual(progress, [[60_000, "Running cc-verify.sh"]]);
      await assertGone(dir);
      await Deno.writeTextFile(`${dir}/go`, "");
      assert.equal((await verify({})).data["status"], "PASS");
      // Who has given up before starts nothing.
      await assert.rejects(again({ signal: AbortSignal.abort() })({}), { name: "AbortError" });
    }),
});

Deno.test({
  name: verifies("runs:contract", "a program that is killed takes its script with it"),
  ignore: NO_BASH,
  fn: () =>
    withScript(`${SLEEPERS}wait`, async (_verify, dir) => {
      const program = `
import { openKit } from ${JSON.stringify(new URL("../../support/kit.ts", import.meta.url).href)};
await openKit(${JSON.stringify(dir)}, undefined, { script: { path: Deno.env.get("PATH") } }).verify({});`;
      const child = new Deno.Command(Deno.execPath(), { args: ["eval", "--ext=ts", program] }).spawn();
      await waitFor(`${dir}/grandchild`);
      assert.equal(await isRunning(dir, "grandchild"), true);
      child.kill("SIGKILL");
      await child.status;
      await assertGone(dir);
    }),
});

Deno.test({
  name: verifies("runs:contract", "of very much output the beginning and the end are kept"),
  ignore: NO_BASH,
  fn: () =>
    withScript(
      `echo first; for i in 1 2 3; do head -c 1000000 /dev/zero | tr '\\0' x; echo; done; echo "  → y"; ${PASS}`,
      async (verify) => {
        const { data } = await verify({});
        const output = String(data["output"]);
        assert.equal(data["status"], "PASS");
        assert.ok(output.length < 500_000, `${output.length}`);
        assert.match(output, /^first\nx/);
        assert.match(output, /x\n\[\d+ bytes are left out here\]\nx/);
        assert.match(output, /CC PASS — \[go, python\] — 2026-03-10 12:00:00$/);
      },
    ),
});

Deno.test({
  name: "a process that has left for a session of its own does not keep the answer waiting",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withScript(
      `setsid bash -c 'echo $$ > child; exec sleep 300' & while [ ! -s child ]; do sleep 0.01; done; ${PASS}`,
      async (verify, dir) => {
        assert.equal((await verify({})).data["status"], "PASS");
        await new Deno.Command("bash", { args: ["-c", "kill -9 $(cat child)"], cwd: dir }).output();
      },
    ),
});

Deno.test("output is text alone", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["\x1b[0;31mred\x1b[0m \x1b[1;2Hx", "red x"],
    ["\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"],
    ["10%\r50%\r100%\r\ndone\r\n", "100%\ndone"],
    ["a\x00b\x08c\x7fd\x9bme\x85", "abcde"],
    ["\u202eevil\u2066", "evil"],
    ["\n\tindented \n  two  \n\n", "\tindented\n  two"],
    ["✅ é 👩‍🔬", "✅ é 👩‍🔬"],
  ];
  for (const [raw, plain] of cases) assert.equal(plainOutput(raw), plain, JSON.stringify(raw));
  // A sequence without an end is no sequence.
  assert.equal(plainOutput(`\x1b[${"1;".repeat(100_000)}`).includes("\x1b"), false);
});
