/**
 * THE table of files that hold secrets by their name: nothing serves, lists or searches them. Secrets inside other
 * files are masked by the code that serves them.
 */
import { isDatabase } from "./paths.ts";

const NAMES: readonly string[] = [
  // Environments, except examples of them.
  String.raw`\.env(?:\..+)?|[^/]*\.env|\.envrc`,
  String.raw`\.?\w*_history|\.(?:zhistory|histfile|lesshst|viminfo)`,
  // Logins of programs.
  String
    .raw`[._]netrc|\.(?:npmrc|pypirc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|boto|s3cfg|vault-token)`,
  String.raw`pgpass\.conf|kubeconfig|htpasswd|rclone\.conf`,
  // Data, not code: credentials.ts is searched.
  String
    .raw`(?:[^/]*[._-])?(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|cfg|conf|csv|xml|properties|txt|enc|db))?`,
  String.raw`[^/]*\.tfstate(?:\.backup)?`,
  String
    .raw`id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|[^/]*\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx?|asc|gpg)`,
];

/** Folders of which every file counts, and single files in folders of programs. */
const PLACES: readonly string[] = [
  String.raw`\.(?:ssh|gnupg|aws|azure|kube|password-store)(?:/.*)?`,
  String.raw`\.config/(?:gcloud|gh|op)(?:/.*)?`,
  String.raw`\.docker/config\.json|\.m2/settings(?:-security)?\.xml|\.gradle/gradle\.properties`,
];

const SECRET = new RegExp(`(?:^|/)(?:${[...NAMES, ...PLACES].join("|")})$`, "is");
/** Accounts of cloud programs, also below a folder of that name; looked for from the end, once. */
const ACCOUNT =
  /\.json$(?<=(?:^|\/)(?:service[-_]?account|client_secret|application_default_credentials).*)/is;
const EXAMPLE = /\.(?:example|sample|template|dist)$/i;

export function isSecretFile(path: string): boolean {
  return (SECRET.test(path) || ACCOUNT.test(path)) && !EXAMPLE.test(path);
}

/** Files and folders among the content that are not content, and why; the first reason that fits counts. */
const UNSERVED: readonly (readonly [why: string, fits: (name: string) => boolean])[] = [
  ["its name says that it holds secrets", isSecretFile],
  ["it is hidden", (name) => name.startsWith(".")],
  ["it is a database", isDatabase],
  ["a program keeps it", (name) => /^(?:__pycache__|node_modules)$|\.pyc$/.test(name)],
  ["it tests scripts", (name) => name === "tests"],
  ["it is rendered from skills", (name) => name === "render"],
];

export function whyUnserved(name: string): string | undefined {
  return UNSERVED.find(([, fits]) => fits(name))?.[0];
}

export function isUnserved(name: string): boolean {
  return whyUnserved(name) !== undefined;
}
