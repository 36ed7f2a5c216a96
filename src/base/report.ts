/** An answer about the project, once for a model to read and once for a program. */
export interface Report<T = Readonly<Record<string, unknown>>> {
  readonly text: string;
  readonly data: T;
}

export type ReportPart = string | false | undefined | readonly string[];

/** Without parts that are undefined or false. */
export function textLines(...parts: readonly ReportPart[]): readonly string[] {
  return parts.flatMap((part) => part === undefined || part === false ? [] : part);
}

export function joinLines(...parts: readonly ReportPart[]): string {
  return textLines(...parts).join("\n");
}

/** Lines below a heading; nothing without any. */
export function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, ...lines];
}

export function bulleted(lines: readonly string[], max = Infinity): readonly string[] {
  return firstLines(lines, max).map((line) => `- ${line}`);
}

export function firstLines(
  lines: readonly string[],
  max: number,
  more = (count: number) => `… and ${count} more`,
): readonly string[] {
  return lines.length <= max ? lines : [...lines.slice(0, max), more(lines.length - max)];
}
