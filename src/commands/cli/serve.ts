/**
 * Serving MCP over stdin and stdout until the client goes or a signal comes.
 *
 * stdout carries protocol bytes and nothing else. On a terminal, where a person and no client is looking, stderr
 * tells what was found and how to connect a client.
 */
import type { App, Overview } from "../../app.ts";
import type { Host } from "../../base/host.ts";
import { type Diagnostic, PRODUCT, type RightsInForce } from "../../base/model.ts";
import { journalOf, type Log } from "./log.ts";
import { safeText } from "../../base/text.ts";

/** Serves one client. */
export async function serve(host: Host, app: App, log: Log, rights: RightsInForce): Promise<void> {
  // The library is read while the protocol code is being loaded.
  const overview = app.overview();
  const { checkTools, serveStdio } = await import("../../serve/mcp/mod.ts");
  await checkTools(app);
  host.onStray((error) => void log.bug(error));
  const connection = serveStdio(app, {
    input: host.stdin(),
    output: host.stdout(),
    ...journalOf(log, app.config.settings.logLevel),
    warn: (text) => log.write("warn", text),
    // Not before the answer is on its way.
    collectGarbage: () => void host.after(0, () => void host.collectGarbage()),
  });
  host.onStop(() => void connection.close());
  const ignoreChanges = app.onChange(({ diagnostics }) =>
    diagnostics.forEach((one) => writeDiagnostic(log, one))
  );
  const letCopiesAge = app.keepCopies((problem) => log.write("warn", problem));
  connection.closed.then(() => {
    ignoreChanges();
    letCopiesAge();
  });
  if (host.terminal.stdin) host.writeErr(safeText(renderWelcome(host, app, await overview, rights)));
  else log.write("info", renderSummary(await overview));
  // Where only an estimate was made, even a full inventory can wait until the client has what it came for.
  const told = (await overview).isEstimate ? [] : await app.diagnostics();
  for (const diagnostic of told) writeDiagnostic(log, diagnostic);
  await connection.whenIdle();
  try {
    // So can a look at every file.
    const known = new Set(told.map((diagnostic) => JSON.stringify(diagnostic)));
    const found = (await app.diagnose()).filter((diagnostic) => !known.has(JSON.stringify(diagnostic)));
    for (const diagnostic of found) writeDiagnostic(log, diagnostic);
  } catch (error) {
    // Whatever is wrong with a file, the client is still being served.
    log.bug(error);
  }
  await connection.closed;
}

function writeDiagnostic(log: Log, { level, message, fix, path, origin }: Diagnostic): void {
  const text = [origin, path, message].filter(Boolean).join(": ");
  log.write(level === "warning" ? "warn" : level, fix === undefined ? text : `${text}. ${fix}`);
}

/** One line for a client's log. */
function renderSummary({ agents, workflows, origins, isEstimate }: Overview): string {
  const places = origins.filter(({ things }) => things > 0).map(({ origin }) => origin.id);
  return `Serving ${isEstimate ? "about " : ""}${agents} agents and ${workflows} workflows from ` +
    (places.join(", ") || "nowhere");
}

function renderWelcome(host: Host, app: App, overview: Overview, rights: RightsInForce): string {
  const { agents, workflows, modules, origins } = overview;
  const found = origins.filter(({ things }) => things > 0).map(({ origin, things, versions }) =>
    `  ${origin.id.padEnd(10)} ${String(things).padStart(4)} things  ${origin.location}  (${
      versions.join(", ")
    })`
  );
  const { project } = app.config.settings;
  const args = [...host.launch.args, ...(project === undefined ? [] : ["--project", project])];
  const entry = { mcpServers: { bmad: { command: host.launch.command, args } } };
  const further = [["write", rights.write], ["run", rights.run]] as const;
  const limits = rights.sandboxed
    ? [["read", rights.read] as const, ...further.filter(([, list]) => list.length > 0)]
      .map(([right, list]) => `It can ${right} only: ${list.join(", ")}`).join("\n")
    : "WARNING: --no-sandbox: it can read and write the whole disk";
  return [
    `${PRODUCT.name} ${PRODUCT.version} is serving MCP on stdin and stdout: ${agents} agents, ${workflows} workflows ` +
    `(${modules.join(", ")}).`,
    ...found,
    limits,
    "",
    "Connect your clients with `install`, or add this to a client's configuration:",
    JSON.stringify(entry, null, 2),
    "",
    "Look around with `list agents`, `show NAME`, `search WORDS`; all commands: `--help`. Ctrl-C stops.",
    "",
  ].join("\n");
}
