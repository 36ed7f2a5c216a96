/** A progress bar on one line of stderr, for work that takes a while and a person who watches. */
import type { Host } from "../../process/host.ts";

const DELAY_MS = 300;
const INTERVAL_MS = 100;
const BAR_WIDTH = 24;

interface Progress {
  readonly host: Host;
  /** Reports how much of a phase is done; undefined if nothing is drawn. */
  readonly report?: (done: number, total: number, phase: string) => void;
  end(): void;
}

export function openProgress(host: Host): Progress {
  if (!host.canRedraw) return { host, end: () => {} };
  const start = host.now();
  let drawn: number | undefined;
  const erase = () => {
    if (drawn !== undefined) host.writeErr("\r\x1b[2K");
    drawn = undefined;
  };
  const erasing = (write: (text: string) => void) => (text: string) => {
    erase();
    write(text);
  };
  return {
    host: { ...host, writeOut: erasing(host.writeOut), writeErr: erasing(host.writeErr) },
    report: (done, total, phase) => {
      const now = host.now();
      if (now - start < DELAY_MS || (drawn !== undefined && now - drawn < INTERVAL_MS)) return;
      drawn = now;
      // A line that goes on below could not be erased.
      const line = `${renderBar(done, total)} ${phase}`.slice(0, (host.columns ?? Infinity) - 1);
      host.writeErr(`\r\x1b[2K${line}`);
    },
    end: erase,
  };
}

function renderBar(done: number, total: number): string {
  const share = Math.min(1, done / total);
  const full = Math.round(share * BAR_WIDTH);
  return `${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)} ${String(Math.floor(share * 100)).padStart(3)}%`;
}
