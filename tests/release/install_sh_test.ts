/** Does install.sh put the right program in place, and leave everything alone when anything is wrong? */
import assert from "node:assert/strict";
import { describeRelease } from "../../.github/release/release.ts";
import { ownTarget, type Target, TARGETS } from "../../.github/release/targets.ts";
import { canMakeCertificate, makeCertificate } from "../support/certificate.ts";
import {
  buildRelease,
  programFor,
  RELEASE,
  REPOSITORY,
  serveRelease,
  sharedRelease,
  VERSION,
} from "../support/release.ts";
import { listTree, withTree } from "../support/trees.ts";
import { makeProgram } from "../support/programs.ts";

interface RunOptions {
  /** Files of the release in place of the right ones; undefined takes one away. */
  readonly changed?: Readonly<Record<string, string | Uint8Array | undefined>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly says?: Readonly<Record<string, string>>;
  /** The only programs of the system that there are; else all. */
  readonly tools?: readonly string[];
  /** What the shell is given; else the script of the release. */
  readonly script?: string;
  readonly home?: string;
}

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly home: readonly string[];
  readonly asked: readonly string[];
}

const NO_VERIFIERS = { gh: "exit 1", cosign: "exit 1" };

async function install(options: RunOptions = {}): Promise<Run> {
  if (options.home === undefined) return await withTree({}, (home) => install({ ...options, home }));
  const { home } = options;
  const served = new Map(await sharedRelease());
  for (const [name, content] of Object.entries(options.changed ?? {})) {
    if (content === undefined) served.delete(name);
    else served.set(name, typeof content === "string" ? new TextEncoder().encode(content) : content);
  }
  await using server = serveRelease(served);
  // Not links: some programs want to be called by their own path.
  const tools = (options.tools ?? []).map((tool) => [tool, `exec ${findProgram(tool)} "$@"`] as const);
  const playing = { ...(options.tools === undefined ? NO_VERIFIERS : {}), ...options.says };
  const says = [...Object.entries(playing), ...tools].map(([name, text]) =>
    [name, `#!/bin/sh\n${text}\n`] as const
  );
  return await withTree(Object.fromEntries(says), async (bin) => {
    for (const [name] of says) makeProgram(`${bin}/${name}`);
    const child = new Deno.Command(findProgram("sh"), {
      cwd: home,
      clearEnv: true,
      env: {
        HOME: home,
        PATH: options.tools === undefined ? `${bin}:${Deno.env.get("PATH")}` : bin,
        BMAD_MCP_BASE_URL: server.url,
        ...options.env,
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const output = child.output();
    const script = options.script ?? new TextDecoder().decode(served.get("install.sh"));
    const input = child.stdin.getWriter();
    await input.write(new TextEncoder().encode(script));
    await input.close();
    const { code, stdout, stderr } = await output;
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return {
      code,
      stdout: decode(stdout),
      stderr: decode(stderr),
      home: await listTree(home),
      asked: server.asked,
    };
  });
}

function findProgram(name: string): string {
  const folders = Deno.env.get("PATH")!.split(":");
  const found = folders.map((folder) => `${folder}/${name}`).find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`There is no ${name} here`);
  return found;
}

const NEEDED = ["uname", "grep", "mktemp", "tar", "gzip", "mkdir", "cp", "chmod", "mv", "rm", "sh"];
const LOADERS = ["curl", "wget"].filter(isHere);
const CHECKERS = ["sha256sum", "shasum"].filter(isHere);

function isHere(name: string): boolean {
  try {
    return findProgram(name) !== "";
  } catch {
    return false;
  }
}

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, ignore: Deno.build.os === "windows" });
}

const HERE = ownTarget();
const ARCHIVE = RELEASE.files.archive(HERE);
const installed = (target: Target) => [
  ".local/",
  ".local/bin/",
  `.local/bin/bmad-mcp ${programFor(target).length}`,
];

test(
  "install.sh installs the latest version and says what comes next [packaging:install-script]",
  async () => {
    const { code, stdout, stderr, home, asked } = await install();
    assert.equal(code, 0, stderr);
    assert.deepEqual(home, installed(HERE));
    assert.deepEqual(asked, ["/latest/download/SHA256SUMS", `/download/v${VERSION}/${ARCHIVE}`]);
    assert.match(stdout, new RegExp(`^Installed bmad-mcp ${VERSION} as /.*/\\.local/bin/bmad-mcp\n`));
    assert.match(stdout, /not on your PATH.*\n\n {4}export PATH="\/.*\/\.local\/bin:\$PATH"\n/);
    assert.match(stdout, /bmad-mcp install\n$/);
  },
);

