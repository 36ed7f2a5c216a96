const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [365 * 86_400_000, "year"],
  [30 * 86_400_000, "month"],
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];

export function renderDuration(ms: number): string {
  const [size, name] = UNITS.find(([size]) => ms >= size) ?? [1_000, "second"];
  const count = Math.max(0, Math.floor(ms / size));
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

/** Not if the clock was set back meanwhile: then nobody knows how long ago it was. */
export function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now < since + ms;
}

export function renderTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function localDate(time: number): string {
  return localTime(time).slice(0, 10);
}

export function localTime(time: number): string {
  const minutes = new Date(time).getTimezoneOffset();
  return new Date(time - minutes * 60_000).toISOString().slice(0, -1);
}

export function sprintTime(time: string): string {
  return `${time.slice(5, 10)}-${time.slice(0, 4)} ${time.slice(11, 16)}`;
}
