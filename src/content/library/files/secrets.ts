/** How a secret is recognised, and removed so that every other byte of a file stays. */
import { cacheRecent } from "../../../base/cache.ts";
import { splitKeepingEnds, splitLines } from "../../../base/text.ts";
import {
  formatToml,
  formatYaml,
  isValues,
  MAX_VALUES,
  parseToml,
  parseYaml,
  type Values,
} from "../../parse.ts";

const REMOVED = "[removed]";

/** Words that mean a secret, also at the end of a compound: `authtoken`. */
const SECRET_WORD = new RegExp(
  "^(authorization|pwd)$|(token|secret|password|passwd|passphrase|pwd|credential)s?$|" +
    "(api|access|private|secret|signing|encryption|master|ssh)keys?$",
);

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const IDENTIFYING_WORDS = wordSet(
  "primary foreign public sort partition cache group unique index row project issue ticket shortcut hot " +
    "story epic sprint status menu map item space output input result merged idempotency event message translation " +
    "label tag record entry object node state config setting option field column property attribute param parameter " +
    "lookup filter query route component list array dict dictionary json yaml metadata",
);

/** Words before `pass` with which it is a password. With any other it may be one of several passes. */
const LOGIN_WORDS = wordSet(
  "admin auth basic cert database db email ftp git http imap key keystore ldap login mail mongo mysql postgres " +
    "proxy redis registry root sftp smtp ssh sudo user vpn wifi",
);

const MEASURED_WORDS = wordSet(
  "cached completion context design input output prompt reasoning remaining reserved thinking total used",
);

/** Words at the end of a key that is about a secret but does not contain it. */
const ABOUT_WORDS = wordSet(
  "budget count endpoint env expiry field file folder format header helper length limit location manager " +
    "name path policy prompt provider rotation rule rules ttl type uri url usage variable window",
);

const VARIANT_WORDS = wordSet(
  "backup demo dev development eu live local new old prod production qa sandbox stage staging test testing uat " +
    "uk us v",
);

/** `tokens` are a count if the value is a number, else a secret. */
function classifyKey(key: string): KeySign {
  return signs(key, () => signOf(key));
}

type KeySign = "secret" | "perhaps" | "tokens" | undefined;

/** Projects have the same few keys in each file of values. */
const signs = cacheRecent<KeySign>(1_000);

function signOf(key: string): KeySign {
  const all = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/)
    .filter((word) => word !== "");
  const words = all.slice(0, all.findLastIndex((word) => !VARIANT_WORDS.has(word)) + 1);
  const [before = "", last = ""] = ["", ...words].slice(-2);
  if (ABOUT_WORDS.has(last) || words[0] === "max" || words[0] === "min") return undefined;
  if (/^keys?$/.test(last) && IDENTIFYING_WORDS.has(before)) return undefined;
  if (/^keys?$/.test(last)) return before === "" ? "perhaps" : "secret";
  if (last === "tokens") return MEASURED_WORDS.has(before) ? undefined : "tokens";
  if (last === "pass" && (before === "" || LOGIN_WORDS.has(before))) return "secret";
  // `api_key` counts like `apikey`.
  const isNamed = words.some((word, i) =>
    SECRET_WORD.test(word) || SECRET_WORD.test(`${words[i - 1] ?? ""}${word}`)
  );
  return isNamed ? "secret" : last === "pass" ? "perhaps" : undefined;
}

export function isSecretKey(key: string): boolean {
  return ["secret", "tokens"].includes(classifyKey(key) ?? "");
}

/** A plain `key` and an unknown `…_pass` are a secret only if the value looks like one. */
export function isSecret(key: string, value: unknown): boolean {
  return !isWorkingFolder(key, value) && isNamedSecret(key, value);
}

function isNamedSecret(key: string, value: unknown): boolean {
  if (typeof value === "boolean" || value === "" || value === null) return false;
  const sign = classifyKey(key);
  if (sign === "tokens") return typeof value !== "number";
  return sign === "secret" || (sign === "perhaps" && looksSecret(value));
}

