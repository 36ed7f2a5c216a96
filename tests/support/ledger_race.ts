/**
 * Is every change that was acknowledged in the ledger, whoever else writes and whoever is killed?
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { until } from "./waiting.ts";
import { withTree } from "./trees.ts";

const WRITER = new URL("ledger_writer.ts", import.meta.url).pathname;
const HEAD = "# kept by nobody in particular\nteam: all\n";

/** How many write, and when it ends. */
export interface Race {
  readonly processes: number;
  /** In each process. */
  readonly writers: number;
  /** Processes that are killed on the way, each followed by a new one. All are killed at the end. */
  readonly kills: number;
  /** Changes to be acknowledged in all. */
  readonly changes: number;
  /** Starts others that change `out/sprint-status.yaml` in a folder. */
  readonly others?: (root: string) => readonly Changing[];
}

/** Somebody who changes the ledger. */
export interface Changing {
  /** `add ID` for each action item that was acknowledged. */
  readonly said: readonly string[];
  stop(): Promise<void>;
}

/** One process that runs a program, and what it has acknowledged. */
export class Changers implements Changing {
  readonly said: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  #isOver = false;

  constructor(program: string, args: readonly string[]) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", "--cached-only", "-A", program, ...args],
      stdout: "piped",
    }).spawn();
    this.#reading = this.#read();
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.said.push(...lines);
    }
  }

  /** Ends it without a warning; what it had said before is still read. */
  async stop(): Promise<void> {
    if (!this.#isOver) this.#child.kill("SIGKILL");
    this.#isOver = true;
    await this.#child.status;
    await this.#reading;
  }
}

/** Has many processes change one ledger, kills some, and compares the ledger with what they said. */
export async function raceForLedger({ processes, writers, kills, changes, others }: Race): Promise<string> {
  const names = Array.from({ length: processes + kills }, (_, at) => `p${at}`);
  const headings = names.flatMap((name) =>
    Array.from({ length: writers }, (_, at) => `### Story 1.${at}: ${name}\n`)
  );
  const config = '[core]\noutput_folder = "out"\n';
  const tree = {
    "_bmad/config.toml": config,
    "epics.md": `## Epic 1\n${headings.join("")}`,
    "out/sprint-status.yaml": HEAD,
  };
  return await withTree(tree, async (root) => {
    const all: Changing[] = names.slice(0, processes).map((name) =>
      new Changers(WRITER, [root, name, String(writers)])
    );
    all.push(...others?.(root) ?? []);
    const said = () => all.flatMap((one) => one.said);
    let looks = 0;
    const look = async () => {
      checkWhole(await Deno.readTextFile(`${root}/out/sprint-status.yaml`));
      looks++;
    };
    try {
      for (let round = 0; round <= kills; round++) {
        const wanted = changes * (round + 1) / (kills + 1);
        await until(`${wanted} changes are acknowledged`, async () => {
          await look();
          return said().length >= wanted;
        }, () => said().length);
        if (round === kills) break;
        await all[round]!.stop();
        all.push(new Changers(WRITER, [root, names[processes + round]!, String(writers)]));
      }
    } finally {
      await Promise.all(all.slice(kills).map((one) => one.stop()));
    }
    const text = await Deno.readTextFile(`${root}/out/sprint-status.yaml`);
    checkWhole(text);
    checkAcknowledged(text, said(), all.length);
    return `${said().length} changes by ${all.length} processes, ${looks} looks`;
  });
}

function checkWhole(text: string): void {
  assert.ok(text.startsWith(HEAD) && text.endsWith("\n"), text);
  load(text);
}

function checkAcknowledged(text: string, said: readonly string[], killed: number): void {
  const ledger = load(text) as {
    readonly action_items: readonly { readonly id: string }[];
    readonly development_status: Readonly<Record<string, string>>;
  };
  assert.deepEqual(said.filter((line) => line.startsWith("!")), []);
  const ids = ledger.action_items.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, "an item is there twice");
  const added = said.filter((line) => line.startsWith("add ")).map((line) => line.slice(4));
  assert.deepEqual(added.filter((id) => !ids.includes(id)), [], "acknowledged, but lost");
  // A process may be killed after its change and before it says so: one has the lock at a time.
  const silent = new Set(ids).difference(new Set(added)).size;
  const last = new Map(
    said.filter((line) => line.startsWith("set ")).map((line) => line.slice(4).split(" ")) as [
      ...[string, string][],
    ],
  );
  const others = [...last].filter(([story, status]) => ledger.development_status[story] !== status).length;
  assert.ok(
    silent + others <= killed,
    `${silent} items and ${others} statuses differ, ${killed} were killed`,
  );
  assert.ok(added.length > 0 && last.size > 0, "both kinds of changes were made");
}
