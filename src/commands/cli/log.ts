/**
 * The log: lines on stderr, and in a file where the user wants one, at the level that the user wants.
 */
import { LOG_LEVELS, type LogLevel } from "../../settings/mod.ts";
import type { Host } from "../../base/host.ts";
import { openLogFile } from "../../base/log_file.ts";
import { oneLine, safeText } from "../../base/text.ts";
import type { Journal } from "../../serve/mcp/mod.ts";

/** Where trouble is written down. */
export interface Log {
  write(level: LogLevel, text: string): void;
  /** Writes down an error that should not have happened and returns the number it can be found by. */
  bug(error: unknown): string;
}

/** The same for the protocol code. */
export function journalOf(log: Log, level: LogLevel): Journal {
  return {
    bug: log.bug,
    info: (text) => log.write("info", text),
    debug: level === "debug" ? (text) => log.write("debug", text) : undefined,
  };
}

/** A log that keeps what is at or above a level; `files` are those on disk, the present one first, or none. */
export function openLog(host: Host, level: LogLevel, files: readonly string[]): Log {
  let keep = files.length === 0 ? undefined : openLogFile(files);
  const write = (of: LogLevel, text: string) => {
    if (LOG_LEVELS.indexOf(of) > LOG_LEVELS.indexOf(level)) return;
    host.writeErr(`bmad-mcp ${of}: ${text}\n`);
    try {
      keep?.(`${new Date(host.now()).toISOString()} ${host.pid} ${of}: ${text}`);
    } catch (error) {
      // Who serves goes on serving, also on a full disk.
      keep = undefined;
      write("warn", `Cannot write the log to ${files[0]}: ${oneLine(String(error))}`);
    }
  };
  return {
    // Names of files may have line ends in them, and must not look like lines of ours.
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