/** A shell's own `PWD`, or what its `pwd` prints. A `Pwd` with a path may be the password of a connection. */
function isWorkingFolder(key: string, value: unknown): boolean {
  if (typeof value !== "string" || !/pwd$/i.test(key)) return false;
  return /^(?:\$\(pwd\b|`pwd`)/.test(value) ||
    /^(?:OLD)?PWD$/.test(key) && /^(?:~|\.{0,2}[/\\]|[A-Za-z]:[/\\]|%\w)/.test(value);
}

function scalarOf(written: string): unknown {
  const bare = written.split(" #")[0]!.trim();
  if (/^(?:true|false)$/.test(bare)) return bare === "true";
  if (/^(?:null|~)$/.test(bare)) return null;
  return /^[+-]?\d[\d_.]*$/.test(bare) ? Number.parseFloat(bare) : bare.replace(/^(["'])(.*)\1$/, "$2");
}

function looksSecret(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(looksSecret);
  if (typeof value !== "string" || /\s/.test(value)) return false;
  const { sorts, pairs, changes } = measureMix(value);
  return maskText(value) !== value || /^[0-9a-f]{32,}$/i.test(value) ||
    (sorts.has("digit") && pairs >= 6 && changes / pairs >= 0.42);
}

/** Known tokens, and contexts of other secrets. Each begins where a run of characters does, so that scanning is linear. */
const FORMATS: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  // JSON Web Tokens: two parts that start like JSON in base64, and a signature.
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g,
  // OpenAI, Anthropic and others; Stripe.
  /(?<![\w-])sk-(?=[\w-]*\d)[\w-]{16,}/g,
  /\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/g,
  // GitHub, npm, Hugging Face, Docker, DigitalOcean, Linear, Notion, Shopify.
  /\b(?:gh[pousr]|npm|hf|dckr_pat|do[opr]_v1|lin_api|ntn|shp(?:at|ca|pa|ss))_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  // GitLab, PyPI, Atlassian, Vault, age.
  /(?<![\w-])(?:gl(?:pat|dt|rt|ptt|cbt|ft)-|pypi-|AT[AC]TT3|hv[sb]\.|AGE-SECRET-KEY-)(?=[\w-]*\d)[\w-]{16,}/g,
  // Slack tokens; webhook URLs of Slack and Discord.
  /(?<![\w-])x(?:ox[a-z]|app)-[\w.-]{10,}/g,
  /(?<=hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/)[\w/-]{20,}/g,
  // Amazon, Google, SendGrid, Telegram.
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /(?<![\w-])(?:AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})/g,
  /(?<![\w-])SG\.[\w-]{16,}\.[\w-]{16,}/g,
  /(?<![\w-])\d{8,10}:AA[\w-]{33}(?![\w-])/g,
  // In a URL: `postgres://user:password@host`, `https://token@host`, `?key=…`; not a placeholder.
  /(?<=:\/\/[^\s/:@]*:)(?![${<[])[^\s/]+(?=@)/g,
  /(?<=https?:\/\/)(?![${<[])[^\s/:@]{20,}(?=@)/gi,
  /(?<=[?&;](?:access_?token|token|api_?key|key|secret|password|pwd|sig|signature|\w{0,20}AccessKey|AccountKey)=)(?![${<[])[^\s&;"'<>]{8,}/gi,
  // In a header; a word of prose there has no digit.
  /(?<=\bBearer\s{1,4})(?=[\w.~+/=-]*\d)[\w.~+/=-]{12,}/gi,
  /(?<=\bBasic\s{1,4})(?=[A-Za-z0-9+/]*[\d=])[A-Za-z0-9+/]{12,}={0,2}/g,
];

export function maskText(text: string): string {
  const masked = FORMATS.reduce((masked, format) => masked.replaceAll(format, REMOVED), text);
  return masked.replaceAll(LONG_RUN, (run) => isRandom(run) ? REMOVED : run);
}

/** Name and value: as in an environment or a connection string, in JSON, alone on a line or in quotes; prose has spaces. */
const PAIRS: readonly RegExp[] = [
  /(?<![\w.-])([\w.-]+)(=)(?!=)("[^"\n]*"|'[^'\n]*'|[^;"'\n]{1,200}(?=;\s{0,4}[\w .-]{1,40}=)|[^\s;,&"']+)/g,
  /(?<=")([\w.-]+)("\s{0,4}:\s{0,4}")([^"\n]+)(?=")/g,
  // First whether a name begins here: otherwise each blank of a long run would be looked back from.
  /(?=[\w.-])(?<=(?:^|["'])[ \t]{0,40})([\w.-]+)([ \t]{0,4}[:=][ \t]{1,4}(?:(?:Bearer|Basic|Token) )?)([^\s"']+)(?=[ \t]{0,40}(?:$|["'\r]))/gm,
];

function maskPairs(text: string): string {
  const mask = (whole: string, name: string, middle: string, value: string, at: number, all: string) => {
    // Between semicolons it is a part of a connection string.
    const isConnection = all[at - 1] === ";" || all[at + whole.length] === ";";
    const isMeant = (isConnection ? isNamedSecret : isSecret)(name, scalarOf(value));
    return isMeant && !/^["']?[${<[]/.test(value) ? `${name}${middle}${REMOVED}` : whole;
  };
  return PAIRS.reduce((masked, pair) => masked.replaceAll(pair, mask), text);
}

/** What every text with a secret has, and few titles. */
const SIGN_OR_RUN = /[:=@?&;_]|[\w.~+/=-]{12}|-----BEGIN/;

export function maskValue(text: string): string {
  return SIGN_OR_RUN.test(text) ? maskPairs(maskText(text)) : text;
}

/** What every line with a secret contains; to look for it takes an eighth of the time. */
const HINTS: readonly RegExp[] = [
  /(?:token|secret|pass|pwd|credential|authorization|key|sig)[\w.-]{0,200}["']?\s{0,4}[:=]/gi,
  /:\/\/[^\s/]*@|:AA[\w-]{33}|(?:ya29|SG|hv[sb])\.|hooks\.slack|\/webhooks\//g,
  /\bBearer\s|\bBasic\s/gi,
  new RegExp(
    "(?:eyJ|sk-|[sr]k_|whsec_|gh[pousr]_|github_pat_|npm_|hf_|dckr_pat_|do[opr]_v1_|lin_api_|ntn_|shp|gl|pypi-|" +
      "AT[AC]TT3|AGE-SECRET|xox|xapp|AKIA|ASIA|ABIA|ACCA|AIza|GOCSPX)[\\w-]{8,}",
    "g",
  ),
  /(?<![\w+/-])(?=[\w+/-]*?\d)[\w+/-]{24,}/g,
];

/** A private key in a file, where a mere mention of its first line must not hide the rest. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\w+/=:,.()\s\\-]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?![\w+/=:,.()\s\\-]))/g;

/** `maskValue` for long texts, line for line: a text keeps the numbers of its lines. */
export function maskLongText(text: string): string {
  const keyless = text.replaceAll(PRIVATE_KEY, (key) => REMOVED + key.replaceAll(/[^\n]+/g, ""));
  const parts: string[] = [];
  let done = 0;
  for (const [from, end] of hintedLines(keyless)) {
    parts.push(keyless.slice(done, from), maskValue(keyless.slice(from, end)));
    done = end;
  }
  return done === 0 ? keyless : [...parts, keyless.slice(done)].join("");
}

function hintedLines(text: string): readonly (readonly [from: number, end: number])[] {
  const endOf = (at: number) => (text.indexOf("\n", at) + 1 || text.length + 1) - 1;
  const found = new Map<number, number>();
  for (const hint of HINTS) {
    hint.lastIndex = 0;
    for (let match; (match = hint.exec(text)) !== null;) {
      const end = endOf(match.index);
      found.set(text.lastIndexOf("\n", match.index) + 1, endOf(end + 1));
      hint.lastIndex = end;
    }
  }
  const joined: [number, number][] = [];
  for (const [from, end] of [...found].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([from, end]);
  }
  return joined;
}

/** A long run of characters outside URLs and file names, and not after `sha512-`. */
const LONG_RUN = /(?<![\w.@~%#?&:/\\+-])(?!sha\d+-)[\w+/-]{24,}={0,2}(?![\w@~%\\/+-]|\.\w|:\/)/g;

/** Random strings change between lower case, upper case and digits at every second character, words at every fourth. */
function isRandom(run: string): boolean {
  const { sorts, pairs, changes } = measureMix(run);
  if (sorts.size === 3) return pairs >= 16 && changes / pairs >= 0.42;
  // Ids with two sorts of characters are shorter (ULID, CUID), or hexadecimal: UUIDs, commits, digests.
  return sorts.has("digit") && sorts.size === 2 && pairs >= 31 && !/^[0-9a-f-]+$/i.test(run) &&
    changes / pairs >= 0.25;
}

function measureMix(run: string) {
  const parts = run.slice(0, 500).split(/[^A-Za-z0-9]+/).map((part) => [...part].map(characterClass));
  const pairs = parts.flatMap((part) => part.slice(1)).length;
  const changes = parts.flatMap((part) => part.filter((sort, i) => i > 0 && sort !== part[i - 1])).length;
  return { sorts: new Set(parts.flat()), pairs, changes };
}

function characterClass(char: string): "lower" | "upper" | "digit" {
  return /[a-z]/.test(char) ? "lower" : /[A-Z]/.test(char) ? "upper" : "digit";
}

/** Drops the values of secret keys, at any depth, and masks the secrets inside other texts. */
export function withoutSecrets(values: Values): Values {
  return cleaned(values, () => []) as Values;
}

/** In a configuration, a code may look like the key of a secret: only the tables below it are checked. */
export function configWithoutSecrets(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, table]) => {
      if (!["agents", "modules"].includes(key) || !isValues(table)) {
        return Object.entries(withoutSecrets({ [key]: table }));
      }
      const tables = Object.entries(table).map(([code, own]) => [code, cleaned(own, () => [])]);
      return [[key, Object.fromEntries(tables)]];
    }),
  );
}

function cleaned(value: unknown, replace: (key: string) => readonly (readonly [string, string])[]): unknown {
  if (typeof value === "string") return maskValue(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, replace));
  if (!isValues(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): readonly (readonly [string, unknown])[] =>
      isSecret(key, inner) ? replace(key) : [[key, cleaned(inner, replace)]]
    ),
  );
}

const CONFIG_FILE =
  /(?:^|\/)(?:(?:core-)?config(?:\.user)?\.(?:ya?ml|toml)|custom\/[^/]+\.toml|customize\.toml|[^/]+\.customize\.yaml)$/;

/** For a configuration file that is not UTF-8, because its bytes would contain its secrets. */
export function decodeConfig(bytes: Uint8Array<ArrayBuffer>, path: string): string | undefined {
  if (!CONFIG_FILE.test(path)) return undefined;
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("latin1").decode(bytes).replaceAll("\0", "");
}

/** A file whose secrets cannot be replaced line by line is serialized again, without its comments. */
export function maskSecrets(text: string, path: string): string {
  if (!CONFIG_FILE.test(path)) return text;
  if (text.length > MAX_VALUES) {
    const shown = text.slice(0, text.lastIndexOf("\n", MAX_VALUES) + 1);
    return `${
      maskSecrets(shown, path)
    }# [removed: only the first ${MAX_VALUES} characters are searched for secrets]\n`;
  }
  const isToml = path.endsWith(".toml");
  const parse = isToml ? parseToml : parseYaml;
  const { value, problem } = parse(text);
  // An invalid file can only be judged line by line.
  if (problem !== undefined) return maskLines(text, /[:=]/);
  const sign = isToml ? /=/ : /:/;
  const wanted = cleaned(value, (key) => [[key, REMOVED]]) as Values;
  // Prose inside a value can look like a line with a secret; then only comments are scanned.
  const attempts = [maskLines(text, sign), maskLines(text, sign, COMMENT), maskValue(text)];
  const right = attempts.find((attempt) => JSON.stringify(parse(attempt).value) === JSON.stringify(wanted));
  return right ?? (isToml ? formatToml(wanted) : formatYaml(wanted));
}

const ASSIGNMENT = /^(\s*(?:#\s*)*(?:-\s+)*)((["']?)([\w.-]+)\3)(\s*[:=]\s*)(.*)$/s;
const INLINE = /([{,]\s*)((["']?)([\w.-]+)\3)(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',}[{]+)/g;

const COMMENT = /^\s*#/;

/** A value that ends on its line: a quoted text, a list or a table in brackets. */
const CLOSED =
  /^(?:"""(?!$).*"""|'''(?!$).*'''|"(?!"")(?:[^"\\]|\\.)*"|'(?!'')[^']*'|[[{].*[\]}])(?:\s*#.*)?$/s;

type Line = ReturnType<typeof readLine>;

/** `sign` is what separates a key from its value; in a comment it may be any. */
function readLine(text: string, sign: RegExp) {
  const body = text.trimEnd();
  const found = ASSIGNMENT.exec(body) ?? [];
  const isAssignment = COMMENT.test(body) || sign.test(found[5] ?? "");
  const [, before = "", written = "", , key = "", between = "", value = ""] = isAssignment ? found : [];
  const space = /\s$/.test(between) ? "" : " ";
  return {
    text,
    indent: before.length,
    header: /^\s*\[{1,2}([^[\]]+)\]/.exec(body)?.[1],
    key,
    value,
    masked: `${before}${written}${between}${space}"${REMOVED}"${text.slice(body.length)}`,
  };
}

/** A value that continues on the lines below: while they are indented more, or until it is closed. */
function findLongValue({ value, indent }: Line, next: Line | undefined) {
  const isUnclosed = /^["'[{]/.test(value) && !CLOSED.test(value);
  const isBlock = /^([|>][+-]?\d?)?$/.test(value) && next !== undefined && isIndented(next, indent);
  return isUnclosed || isBlock ? { indent, isUnclosed } : undefined;
}

type LongValue = ReturnType<typeof findLongValue>;

function isPartOf(line: Line, { indent, isUnclosed }: NonNullable<LongValue>): boolean {
  const isNext = line.key !== "" || /^\s*\[/.test(line.text);
  return isIndented(line, indent) || (isUnclosed && !isNext);
}

function isIndented({ text }: Line, indent: number): boolean {
  return text.trim() !== "" && text.search(/\S/) > indent;
}

function maskLines(text: string, sign: RegExp, where = /^/): string {
  const lines = splitKeepingEnds(maskText(text).replaceAll(BARE, `$1"${REMOVED}"`)).map((whole) => {
    const line = splitLines(whole)[0]!;
    return { ...readLine(line, sign), end: whole.slice(line.length) };
  });
  const masked: string[] = [];
  let secret: LongValue;
  let isSecretTable = false;
  for (const [at, line] of lines.entries()) {
    const isBlank = line.text.trim() === "";
    if (line.header !== undefined) isSecretTable = line.header.split(".").some(isSecretKey);
    if (secret !== undefined && isPartOf(line, secret)) continue;
    if (!isBlank) secret = undefined;
    if (isSecretTable && !isBlank && line.key === "" && line.header === undefined) continue;
    const long = findLongValue(line, lines[at + 1]);
    const isNamed = long === undefined ? isSecret(line.key, scalarOf(line.value)) : isSecretKey(line.key);
    if (!where.test(line.text)) masked.push(maskPairs(line.text) + line.end);
    else if (isNamed || (isSecretTable && line.key !== "")) {
      secret = long;
      masked.push(line.masked + line.end);
    } else masked.push(maskPairs(maskInline(line.text)) + line.end);
  }
  return masked.join("");
}

/** A replaced secret that had no quotes: YAML would parse the replacement as a list. */
const BARE = /((?:^|[:-])[ \t]+)\[removed\](?=[ \t]*(?:#|$))/gm;

function maskInline(line: string): string {
  return line.replaceAll(
    INLINE,
    (whole, open: string, written: string, _quote, name: string, middle: string, value: string) =>
      isSecret(name, scalarOf(value)) ? `${open}${written}${middle}"${REMOVED}"` : whole,
  );
}
