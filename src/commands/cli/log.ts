/** No secret of the settings is ever in the log. */
import { LOG_LEVELS, type LogLevel, SETTING_KEYS, SETTINGS, type Settings } from "../../settings/mod.ts";
import type { Host } from "../../process/host.ts";
import { openLogFile } from "../../process/log_file.ts";
import { hideLogins, oneLine, safeText } from "../../base/text.ts";
import { observeReads } from "../../base/work.ts";
import type { Journal, LogFields } from "../../serve/mcp/mod.ts";

export interface Log {
  write(level: LogLevel, text: string, fields?: LogFields): void;
  bug(error: unknown): string;
}

export function journalOf(log: Log, level: LogLevel): Journal {
  return {
    bug: log.bug,
    info: (text) => log.write("info", text),
    debug: level === "debug" ? (text, fields) => log.write("debug", text, fields) : undefined,
  };
}

export function openLog(host: Host, settings: Settings, files: readonly string[]): Log {
  const level = settings.quiet ? "error" : settings.logLevel;
  const isJson = settings.logFormat === "json";
  if (level === "debug") {
    observeReads((file, root) => write("debug", `read ${file} in ${root}`, { file, root }));
  }
  const hideSecrets = secretHider(settings);
  let append = files.length === 0 ? undefined : openLogFile(files);
  const write = (of: LogLevel, given: string, fields: LogFields = {}) => {
    if (LOG_LEVELS.indexOf(of) > LOG_LEVELS.indexOf(level)) return;
    const message = hideSecrets(hideLogins(given));
    const time = new Date(host.now()).toISOString();
    const shown = Object.entries(fields).map(([name, value]) =>
      [name, typeof value === "string" ? hideSecrets(hideLogins(value)) : value] as const
    );
    const json = isJson &&
      JSON.stringify({ time, level: of, pid: host.pid, message, ...Object.fromEntries(shown) });
    host.writeErr(`${json || `bmad-mcp ${of}: ${message}`}\n`);
    try {
      append?.(json || `${time} ${host.pid} ${of}: ${message}`);
    } catch (error) {
      // A full disk must not stop the server.
      append = undefined;
      write("warn", `Cannot write the log to ${files[0]}: ${oneLine(String(error))}`);
    }
  };
  return {
    // File names may contain line ends, and must not look like lines of ours.
    write: (of, text, fields) => write(of, oneLine(text), fields),
    bug: (error) => {
      const id = host.now().toString(36);
      const text = safeText(error instanceof Error ? error.stack ?? error.message : String(error));
      write("error", `[${id}] ${text}`, { id });
      return id;
    },
  };
}

/** Shorter values would be found in the middle of words. */
const SHORTEST_SECRET = 8;

function secretHider(settings: Settings): (text: string) => string {
  const values = SETTING_KEYS.filter((key) => SETTINGS[key].isSecret).map((key) => settings[key])
    .filter((value) => typeof value === "string")
    .filter((value) => value.length >= SHORTEST_SECRET);
  return (text) => values.reduce<string>((hidden, value) => hidden.replaceAll(value, "[removed]"), text);
}