test("install.sh takes a version and a folder, and is silent about PATH where the folder is on it", () =>
  withTree({}, async (home) => {
    const { code, stdout, stderr, asked } = await install({
      home,
      env: {
        BMAD_MCP_VERSION: `v${VERSION}`,
        BMAD_MCP_INSTALL_DIR: "my tools",
        PATH: `${home}/my tools:${Deno.env.get("PATH")}`,
      },
    });
    assert.equal(code, 0, stderr);
    assert.equal(await Deno.readTextFile(`${home}/my tools/bmad-mcp`), programFor(HERE));
    assert.equal((await Deno.stat(`${home}/my tools/bmad-mcp`)).mode! & 0o777, 0o755);
    assert.equal(asked[0], `/download/v${VERSION}/SHA256SUMS`);
    assert.doesNotMatch(stdout, /PATH/);
  }));

test("install.sh gets by with curl or wget, and with sha256sum or shasum", async () => {
  for (const [loader, checker] of LOADERS.flatMap((one) => CHECKERS.map((two) => [one, two] as const))) {
    const { code, stderr, home } = await install({ tools: [...NEEDED, loader, checker] });
    assert.deepEqual([code, home], [0, installed(HERE)], `${loader} and ${checker}: ${stderr}`);
  }
  const noLoader = await install({ tools: [...NEEDED, ...CHECKERS] });
  assert.match(noLoader.stderr, /^Cannot install bmad-mcp: curl or wget is required/m);
  const noChecker = await install({ tools: [...NEEDED, ...LOADERS] });
  assert.match(noChecker.stderr, /^Cannot install bmad-mcp: sha256sum or shasum is required/m);
  assert.deepEqual([noLoader.home, noChecker.home], [[], []]);
});

const WRONG: Readonly<Record<string, readonly [NonNullable<RunOptions["changed"]>, RegExp]>> = {
  "the archive is damaged": [{ [ARCHIVE]: "x".repeat(4_000) }, /does not match SHA256SUMS/],
  "the archive is missing": [{ [ARCHIVE]: undefined }, /could not download http.*\.tar\.gz/],
  "the checksums are missing": [{ SHA256SUMS: undefined }, /could not download http.*SHA256SUMS/],
  "no checksum names the archive": [
    { SHA256SUMS: `${"a".repeat(64)}  bmad-mcp-${VERSION}-plan9-x64.tar.gz\n` },
    /has no archive for/,
  ],
  "the checksums are a page of a proxy": [{ SHA256SUMS: "<html>Log in</html>\n" }, /has no archive for/],
};

const OLD = "#!/bin/sh\necho old\n";

test(
  "install.sh leaves what was there alone when anything is wrong [packaging:install-script]",
  async () => {
    const good = (await sharedRelease()).get(ARCHIVE)!;
    const broken = await buildRelease(() => "#!/bin/sh\nexit 3\n");
    const cases = {
      ...WRONG,
      "the archive is cut off": [
        { [ARCHIVE]: good.slice(0, good.length / 2) },
        /does not match SHA256SUMS/,
      ],
      "the program does not start": [Object.fromEntries(broken), /does not start on this machine/],
    } as typeof WRONG;
    for (const [name, [changed, message]] of Object.entries(cases)) {
      await withTree({ ".local/bin/bmad-mcp": OLD }, async (home) => {
        const before = await listTree(home);
        const { code, stdout, stderr, home: after } = await install({ changed, home });
        assert.deepEqual([code, stdout, after], [1, "", before], name);
        assert.match(stderr, /^Cannot install bmad-mcp: /m, name);
        assert.match(stderr, message, name);
      });
    }
  },
);

test("install.sh that was cut off anywhere does nothing [packaging:install-script]", async () => {
  const whole = new TextDecoder().decode((await sharedRelease()).get("install.sh"));
  for (let end = 0; end < whole.length - "main".length; end += 211) {
    const { home, asked } = await install({ script: whole.slice(0, end) });
    assert.deepEqual([home, asked], [[], []], `cut off after ${end} characters`);
  }
});

test("install.sh replaces an older program, also while it runs", () =>
  withTree({ ".local/bin/": "" }, async (home) => {
    const program = `${home}/.local/bin/bmad-mcp`;
    await Deno.copyFile(findProgram("sleep"), program);
    makeProgram(program);
    const child = new Deno.Command(program, { args: ["60"] }).spawn();
    const { code, stderr } = await install({ home });
    assert.equal(code, 0, stderr);
    assert.equal(await Deno.readTextFile(program), programFor(HERE));
    // It was alive until now, or it could not be ended by this.
    child.kill("SIGTERM");
    assert.equal((await child.status).signal, "SIGTERM");
  }));

