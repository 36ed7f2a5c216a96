/**
 * THE table of files that hold secrets by their name: nothing serves, lists or searches them.
 *
 * Also files that programs write unasked, such as the histories of shells. What looks like a secret
 * inside other files is masked by the code that serves them.
 */
const NAMES: readonly string[] = [
  // Environments, except examples of them.
  String.raw`\.env(?:\..+)?|[^/]*\.env|\.envrc`,
  // Histories: .bash_history, .psql_history, fish_history, .node_repl_history.
  String.raw`\.?\w*_history|\.(?:zhistory|histfile|lesshst|viminfo)`,
  // Logins of programs.
  String
    .raw`[._]netrc|\.(?:npmrc|pypirc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|boto|s3cfg|vault-token)`,
  String.raw`pgpass\.conf|kubeconfig|htpasswd|rclone\.conf`,
  // Data, not code: credentials.ts is searched.
  String
    .raw`(?:[^/]*[._-])?(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|cfg|conf|csv|xml|properties|txt|enc|db))?`,
  String.raw`[^/]*\.tfstate(?:\.backup)?`,
  // Private keys and their stores.
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
/** These show which secrets to fill in, and hold none. */
const EXAMPLE = /\.(?:example|sample|template|dist)$/i;

/** Whether a file or folder holds secrets, by its path with forward slashes. */
export function isSecretFile(path: string): boolean {
  return (SECRET.test(path) || ACCOUNT.test(path)) && !EXAMPLE.test(path);
}
