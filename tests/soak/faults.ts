/** Does a server answer or refuse, and then recover, when its disk, clock or client misbehaves while it serves? */
import assert from "node:assert/strict";
import { startClient } from "../support/client.ts";
import { say } from "../support/answers.ts";
import { INITIALIZE, prepareLaunch, type ProgramOptions, startSession } from "../support/program.ts";
import { withTree } from "../support/trees.ts";
import { until as waitUntil } from "../support/waiting.ts";
import { command, whyNoDenial, whyNoMounts, withoutOverride } from "./machine.ts";

const SKILL = "project/.claude/skills/bmad-map/SKILL.md";
const TEXT = "---\nname: bmad-map\ndescription: Draws maps\n---\nDraw.\n";
const TREE = { [SKILL]: TEXT, "project/notes/x.md": "x", "elsewhere/secret.md": "THE-CANARY-SINGS-4711" };

/** A fault: `strike` causes it, `heal` undoes it. */
export interface Fault {
  readonly name: string;
  strike(dir: string): Promise<void>;
  heal(dir: string): Promise<void>;
  /** Why it is impossible on this machine; undefined if it is possible. */
  readonly unable?: () => Promise<string | undefined>;
  /** Done before the server starts, and undone after it has exited. */
  readonly around?: { prepare(dir: string): Promise<void>; clear(dir: string): Promise<void> };
  readonly start?: () => ProgramOptions;
}

export const FAULTS: readonly Fault[] = [
  {
    name: "the project is deleted and created again",
    strike: (dir) => Deno.remove(`${dir}/project`, { recursive: true }),
    heal: async (dir) => {
      await Deno.mkdir(`${dir}/project/.claude/skills/bmad-map`, { recursive: true });
      await Deno.writeTextFile(`${dir}/${SKILL}`, TEXT);
    },
  },
  {
    name: "the project becomes a link to another folder",
    strike: async (dir) => {
      await Deno.rename(`${dir}/project`, `${dir}/away`);
      await Deno.symlink(`${dir}/elsewhere`, `${dir}/project`);
    },
    heal: async (dir) => {
      await Deno.remove(`${dir}/project`);
      await Deno.rename(`${dir}/away`, `${dir}/project`);
    },
  },
  {
    name: "the skill becomes a folder",
    strike: async (dir) => {
      await Deno.remove(`${dir}/${SKILL}`);
      await Deno.mkdir(`${dir}/${SKILL}`);
    },
    heal: async (dir) => {
      await Deno.remove(`${dir}/${SKILL}`);
      await Deno.writeTextFile(`${dir}/${SKILL}`, TEXT);
    },
  },
  {
    name: "the skill is filled with garbage",
    strike: (dir) => Deno.writeFile(`${dir}/${SKILL}`, crypto.getRandomValues(new Uint8Array(50_000))),
    heal: (dir) => Deno.writeTextFile(`${dir}/${SKILL}`, TEXT),
  },
  {
    name: "the project is unmounted and mounted again",
    unable: whyNoMounts,
    around: {
      prepare: async (dir) => {
        await Deno.rename(`${dir}/project`, `${dir}/away`);
        await Deno.mkdir(`${dir}/project`);
        await command("mount", "--bind", `${dir}/away`, `${dir}/project`);
      },
      clear: (dir) => command("umount", "-l", `${dir}/project`),
    },
    strike: (dir) => command("umount", "-l", `${dir}/project`),
    heal: (dir) => command("mount", "--bind", `${dir}/away`, `${dir}/project`),
  },
  {
    name: "the project becomes unreadable",
    unable: whyNoDenial,
    start: withoutOverride,
    strike: (dir) => Deno.chmod(`${dir}/project`, 0o000),
    heal: (dir) => Deno.chmod(`${dir}/project`, 0o755),
  },
  {
    name: "the skill becomes unreadable",
    unable: whyNoDenial,
    start: withoutOverride,
    strike: (dir) => Deno.chmod(`${dir}/${SKILL}`, 0o000),
    heal: (dir) => Deno.chmod(`${dir}/${SKILL}`, 0o644),
  },
];

export function survive(fault: Fault): Promise<void> {
  return withTree(TREE, async (dir) => {
    await fault.around?.prepare(dir);
    try {
      await using client = await startClient({
        era: "2026",
        args: ["--project", `${dir}/project`, "--pack", "none", "--log-level", "error"],
        ...fault.start?.(),
      });
      const read = () => client.callTool("bmad", { operation: "read", skill: "bmad-map" });
      const until = (isThere: boolean, what: string) =>
        waitUntil(
          `${what}: the skill is ${isThere ? "there" : "missing"}`,
          async () => ((await read()).isError !== true) === isThere,
        );
      await until(true, "at first");
      await fault.strike(dir);
      await until(false, fault.name);
      const listed = await client.callTool("bmad", { operation: "list", query: "resources" });
      assert.doesNotMatch(JSON.stringify(listed), /CANARY|secret\.md/, fault.name);
      assert.notEqual((await client.callTool("bmad", { operation: "list", query: "agents" })).isError, true);
      await fault.heal(dir);
      await until(true, `${fault.name}, healed`);
      assert.match(await say(client, { operation: "read", skill: "bmad-map" }), /Draw/);
    } finally {
      await fault.around?.clear(dir);
    }
  });
}

export function fill(count: number): Promise<void> {
  return withTree(TREE, async (dir) => {
    await using client = await startClient({
      era: "2025",
      args: ["--project", `${dir}/project`, "--pack", "none", "--log-level", "error"],
    });
    for (let n = 0; n < count; n++) {
      const folder = `${dir}/project/.claude/skills/bmad-map/f${n % 100}`;
      if (n < 100) await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(`${folder}/n${n}.md`, "x");
      if (n % 1_000 === 0) await client.callTool("bmad", { operation: "read", skill: "bmad-map" });
    }
    const answer = await client.callTool("bmad", { operation: "list", query: "skills" });
    assert.match(answer.content[0]!.text, /bmad-map/);
  });
}

export async function sleepWell(): Promise<void> {
  await using program = await startSession(["--pack", "latest"]);
  for (let n = 0; n < 3; n++) {
    program.signal("SIGSTOP");
    await program.send({ id: `stopped-${n}`, method: "tools/list", params: {} });
    await new Promise((resolve) => setTimeout(resolve, 300));
    program.signal("SIGCONT");
    await program.next(`stopped-${n}`);
  }
}

export async function neverReads(count: number): Promise<void> {
  const child = await stalled();
  const writer = child.stdin.getWriter();
  const write = (message: unknown) => writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  await write({ jsonrpc: "2.0", ...INITIALIZE });
  const asking = (async () => {
    for (let id = 10; id < 10 + count; id++) {
      const params = { name: "bmad", arguments: { operation: "execute", agent: "analyst" } };
      await write({ jsonrpc: "2.0", id, method: "tools/call", params });
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const answered = new Set<number>();
  let rest = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (answered.size < count + 1) {
    const { value, done } = await reader.read();
    assert.ok(!done, `ended after ${answered.size} of ${count + 1} answers`);
    const lines = (rest + value).split("\n");
    rest = lines.pop()!;
    for (const line of lines) answered.add(JSON.parse(line).id);
  }
  await asking;
  await writer.close();
  await reader.cancel();
  assert.equal((await child.status).code, 0);
}

async function stalled(): Promise<Deno.ChildProcess> {
  const { command, args, cwd, env } = await prepareLaunch([]);
  const streams = { stdin: "piped", stdout: "piped", stderr: "null" } as const;
  return new Deno.Command(command, { args, cwd, env, clearEnv: true, ...streams }).spawn();
}