/**
 * Stand-ins for gh and cosign: an attestation is a line of the archive's checksum, the workflow and the tag. Everything
 * that the real programs would compare is compared.
 */
const attested = (kind: "gh" | "cosign") => `
case $* in *--help*) echo "--source-ref --new-bundle-format"; exit ;; esac
said="$*"
while [ $# -gt 0 ]; do
  case $1 in
    --bundle) bundle=$2; shift ;;
    --source-ref) ref=$2; shift ;;
    --signer-workflow) workflow=$2; shift ;;
    --certificate-identity) identity=\${2#https://github.com/}; workflow=\${identity%@*}; ref=\${identity#*@}; shift ;;
    *.tar.gz) file=$1 ;;
  esac
  shift
done
case $said in ${
  kind === "gh"
    ? `"attestation verify "*"--repo ${REPOSITORY} "*"--deny-self-hosted-runners"`
    : `"verify-blob-attestation "*"--certificate-oidc-issuer https://token.actions.githubusercontent.com "*`
}) ;; *) exit 9 ;; esac
sum=$(sha256sum "$file" 2>/dev/null || shasum -a 256 "$file")
grep -qx "\${sum%% *} $workflow $ref" "$bundle" || { echo "no matching attestation"; exit 1; }`;

const WORKFLOW = `${REPOSITORY}/.github/workflows/release.yml`;
const BUNDLE = `bmad-mcp-${VERSION}.sigstore.json`;

async function sumOf(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))).toHex();
}

test(
  "install.sh verifies the attestation with gh or cosign, and says what it checked [packaging:verified]",
  async () => {
    const sum = await sumOf((await sharedRelease()).get(ARCHIVE)!);
    const good = { [BUNDLE]: `${sum} ${WORKFLOW} refs/tags/v${VERSION}\n` };
    for (const kind of ["gh", "cosign"] as const) {
      const says = { [kind]: attested(kind) };
      const { code, stderr, home } = await install({ says, changed: good });
      assert.deepEqual([code, home], [0, installed(HERE)], stderr);
      assert.match(
        stderr,
        new RegExp(`^Checked: SHA256SUMS, and with ${kind} that the release workflow built it for v`, "m"),
      );
      const bad: Readonly<Record<string, readonly [string | undefined, RegExp]>> = {
        "of another file": [
          `${"0".repeat(64)} ${WORKFLOW} refs/tags/v${VERSION}\n`,
          /does not accept the attestation/,
        ],
        "of an older tag": [`${sum} ${WORKFLOW} refs/tags/v0.0.1\n`, /does not accept the attestation/],
        "of a branch": [`${sum} ${WORKFLOW} refs/heads/v${VERSION}\n`, /does not accept the attestation/],
        "of another workflow": [
          `${sum} ${REPOSITORY}/.github/workflows/ci.yml refs/tags/v${VERSION}\n`,
          /does not accept/,
        ],
        "of a fork": [
          `${sum} mallory/${WORKFLOW.slice(8)} refs/tags/v${VERSION}\n`,
          /does not accept the attestation/,
        ],
        "missing": [undefined, /the release has no attestation .*; set BMAD_MCP_VERIFY=checksum/],
      };
      for (const [name, [bundle, message]] of Object.entries(bad)) {
        const refused = await install({ says, changed: { [BUNDLE]: bundle } });
        assert.deepEqual([refused.code, refused.home], [1, []], `${kind}: ${name}`);
        assert.match(refused.stderr, message, name);
      }
      const allowed = await install({ says, env: { BMAD_MCP_VERIFY: "checksum" } });
      assert.deepEqual([allowed.code, allowed.home], [0, installed(HERE)]);
      assert.match(allowed.stderr, /^Checked: SHA256SUMS only, as BMAD_MCP_VERIFY says$/m);
    }
    assert.match((await install()).stderr, /^Checked: SHA256SUMS only; install gh or cosign to verify/m);
    const required = await install({ env: { BMAD_MCP_VERIFY: "attestation" }, changed: good });
    assert.deepEqual([required.code, required.home], [1, []]);
    assert.match(required.stderr, /a recent gh or cosign is required/);
    assert.match((await install({ env: { BMAD_MCP_VERIFY: "no" } })).stderr, /unknown BMAD_MCP_VERIFY no/);
  },
);

