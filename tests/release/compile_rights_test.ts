/** Is each right that is baked into a binary needed? */
import assert from "node:assert/strict";
import { binaryFlags } from "../../.github/release/binary_rights.ts";
import { CLIENT_VARIABLES, CLIENTS } from "../../src/commands/clients/mod.ts";
import {
  ACCOUNT_VARIABLES,
  GIT_VARIABLES,
  PLACE_VARIABLES,
  SESSION_VARIABLES,
} from "../../src/settings/mod.ts";
import { resolveConfig } from "../support/config.ts";
import { sharedBundle } from "../support/bundle.ts";
import { withRepositories } from "../support/git.ts";
import { startHttp } from "../support/http.ts";
import { runCli } from "../support/program.ts";
import { HAS_TERMINAL, runOnTerminal } from "../support/terminal.ts";
import { withTree } from "../support/trees.ts";
import { covers, READ_VARIABLES } from "../support/variables.ts";
import { writeProgram } from "../support/programs.ts";

/**
 * One thing that a flag allows: `--allow-env=HOME,CI` allows two. The whole disk counts as one, a pattern as each variable
 * that the program reads by it.
 */
interface Right {
  readonly name: string;
  readonly value: string;
  readonly without: readonly string[];
}

/**
 * A journey with some flags: tells what is seen of it, which must be another thing without the right. If it `isUnset`, a
 * variable that is the right has no value.
 */
type Journey = (start: Start, right: Right, isUnset: boolean) => Promise<string>;

interface Start {
  readonly program: readonly string[];
  readonly dir: string;
}

function listRights(flags: readonly string[]): readonly Right[] {
  return flags.flatMap((flag, at): readonly Right[] => {
    const [, name, list] = /^--allow-(\w+)(?:=(.+))?$/.exec(flag) ?? [];
    if (name === undefined) return [];
    const others = flags.toSpliced(at, 1);
    if (name !== "run" && name !== "env") return [{ name, value: list ?? "everything", without: others }];
    const values = list!.split(",").flatMap((value) =>
      value.endsWith("*") ? READ_VARIABLES.filter((variable) => covers(value, variable)) : [value]
    );
    return values.map((value) => {
      const rest = values.filter((one) => one !== value);
      return {
        name,
        value,
        without: rest.length === 0 ? others : [...others, `--allow-${name}=${rest.join(",")}`],
      };
    });
  });
}

async function lookAtGit({ program, dir }: Start, name: string, isUnset: boolean): Promise<string> {
  if (isUnset) return "nothing";
  const bin = `${dir}/bin`;
  await Deno.mkdir(bin, { recursive: true });
  writeProgram(`${bin}/git`, `#!/bin/sh\nexport -p > ${dir}/seen\nexit 1\n`);
  const path = `${bin}:${Deno.env.get("PATH")}`;
  const env = { HOME: dir, [name]: "told", PATH: path };
  await runCli(["cache", "update", "--path", "git+file:///srv/team.git"], { program, cwd: dir, env });
  const seen = await Deno.readTextFile(`${dir}/seen`).catch(() => "");
  await Deno.remove(`${dir}/seen`).catch(() => {});
  return seen.split("\n").find((line) => line.startsWith(`export ${name}=`)) ?? "nothing";
}

const isForGit = (name: string) => (GIT_VARIABLES as readonly string[]).includes(name);

