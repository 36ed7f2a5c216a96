/** Is the completion contract run only when allowed, judged correctly, and killed with all its children? */
import assert from "node:assert/strict";
import { loadCleaner } from "../../../../src/content/library/mod.ts";
import { plainOutput, readResult } from "../../../../src/project/kit/files/contract.ts";
import { assertEnds } from "../../../support/cpu.ts";
import { KIT_NAMES, type KitNames, openKit } from "../../../support/kit.ts";
import { POSIX } from "../../../support/run.ts";
import { type TreeFile, withTree } from "../../../support/trees.ts";
import { until } from "../../../support/waiting.ts";

const VARIABLES = { path: Deno.env.get("PATH"), home: "/home/zoe" };
const PASS =
  `echo; echo -e "\\033[0;32m\\033[1m✅ CC PASS — [go, python] — 2026-03-10 12:00:00\\033[0m"; echo`;

type Tools = Parameters<typeof openKit>[2];

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
    ["echo fini", "PASS", [], "the output does not say CC PASS: only the exit code does"],
    ['echo "CC PASS"', "PASS", []],
    ['echo "CC FAIL"; exit 1', "FAIL", []],
    ['echo "🔴 CC FAIL"; exit 2', "FAIL", []],
    // As make ends.
    ['echo "make: *** [test] Error 1"; exit 2', "FAIL", []],
    ["exit 5", "FAIL", []],
    ["cd /nowhere/at/all || exit 2", "FAIL", []],
    ["if then", "FAIL", []],
    ["no-such-program-at-all", "FAIL", [], "a program was not found or cannot be run"],
    ["kill -9 $$", "FAIL", [], "the script was ended by signal 9"],
    ['echo "CC PASS — [go] — x"; exit 2', "FAIL", ["go"], "the output says CC PASS, but the exit code is 2"],
    ['echo "CC FAIL — [go] — x"; exit 0', "FAIL", ["go"], "the output says CC FAIL, but the exit code is 0"],
    [
      'echo "CC FAIL"; echo "again"; echo "CC PASS"',
      "PASS",
      [],
      "the output also says CC FAIL, before its last CC PASS",
    ],
    // The name of a category of failures is not a verdict.
    ['echo "see CC-FAIL in the museum"; echo "CC PASS"', "PASS", []],
  ];

Deno.test("the end of the script is PASS, FAIL, NONE or ERROR [runs:contract]", POSIX, async (t) => {
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
});

Deno.test("the script gets its stack and folder, nothing else [runs:contract]", POSIX, async () => {
  Deno.env.set("HERBIER_SECRET", "ne-pas-montrer");
  try {
    for (const names of KIT_NAMES) {
      const script = `pwd; echo "args: $*"; cat; env | sort; echo "stack: \${CC_STACK-none}"; echo oops >&2`;
      await withScript(script, async (verify, dir) => {
        const { data } = await verify({ stack: "ts", folder: "api" });
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
          String((await verify({ folder: `${dir}/api` })).data["output"]),
          new RegExp(`^${dir}/api\n`),
        );
      }, names);
    }
  } finally {
    Deno.env.delete("HERBIER_SECRET");
  }
});

Deno.test("nothing is run without permission [toolsets:contract-needs-exec]", () =>
  withScript("touch ran", async (_verify, dir, again) => {
    await assert.rejects(again({ script: undefined })({}), {
      message: "Cannot run _bmad/_config/custom/cc-verify.sh: the user has to allow it",
      failure: {
        code: "not-allowed",
        what: "run _bmad/_config/custom/cc-verify.sh",
        hint: "the user has to allow it",
        setting: "allowExec",
      },
    });
    await assert.rejects(Deno.stat(`${dir}/ran`), Deno.errors.NotFound);
  }));

