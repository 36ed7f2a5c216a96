/** Does each package manager, registry and client get what its rules ask for? */
import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { load } from "js-yaml";
import { buildManifests } from "../../.github/release/manifests.ts";
import { runStep } from "../../.github/release/package.ts";
import { describeRelease } from "../../.github/release/release.ts";
import { renderSkill, SKILL } from "../../src/commands/clients/skill.ts";
import { TARGET_NAMES } from "../../.github/release/targets.ts";
import { RELEASE, REPOSITORY, sharedRelease, VERSION } from "../support/release.ts";
import { withTree } from "../support/trees.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const HOME = `https://github.com/${REPOSITORY}`;

async function manifest(path: string): Promise<string> {
  const files = unzipSync((await sharedRelease()).get(RELEASE.files.manifests)!);
  assert.ok(files[path], `${path} is not among ${Object.keys(files).join(", ")}`);
  return new TextDecoder().decode(files[path]);
}

async function sumOf(name: string): Promise<string> {
  const sums = new TextDecoder().decode((await sharedRelease()).get("SHA256SUMS"));
  return sums.split("\n").find((line) => line.endsWith(`  ${name}`))!.slice(0, 64);
}

const urlOf = (name: string) => `${HOME}/releases/download/v${VERSION}/${name}`;

