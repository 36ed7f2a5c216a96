/**
 * Follows docs/releasing.md in a copy of the repository, with an invented account, as far as that is possible without
 * GitHub.
 *
 * Its commands are run as they stand there. commands_test.ts follows it up to the notes, `deno task rehearse` to the end.
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

/** The commit of a release has nothing new yet. */
export async function addChange(folder: string): Promise<void> {
  const changelog = await Deno.readTextFile(`${folder}/CHANGELOG.md`);
  const next = changelog.replace("## [Unreleased]\n", "$&\n### Fixed\n\n- Something.\n");
  await Deno.writeTextFile(`${folder}/CHANGELOG.md`, next);
}

/** What the workflow does to a tag, with any file in place of a binary. */
export const FILES = `deno() { npx -y deno@${Deno.version.deno} "$@"; }
for target in {x86_64,aarch64}-{unknown-linux-gnu,apple-darwin,pc-windows-msvc}; do
  deno run -A .github/release/package.ts archive --repository OWNER/bmad-mcp --target "$target" \\
    --program LICENSE --licenses LICENSE --out /tmp/release
done
deno task npm --repository OWNER/bmad-mcp --out /tmp/release
deno run -A .github/release/package.ts complete --repository OWNER/bmad-mcp --dir /tmp/release`;

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
