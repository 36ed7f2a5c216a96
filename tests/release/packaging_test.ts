/** Is what a release is made of right, and is nothing released that is not ready? */
import assert from "node:assert/strict";
import { crc32, inflateSync } from "node:zlib";
import { unzipSync } from "fflate";
import { type ArchiveFile, buildTarGz, buildZip } from "../../.github/release/archive.ts";
import { drawIcon } from "../../.github/release/icon.ts";
import { buildPlugins } from "../../.github/release/plugins.ts";
import { runStep } from "../../.github/release/package.ts";
import {
  CHANNELS,
  checkOwner,
  editsFor,
  findNotes,
  linkNotes,
  OWNED_PAGES,
  renderInstallNotes,
} from "../../.github/release/readiness.ts";
import { describeRelease } from "../../.github/release/release.ts";
import { programName, TARGET_NAMES, TARGETS } from "../../.github/release/targets.ts";
import { runMcpb } from "../support/linters.ts";
import { buildRelease, programFor, RELEASE, REPOSITORY, sharedRelease, VERSION } from "../support/release.ts";
import { POSIX } from "../support/run.ts";
import { treeTest, withTree } from "../support/trees.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const RIDERS = ["LICENSE", "NOTICE", "README.md", "THIRD-PARTY-LICENSES.txt"];

Deno.test("a release has these files with their sums [packaging:archives]", async () => {
  const files = await sharedRelease();
  const platforms = "darwin-arm64 darwin-x64 linux-arm64 linux-x64 windows-arm64 windows-x64".split(" ");
  const wanted = [
    "SHA256SUMS",
    `alice-b-bmad-mcp-${VERSION}.tgz`,
    `bmad-mcp-${VERSION}-manifests.zip`,
    `bmad-mcp-${VERSION}.cdx.json`,
    ...platforms.map((platform) => `bmad-mcp-${VERSION}-${platform}.mcpb`),
    ...platforms.map((name) =>
      `bmad-mcp-${VERSION}-${name}.${name.startsWith("windows") ? "zip" : "tar.gz"}`
    ),
    "compose.yaml",
    "install.ps1",
    "install.sh",
  ];
  assert.deepEqual([...files.keys()].sort(), wanted.sort());
  const lines = new TextDecoder().decode(files.get("SHA256SUMS")).trimEnd().split("\n");
  for (const line of lines) {
    const [sum, name] = line.split("  ");
    const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(files.get(name!)!));
    assert.equal(sum, new Uint8Array(digest).toHex(), name);
  }
  assert.equal(lines.length, files.size - 1);
});

