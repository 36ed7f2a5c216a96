/** A reader who copies what answers print: runs calls as a client does, and notes each that fails. */
import assert from "node:assert/strict";
import { type App, openApp } from "../../src/app.ts";
import { denoHost } from "../../src/process/host.ts";
import { callTool } from "../../src/serve/mcp/mod.ts";
import { toErrorResult } from "../../src/serve/mcp/reply.ts";
import { resolveConfig } from "./config.ts";
import { toolCallsIn } from "./printed_calls.ts";

export type Args = Readonly<Record<string, unknown>>;

interface Said {
  readonly text: string;
  readonly isError: boolean;
}

const ROOT = decodeURIComponent(new URL("../..", import.meta.url).pathname).replace(/\/$/, "");

export function openIn(dir: string, ...args: readonly string[]): App {
  const host = { ...denoHost(ROOT), cwd: dir };
  const given = ["--project", dir, "--allow-git", ...args];
  return openApp(resolveConfig({ ...host, home: undefined, args: given, env: () => undefined }), host);
}

export class Reader {
  readonly #counts: Record<string, number> = {};
  readonly #failures: string[] = [];
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  async call(tool: string, args: Args): Promise<Said> {
    try {
      const { content: [block], isError = false } = await callTool(this.#app, tool, args);
      return { text: block!.text!, isError };
    } catch (error) {
      const throwBug = (bug: unknown): never => {
        throw bug;
      };
      const { content: [block] } = toErrorResult(error, throwBug, this.#app.config.settings.maxResult);
      return { text: (block as { readonly text: string }).text, isError: true };
    }
  }

  /** Runs a call that was printed at `place`. A failure is noted unless `isNamed` says that the text names its reason. */
  async run(
    place: string,
    tool: string,
    args: Args,
    isNamed: (text: string) => boolean = () => false,
  ): Promise<Said> {
    const kind = args["script"] === undefined ? tool : "script";
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
    const said = await this.call(tool, args);
    if (said.isError && !isNamed(said.text)) {
      const line = args["script"] ?? `${tool} ${JSON.stringify(args)}`;
      this.#failures.push(`${place}: ${line}\n    ${said.text.slice(0, 300).replaceAll("\n", " | ")}`);
    }
    return said;
  }

  async read(place: string, args: Args): Promise<string> {
    const parts: string[] = [];
    for (let next: Args | undefined = args; next !== undefined;) {
      const { text } = await this.run(place, "bmad", next);
      const [note, json] = /\n\[part \d+ of \d+(?:; next: bmad (\{.*\}))?\]$/.exec(text) ?? [""];
      parts.push(text.slice(0, text.length - note.length));
      next = json === undefined ? undefined : JSON.parse(json);
    }
    return parts.join("");
  }

  /** Runs every call of a tool in a text; `fill` gives the texts of a call with gaps. */
  async runCalls(
    place: string,
    text: string,
    fill: (json: string) => readonly string[] = () => [],
  ): Promise<void> {
    for (const { tool, json } of toolCallsIn(text)) {
      const isOpen = /[[:,](?:LINE|NAME|URI|…)|"(?:PATH|…|bmad:\/\/…)"/.test(json);
      for (const one of isOpen ? fill(json) : [json]) await this.run(place, tool, JSON.parse(one));
    }
  }

  /** Fails if a call failed, or if fewer calls of a tool, or script lines, were run than expected. */
  check(expected: Readonly<Record<string, number>>): void {
    assert.equal(this.#failures.join("\n"), "");
    for (const [kind, count] of Object.entries(expected)) {
      assert.ok((this.#counts[kind] ?? 0) >= count, `only ${this.#counts[kind] ?? 0} of ${kind} were run`);
    }
  }
}
