/**
 * Generates the files for package managers and registries.
 *
 * Pure functions from a release to its Homebrew formula, Scoop manifest, winget manifests and MCP registry entry. The
 * same release gives the same text. Paths are relative to the repository that each file goes to.
 */
import { dump } from "js-yaml";
import { PRODUCT } from "../../src/base/model.ts";
import { describeRelease, DESCRIPTION, LICENCES_NAME, type Release, renderJson } from "./release.ts";
import { programName, type Target, TARGET_NAMES, TARGETS } from "./targets.ts";

const WINDOWS = TARGET_NAMES.filter((target) => TARGETS[target].os === "windows");
const WINDOWS_PROGRAM = programName(WINDOWS[0]!);

/** Every manifest of a release, by its target repository and path. */
export function buildManifests(release: Release): Readonly<Record<string, string>> {
  // winget's identifier has parts of at most 32 characters, and GitHub allows an account 39.
  const publisher = release.owner.slice(0, 32).replace(/-+$/, "");
  const winget = `winget-pkgs/manifests/${
    publisher[0]!.toLowerCase()
  }/${publisher}/bmad-mcp/${release.version}`;
  return {
    "homebrew-tap/Formula/bmad-mcp.rb": renderFormula(release),
    "scoop-bucket/bucket/bmad-mcp.json": renderJson(buildScoop(release)),
    ...Object.fromEntries(
      buildWinget(release, `${publisher}.bmad-mcp`)
        .map(([name, manifest]) => [`${winget}/${name}.yaml`, renderWinget(manifest)]),
    ),
  };
}

function archiveOf({ files, urlOf, sumOf }: Release, target: Target) {
  const file = files.archive(target);
  return { url: urlOf(file), hash: sumOf(file) };
}

function renderFormula(release: Release): string {
  const block = (target: Target) => {
    const { url, hash } = archiveOf(release, target);
    return `    on_${TARGETS[target].arch === "arm64" ? "arm" : "intel"} do
      url "${url}"
      sha256 "${hash}"
    end`;
  };
  return `class BmadMcp < Formula
  desc "${DESCRIPTION}"
  homepage "${release.home}"
  version "${release.version}"
  license "MIT"

  livecheck do
    url :stable
    strategy :github_latest
  end

  on_macos do
${block("aarch64-apple-darwin")}
${block("x86_64-apple-darwin")}
  end

  on_linux do
${block("aarch64-unknown-linux-gnu")}
${block("x86_64-unknown-linux-gnu")}
  end

  def install
    bin.install "bmad-mcp"
    prefix.install "${LICENCES_NAME}"
    generate_completions_from_executable(bin/"bmad-mcp", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/bmad-mcp --version")
    hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",' \\
            '"capabilities":{},"clientInfo":{"name":"brew","version":"0"}}}'
    assert_match "serverInfo", pipe_output("#{bin}/bmad-mcp serve", "#{hello}\\n", 0)
  end
end
`;
}

/** Scoop's names of processor architectures. */
const SCOOP_ARCH = { x64: "64bit", arm64: "arm64" } as const;

function buildScoop(release: Release): unknown {
  const byArch = (make: (target: Target) => unknown) =>
    Object.fromEntries(WINDOWS.map((target) => [SCOOP_ARCH[TARGETS[target].arch], make(target)]));
  // For a later release, Scoop fills in the version and looks up the checksum.
  const next = describeRelease(release.repository, "$version");
  return {
    version: release.version,
    description: DESCRIPTION,
    homepage: release.home,
    license: "MIT",
    architecture: byArch((target) => archiveOf(release, target)),
    bin: WINDOWS_PROGRAM,
    checkver: "github",
    autoupdate: {
      architecture: byArch((target) => ({ url: next.urlOf(next.files.archive(target)) })),
      hash: { url: "$baseurl/SHA256SUMS" },
    },
  };
}

/** The three manifests that winget requires, by name. */
function buildWinget(release: Release, id: string): readonly (readonly [string, WingetManifest])[] {
  const { version, owner, home } = release;
  const base = { PackageIdentifier: id, PackageVersion: version };
  return [
    [id, { ...base, DefaultLocale: "en-US", ManifestType: "version" }],
    [`${id}.installer`, {
      ...base,
      InstallerType: "zip",
      NestedInstallerType: "portable",
      NestedInstallerFiles: [{
        RelativeFilePath: WINDOWS_PROGRAM,
        PortableCommandAlias: "bmad-mcp",
      }],
      Installers: WINDOWS.map((target) => {
        const { url, hash } = archiveOf(release, target);
        return { Architecture: TARGETS[target].arch, InstallerUrl: url, InstallerSha256: hash.toUpperCase() };
      }),
      ManifestType: "installer",
    }],
    [`${id}.locale.en-US`, {
      ...base,
      PackageLocale: "en-US",
      Publisher: owner,
      PublisherUrl: `https://github.com/${owner}`,
      PackageName: "bmad-mcp",
      PackageUrl: home,
      License: "MIT",
      LicenseUrl: `${home}/blob/v${version}/LICENSE`,
      ShortDescription: DESCRIPTION,
      Moniker: "bmad-mcp",
      ManifestType: "defaultLocale",
    }],
  ];
}

const WINGET_FORMAT = "1.10.0";

type WingetManifest = Readonly<Record<string, unknown>> & { readonly ManifestType: string };

function renderWinget(manifest: WingetManifest): string {
  const schema = `https://aka.ms/winget-manifest.${manifest.ManifestType}.${WINGET_FORMAT}.schema.json`;
  return `# yaml-language-server: $schema=${schema}\n${
    dump({ ...manifest, ManifestVersion: WINGET_FORMAT }, { lineWidth: -1 })
  }`;
}

/**
 * The MCP registry entry: the npm package if it was published, which clients can start on every platform, and a bundle
 * for each platform, for which the registry has no field.
 */
export function renderServerEntry(release: Release, hasNpm: boolean): string {
  const { version, files } = release;
  const transport = { type: "stdio" };
  // The registry compares the package's `mcpName` with our name here.
  const npm = { registryType: "npm", identifier: release.npm, version, transport };
  return renderJson({
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: release.registryName,
    title: PRODUCT.title,
    description: DESCRIPTION,
    version,
    repository: { url: release.home, source: "github" },
    packages: [
      ...(hasNpm ? [npm] : []),
      ...TARGET_NAMES.map((target) => ({
        registryType: "mcpb",
        // The URL contains the version; the registry refuses a separate field for it.
        identifier: release.urlOf(files.bundle(target)),
        fileSha256: release.sumOf(files.bundle(target)),
        transport,
      })),
    ],
  });
}
