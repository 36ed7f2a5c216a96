/** Nothing but protocol bytes may go to stdout. */
import type { App, Overview } from "../../app.ts";
import { ignoredText } from "../../settings/mod.ts";
import type { Host } from "../../process/host.ts";
import { type Diagnostic, PRODUCT } from "../../base/model.ts";
import type { ByteSource } from "../../process/pipes.ts";
import { type SharedInput, shareInput } from "../../process/watchdog.ts";
import { journalOf, type Log } from "./log.ts";
import type { Session } from "./session.ts";
import { counted, oneLine, safeText, shorten, splitKeepingEnds, withPlace } from "../../base/text.ts";

export async function serve({ host, serve: open, log }: Session): Promise<number> {
  // Read from the disk while the app opens.
  const server = import("../../serve/mcp/mod.ts");
  const app = await open();
  let code = 0;
  const overview = app.overview();
  const { checkTools, rehearse, serveStdio, SILENT_MS } = await server;
  for (const one of await checkTools(app)) log.write("warn", ignoredText(one));
  host.onStray((error) => void log.bug(error));
  const input = shareInput(host.stdin());
  const connection = serveStdio(app, {
    input: host.terminal.stdin
      ? withoutTyped(input.source, (line) => host.writeErr(`${line}\n`))
      : input.source,
    output: host.stdout(),
    ...journalOf(log, app.config.settings.logLevel),
    warn: (text) => log.write("warn", text),
    memory: {
      heapSize: host.heapSize,
      // Only once the answer is on its way.
      collectGarbage: () => new Promise((resolve) => host.after(0, () => resolve(host.collectGarbage()))),
    },
  });
  const ignoreChanges = app.onChange(({ diagnostics }) =>
    diagnostics.forEach((one) => writeDiagnostic(log, one))
  );
  const letCopiesAge = app.keepCopies((problem) => log.write("warn", problem));
  let isOpen = true;
  connection.closed.then(() => {
    isOpen = false;
    ignoreChanges();
    letCopiesAge();
  });
  await overview;
  // Not before the content was looked at: until then a signal ends even a stuck process.
  host.onStop((exitCode) => {
    code = exitCode;
    void connection.close();
  });
  if (host.terminal.stdin) host.writeErr(safeText(renderWelcome(host, app, await overview)));
  else log.write("info", renderSummary(await overview));
  // What was only counted so far is read when the client is silent.
  const written = (await overview).isUnread ? [] : await app.diagnostics();
  for (const diagnostic of written) writeDiagnostic(log, diagnostic);
  await rehearse(app, () => connection.whenIdle(SILENT_MS).then(() => isOpen)).catch(log.bug);
  if (!isOpen) return code;
  // Before the first call, which may get stuck. What people type at a terminal is read by this thread only.
  if (!host.terminal.stdin) await watch(host, log, input);
  await connection.rest();
  await connection.whenIdle();
  // A client that only connects needs no more: the full scan of a large project takes seconds.
  await connection.whenReceived();
  if (!isOpen) return code;
  await connection.whenIdle();
  if (!isOpen) return code;
  try {
    // So does the full scan of every file.
    const known = new Set(written.map((diagnostic) => JSON.stringify(diagnostic)));
    for (const diagnostic of await app.diagnose()) {
      if (!known.has(JSON.stringify(diagnostic))) writeDiagnostic(log, diagnostic);
    }
  } catch (error) {
    log.bug(error);
  }
  await connection.rest();
  await connection.closed;
  return code;
}

const ENDS: readonly string[] = ["quit", "exit", "stop", "bye", "q", ":q"];

/** Takes lines that a person has typed from the input of a terminal, which hands over whole lines. */
export function withoutTyped(source: ByteSource, say: (line: string) => void): ByteSource {
  const decoder = new TextDecoder();
  let isInMessage = false;
  const isMessage = (line: string) => {
    const isOne = isInMessage || /^\s*[{[]/.test(line);
    isInMessage = isOne && !line.endsWith("\n");
    return isOne;
  };
  return {
    read: async () => {
      for (let bytes; (bytes = await source.read()) !== null;) {
        const lines = Map.groupBy(splitKeepingEnds(decoder.decode(bytes, { stream: true })), isMessage);
        for (const line of lines.get(false) ?? []) if (line.trim() !== "") say(answerTo(oneLine(line)));
        const messages = lines.get(true)?.join("") ?? "";
        if (messages !== "") return new TextEncoder().encode(messages);
      }
      return null;
    },
    cancel: source.cancel,
  };
}

function answerTo(typed: string): string {
  if (ENDS.includes(typed.toLowerCase())) return "Ctrl-C stops the server.";
  const line = shorten(typed.replace(/^(?:\$ |> )?(?:bmad-mcp )?/, ""));
  return `This is a server for MCP clients, not a prompt. Press Ctrl-C, then run: bmad-mcp ${line}`;
}

export async function watch(host: Host, log: Log, input?: SharedInput): Promise<void> {
  try {
    await host.watch(input);
    log.write("debug", "The watchdog is running");
  } catch (error) {
    log.bug(error);
  }
}

function writeDiagnostic(log: Log, diagnostic: Diagnostic): void {
  const { level, fix } = diagnostic;
  const text = withPlace(diagnostic);
  log.write(level === "warning" ? "warn" : level, fix === undefined ? text : `${text}. ${fix}`);
}

function renderSummary(overview: Overview): string {
  const { agents, workflows, origins, isEstimate } = overview;
  const sources = origins.filter(({ things }) => things > 0).map(({ origin }) => origin.id);
  return `Serving ${isEstimate ? "about " : ""}${counted(agents, "agent")} and ` +
    `${counted(workflows, "workflow")} from ${sources.join(", ") || "no source"}`;
}

function renderWelcome(host: Host, app: App, overview: Overview): string {
  const { agents, workflows, modules, origins } = overview;
  const sources = origins.filter(({ things }) => things > 0).map(({ origin, things, versions }) =>
    `  ${origin.id.padEnd(10)} ${counted(things, "item").padStart(10)}  ${origin.location}  (${
      versions.join(", ")
    })`
  );
  const { project } = app.config.settings;
  const args = [...host.launch.args, "serve", ...(project === undefined ? [] : ["--project", project])];
  const entry = { mcpServers: { bmad: { command: host.launch.command, args } } };
  return [
    `${PRODUCT.name} ${PRODUCT.version} is serving MCP on stdin and stdout: ` +
    `${counted(agents, "agent")}, ${counted(workflows, "workflow")} (${modules.join(", ")}).`,
    ...sources,
    "",
    "To connect a client, run `bmad-mcp install`, or add this to its configuration:",
    JSON.stringify(entry, null, 2),
    "",
    "To look around, press Ctrl-C and run `bmad-mcp list agents`, `bmad-mcp board` or `bmad-mcp --help`.",
    "",
  ].join("\n");
}