Deno.test("an archive holds the executable program and the rest [packaging:archives]", POSIX, async () => {
  for (const target of TARGET_NAMES.filter((one) => TARGETS[one].os !== "windows")) {
    const name = RELEASE.files.archive(target);
    await withTree({ [name]: (await sharedRelease()).get(name)!, "in/": "" }, async (dir) => {
      const args = ["-xzf", name, "-C", "in"];
      const { success, stderr } = await new Deno.Command("tar", { args, cwd: dir }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const names = [...Deno.readDirSync(`${dir}/in`)].map((entry) => entry.name).sort();
      assert.deepEqual(names, [...RIDERS, "bmad-mcp"].sort());
      assert.equal(await Deno.readTextFile(`${dir}/in/bmad-mcp`), programFor(target));
      assert.equal((await Deno.stat(`${dir}/in/bmad-mcp`)).mode! & 0o777, 0o755);
      assert.equal((await Deno.stat(`${dir}/in/NOTICE`)).mode! & 0o777, 0o644);
      assert.match(await Deno.readTextFile(`${dir}/in/NOTICE`), /trademarks of BMad Code, LLC/);
    });
  }
});

Deno.test("a Windows archive holds the program and its files [packaging:archives]", async () => {
  for (const target of TARGET_NAMES.filter((one) => TARGETS[one].os === "windows")) {
    const files = unzipSync((await sharedRelease()).get(RELEASE.files.archive(target))!);
    assert.deepEqual(Object.keys(files).sort(), [...RIDERS, "bmad-mcp.exe"].sort());
    assert.equal(new TextDecoder().decode(files["bmad-mcp.exe"]), programFor(target));
  }
});

Deno.test("the same files give the same bytes, in whatever order they come [packaging:archives]", () => {
  const files: readonly ArchiveFile[] = [
    { path: "b/c.txt", content: "later" },
    { path: "a", content: new Uint8Array(513), isProgram: true },
    { path: "b.txt", content: "" },
  ];
  for (const build of [buildTarGz, buildZip]) {
    assert.deepEqual(build(files), build(files.toReversed()));
    assert.notDeepEqual(build(files), build(files.map((file) => ({ ...file, isProgram: true }))));
  }
  // Neither the clock, nor the zone, nor the system that compressed may show.
  assert.deepEqual([...buildTarGz(files).slice(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
  assert.throws(() => buildTarGz([{ path: "x".repeat(101), content: "" }]), /Cannot archive xxx/);
});

Deno.test("a release that is made twice is the same [packaging:archives]", async () => {
  assert.deepEqual(await buildRelease(), await sharedRelease());
});

treeTest("a release is not completed while the archive of a platform is missing", {}, async (dir) => {
  await assert.rejects(
    runStep(["complete", "--repository", REPOSITORY, "--dir", dir]),
    new RegExp(`^Error: Cannot complete .*: missing bmad-mcp-${VERSION}-linux-x64\\.tar\\.gz, `),
  );
});

Deno.test("the script says what it was not given", async () => {
  await assert.rejects(runStep([]), /Unknown step ""\. Use one of prepare, check, archive, complete, notes/);
  await assert.rejects(runStep(["notes"]), /Missing --repository for notes/);
  await assert.rejects(
    runStep(["notes", "--repository", "alice"]),
    /Invalid --repository "alice": expected OWNER\/NAME/,
  );
  await assert.rejects(
    runStep(["archive", "--repository", REPOSITORY, "--target", "riscv64"]),
    /Unknown --target riscv64\. Use one of x86_64-unknown-linux-gnu, /,
  );
});

Deno.test("the install scripts of a release name its repository and no other", async () => {
  for (const name of ["install.sh", "install.ps1"]) {
    const text = new TextDecoder().decode((await sharedRelease()).get(name));
    assert.deepEqual(
      new Set(text.match(/github\.com\/[\w-]+\/[\w-]+/g)),
      new Set([`github.com/${REPOSITORY}`]),
    );
    assert.doesNotMatch(text, /OWNER/);
  }
});

Deno.test("the official tool accepts a bundle that runs [packaging:archives]", async () => {
  const target = "aarch64-apple-darwin";
  const name = RELEASE.files.bundle(target);
  await withTree({ [name]: (await sharedRelease()).get(name)! }, async (dir) => {
    await runMcpb("unpack", `${dir}/${name}`, `${dir}/in`);
    assert.match(await runMcpb("validate", `${dir}/in/manifest.json`), /Manifest schema validation passes/);
    assert.equal(await Deno.readTextFile(`${dir}/in/server/bmad-mcp`), programFor(target));
    if (Deno.build.os !== "windows") {
      assert.equal((await Deno.stat(`${dir}/in/server/bmad-mcp`)).mode! & 0o777, 0o755);
    }
    for (const rider of RIDERS) await Deno.stat(`${dir}/in/${rider}`);
    const { icon } = JSON.parse(await Deno.readTextFile(`${dir}/in/manifest.json`));
    assertIcon(await Deno.readFile(`${dir}/in/${icon}`));
  });
});

/** A square PNG of a size that catalogues take, whose every part is as it says, with a picture in it. */
function assertIcon(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  assert.deepEqual([view.getUint32(16), view.getUint32(20)], [512, 512]);
  assert.ok(bytes.length < 2 << 20);
  const parts = new Map<string, Uint8Array>();
  for (let at = 8; at < bytes.length;) {
    const [end, name] = [
      at + 8 + view.getUint32(at),
      new TextDecoder().decode(bytes.subarray(at + 4, at + 8)),
    ];
    assert.equal(view.getUint32(end), crc32(bytes.subarray(at + 4, end)), name);
    parts.set(name, bytes.subarray(at + 8, end));
    at = end + 4;
  }
  assert.deepEqual([...parts.keys()], ["IHDR", "IDAT", "IEND"]);
  const pixels = inflateSync(parts.get("IDAT")!);
  assert.equal(pixels.length, 512 * (1 + 512 * 4));
  assert.ok(new Set(pixels).size > 16, "more than one colour");
}

Deno.test("the picture is the same every time, and stands where catalogues of plugins look for it", () => {
  const files = buildPlugins(RELEASE, "MIT");
  const icon = files["bmad-mcp-plugins/plugins/bmad/.claude-plugin/icon.png"];
  assert.ok(icon instanceof Uint8Array);
  assertIcon(icon);
  assert.deepEqual(icon, drawIcon());
  assert.equal(files["bmad-mcp-plugins/plugins/bmad/LICENSE"], "MIT");
});

Deno.test("each bundle starts its program, in the project that it asks for, on its system alone", async () => {
  const platforms = { linux: "linux", darwin: "darwin", windows: "win32" };
  for (const target of TARGET_NAMES) {
    const files = unzipSync((await sharedRelease()).get(RELEASE.files.bundle(target))!);
    const { server, compatibility, user_config, version }: Json = JSON.parse(
      new TextDecoder().decode(files["manifest.json"]),
    );
    assert.equal(version, VERSION);
    assert.ok(files[server.entry_point], server.entry_point);
    assert.equal(server.mcp_config.command, `\${__dirname}/server/${programName(target)}`);
    assert.deepEqual(server.mcp_config.args, ["serve", "--project", "${user_config.project}"]);
    assert.equal(user_config.project.required, true);
    assert.deepEqual(compatibility.platforms, [platforms[TARGETS[target].os]]);
  }
});

Deno.test("a tag that is not the version in deno.json is refused [packaging:readiness]", async () => {
  for (const tag of ["1.2.3", "v1.2.4", "v1.2.3-rc.1"]) {
    await assert.rejects(
      runStep(["check", "--repository", REPOSITORY, "--version", "1.2.3", "--tag", tag]),
      /deno\.json has version 1\.2\.3, so the tag must be v1\.2\.3/,
    );
  }
});

Deno.test("the notes are the section of the version, and it must say something [packaging:readiness]", () => {
  const changelog = [
    "# Changelog",
    "",
    "## [Unreleased]",
    "",
    "## [1.1.0] - 2026-12-01",
    "",
    "### Added",
    "",
    "- More.",
    "",
    "### Changed",
    "",
    "### Fixed",
    "",
    "- Less.",
    "",
    "## [1.1.0-rc.1] - 2026-11-30",
    "",
    "### Added",
    "",
    "## [1.0.0]",
    "",
    "- First.",
    "",
    "[1.0.0]: https://example.com",
    "",
  ].join("\n");
  assert.equal(findNotes(changelog, "1.1.0"), "### Added\n\n- More.\n\n### Fixed\n\n- Less.");
  assert.equal(findNotes(changelog, "1.0.0"), "- First.");
  assert.throws(() => findNotes(changelog, "1.1.0-rc.1"), /its section in CHANGELOG\.md is empty/);
  assert.throws(() => findNotes(changelog, "1.2.0"), /add a section "## \[1\.2\.0\] - DATE"/);
});

Deno.test("notes name only what a release is published to [packaging:readiness]", async () => {
  const released = describeRelease(REPOSITORY, "1.2.0");
  const stable = renderInstallNotes(released, CHANNELS);
  const preview = renderInstallNotes(describeRelease(REPOSITORY, "1.2.0-rc.1"), CHANNELS);
  assert.match(stable, /^brew install alice-b\/tap\/bmad-mcp$/m);
  assert.match(stable, /\/releases\/latest\/download\/install\.sh \| sh$/m);
  assert.match(stable, /^npm install --global @alice-b\/bmad-mcp@1\.2\.0$/m);
  assert.match(stable, /^docker pull ghcr\.io\/alice-b\/bmad-mcp:1\.2\.0$/m);
  assert.doesNotMatch(preview, /brew|scoop|latest/);
  assert.match(preview, /\/download\/v1\.2\.0-rc\.1\/install\.sh \| BMAD_MCP_VERSION=1\.2\.0-rc\.1 sh$/m);
  assert.match(preview, /^npm install --global @alice-b\/bmad-mcp@1\.2\.0-rc\.1$/m);

  // Without a token, only the files of the release itself can be had.
  const alone = renderInstallNotes(released, []);
  assert.doesNotMatch(alone, /brew|scoop|npm|docker/);
  assert.match(alone, /install\.sh \| sh$[^]*install\.ps1 \| iex$/m);
  const npm = renderInstallNotes(released, ["npm"]);
  assert.match(npm, /^npm install/m);
  assert.doesNotMatch(npm, /brew|scoop|docker/);
  await assert.rejects(
    runStep(["notes", "--repository", REPOSITORY, "--channels", "npm,fax"]),
    /Unknown channel fax\. Use some of packages, npm, container/,
  );
});

Deno.test("links in notes lead into the repository, and the owner has a name", () => {
  const text =
    "See [a](docs/a.md#b), [c](https://c.example), `@OWNER/bmad-mcp`, `ghcr.io/OWNER/bmad-mcp`, OWNER/NAME.";
  assert.equal(
    linkNotes(text, describeRelease("Alice-B/bmad-mcp", "1.2.0")),
    "See [a](https://github.com/Alice-B/bmad-mcp/blob/v1.2.0/docs/a.md#b), [c](https://c.example), " +
      "`@alice-b/bmad-mcp`, `ghcr.io/alice-b/bmad-mcp`, Alice-B/NAME.",
  );
});

Deno.test("a page gets the account as each place spells it, and is ready then [packaging:readiness]", () => {
  const release = describeRelease("Alice-B/bmad-mcp", "1.2.0");
  const page =
    "Use it.\n\n`OWNER` is the GitHub account.\n\n`npx -y @OWNER/bmad-mcp`, OWNER/tap, OWNER/bmad-mcp.\n";
  const ready = editsFor(release, "2026-12-01")["README.md"]!(page);
  assert.equal(ready, "Use it.\n\n`npx -y @alice-b/bmad-mcp`, Alice-B/tap, Alice-B/bmad-mcp.\n");
  checkOwner("README.md", ready, release);
  assert.throws(() => checkOwner("README.md", page, release), /replace OWNER with Alice-B in README\.md/);
});

Deno.test("every page on GitHub that has the placeholder is checked before a release", () => {
  const root = new URL("../../", import.meta.url);
  const pages = ["README.md"];
  for (const folder of [".github/", ".github/ISSUE_TEMPLATE/"]) {
    for (const { name, isFile } of Deno.readDirSync(new URL(folder, root))) {
      if (isFile) pages.push(`${folder}${name}`);
    }
  }
  const owned = pages.filter((page) => Deno.readTextFileSync(new URL(page, root)).includes("OWNER"));
  assert.deepEqual(owned.filter((page) => !OWNED_PAGES.some((known) => known === page)), []);
});

Deno.test("the check without a tag tells the version and the six platforms, and releases nothing", async () => {
  const lines = (await runStep(["check", "--repository", REPOSITORY])).trimEnd().split("\n");
  const outputs = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)));
  assert.equal(outputs["version"], VERSION);
  const targets: Json = JSON.parse(outputs["targets"]);
  assert.equal(targets.length, 6);
  assert.deepEqual(targets.at(-1), {
    name: "windows-arm64",
    target: "aarch64-pc-windows-msvc",
    runner: "windows-11-arm",
    program: "bmad-mcp.exe",
  });
});