test(
  "install.sh installs no other version than the one it was asked for [packaging:verified]",
  async () => {
    const { code, stderr, home } = await install({
      env: { BMAD_MCP_VERSION: VERSION },
      changed: {
        SHA256SUMS: `${"a".repeat(64)}  ${describeRelease(REPOSITORY, "0.0.1").files.archive(HERE)}\n`,
      },
    });
    assert.deepEqual([code, home], [1, []]);
    assert.match(stderr, new RegExp(`SHA256SUMS of version ${VERSION} is of version 0\\.0\\.1`));
  },
);

test(
  "install.sh downloads nothing without https, not even by a redirect [packaging:verified]",
  async () => {
    for (
      const url of [
        "http://example.org",
        "ftp://example.org",
        "http://127.0.0.1:80@example.org",
        "file:///tmp",
      ]
    ) {
      const { code, stderr, asked } = await install({ env: { BMAD_MCP_BASE_URL: url } });
      assert.deepEqual([code, asked], [1, []]);
      assert.match(stderr, /^Cannot install bmad-mcp: BMAD_MCP_BASE_URL .* must begin with https:\/\//m);
    }
    if (!canMakeCertificate()) return;
    const files = await sharedRelease();
    await withTree({}, async (dir) => {
      const certificate = makeCertificate(dir);
      await Deno.writeTextFile(`${dir}/wgetrc`, `ca_certificate = ${certificate.file}\n`);
      await using plain = serveRelease(files);
      await using right = serveRelease(files, { certificate });
      await using moved = serveRelease(files, { certificate, elsewhere: right.url });
      await using wrong = serveRelease(files, { certificate, elsewhere: plain.url });
      for (const loader of LOADERS) {
        const run = (url: string) =>
          install({
            tools: [...NEEDED, ...CHECKERS, loader],
            env: { BMAD_MCP_BASE_URL: url, CURL_CA_BUNDLE: certificate.file, WGETRC: `${dir}/wgetrc` },
          });
        for (const url of [right.url, moved.url]) {
          const { code, stderr, home } = await run(url);
          assert.deepEqual([code, home], [0, installed(HERE)], `${loader}: ${stderr}`);
        }
        const refused = await run(wrong.url);
        assert.deepEqual([refused.code, refused.home], [1, []], `${loader}: ${refused.stderr}`);
        assert.match(refused.stderr, /could not download https|redirects to an address without https/);
      }
    });
  },
);

const SYSTEMS: readonly (readonly [kernel: string, machine: string, translated: string, target: Target])[] = [
  ["Linux", "x86_64", "", "x86_64-unknown-linux-gnu"],
  ["Linux", "aarch64", "", "aarch64-unknown-linux-gnu"],
  ["Darwin", "x86_64", "0", "x86_64-apple-darwin"],
  ["Darwin", "arm64", "0", "aarch64-apple-darwin"],
  // A shell under Rosetta.
  ["Darwin", "x86_64", "1", "aarch64-apple-darwin"],
];

const uname = (kernel: string, machine: string) =>
  `case $1 in -s) echo ${kernel} ;; *) echo ${machine} ;; esac`;

test("install.sh takes the archive for the machine", async () => {
  for (const [kernel, machine, translated, target] of SYSTEMS) {
    const says = { uname: uname(kernel, machine), sysctl: `echo ${translated}`, ldd: "echo glibc" };
    const { stderr, home } = await install({ says });
    assert.deepEqual(home, installed(target), stderr);
    assert.match(stderr, new RegExp(`for ${TARGETS[target].os}-${TARGETS[target].arch}\n`));
  }
});

test("install.sh refuses systems that there is no binary for, before it downloads anything", async () => {
  const refused: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ uname: uname("FreeBSD", "amd64") }, /unsupported system FreeBSD/],
    [{ uname: uname("MINGW64_NT-10.0", "x86_64") }, /on Windows use install\.ps1/],
    [{ uname: uname("Linux", "armv7l"), ldd: "echo glibc" }, /unsupported processor armv7l/],
    [
      { uname: uname("Linux", "x86_64"), ldd: "echo 'musl libc (x86_64)' >&2; exit 1" },
      /this system has musl/,
    ],
  ];
  for (const [says, message] of refused) {
    const { code, stderr, home, asked } = await install({ says });
    assert.deepEqual([code, home, asked], [1, [], []], stderr);
    assert.match(stderr, message);
  }
});
