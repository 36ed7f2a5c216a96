/**
 * What tells a secret: the name of its key, or the form of its value.
 *
 * Keys are read as words, however they are written: `api_key`, `apiKey` and `API-KEY` are alike. Values are known
 * by the forms that issuers give to their tokens, by where they stand (`Bearer …`, `user:password@`), and, when
 * nothing else tells, by looking drawn from a hat. What only looks odd stays: paths, versions, e-mail addresses,
 * UUIDs and other ids, commits and digests.
 */

/** What stands in the place of a secret. */
export const REMOVED = "[removed]";

/** Words that mean a secret, also at the end of a word that is several: `authtoken`. */
const SECRET_WORD = new RegExp(
  "^(authorization|pwd)$|(token|secret|password|passwd|passphrase|pwd|credential)s?$|" +
    "(api|access|private|secret|signing|encryption|master|ssh)keys?$",
);

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words before `key` that make it one by which things are found, and not one that opens something. */
const FINDING_WORDS = wordSet(
  "primary foreign public sort partition cache group unique index row project issue ticket shortcut hot " +
    "story epic sprint status menu map item space",
);

/** Words before `pass` that make it a password. Any other may count how often something is gone through. */
const LOGIN_WORDS = wordSet(
  "admin auth basic cert database db email ftp git http imap key keystore ldap login mail mongo mysql postgres " +
    "proxy redis registry root sftp smtp ssh sudo user vpn wifi",
);

/** Words before `tokens` that make them units of text or of design. */
const MEASURED_WORDS = wordSet(
  "cached completion context design input output prompt reasoning remaining reserved thinking total used",
);

/** Words at the end of a key that speaks of a secret without source it. */
const ABOUT_WORDS = wordSet(
  "budget count endpoint env expiry field file folder format header helper length limit location manager " +
    "name path policy prompt provider rotation rule rules ttl type uri url usage variable window",
);

/** Words at the end of a key that only say which of several it is, as numbers do. */
const WHICH_WORDS = wordSet(
  "backup demo dev development eu live local new old prod production qa sandbox stage staging test testing uat " +
    "uk us v",
);

/** What a key says of its value: a secret, perhaps one, or how many tokens there are if it is a number. */
type Sign = "secret" | "perhaps" | "tokens" | undefined;

function signOf(key: string): Sign {
  const all = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/)
    .filter((word) => word !== "");
  const words = all.slice(0, all.findLastIndex((word) => !WHICH_WORDS.has(word)) + 1);
  const [before = "", last = ""] = ["", ...words].slice(-2);
  if (ABOUT_WORDS.has(last) || words[0] === "max" || words[0] === "min") return undefined;
  if (/^keys?$/.test(last) && FINDING_WORDS.has(before)) return undefined;
  if (/^keys?$/.test(last)) return before === "" ? "perhaps" : "secret";
  if (last === "tokens") return MEASURED_WORDS.has(before) ? undefined : "tokens";
  if (last === "pass" && (before === "" || LOGIN_WORDS.has(before))) return "secret";
  // `api_key` is as much a word as `apikey` is.
  const isNamed = words.some((word, i) =>
    SECRET_WORD.test(word) || SECRET_WORD.test(`${words[i - 1] ?? ""}${word}`)
  );
  return isNamed ? "secret" : last === "pass" ? "perhaps" : undefined;
}

/** Whether a key names a secret, whatever its value is. */
export function isSecretKey(key: string): boolean {
  const sign = signOf(key);
  return sign === "secret" || sign === "tokens";
}

/**
 * Whether a value is a secret under its key. One that is only asked for or switched on gives nothing away, a number
 * of tokens neither; a plain `key` and the `…_pass` of nobody known are a secret if the value looks like one.
 */
export function isSecret(key: string, value: unknown): boolean {
  if (typeof value === "boolean" || value === "" || value === null) return false;
  const sign = signOf(key);
  if (sign === "tokens") return typeof value !== "number";
  return sign === "secret" || (sign === "perhaps" && looksSecret(value));
}

