/**
 * Follows docs/releasing.md in a copy of the repository, with an invented account, as far as that is possible without
 * GitHub.
 *
 * What the page says in prose is done here, with the names that stand in the page; its commands are run as they stand
 * there. commands_test.ts follows it up to the preview, `deno task rehearse` to the end.
 */
import assert from "node:assert/strict";

/** The account of a rehearsal: as long as GitHub allows, because lines get longer with it. */
export const OWNER = "a-rather-long-account-of-thirty-9-chars";

export const VERSION = "9.8.7";

export function commandsIn(page: string): readonly string[] {
  return Array.from(page.matchAll(/^( *)```(?:sh|powershell)\n([^]*?)^ *```$/gm), ([, indent, text]) => {
    const lines = text!.split("\n").map((line) => line.slice(indent!.length));
    return lines.join("\n").trim();
  });
}

export function linesOf(block: string): readonly string[] {
  const joined = block.replaceAll(/\\\n\s*/g, "").replaceAll(/\bdo\n([^]*?)\ndone\b/g, "do$1; done");
  return joined.split("\n").map((line) => line.replace(/\s+# .*$/, "").replaceAll(/\s+/g, " ").trim());
}

export function fillIn(command: string, release: string): string {
  return command.replaceAll("OWNER", OWNER).replaceAll("VERSION", VERSION).replaceAll(
    "/tmp/release",
    release,
  );
}

export async function nameOwner(folder: string): Promise<readonly string[]> {
  const page = await Deno.readTextFile(`${folder}/docs/releasing.md`);
  const [, step] = /^1\. Put the repository on GitHub([^]*?)^2\. /m.exec(page)!;
  const files = [...step!.matchAll(/`?((?:\.github\/)?[\w/]*\.(?:md|yml)|\.github\/CODEOWNERS)`?/g)].map((
    [, name],
  ) => name!);
  const named = [...new Set(files)];
  for (const file of named) {
    const text = await Deno.readTextFile(`${folder}/${file}`);
    // The paragraph about OWNER and the first release.
    const without = text.replace(/^`OWNER` is the GitHub account[^]*?\n\n/m, "");
    await Deno.writeTextFile(`${folder}/${file}`, without.replaceAll("OWNER", OWNER));
  }
  return named;
}

export async function setVersion(folder: string): Promise<void> {
  const manifest = await Deno.readTextFile(`${folder}/deno.json`);
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    manifest.replace(/^( {2}"version": )"[^"]*"/m, `$1"${VERSION}"`),
  );
  const changelog = await Deno.readTextFile(`${folder}/CHANGELOG.md`);
  const headings = ["Added", "Changed", "Fixed"].map((kind) => `### ${kind}\n\n`).join("");
  const [whole, section] = /^## \[Unreleased\]\n([^]*?)(?=^## \[|$(?![^]))/m.exec(changelog)!;
  // The commit of a release has nothing new yet.
  const changes = /^- /m.test(section!) ? section : "\n### Fixed\n\n- Something.\n\n";
  const next = `## [Unreleased]\n\n${headings}## [${VERSION}] - 2030-01-02\n${changes}`;
  await Deno.writeTextFile(`${folder}/CHANGELOG.md`, changelog.replace(whole!, () => next));
}

export async function runLine(
  command: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const npx =
    `npx() { [ "$2" = "deno@${Deno.version.deno}" ] || { command npx "$@"; return; }; shift 2; "$DENO" "$@"; }`;
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euc", `${npx}\n${command}`],
    cwd: folder,
    env: { DENO: Deno.execPath(), NO_COLOR: "1", ...env },
  }).output();
  assert.ok(success, `${command}\n${new TextDecoder().decode(stdout)}${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}
