/** The page of a branch does not say where the name of the branch ends: the likeliest meaning comes first. */
import { isCloneAddress, isGitLocation, parseGitLocation } from "./git.ts";
import { Invalid } from "../../base/invalid.ts";
import { isNpmLocation, isNpmName, parseNpmLocation } from "./places.ts";

export function pastedSources(text: string): readonly string[] | Invalid {
  const word = text.trim().replace(COMMAND, "").replace(/^<(.*)>$|^"(.*)"$|^'(.*)'$/, "$1$2$3").trim();
  const found = isGitLocation(word) || isNpmLocation(word) ? [word] : repositories(word) ?? packages(word);
  if (found === undefined || found instanceof Invalid) return found ?? new Invalid(EXPECTED);
  const parsed = found.map((one) => isNpmLocation(one) ? parseNpmLocation(one) : parseGitLocation(one));
  const valid = parsed.flatMap((one) => one instanceof Invalid ? [] : [one]);
  if (valid.some((one) => "credentials" in one)) return new Invalid(NO_LOGIN);
  const [first] = parsed;
  return valid.length === 0 && first instanceof Invalid
    ? first
    : [...new Set(valid.map(({ shown }) => shown))];
}

const EXPECTED = "expected a folder, a git repository, an npm package or a .tgz archive";
const NO_LOGIN = "passwords do not belong in a settings file. Put it into ~/.netrc, or use an ssh address";

const COMMAND = /^(?:git clone|npm (?:i|install|add)|npx (?:-y )?skills add|\/?plugin marketplace add)\s+/;

const FORGES: Readonly<Record<string, string>> = {
  "github": "github.com",
  "gh": "github.com",
  "gitlab": "gitlab.com",
  "bitbucket": "bitbucket.org",
  "codeberg": "codeberg.org",
};

function repositories(word: string): readonly string[] | Invalid | undefined {
  const [, forge = "", own] = /^([a-z]+):((?!\/\/)\S+)$/.exec(word) ?? [];
  const host = FORGES[forge];
  if (host !== undefined && own !== undefined) return page(`${host}/${own}`);
  if (/^(?:git|http):\/\//i.test(word)) {
    return new Invalid("the connection is not encrypted: use an https or ssh address");
  }
  if (/^https?:\/\/(?=[^/]*npm)[^/]*\/package\//.test(word)) return undefined;
  if (/^https:\/\/\S+\.(?:tgz|tar\.gz|zip)$/i.test(word)) {
    return new Invalid("an archive must be a file on this machine: download it first");
  }
  const [, address] = /^https:\/\/(\S+)$/i.exec(word) ?? [];
  if (address !== undefined) return page(address);
  if (/^(?:ssh|file):\/\//.test(word)) return [`git+${word}`];
  const [, login, path] = /^([\w.+-]+@[\w.-]+):([^/\s]\S*)$/.exec(word) ?? [];
  if (isCloneAddress(word.split("#", 1)[0]!) && path !== undefined) return [`git+ssh://${login}/${path}`];
  if (/^(?:www\.)?(?:github|gitlab)\.com\/|^bitbucket\.org\/|^codeberg\.org\//.test(word)) return page(word);
  // As in `npx skills add` and Claude's marketplaces: owner, repository and a folder in it.
  if (/^[\w][\w.-]*\/[\w.-]+(?:\/[^\s#:]+)?(?:#\S*)?$/.test(word)) return shorthand(word);
  return undefined;
}

function shorthand(word: string): readonly string[] {
  const [, owner, name = "", folder, ref] = /^([^/#]+)\/([^/#]+)(?:\/([^#]+))?(?:#(.*))?$/.exec(word) ?? [];
  const repository = `git+https://${FORGES["github"]}/${owner}/${name.replace(/\.git$/, "")}.git`;
  return [`${repository}${ref ? `#${ref}` : ""}${folder ? `:/${folder.replace(/\/$/, "")}` : ""}`];
}

/** What follows the repository in the address of a page, up to the ref. */
const PAGES = [
  /^((?:\/[^/]+)+?)\/-\/(?:tree|blob|raw)\/(.+)$/s,
  /^(\/[^/]+\/[^/]+)\/(?:tree|blob|raw|src\/(?:branch|tag|commit)|releases\/tag|commit)\/(.+)$/s,
  /^(\/[^/]+\/[^/]+)\/src\/(.+)$/s,
];
const ABOUT = /^(\/[^/]+\/[^/]+)\/(?:-|issues|pulls?|releases|wiki|actions|discussions|blob|tree)(?:\/.*)?$/;

function page(address: string): readonly string[] {
  const [, host = "", rest = ""] = /^([^/]*)(.*)$/s.exec(address) ?? [];
  const [, own = "", fragment] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(rest) ?? [];
  const path = own.replace(/(?<!\/)\/+$/, "");
  const known = Object.values(FORGES).includes(host.replace(/^www\./, ""));
  const base = `git+https://${host.replace(/^www\./, "")}`;
  const repository = (path: string) => `${base}${known ? `${path.replace(/\.git$/, "")}.git` : path}`;
  for (const pattern of PAGES) {
    const [, name, behind] = pattern.exec(path) ?? [];
    if (name !== undefined && behind !== undefined) return meanings(repository(name), behind);
  }
  const [, about] = ABOUT.exec(path) ?? [];
  const ref = fragment === undefined || fragment === "" || fragment === "readme" ? "" : `#${fragment}`;
  const [, plain = "", folder = ""] = /^([^:]*)(:.*)?$/.exec(about ?? path) ?? [];
  return [`${repository(plain)}${ref}${folder}`];
}

/** More parts than any branch has in its name. */
const MAX_PARTS = 4;

/** Every way to split the rest into a branch and a folder: only the repository knows which is right. */
function meanings(repository: string, behind: string): readonly string[] {
  const parts = behind.split("/");
  // A file stands for its folder, a list of plugins for the whole repository.
  if (/\.(?:md|json|ya?ml|toml)$/i.test(parts.at(-1)!)) parts.pop();
  if (parts.at(-1) === ".claude-plugin") parts.pop();
  const found = parts.slice(0, MAX_PARTS).map((_, at) => {
    const folder = parts.slice(at + 1).join("/");
    return `${repository}#${parts.slice(0, at + 1).join("/")}${folder === "" ? "" : `:/${folder}`}`;
  });
  return found.length === 0 ? [repository] : found;
}

function packages(word: string): readonly string[] | undefined {
  const [, shown, version] =
    /^https?:\/\/(?=[^/]*npm)[^/]*\/package\/((?:@[^/]+\/)?[^/?#]+)(?:\/v\/([^/?#]+))?/.exec(word) ??
      [];
  if (shown !== undefined) return [`npm:${shown}${version === undefined ? "" : `@${version}`}`];
  const plain = word.replace(/^pkg:npm\//, "").replace(/^%40/, "@");
  const [, name = "", wanted] = /^(@?[^@]+)(?:@(\S+))?$/.exec(plain) ?? [];
  return isNpmName(name) ? [`npm:${name}${wanted === undefined ? "" : `@${wanted}`}`] : undefined;
}