/** What a value that is written on one line is, as far as it matters to whether it is a secret. */
export function scalarOf(written: string): unknown {
  const bare = written.split(" #")[0]!.trim();
  if (/^(?:true|false)$/.test(bare)) return bare === "true";
  if (/^(?:null|~)$/.test(bare)) return null;
  return /^[+-]?\d[\d_.]*$/.test(bare) ? Number.parseFloat(bare) : bare.replace(/^(["'])(.*)\1$/, "$2");
}

/** Whether a value, or any value in it, has the form of a secret, or at least that of a password. */
function looksSecret(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(looksSecret);
  if (typeof value !== "string" || /\s/.test(value)) return false;
  const { sorts, pairs, changes } = mixOf(value);
  return maskText(value) !== value || /^[0-9a-f]{32,}$/i.test(value) ||
    (sorts.has("digit") && pairs >= 6 && changes / pairs >= 0.42);
}

/**
 * The forms of tokens that give themselves away, and of what stands around a secret that does not. Each begins
 * where a run of characters begins, so that a long text is looked through once.
 */
const FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  // A JSON Web Token: two parts that begin like JSON in base64, and a signature.
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g,
  // OpenAI, Anthropic and others; Stripe.
  /(?<![\w-])sk-(?=[\w-]*\d)[\w-]{16,}/g,
  /\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/g,
  // GitHub, npm, Hugging Face, Docker, DigitalOcean, Linear, Notion, Shopify.
  /\b(?:gh[pousr]|npm|hf|dckr_pat|do[opr]_v1|lin_api|ntn|shp(?:at|ca|pa|ss))_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  // GitLab, PyPI, Atlassian, Vault, age.
  /(?<![\w-])(?:gl(?:pat|dt|rt|ptt|cbt|ft)-|pypi-|AT[AC]TT3|hv[sb]\.|AGE-SECRET-KEY-)(?=[\w-]*\d)[\w-]{16,}/g,
  // Slack, as tokens and as the address of a web hook; Discord's too.
  /(?<![\w-])x(?:ox[a-z]|app)-[\w.-]{10,}/g,
  /(?<=hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/)[\w/-]{20,}/g,
  // Amazon, Google, SendGrid, Telegram.
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /(?<![\w-])(?:AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})/g,
  /(?<![\w-])SG\.[\w-]{16,}\.[\w-]{16,}/g,
  /(?<![\w-])\d{8,10}:AA[\w-]{33}(?![\w-])/g,
  // In an address: `postgres://user:password@host`, `https://token@host`, `?key=…`. A placeholder is no password.
  /(?<=:\/\/[^\s/:@]*:)(?![${<[])[^\s/]+(?=@)/g,
  /(?<=https?:\/\/)(?![${<[])[^\s/:@]{20,}(?=@)/gi,
  /(?<=[?&;](?:access_?token|token|api_?key|key|secret|password|pwd|sig|signature|\w{0,20}AccessKey|AccountKey)=)(?![${<[])[^\s&;"'<>]{8,}/gi,
  // In a header. A word of prose at this place has no digit.
  /(?<=\bBearer\s{1,4})(?=[\w.~+/=-]*\d)[\w.~+/=-]{12,}/gi,
  /(?<=\bBasic\s{1,4})(?=[A-Za-z0-9+/]*[\d=])[A-Za-z0-9+/]{12,}={0,2}/g,
];

/** A text with every secret in it replaced that its form tells. */
export function maskText(text: string): string {
  const masked = FORMS.reduce((masked, form) => masked.replaceAll(form, REMOVED), text);
  return masked.replaceAll(STRAY, (piece) => isRandom(piece) ? REMOVED : piece);
}

/**
 * A name and its value inside a text: as in an environment or an address of a database, as in JSON, and alone on a
 * line or between quotes, as a header is. What is more than one word is prose.
 */
const PAIRS: readonly RegExp[] = [
  /(?<![\w.-])([\w.-]+)(=)(?!=)("[^"\n]*"|'[^'\n]*'|[^;"'\n]{1,200}(?=;\s{0,4}[\w .-]{1,40}=)|[^\s;,&"']+)/g,
  /(?<=")([\w.-]+)("\s{0,4}:\s{0,4}")([^"\n]+)(?=")/g,
  /(?<=(?:^|["'])[ \t]{0,40})([\w.-]+)([ \t]{0,4}[:=][ \t]{1,4}(?:(?:Bearer|Basic|Token) )?)([^\s"']+)(?=[ \t]{0,40}(?:$|["'\r]))/gm,
];

/** What stands for a value that is filled in elsewhere, or was taken out already. */
const STAND_IN = /^["']?[${<[]/;

/** A text with every secret replaced that stands in it behind a name which tells it. */
export function maskPairs(text: string): string {
  const mask = (whole: string, name: string, middle: string, value: string) =>
    isSecret(name, scalarOf(value)) && !STAND_IN.test(value) ? `${name}${middle}${REMOVED}` : whole;
  return PAIRS.reduce((masked, pair) => masked.replaceAll(pair, mask), text);
}

/** A value with every secret in it replaced, by its form or by the name before it. */
export function maskValue(text: string): string {
  return maskPairs(maskText(text));
}

/** A long run of characters that stands alone: in no address, in no file's name, and not behind `sha512-`. */
const STRAY = /(?<![\w.@~%#?&:/\\+-])(?!sha\d+-)[\w+/-]{24,}={0,2}(?![\w@~%\\/+-]|\.\w|:\/)/g;

/**
 * Whether a run of characters looks drawn from a hat. Words, also several written as one, change between small
 * letters, capitals and digits at every fourth character or so; random ones do at more than every second.
 */
function isRandom(piece: string): boolean {
  const { sorts, pairs, changes } = mixOf(piece);
  if (sorts.size === 3) return pairs >= 16 && changes / pairs >= 0.42;
  // Ids of few sorts are shorter (ULID, CUID), or hexadecimal: UUIDs, commits, digests.
  return sorts.has("digit") && sorts.size === 2 && pairs >= 31 && !/^[0-9a-f-]+$/i.test(piece) &&
    changes / pairs >= 0.25;
}

type Sort = "small" | "capital" | "digit";

/** The sorts of characters in a text, how many stand beside another one, and how many of these pairs are mixed. */
interface Mix {
  readonly sorts: ReadonlySet<Sort>;
  readonly pairs: number;
  readonly changes: number;
}

function mixOf(piece: string): Mix {
  const parts = piece.slice(0, 500).split(/[^A-Za-z0-9]+/).map((part) => [...part].map(sortOf));
  const pairs = parts.reduce((sum, part) => sum + Math.max(0, part.length - 1), 0);
  const changes = parts.reduce(
    (sum, part) => sum + part.filter((sort, i) => i > 0 && sort !== part[i - 1]).length,
    0,
  );
  return { sorts: new Set(parts.flat()), pairs, changes };
}

function sortOf(char: string): Sort {
  return /[a-z]/.test(char) ? "small" : /[A-Z]/.test(char) ? "capital" : "digit";
}