function hasProgram(name: string): boolean {
  try {
    return new Deno.Command(name, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

Deno.test("the formula names each archive with its sum under its system [packaging:manifests]", async () => {
  const formula = await manifest("homebrew-tap/Formula/bmad-mcp.rb");
  const found = [...formula.matchAll(/url "(\S+)"\n\s+sha256 "([0-9a-f]{64})"/g)].map((
    [, url, sum],
  ) => [url, sum]);
  const wanted = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"].map(async (platform) => {
    const name = `bmad-mcp-${VERSION}-${platform}.tar.gz`;
    return [urlOf(name), await sumOf(name)];
  });
  assert.deepEqual(found, await Promise.all(wanted));
  assert.match(
    formula,
    /on_macos do\s+on_arm do\s+url \S+darwin-arm64.*\s.*\s+end\s+on_intel do\s+url \S+darwin-x64/,
  );
  assert.match(
    formula,
    /on_linux do\s+on_arm do\s+url \S+linux-arm64.*\s.*\s+end\s+on_intel do\s+url \S+linux-x64/,
  );
  assert.match(formula, new RegExp(`^  version "${VERSION}"$`, "m"));
  assert.match(formula, new RegExp(`^  homepage "${HOME}"$`, "m"));
  // Homebrew's audit: at most 80 characters, no article and not the name in front, no full stop.
  const [, desc] = /^ {2}desc "(.*)"$/m.exec(formula)!;
  assert.ok(desc!.length <= 80 && !/^(an?|the|bmad-mcp)\b|\.$/i.test(desc!), desc);
});

Deno.test("Ruby reads the formula without a warning", { ignore: !hasProgram("ruby") }, async () => {
  await withTree({ "bmad-mcp.rb": await manifest("homebrew-tap/Formula/bmad-mcp.rb") }, async (dir) => {
    const args = ["-wc", `${dir}/bmad-mcp.rb`];
    const { stdout, stderr } = await new Deno.Command("ruby", { args }).output();
    assert.deepEqual(
      [new TextDecoder().decode(stdout), new TextDecoder().decode(stderr)],
      ["Syntax OK\n", ""],
    );
  });
});

Deno.test("Scoop's manifest has what its schema asks for [packaging:manifests]", async () => {
  const scoop: Json = JSON.parse(await manifest("scoop-bucket/bucket/bmad-mcp.json"));
  const known = "architecture autoupdate bin checkver description homepage license version".split(" ");
  assert.deepEqual(Object.keys(scoop).sort(), known);
  assert.match(scoop.version, /^[\w.+_-]+$/);
  assert.equal(scoop.license, "MIT");
  assert.equal(scoop.bin, "bmad-mcp.exe");
  assert.deepEqual(Object.keys(scoop.architecture), ["64bit", "arm64"]);
  for (const [arch, platform] of [["64bit", "windows-x64"], ["arm64", "windows-arm64"]] as const) {
    const name = `bmad-mcp-${VERSION}-${platform}.zip`;
    assert.deepEqual(scoop.architecture[arch], { url: urlOf(name), hash: await sumOf(name) });
    // What Scoop makes of it for this version must be this version's address.
    assert.equal(scoop.autoupdate.architecture[arch].url.replaceAll("$version", VERSION), urlOf(name));
  }
  assert.equal(scoop.autoupdate.hash.url, "$baseurl/SHA256SUMS");
});

Deno.test("winget's three manifests have what their schemas ask for [packaging:manifests]", async () => {
  const folder = `winget-pkgs/manifests/a/alice-b/bmad-mcp/${VERSION}/alice-b.bmad-mcp`;
  const read = async (part: string): Promise<Json> => load(await manifest(`${folder}${part}.yaml`));
  const version = await read("");
  const installer = await read(".installer");
  const locale = await read(".locale.en-US");
  for (const [one, type] of [[version, "version"], [installer, "installer"], [locale, "defaultLocale"]]) {
    assert.match(one.PackageIdentifier, /^[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}$/);
    assert.deepEqual([one.PackageVersion, one.ManifestType, one.ManifestVersion], [
      VERSION,
      type,
      "1.10.0",
    ]);
  }
  assert.equal(version.DefaultLocale, locale.PackageLocale);
  for (const field of ["Publisher", "PackageName", "License", "ShortDescription"]) {
    assert.ok(typeof locale[field] === "string" && locale[field].length >= 3, field);
  }
  assert.ok(locale.ShortDescription.length <= 256);
  assert.deepEqual([installer.InstallerType, installer.NestedInstallerType], ["zip", "portable"]);
  assert.deepEqual(installer.NestedInstallerFiles, [
    { RelativeFilePath: "bmad-mcp.exe", PortableCommandAlias: "bmad-mcp" },
  ]);
  assert.deepEqual(
    installer.Installers,
    await Promise.all(["x64", "arm64"].map(async (arch) => {
      const name = `bmad-mcp-${VERSION}-windows-${arch}.zip`;
      const InstallerSha256 = (await sumOf(name)).toUpperCase();
      return { Architecture: arch, InstallerUrl: urlOf(name), InstallerSha256 };
    })),
  );
});

Deno.test("winget's identifier fits its limit for every account [packaging:manifests]", async () => {
  const sums = new Map([...(await sharedRelease()).keys()].map((name) => [name, "0".repeat(64)]));
  const owner = `${"a".repeat(31)}-${"b".repeat(7)}`;
  const files = buildManifests(describeRelease(`${owner}/bmad-mcp`, VERSION, sums));
  const found = Object.entries(files).filter(([path]) => path.startsWith("winget-pkgs/"));
  assert.equal(found.length, 3);
  for (const [path, text] of found) {
    const { PackageIdentifier } = load(text) as Json;
    assert.match(PackageIdentifier, /^[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}$/);
    // The folders of the manifests are the parts of the identifier.
    const [publisher, name] = PackageIdentifier.split(".");
    assert.ok(path.includes(`/a/${publisher}/${name}/${VERSION}/${PackageIdentifier}.`), path);
  }
});

Deno.test("the entry in the MCP registry has what its schema asks for [packaging:manifests]", async () => {
  const registry = async (channels: string): Promise<Json> =>
    await withTree(
      { SHA256SUMS: new TextDecoder().decode((await sharedRelease()).get("SHA256SUMS")) },
      async (dir) =>
        JSON.parse(
          await runStep(["registry", "--repository", REPOSITORY, "--dir", dir, "--channels", channels]),
        ),
    );
  const entry = await registry("packages,,npm");
  assert.equal(
    entry.$schema,
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  );
  assert.equal(entry.name, "io.github.alice-b/bmad-mcp");
  assert.match(entry.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assert.ok(entry.description.length >= 1 && entry.description.length <= 100);
  assert.ok(entry.title.length >= 1 && entry.title.length <= 100);
  assert.match(entry.version, /^\d+\.\d+\.\d+(-[\w.]+)?$/);
  assert.deepEqual(entry.repository, { url: HOME, source: "github" });
  // Clients take the first package that they can start; one that was not published could not be.
  const { packages } = await registry("packages");
  assert.deepEqual(packages, entry.packages.slice(1));
  assert.deepEqual(entry.packages[0], {
    registryType: "npm",
    identifier: "@alice-b/bmad-mcp",
    version: VERSION,
    transport: { type: "stdio" },
  });
  assert.equal(entry.packages.length, 7);
  for (const [at, target] of TARGET_NAMES.entries()) {
    const name = RELEASE.files.bundle(target);
    assert.deepEqual(packages[at], {
      registryType: "mcpb",
      identifier: urlOf(name),
      fileSha256: await sumOf(name),
      transport: { type: "stdio" },
    });
    // The registry takes bundles from releases on GitHub whose address has these letters.
    assert.match(packages[at].identifier, /^https:\/\/github\.com\/.*mcp/);
  }
});

Deno.test("each client's plugin starts the program on the path [packaging:plugins]", async () => {
  const json = async (path: string): Promise<Json> => JSON.parse(await manifest(`bmad-mcp-plugins/${path}`));
  const server = { mcpServers: { bmad: { command: "bmad-mcp", args: ["serve"] } } };
  assert.deepEqual(await json("plugins/bmad/.mcp.json"), server);
  assert.deepEqual((await json("gemini-extension.json")).mcpServers, server.mcpServers);
  assert.equal((await json("plugins/bmad/.codex-plugin/plugin.json")).mcpServers, "./.mcp.json");
  for (const path of [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"]) {
    const { name, plugins } = await json(path);
    assert.deepEqual([name, plugins.map((plugin: Json) => plugin.name)], ["bmad-mcp", ["bmad"]]);
    const source = plugins[0].source.path ?? plugins[0].source;
    const kind = path.startsWith(".claude") ? ".claude-plugin" : ".codex-plugin";
    const plugin = await json(`${source.slice(2)}/${kind}/plugin.json`);
    assert.deepEqual([plugin.name, plugin.version, plugin.license], ["bmad", VERSION, "MIT"]);
  }
  // Claude's directory wants forty words in a README.
  for (const path of ["plugins/bmad/", ""]) {
    assert.equal(await manifest(`bmad-mcp-plugins/${path}skills/${SKILL}/SKILL.md`), renderSkill());
  }
  const readme = await manifest("bmad-mcp-plugins/plugins/bmad/README.md");
  assert.ok(readme.split(/\s+/).length >= 40);
});
