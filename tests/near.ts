/**
 * Which tests belong to a change, and do they pass? On the sources, without building the bundle.
 *
 *     deno task near              what git calls changed
 *     deno task near main         what has changed since a commit
 *     deno task near FILE…        these files
 *
 * A source belongs to the tests of its folder, or of the nearest one above that has any, and to those that import it; a test
 * belongs to itself, and what tests share to those that import it, or to the shortest in each folder if they are many.
 */
import { testFiles } from "./suite.ts";

const ROOT = new URL("../", import.meta.url);

/** More tests than these take minutes. */
const MANY = 30;

export function testsNear(
  changed: readonly string[],
  tests: Readonly<Record<string, string>>,
): readonly string[] {
  const names = Object.keys(tests);
  // Says within seconds what no source may do, such as building markup from a text that is not escaped.
  const always = names.filter((name) => name === "tests/architecture_test.ts");
  const near = changed.flatMap((file) => {
    if (names.includes(file)) return [file];
    const importing = names.filter((name) => importsOf(tests[name]!, name).includes(file));
    if (file.startsWith("src/")) return [...importing, ...inFolderOf(file, names), ...always];
    return importing.length > MANY ? shortestInEachFolder(importing, tests) : importing;
  });
  return [...new Set(near)].sort();
}

function shortestInEachFolder(
  names: readonly string[],
  tests: Readonly<Record<string, string>>,
): readonly string[] {
  const byLength = names.toSorted((one, other) => tests[one]!.length - tests[other]!.length);
  return Map.groupBy(byLength, (name) => name.slice(0, name.lastIndexOf("/"))).values()
    .map(([shortest]) => shortest!).toArray();
}

function inFolderOf(file: string, names: readonly string[]): readonly string[] {
  const folders = file.replace(/^src\//, "tests/").split("/").slice(0, -1);
  for (let depth = folders.length; depth > 1; depth--) {
    const folder = `${folders.slice(0, depth).join("/")}/`;
    const found = names.filter((name) => name.startsWith(folder) && !name.slice(folder.length).includes("/"));
    if (found.length > 0) return found;
  }
  return [];
}

function importsOf(text: string, name: string): readonly string[] {
  const specifiers = text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g);
  return Array.from(specifiers, ([, specifier]) => new URL(specifier!, `file:///${name}`).pathname.slice(1));
}

function git(...args: readonly string[]): readonly string[] {
  const { stdout } = new Deno.Command("git", { args: [...args], cwd: ROOT, stderr: "inherit" }).outputSync();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

function changedFiles([first, ...rest]: readonly string[]): readonly string[] {
  if (first === undefined) {
    return [...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")];
  }
  return rest.length === 0 && !first.includes(".") ? git("diff", "--name-only", first) : [first, ...rest];
}

if (import.meta.main) {
  const tests = Object.fromEntries(
    testFiles().map((name) => [name, Deno.readTextFileSync(new URL(name, ROOT))]),
  );
  const near = testsNear(changedFiles(Deno.args), tests);
  if (near.length === 0) {
    await Deno.stdout.write(new TextEncoder().encode("No test belongs to what has changed.\n"));
    Deno.exit(0);
  }
  const args = [
    "test",
    "--config",
    "deno.dev.json",
    "--no-prompt",
    "--allow-all",
    "--no-check",
    "--parallel",
    ...near,
  ];
  const { code } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).spawn().status;
  Deno.exit(code);
}
