/**
 * The log: lines on stderr and, if the user named one, in a file, up to the chosen level.
 */
import { LOG_LEVELS, type LogLevel } from "../../settings/mod.ts";
import type { Host } from "../../process/host.ts";
import { openLogFile } from "../../process/log_file.ts";
import { hideLogins, oneLine, safeText } from "../../base/text.ts";
import type { Journal } from "../../serve/mcp/mod.ts";

/** The log of one process. */
export interface Log {
  write(level: LogLevel, text: string): void;
  /** Logs an error that should not happen, and returns the id to find it by. */
  bug(error: unknown): string;
}

/** The log as the protocol code uses it. */
export function journalOf(log: Log, level: LogLevel): Journal {
  return {
    bug: log.bug,
    info: (text) => log.write("info", text),
    debug: level === "debug" ? (text) => log.write("debug", text) : undefined,
  };
}

/** Opens the log; `files` are the log file and its older ones, or none. */
export function openLog(host: Host, level: LogLevel, files: readonly string[]): Log {
  let append = files.length === 0 ? undefined : openLogFile(files);
  const write = (of: LogLevel, given: string) => {
    if (LOG_LEVELS.indexOf(of) > LOG_LEVELS.indexOf(level)) return;
    const text = hideLogins(given);
    host.writeErr(`bmad-mcp ${of}: ${text}\n`);
    try {
      append?.(`${new Date(host.now()).toISOString()} ${host.pid} ${of}: ${text}`);
    } catch (error) {
      // A full disk must not stop the server.
      append = undefined;
      write("warn", `Cannot write the log to ${files[0]}: ${oneLine(String(error))}`);
    }
  };
  return {
    // File names may contain line ends, and must not look like lines of ours.
    write: (of, text) => write(of, oneLine(text)),
    bug: (error) => {
      const id = host.now().toString(36);
      write(
        "error",
        `[${id}] ${safeText(error instanceof Error ? error.stack ?? error.message : String(error))}`,
      );
      return id;
    },
  };
}