Deno.test("only the project's own script is run, and only inside the project", async () => {
  await withTree({}, async (dir) => {
    await assert.rejects(openKit(dir, KIT_NAMES[0], { script: VARIABLES }).verify({}), {
      message:
        'No completion contract named "_bmad/_config/custom/cc-verify.sh". The project-memory kit installs it',
    });
  });
  await withTree(
    { "evil.sh": "touch ran" },
    (outer) =>
      withScript({ link: `${outer}/evil.sh` }, async (verify, dir) => {
        await assert.rejects(verify({}), {
          message: /Access denied: "_bmad\/_config\/custom\/cc-verify\.sh" is outside/,
        });
        await assert.rejects(Deno.stat(`${dir}/ran`), Deno.errors.NotFound);
      }),
  );
  await withScript("touch ran", async (verify, dir) => {
    const refused: readonly (readonly [Parameters<typeof verify>[0], RegExp])[] = [
      [{ folder: "../" }, /is outside the project/],
      [{ folder: "/etc" }, /is outside the project/],
      [{ folder: `${dir}/../x` }, /is outside the project/],
      [{ folder: "C:\\Windows" }, /is outside the project/],
      [{ folder: "outside" }, /is outside the served folders/],
      [{ folder: "api/go.mod" }, /No folder named "api\/go\.mod"/],
      [{ folder: "nowhere" }, /No folder named "nowhere"/],
      [{ folder: "a\0b" }, /contains control characters/],
      [{ folder: "a".repeat(10_000) }, /more than 500 characters/],
      [{ stack: "go; touch ran" }, /^Unknown stack "go; touch ran"\. Use one of auto, go, typescript/],
      [{ stack: "constructor" }, /^Unknown stack "constructor"/],
      [{ stack: "\u0000".repeat(10_000) }, /^Unknown stack "\u2400{60}"/],
    ];
    for (const [request, message] of refused) {
      await assert.rejects(verify(request), { message }, JSON.stringify(request).slice(0, 80));
    }
    await assert.rejects(Deno.stat(`${dir}/ran`), Deno.errors.NotFound);
  });
});

/** Starts a process that sleeps and has a child that does; both write down their ids. */
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
    await until(`${name} has ended`, async () => !await isRunning(dir, name));
  }
}

function waitFor(path: string): Promise<void> {
  return until(
    `${path} is written`,
    async () => Boolean((await Deno.stat(path).catch(() => undefined))?.size),
  );
}

Deno.test("a script that takes too long is killed with all its children [runs:contract]", POSIX, async () => {
  await withScript(`${SLEEPERS}echo "waiting"; wait`, async (_verify, dir, again) => {
    const { text, data } = await again({ limitMs: 1_500 })({});
    assert.equal(data["status"], "ERROR");
    assert.equal(data["timed_out"], true);
    assert.equal(data["note"], "killed at the time limit of 1.5 s");
    assert.match(text, /\nbegin\nwaiting$/);
    await assertGone(dir);
  });
});

Deno.test("processes that a script leaves running are killed with it [runs:contract]", POSIX, async () => {
  await withScript(`${SLEEPERS}${PASS}`, async (verify, dir) => {
    assert.equal((await verify({})).data["status"], "PASS");
    await assertGone(dir);
  });
});

Deno.test("a caller who cancels ends the script; the next may run it [runs:contract]", POSIX, async () => {
  await withScript(`[ -e go ] && { ${PASS}; exit; }\n${SLEEPERS}wait`, async (verify, dir, again) => {
    const giveUp = new AbortController();
    const progress: unknown[] = [];
    const run = again({
      signal: giveUp.signal,
      progress: (_done, total, phase) => progress.push([total, phase]),
    })({});
    const outcome = assert.rejects(run, { name: "AbortError" });
    await waitFor(`${dir}/grandchild`);
    await assert.rejects(verify({}), { message: /it is already running, try again when it is done/ });
    giveUp.abort();
    await outcome;
    assert.deepEqual(progress, [[60_000, "Running cc-verify.sh"]]);
    await assertGone(dir);
    await Deno.writeTextFile(`${dir}/go`, "");
    assert.equal((await verify({})).data["status"], "PASS");
    // A caller who has cancelled before starts nothing.
    await assert.rejects(again({ signal: AbortSignal.abort() })({}), { name: "AbortError" });
  });
});

Deno.test("a program that is killed takes its script with it [runs:contract]", POSIX, async () => {
  await withScript(`${SLEEPERS}wait`, async (_verify, dir) => {
    const program = `
import { openKit } from ${JSON.stringify(new URL("../../../support/kit.ts", import.meta.url).href)};
await openKit(${JSON.stringify(dir)}, undefined, { script: { path: Deno.env.get("PATH") } }).verify({});`;
    const child = new Deno.Command(Deno.execPath(), { args: ["eval", "--ext=ts", program] }).spawn();
    await waitFor(`${dir}/grandchild`);
    assert.equal(await isRunning(dir, "grandchild"), true);
    child.kill("SIGKILL");
    await child.status;
    await assertGone(dir);
  });
});