const JOURNEYS: Readonly<Record<string, Journey>> = {
  read: async ({ program }) => (await runCli(["list", "agents"], { program })).stdout,
  write: async ({ program, dir }) => {
    const log = `${dir}/log.txt`;
    const { code } = await runCli(["list", "agents", "--log-file", log, "--log-level", "debug"], { program });
    const written = await Deno.readTextFile(log).then(() => "a log", () => "no log");
    await Deno.remove(log).catch(() => {});
    return `${code} ${written}`;
  },
  run: ({ program }, { value }) =>
    value === "bash" ? verifyProject(program) : withRepositories(async ({ dir, make }) => {
      const { address } = make("team", { "agents/captain.md": "# Captain\n" });
      const env = { BMAD_GIT_CACHE: `${dir}/cache` };
      return (await runCli(["list", "agents", "--pack", "none", "--path", address], { program, env })).stdout;
    }),
  net: async ({ program }) => {
    try {
      await using server = await startHttp([], { program });
      return `${(await fetch(`${server.url}/health`).then((answer) => answer.text())).length > 0}`;
    } catch (error) {
      return String(error);
    }
  },
  env: async (start, right, isUnset) => {
    if (isForGit(right.value)) return await lookAtGit(start, right.value, isUnset);
    if ((ACCOUNT_VARIABLES as readonly string[]).includes(right.value)) {
      return isUnset ? "unknown" : await lookAtPerson(start, { [right.value]: "Ann" }, "Ann, unless");
    }
    if (right.value in SESSION_VARIABLES) {
      return isUnset ? "unknown" : await lookAtPerson(start, { USER: "Ann", [right.value]: "s1" }, "Ann in ");
    }
    const sample = ON_TERMINAL[right.value];
    if (sample !== undefined) {
      return isUnset ? "coloured" : await lookAtTerminal(start, { [right.value]: sample });
    }
    const { program, dir } = start;
    // No value that makes sense for every variable: where it makes none, that is what is seen.
    const home = right.value === "USERPROFILE" ? "" : `${dir}/home`;
    const usual = { BMAD_LOG: "debug", HOME: home };
    const env = isUnset ? usual : { ...usual, [right.value]: `${dir}/elsewhere` };
    const isClients = CLIENT_VARIABLES.includes(right.value) && !isPlace(right.value);
    const args = isClients ? ["install", ...CLIENTS_WITH_VARIABLES, "--dry-run"] : ["config", "--json"];
    const run = async () => {
      const { code, stdout, stderr } = await runCli(args, { program, cwd: dir, env });
      return `${code}\n${stdout}\n${stderr}`;
    };
    return isUnset ? await (unset[args.join(" ") + home] ??= run()) : await run();
  },
};

/** What is seen where nothing is set, for each call: the same for many variables. */
const unset: Record<string, Promise<string>> = {};

async function lookAtPerson(
  { program, dir }: Start,
  env: Readonly<Record<string, string>>,
  seen: string,
): Promise<string> {
  const args = ["doctor", "--project", dir, "--pack", "none"];
  const { stdout } = await runCli(args, { program, cwd: dir, env });
  return stdout.includes(seen) ? "known" : "unknown";
}

function verifyProject(program: readonly string[]): Promise<string> {
  return withTree({ "_bmad/_config/custom/cc-verify.sh": "echo checked" }, async (cwd) => {
    const { stdout } = await runCli(["call", "run_completion_contract", "--allow-exec"], { program, cwd });
    return stdout.includes("checked") ? "ran" : "did not run";
  });
}

