/** Git's own files have to be regular: it would wait for ever for what comes out of a pipe or a device. */
import { attempt } from "../../base/absence.ts";
import { resolvePath } from "../../base/paths.ts";
import { splitLines } from "../../base/text.ts";
import { NO_ANSWER } from "../../settings/plan/mod.ts";

/** In the folder of a repository and in that of a worktree. */
const FILES =
  "packed-refs shallow index commondir info/attributes info/exclude info/grafts objects/info/alternates"
    .split(" ");
const CONFIG = ["config", "config.worktree"];
const MAX_BYTES = 1 << 20;
const MAX_CONFIGS = 50;

/** One for which git would wait; undefined if there is none, or if we may not look. */
export function irregularFile(gitFolders: readonly string[]): string | undefined {
  const inEach = (names: readonly string[]) =>
    gitFolders.flatMap((folder) => names.map((name) => `${folder}/${name}`));
  const heads = inEach(["HEAD"]);
  const first = [...heads, ...inEach(FILES)].find(isIrregular);
  if (first !== undefined) return first;
  const branches = heads.flatMap((path) => {
    const [, branch] = /^ref: (.+)/.exec(textOf(path)) ?? [];
    return branch?.trim() ?? [];
  });
  const configs = new Set(inEach(CONFIG));
  for (const path of configs) {
    if (isIrregular(path)) return path;
    if (configs.size > MAX_CONFIGS) break;
    const base = path.slice(0, path.lastIndexOf("/"));
    for (const named of namedIn(textOf(path))) {
      configs.add(resolvePath(named, { base, home: undefined, os: Deno.build.os }));
    }
  }
  return inEach(branches).find(isIrregular);
}

export function silenceOf(irregular: string, top: string): string {
  const path = irregular.startsWith(`${top}/`) ? irregular.slice(top.length + 1) : irregular;
  return `${NO_ANSWER}: it would wait for ${path}, which is not a regular file`;
}

function isIrregular(path: string): boolean {
  const facts = attempt(() => Deno.statSync(path));
  return facts !== undefined && !facts.isFile && !facts.isDirectory;
}

function textOf(path: string): string {
  const facts = attempt(() => Deno.statSync(path));
  const isShort = facts?.isFile === true && facts.size <= MAX_BYTES;
  return isShort ? attempt(() => Deno.readTextFileSync(path)) ?? "" : "";
}

/** Included, or named for another use: `include.path`, `core.excludesFile`. */
function namedIn(config: string): readonly string[] {
  return splitLines(config).flatMap((line) => {
    const at = line.indexOf("=");
    const isNaming = /(?:path|file)$/i.test(line.slice(0, Math.max(0, at)).trimEnd());
    return isNaming ? line.slice(at + 1).trim().replace(/^"(.*)"$/, "$1") || [] : [];
  });
}
