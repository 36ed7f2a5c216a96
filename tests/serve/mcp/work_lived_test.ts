/** Can a client that knows nothing but what answers print take five stories of each form from the backlog to done? */
import assert from "node:assert/strict";
import type { FormName } from "../../../src/project/work/formats/mod.ts";
import { chanceFrom } from "../../support/chance.ts";
import { INITIALIZE, type RawProgram, startRaw } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";
import { workIn } from "../../support/work.ts";
import {
  documentFor,
  freshProject,
  pathOf,
  PROJECT_FORMS,
  readTemplates,
  type Wanted,
} from "../../support/work_projects.ts";

const STORIES = 5;
const LEDGER = "out/impl/sprint-status.yaml";
const NEXT = 'bmad_work {"operation":"next","by":"agent"}';

/** A server that may be killed, and what it answers. */
class Server {
  #raw!: RawProgram;
  #id = 1;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async start(): Promise<void> {
    this.#raw = await startRaw(["--log-level", "error"], { cwd: this.#root });
    await this.#raw.send(INITIALIZE);
    await this.#raw.next(1);
    await this.#raw.send({ method: "notifications/initialized" });
  }

  async #send(line: string): Promise<number> {
    const [, name, json] = /^(\w+) (\{.*\})$/.exec(line)!;
    const id = ++this.#id;
    await this.#raw.send({ id, method: "tools/call", params: { name, arguments: JSON.parse(json!) } });
    return id;
  }

  async call(line: string): Promise<{ readonly text: string; readonly isRefused: boolean }> {
    const { result } = await this.#raw.next(await this.#send(line));
    return { text: String(result.content[0].text), isRefused: result.isError === true };
  }

  /** Makes a call, is killed before it answers, and starts again. */
  async killDuring(line: string): Promise<void> {
    await this.#send(line);
    this.#raw.signal("SIGKILL");
    await this.#raw.exit;
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#raw[Symbol.asyncDispose]();
  }
}

/** The words that each form's own workflow leaves in a document that it has drafted, and in one that it has built. */
const WORDS: Readonly<Record<FormName, readonly [draft: string, built: string]>> = {
  "story-file": ["ready-for-dev", "review"],
  "build-spec": ["draft", "done"],
  "spec-story": ["draft", "in-review"],
  "v4-story": ["Draft", "Ready for Review"],
  "ticket": ["draft", "built"],
};

/** A developer in a project of a form: knows BMAD's templates, and reads answers. */
class Developer {
  readonly steps: string[] = [];
  #refusals = 0;
  #kills = 0;

  constructor(readonly root: string, readonly form: FormName, readonly server: Server) {}

  get counts() {
    return { refusals: this.#refusals, kills: this.#kills };
  }

  /** Does what `next` says; false once all is done. */
  async step(): Promise<boolean> {
    const { text: packet } = await this.server.call(NEXT);
    if (packet.startsWith("All done")) return false;
    const line = (label: string) => new RegExp(`^${label}: (.*)$`, "m").exec(packet)?.[1];
    this.steps.push(packet.split("\n")[0]!);
    const [before, end] = [line("Before"), line("When finished")];
    const begun = before === undefined ? "" : await this.#done(before);
    await this.#done(line("Call")!);
    const made = /^Note: made (.*)$/m.exec(begun)?.[1];
    if (packet.startsWith("Look back")) this.#lookBack();
    else this.#work(line("Story"), line("Plan") ?? line("File") ?? made);
    if (end === undefined) return true;
    if (this.#kills < 2 && this.steps.length % 4 === 0) {
      // The mark may be in the ledger or not, and is repeated.
      await this.server.killDuring(end);
      this.#kills++;
    }
    const { text, isRefused } = await this.server.call(end);
    if (isRefused) {
      this.#fix(text);
      await this.#done(end);
    }
    return true;
  }

  async #done(line: string): Promise<string> {
    const { text, isRefused } = await this.server.call(line);
    assert.ok(!isRefused, `${line}: ${text}`);
    return text;
  }

  /** Drafts or builds a story, as its state asks for. What is built leaves a box open. */
  #work(story: string | undefined, path: string | undefined): void {
    const [, ref = "1-1", state] = /^(\S+) .*\(([\w-]+)\)$/.exec(story ?? "") ?? [];
    const isV4 = this.form === "v4-story";
    // Only v4 has a step for drafts, before it knows of any story; the others look back at the end.
    const isDraft = isV4 && path === undefined;
    const isBuilt = !isV4 && state === "backlog" || state === "ready" || state === "in-progress";
    if (!isDraft && !isBuilt) return;
    const number = Number(/\d+$/.exec(ref)![0]);
    const [draft, built] = WORDS[this.form];
    this.#write(path ?? pathOf(this.form, number), {
      number,
      subject: `Part ${number}`,
      document: isDraft ? draft : built,
      stage: isDraft ? "planned" : "finished",
      lack: "box",
      chance: chanceFrom(number),
    });
  }

  #lookBack(): void {
    Deno.writeTextFileSync(
      `${this.root}/out/impl/epic-1-retro-2026-08-01.md`,
      "# Retrospective\n\n- Go on.\n",
    );
  }

  #write(path: string, wanted: Wanted): void {
    Deno.mkdirSync(`${this.root}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
    Deno.writeTextFileSync(`${this.root}/${path}`, documentFor(this.form, templates, wanted));
  }

  /** Does what each line of a refusal names: ticks the box in that line. */
  #fix(refusal: string): void {
    const places = [...refusal.matchAll(/^- (\S+):(\d+): .* not ticked/gm)];
    assert.ok(places.length > 0, refusal);
    for (const [, path, number] of places) {
      const lines = Deno.readTextFileSync(`${this.root}/${path}`).split("\n");
      lines[Number(number) - 1] = lines[Number(number) - 1]!.replace("[ ]", "[x]");
      Deno.writeTextFileSync(`${this.root}/${path}`, lines.join("\n"));
    }
    this.#refusals++;
  }
}

const templates = await readTemplates();

for (const form of PROJECT_FORMS) {
  Deno.test(`five stories go from the backlog to done, with two kills: ${form} [work:lived]`, () => {
    const project = freshProject(form, STORIES, templates);
    return withTree(project, async (root) => {
      const server = new Server(root);
      await server.start();
      const developer = new Developer(root, form, server);
      try {
        while (await developer.step()) assert.ok(developer.steps.length < 40, developer.steps.join("\n"));
      } finally {
        await server.stop();
      }
      assert.deepEqual(developer.counts, { refusals: STORIES, kills: 2 });
      const work = await workIn(root);
      const states = (await work.ledgers()).epics.flatMap(({ stories }) => stories.map((one) => one.state));
      assert.deepEqual(states, Array(STORIES).fill("done"));
      assert.equal(
        (await work.check()).standing,
        `${STORIES} stories: ${STORIES} done. No problems found.`,
      );
      const ledger = project[LEDGER];
      if (ledger === undefined) return;
      const undated = (text: string) => text.replace(/^last_updated: [\d: -]*\d/m, "");
      assert.equal(
        undated(Deno.readTextFileSync(`${root}/${LEDGER}`)),
        undated(ledger).replaceAll(/^( {2}\S+: )(?:backlog|optional)\b/gm, "$1done"),
      );
    });
  });
}