Deno.test("the first 64 KB and last 192 KB of output are kept [runs:contract-output]", POSIX, async (t) => {
  const [head, tail] = [64 << 10, 192 << 10];
  for (const size of [head, head + 1, head + tail, head + tail + 1, 1_000_000, 5_000_000]) {
    await t.step(`${size} bytes`, () =>
      // Numbered lines of eight bytes, in pieces of many sizes.
      withScript(
        `seq -f %07.0f 1 1000000 | head -c ${size - 6} | dd obs=1013 status=none; echo _the_`,
        async (verify) => {
          const output = String((await verify({})).data["output"]);
          const lines = Array.from({ length: size / 8 + 1 }, (_, at) => `${at + 1}`.padStart(7, "0"));
          const sent = `${lines.join("\n").slice(0, size - 6)}_the_\n`;
          const expected = size <= head + tail
            ? sent
            : `${sent.slice(0, head)}\n[${size - head - tail} bytes omitted]\n${sent.slice(-tail)}`;
          assert.equal(output, plainOutput(expected));
        },
      ));
  }
});

const FLOODS: Readonly<Record<string, readonly [script: string, end: RegExp]>> = {
  "one line": ["head -c 200000000 /dev/zero | tr '\\0' x", /\nx{196600,}$/],
  "blank lines": ["head -c 200000000 /dev/zero | tr '\\0' '\\n'; echo over", /\nover$/],
  "short lines": ["yes | head -c 200000000; echo over", /\ny\nover$/],
  "results without an end": [`yes 'CC PASS — [' | tr -d '\\n' | head -c 200000000`, /CC PASS — \[/],
};

const MEASURED = `
import { openKit } from ${JSON.stringify(new URL("../../../support/kit.ts", import.meta.url).href)};
const { verify } = openKit(Deno.args[0], undefined, { script: { path: Deno.env.get("PATH") } });
const before = Deno.memoryUsage().rss;
let grown = 0;
const timer = setInterval(() => grown = Math.max(grown, Deno.memoryUsage().rss - before), 10);
const { data: { output, timed_out } } = await verify({});
clearInterval(timer);
console.log(JSON.stringify({ output, timed_out, grown }));`;

Deno.test("200 MB of output take little memory [runs:contract-output]", POSIX, async (t) => {
  for (const [name, [script, end]] of Object.entries(FLOODS)) {
    await t.step(name, () =>
      withScript(script, async (_verify, dir) => {
        const args = ["eval", "--no-check", "--ext=ts", MEASURED, dir];
        const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
        const { output, timed_out, grown } = JSON.parse(new TextDecoder().decode(stdout));
        assert.equal(timed_out, false);
        assert.match(output, /\[1997378\d\d bytes omitted\]/);
        assert.match(output, end);
        assert.ok(output.length <= 263_000, `${output.length}`);
        assert.ok(grown < 128 << 20, `${grown >> 20} MiB`);
      }));
  }
});

Deno.test("output without an end stops at the time limit [runs:contract-output]", POSIX, async () => {
  await withScript(
    "yes & echo $! > child; yes '' & echo $! > grandchild; wait",
    async (_verify, dir, again) => {
      const { data } = await again({ limitMs: 1_500 })({});
      assert.deepEqual([data["status"], data["timed_out"]], ["ERROR", true]);
      assert.match(String(data["output"]), / bytes omitted\]\n/);
      await assertGone(dir);
    },
  );
});

Deno.test("a hostile output is judged in linear time", async () => {
  const clean = await loadCleaner();
  const size = 256 << 10;
  const outputs = [
    "\n",
    "\r\n",
    " \n",
    "\t",
    "CC PASS — [",
    "→",
    "\x1b[",
    "\x1b]",
    "\x9b1;",
    "\r",
    "CC PASS — [a] ",
  ]
    .map((part) => `x${part.repeat(size / part.length)}x`);
  for (const output of outputs) {
    assertEnds(JSON.stringify(output.slice(0, 12)), 2_000, () => readResult(clean.text(plainOutput(output))));
  }
});

Deno.test("a process in its own session delays nothing", { ignore: Deno.build.os !== "linux" }, async () => {
  await withScript(
    `setsid bash -c 'echo $$ > child; exec sleep 300' & while [ ! -s child ]; do sleep 0.01; done; ${PASS}`,
    async (verify, dir) => {
      assert.equal((await verify({})).data["status"], "PASS");
      await new Deno.Command("bash", { args: ["-c", "kill -9 $(cat child)"], cwd: dir }).output();
    },
  );
});

Deno.test("output is reduced to plain text", () => {
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
  // Nothing of an unfinished sequence is left either.
  assert.equal(plainOutput(`\x1b[${"1;".repeat(100_000)}`).includes("\x1b"), false);
});
