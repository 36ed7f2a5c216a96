/**
 * Lists of sources that other programs keep: a marketplace of plugins, and the lock file of installed skills.
 *
 * An entry is translated into the location that it names. Pure, and strict: a list comes from strangers, so that an entry
 * names a folder below the list, a repository or a package, and nothing else.
 */
import { fail } from "../../base/errors.ts";
import { Invalid } from "../../base/invalid.ts";
import { pastedSources } from "../../settings/locations/mod.ts";
import { suggest } from "../../base/suggestions.ts";
import { asText, asTexts, asValues, isValues, parseJson, type Values } from "../../base/values.ts";

/** Where a list may be in a folder or a repository. */
export const LIST_FILES: readonly string[] = [
  ".claude-plugin/marketplace.json",
  ".agents/plugins/marketplace.json",
  "skills-lock.json",
];

/** An entry is either below the folder that the list is about, or elsewhere. */
export type ListedSource = { readonly folder: string } | { readonly locations: readonly string[] };

/** More than any plugin has. */
const MAX_SKILLS = 100;

/** The sources that some entries of a list name. `shown` is what people know the list as. */
export function entriesOf(text: string, names: readonly string[], shown: string): readonly ListedSource[] {
  const list = asValues(parseJson(text));
  const entries = new Map<string, () => readonly ListedSource[]>();
  const plugins = Array.isArray(list["plugins"]) ? list["plugins"].map(asValues) : [];
  for (const plugin of plugins) {
    const name = asText(plugin["name"]);
    if (name !== undefined) entries.set(name, () => pluginSources(plugin, list, plugins.length === 1));
  }
  for (const [name, skill] of Object.entries(asValues(list["skills"]))) {
    if (isValues(skill)) entries.set(name, () => [skillSource(skill)]);
  }
  const known = [...entries.keys()];
  if (known.length === 0) {
    return fail({ code: "invalid-file", path: shown, problem: "neither a marketplace nor a list of skills" });
  }
  if (names.length === 0 && known.length > 1) {
    const problem = `${shown} has several entries. Name those that you want: ${
      known.slice(0, 50).join(", ")
    }`;
    return fail({ code: "invalid-input", problem });
  }
  return (names.length === 0 ? known : names).flatMap((name) => {
    const entry = entries.get(name);
    if (entry !== undefined) return entry();
    return fail({ code: "not-found", what: "entry", name, suggestions: suggest(name, known) });
  });
}

/** The sources of a plugin. One that lists single skills of a folder that others share is those skills. */
function pluginSources(plugin: Values, list: Values, isAlone: boolean): readonly ListedSource[] {
  const { source } = plugin;
  if (typeof source !== "string") return [remoteSource(asValues(source))];
  const root = asText(asValues(list["metadata"])["pluginRoot"]) ?? "";
  const folder = folderOf(/^\.{1,2}\//.test(source) || source === "." ? source : `${root}/${source}`);
  const skills = asTexts(plugin["skills"]).slice(0, MAX_SKILLS);
  if (isAlone || skills.length === 0) return [{ folder }];
  return skills.map((skill) => ({ folder: [folder, folderOf(skill)].filter(Boolean).join("/") }));
}

function remoteSource(source: Values): ListedSource {
  const text = (key: string) => asText(source[key]);
  const ref = text("sha") ?? text("ref");
  const repository = text("source") === "github" ? text("repo") && `github:${text("repo")}` : text("url");
  if (text("source") === "npm") {
    const [name = "", version] = [text("package"), text("version")];
    return { locations: valid(`npm:${name}${version === undefined ? "" : `@${version}`}`) };
  }
  if (repository === undefined) return unsupported(text("source") ?? "unknown");
  return { locations: at(repository, ref, text("path")) };
}

function skillSource(skill: Values): ListedSource {
  const text = (key: string) => asText(skill[key]);
  const type = text("sourceType") ?? "github";
  const folder = text("skillPath")?.replace(/\/?SKILL\.md$/i, "") || undefined;
  const source = text("source");
  if (source === undefined) return unsupported(type);
  if (type === "local") return { folder: folderOf(source) };
  if (type === "node_modules") return { folder: folderOf(`node_modules/${source}`) };
  if (type !== "github" && type !== "gitlab" && type !== "git") return unsupported(type);
  const address = text("sourceUrl") ?? (type === "git" ? source : `${type}:${source}`);
  return { locations: at(address, text("ref"), folder) };
}

/** A repository at a ref and a folder, whatever its own address says about these. */
function at(address: string, ref: string | undefined, folder: string | undefined): readonly string[] {
  const found = valid(address);
  if (ref === undefined && folder === undefined) return found;
  const [plain] = found[0]!.split("#", 1);
  const inside = folder === undefined ? undefined : folderOf(folder);
  return valid(`${plain}${ref === undefined ? "" : `#${ref}`}${inside ? `:/${inside}` : ""}`);
}

function valid(text: string): readonly string[] {
  const refuse = (reason: string) =>
    fail({ code: "invalid-input", problem: `The entry names no source that can be added: ${reason}` });
  const found = pastedSources(text);
  if (found instanceof Invalid) return refuse(found.expected);
  const isLocal = found.some((one) => one.startsWith("git+file:"));
  return isLocal ? refuse("it lies on this machine, outside the list") : found;
}

function unsupported(type: string): never {
  return fail({ code: "invalid-input", problem: `Entries of the type "${type}" cannot be added` });
}

/** A folder below the list, without dots; refuses any other. */
function folderOf(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (!path.startsWith("/") && parts.every((part) => part !== ".." && !/[\\:\p{C}]/u.test(part))) {
    return parts.join("/");
  }
  return fail({
    code: "invalid-input",
    problem: `The entry names a folder outside its list: ${path.slice(0, 100)}`,
  });
}