const CLIENTS_WITH_VARIABLES = CLIENTS.filter(({ user }) =>
  /\$\{(?!XDG|APPDATA|LOCAL)/.test(JSON.stringify(user) ?? "")
)
  .map(({ id }) => id);

function isPlace(name: string): boolean {
  return (PLACE_VARIABLES as readonly string[]).includes(name);
}

const ON_TERMINAL: Readonly<Record<string, string>> = { CI: "true", TERM: "dumb" };

async function lookAtTerminal({ program }: Start, env: Readonly<Record<string, string>>): Promise<string> {
  const { text } = await runOnTerminal("bmad-mcp list modules", { program, env });
  return text.includes("\x1b[1m") ? "coloured" : "plain";
}

Deno.test("each right of a binary is needed by somebody's journey [binary:rights]", async (t) => {
  const bundle = await sharedBundle();
  const flags = binaryFlags();
  await withTree({ "elsewhere/": "" }, async (dir) => {
    const look = (flags: readonly string[], right: Right, isUnset = false) =>
      JOURNEYS[right.name]!({ program: ["run", ...flags, bundle.file], dir }, right, isUnset);
    const rightTo = (value: string) => listRights(flags).find((right) => right.value === value)!;
    await t.step("what is seen depends on nothing else", async () => {
      const right = rightTo("BMAD_MODE");
      assert.equal(await look(flags, right), await look(flags, right));
    });
    await t.step("a variable without its right is as one that is not set", async () => {
      for (const right of ["BMAD_MODE", "SSH_AUTH_SOCK", "USER", "CLAUDE_CONFIG_DIR"].map(rightTo)) {
        assert.equal(await look(right.without, right), await look(flags, right, true), right.value);
      }
    });
    for (const right of listRights(flags)) {
      const isVariable = right.name === "env";
      await t.step({
        name: `${right.name} ${right.value}`,
        ignore: isVariable && ((right.value in ON_TERMINAL && !HAS_TERMINAL) ||
              (isForGit(right.value) && Deno.build.os === "windows")) ||
          (right.value === "bash" && Deno.build.os === "windows"),
        fn: async () => {
          assert.ok(
            JOURNEYS[right.name],
            `Add a journey that needs the right to ${right.name} ${right.value}`,
          );
          const os = isVariable ? ELSEWHERE[right.value] : undefined;
          if (os !== undefined && os !== Deno.build.os) return assertMatters(right.value, os);
          const seen = await look(flags, right);
          assert.notEqual(seen, "");
          const without = isVariable ? await look(flags, right, true) : await look(right.without, right);
          assert.notEqual(without, seen);
        },
      });
    }
  });
});

Deno.test("a right has a journey, and a journey a right", () => {
  const names = new Set(listRights(binaryFlags()).map(({ name }) => name));
  assert.deepEqual([...names].sort(), Object.keys(JOURNEYS).sort());
});

Deno.test("the rights of some flags are told one by one", () => {
  const flags = [
    "--no-prompt",
    "--allow-read=/",
    "--allow-net",
    "--allow-env=HOME,SSL_CERT_*",
    "--ignore-env",
    "--allow-run=git",
  ];
  const others = "--no-prompt --allow-read=/ --allow-net --ignore-env --allow-run=git";
  assert.deepEqual(listRights(flags).map(({ name, value, without }) => [name, value, without.join(" ")]), [
    ["read", "/", "--no-prompt --allow-net --allow-env=HOME,SSL_CERT_* --ignore-env --allow-run=git"],
    [
      "net",
      "everything",
      "--no-prompt --allow-read=/ --allow-env=HOME,SSL_CERT_* --ignore-env --allow-run=git",
    ],
    ["env", "HOME", `${others} --allow-env=SSL_CERT_FILE,SSL_CERT_DIR`],
    ["env", "SSL_CERT_FILE", `${others} --allow-env=HOME,SSL_CERT_DIR`],
    ["env", "SSL_CERT_DIR", `${others} --allow-env=HOME,SSL_CERT_FILE`],
    ["run", "git", "--no-prompt --allow-read=/ --allow-net --allow-env=HOME,SSL_CERT_* --ignore-env"],
  ]);
});

/** The variables that only one system has: elsewhere what they change can be seen only in the configuration. */
const ELSEWHERE: Readonly<Record<string, typeof Deno.build.os>> = {
  APPDATA: "windows",
  LOCALAPPDATA: "windows",
};

function assertMatters(variable: string, os: typeof Deno.build.os): void {
  const place = { args: ["config"], cwd: "C:/work", home: "C:/home", contentDir: "C:/content", os };
  const settle = (env: (name: string) => string | undefined) =>
    JSON.stringify(resolveConfig({ ...place, env, readSettings: () => undefined }));
  assert.notEqual(settle((name) => name === variable ? "C:/elsewhere" : undefined), settle(() => undefined));
}
