import type { Host } from "../../process/host.ts";

const DELAY_MS = 300;
const INTERVAL_MS = 100;
const LINE_MS = 30_000;
const BAR_WIDTH = 24;

interface Progress {
  readonly host: Host;
  readonly report?: (done: number, total: number, phase: string) => void;
  end(): void;
}

export function openProgress(
  host: Host,
  { isSilent = false }: { readonly isSilent?: boolean } = {},
): Progress {
  if (isSilent) return { host, end: () => {} };
  const start = host.now();
  if (!host.canRedraw) return { host, report: plainReport(host, start), end: () => {} };
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

function plainReport(host: Host, start: number): Progress["report"] {
  let last = start;
  return (done, total, phase) => {
    if (host.now() - last < LINE_MS) return;
    last = host.now();
    host.writeErr(`${phase}: ${percent(done, total)} %\n`);
  };
}

function percent(done: number, total: number): number {
  return Math.floor(Math.min(1, done / total) * 100);
}

function renderBar(done: number, total: number): string {
  const full = Math.round(Math.min(1, done / total) * BAR_WIDTH);
  return `${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)} ${String(percent(done, total)).padStart(3)}%`;
}
