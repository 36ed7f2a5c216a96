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

/** Words before `key` that make it one by which things are found, and not one that opens something. */
const FINDING_WORDS = new Set(
  "primary foreign public sort partition cache group unique index row project issue ticket shortcut hot"
    .split(" "),
);

/** Words at the end of a key that speaks of a secret without holding it. */
const ABOUT_WORDS = new Set(
  ("budget count endpoint env expiry field file folder format header helper length limit location manager " +
    "name path policy prompt provider rotation rule rules ttl type uri url usage variable window").split(" "),
);

/** Whether a key names a secret. */
export function isSecretKey(key: string): boolean {
  const words = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const last = words.at(-1) ?? "";
  if (ABOUT_WORDS.has(last) || words[0] === "max" || words[0] === "min") return false;
  if (/^(keys?|pass)$/.test(last)) return !FINDING_WORDS.has(words.at(-2) ?? "");
  return words.some((word) => SECRET_WORD.test(word));
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

/** A text with every secret in it replaced. */
export function maskText(text: string): string {
  const masked = FORMS.reduce((masked, form) => masked.replaceAll(form, REMOVED), text);
  return masked.replaceAll(STRAY, (piece) => isRandom(piece) ? REMOVED : piece);
}

/** A long run of characters that stands alone: in no address, in no file's name, and not behind `sha512-`. */
const STRAY = /(?<![\w.@~%#?&:/\\+-])(?!sha\d+-)[\w+/-]{24,}={0,2}(?![\w@~%\\/+-]|\.\w|:\/)/g;

/**
 * Whether a run of characters looks drawn from a hat. Words, also several written as one, change between small
 * letters, capitals and digits at every fourth character or so; random ones do at more than every second.
 */
function isRandom(piece: string): boolean {
  const parts = piece.slice(0, 500).split(/[^A-Za-z0-9]+/).map((part) => [...part].map(sortOf));
  const sorts = new Set(parts.flat());
  const pairs = parts.reduce((sum, part) => sum + Math.max(0, part.length - 1), 0);
  const changes = parts.reduce(
    (sum, part) => sum + part.filter((sort, i) => i > 0 && sort !== part[i - 1]).length,
    0,
  );
  if (sorts.size === 3) return pairs >= 16 && changes / pairs >= 0.42;
  // Ids of few sorts are shorter (ULID, CUID), or hexadecimal: UUIDs, commits, digests.
  return sorts.has("digit") && sorts.size === 2 && pairs >= 31 && !/^[0-9a-f-]+$/i.test(piece) &&
    changes / pairs >= 0.25;
}

function sortOf(char: string): "small" | "capital" | "digit" {
  return /[a-z]/.test(char) ? "small" : /[A-Z]/.test(char) ? "capital" : "digit";
}
