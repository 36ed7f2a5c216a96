import { Invalid } from "../base/invalid.ts";
import { type Context, resolvePath } from "../base/paths.ts";

export interface Setting<T> {
  readonly flag?: string;
  readonly value?: string;
  /** What the flag means without its value. */
  readonly bare?: string;
  readonly values?: readonly string[];
  readonly variables: readonly string[];
  readonly isSecret?: true;
  /** The user's own, which is the default, and those of trusted projects. */
  readonly files: "user" | "none";
  /** What `theirs` of a stranger's file makes of `own`, if it does not widen it. Without it, nothing. */
  narrow?(own: T, theirs: T, context: Context): T | undefined;
  /** Without this rule, `theirs` in a trusted file counts alone. */
  join?(theirs: T, own: T): T;
  readonly default: T;
  readonly help: string;
  parse(texts: readonly string[], context: Context): T | Invalid;
}

type Row<T, Known extends keyof Setting<T> = "variables" | "files"> =
  & Omit<Setting<T>, "flag" | "help" | Known>
  & Partial<Pick<Setting<T>, Known>>;

/** `usage` is the flag with the placeholder of its value. */
export function setting<T>(usage: string | undefined, help: string, row: Row<T>): Setting<T> {
  const [flag, value] = usage?.split(" ") ?? [];
  const variables = flag === undefined
    ? []
    : [flag.replace("--", "BMAD_").toUpperCase().replaceAll("-", "_")];
  return { flag, value, variables, files: "user", help, ...row };
}

type Rest<T> = Partial<Row<T>>;

export function onOff(usage: string, help: string, rest: Rest<boolean> = {}): Setting<boolean> {
  return setting(usage, help, { default: false, parse: yesOrNo, ...rest });
}

export function optional(usage: string | undefined, help: string, rest: Rest<string | undefined> = {}) {
  return setting<string | undefined>(usage, help, { default: undefined, parse: last, ...rest });
}

export function list(usage: string | undefined, help: string, rest: Rest<readonly string[]> = {}) {
  return setting<readonly string[]>(usage, help, { default: [], parse: wordsIn, ...rest });
}

export function choice<T extends string>(
  usage: string,
  help: string,
  { values, ...row }: Rest<T> & { readonly values: readonly T[]; readonly default: T },
): Setting<T> {
  return setting(usage, help, { parse: oneOf(...values), values, ...row });
}

type Limit = Rest<number> & {
  readonly default: number;
  readonly range: readonly [min: number, max: number];
};

export function limit(usage: string, help: string, { range: [min, max], ...row }: Limit): Setting<number> {
  const parse = (texts: readonly string[]) => {
    const value = /^\d+$/.test(last(texts)) ? Number(last(texts)) : NaN;
    return value >= min && value <= max
      ? value
      : new Invalid(`expected a whole number from ${min} to ${max}`);
  };
  return setting(usage, help, { parse, ...row });
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Written as `90`, `90s`, `5m`, `24h` or `7d`. */
export function time(usage: string, help: string, { range: [min, max], ...row }: Limit): Setting<number> {
  const parse = (texts: readonly string[]) => {
    const [, count, unit] = /^(\d{1,9})([smhd]?)$/.exec(last(texts).toLowerCase()) ?? [];
    const value = Number(count ?? NaN) * (UNITS[unit || "s"] ?? NaN);
    return value >= min && value <= max
      ? value
      : new Invalid(`expected a duration such as 90, 90s, 5m, 24h or 7d, from ${min} to ${max} seconds`);
  };
  return setting(usage, help, { parse, ...row });
}

export function last(texts: readonly string[]): string {
  return texts.at(-1) ?? "";
}

export function filePath(texts: readonly string[], context: Context): string {
  return resolvePath(last(texts), context);
}

export function matching(form: RegExp, expected: string): (texts: readonly string[]) => string | Invalid {
  return (texts) => form.test(last(texts)) ? last(texts) : new Invalid(`expected ${expected}`);
}

export function wordsIn(texts: readonly string[]): readonly string[] {
  const words = texts.flatMap((text) => text.split(",")).map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ""))];
}

export function yesOrNo(texts: readonly string[]): boolean | Invalid {
  const word = last(texts).toLowerCase();
  if (["true", "1", "yes", "on"].includes(word)) return true;
  return ["false", "0", "no", "off"].includes(word) ? false : new Invalid("expected true or false");
}

export function oneOf<T extends string>(...allowed: readonly T[]): (texts: readonly string[]) => T | Invalid {
  return (texts) => {
    const found = allowed.find((value) => value === last(texts).toLowerCase());
    return found ?? new Invalid(`expected one of ${allowed.join(", ")}`);
  };
}

export function smaller(own: number, theirs: number): number | undefined {
  return theirs <= own ? theirs : undefined;
}

export function onlyOn(own: boolean, theirs: boolean): boolean | undefined {
  return theirs || !own ? theirs : undefined;
}

export function onlyOff(own: boolean, theirs: boolean): boolean | undefined {
  return own || !theirs ? theirs : undefined;
}

export function partOf<T>(own: readonly T[], theirs: readonly T[]): readonly T[] | undefined {
  return theirs.every((one) => own.includes(one)) ? theirs : undefined;
}
