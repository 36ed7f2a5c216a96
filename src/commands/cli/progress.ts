/**
 * How far long work is, on a line of stderr that is drawn over and erased in the end.
 *
 * Only where a person watches a terminal, and only for work that takes longer than a moment. Whoever writes to the
 * terminal meanwhile writes over the erased line.
 */
import type { Host } from "../../base/host.ts";

/** Work shorter than this is over before anybody could read of it. */
const PATIENCE_MS = 300;
/** Drawn no more often than this. */
const PAUSE_MS = 100;
const BAR = 24;

/** A host to print with, and where to tell how far the work is. */
export interface Progress {
  /** The same host, which erases the line before it writes. */
  readonly host: Host;
  /** Told how much of a phase is done, out of how much; undefined where nothing is drawn. */
  readonly tell?: (done: number, total: number, phase: string) => void;
  /** Erases the line. */
  end(): void;
}

/** Follows work that begins now. */
export function openProgress(host: Host): Progress {
  if (!host.canRedraw) return { host, end: () => {} };
  const since = host.now();
  let drawn: number | undefined;
  const erase = () => {
    if (drawn !== undefined) host.writeErr("\r\x1b[2K");
    drawn = undefined;
  };
  return {
    host: {
      ...host,
      writeOut: (text) => {
        erase();
        host.writeOut(text);
      },
      writeErr: (text) => {
        erase();
        host.writeErr(text);
      },
    },
    tell: (done, total, phase) => {
      const now = host.now();
      if (now - since < PATIENCE_MS || (drawn !== undefined && now - drawn < PAUSE_MS)) return;
      drawn = now;
      host.writeErr(`\r\x1b[2K${renderBar(done, total)} ${phase}`);
    },
    end: erase,
  };
}

function renderBar(done: number, total: number): string {
  const share = Math.min(1, done / total);
  const full = Math.round(share * BAR);
  return `${"█".repeat(full)}${"░".repeat(BAR - full)} ${String(Math.floor(share * 100)).padStart(3)}%`;
}
