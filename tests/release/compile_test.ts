/** What is in a binary? */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { binaryFlags } from "../../.github/release/binary_rights.ts";
import { compileTarget } from "../../.github/release/compile.ts";
import { explainFailure } from "../../.github/release/runtime.ts";
import { CODE, CONTENT, listContent, REPOSITORY } from "../../.github/release/stage.ts";
import { ownTarget, programName, type Target, TARGET_NAMES, TARGETS } from "../../.github/release/targets.ts";
import { type Payload, readPayload, standIn } from "../support/payload.ts";
import { COMMIT, sharedBundle } from "../support/bundle.ts";
import { listTree, withTree } from "../support/trees.ts";
import { grantedVariables } from "../support/variables.ts";

const OWN = ownTarget();
const CHECKED = TARGET_NAMES.filter((target) =>
  target === OWN || Deno.build.os === "linux" && target === "x86_64-pc-windows-msvc"
);

/** In bytes: all that a binary has beside the runtime. */
const MAX_PAYLOAD = 32_500_000;

const DRIVES = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `${letter}:\\`);

/** Everything that a binary may do. A right that is not here must not be there. */
function wantedRights(target: Target): Record<string, unknown> {
  const disk = TARGETS[target].os === "windows" ? DRIVES : ["/"];
  return {
    // Only a task of a checkout has to be told the folder of its caller.
    allow_env: grantedVariables().filter((name) => name !== "INIT_CWD").toSorted(),
    deny_env: null,
    ignore_env: [],
    // An empty list is everything: given up by src/process/rights.ts once the socket of --http is open.
    allow_net: [],
    deny_net: null,
    allow_ffi: null,
    deny_ffi: null,
    allow_read: disk,
    deny_read: null,
    ignore_read: null,
    allow_run: ["git", "bash"],
    deny_run: null,
    allow_sys: null,
    deny_sys: null,
    allow_write: disk,
    deny_write: null,
    // No such host can exist; an empty list cannot be written, and no list means seven hosts.
    allow_import: ["none.invalid:443"],
    deny_import: null,
    prompt: false,
  };
}

/** All else that the compiler writes down: nothing of this machine, nothing that is switched on. */
const WANTED_SETTINGS = {
  argv: [],
  seed: null,
  code_cache_key: null,
  location: null,
  v8_flags: [
    "UNUSED_BUT_NECESSARY_ARG0",
    "--stack-size=1024",
    "--inspector-live-edit",
    "--external-memory-max-reasonable-size=0",
    "--min-semi-space-size=3",
    "--max-semi-space-size=6",
    "--initial-old-space-size=64",
    "--expose-gc",
  ],
  // Where there is no git, Deno would tell so at every start.
  log_level: "ERROR",
  ca_stores: null,
  ca_data: null,
  unsafely_ignore_certificate_errors: null,
  env_vars_from_env_file: {},
  workspace_resolver: {
    import_map: null,
    jsr_pkgs: [],
    package_jsons: {},
    pkg_json_resolution: "Enabled",
    catalogs: {},
  },
  entrypoint_key: "bmad-mcp.js",
  preload_modules: [],
  require_modules: [],
  node_modules: null,
  unstable_config: {
    legacy_flag_enabled: false,
    detect_cjs: false,
    lazy_dynamic_imports: false,
    raw_imports: false,
    sloppy_imports: false,
    npm_lazy_caching: false,
    tsgo: false,
    features: [],
  },
  otel_config: {
    tracing_enabled: false,
    metrics_enabled: false,
    console: "Ignore",
    deterministic_prefix: null,
    propagators: [],
  },
  app_name: "bmad-mcp",
};

const ALLOWED =
  /^(bmad-mcp\.js|chunks\/[a-z_]+-\d+\.js|bmad-embedded\/content\/(build\.json|licenses\.txt|(latest|v4)(\.files|\.words)?\.json|memory\/[\w.-]+|blobs\/[0-9a-f]{64}))$/;

Deno.test("a binary has its rights and content alone [binary:rights, binary:contents]", async (t) => {
  const bundle = await sharedBundle();
  const runtimes = await Promise.all(CHECKED.map(standIn));
  for (const [i, target] of CHECKED.entries()) {
    const runtime = runtimes[i];
    if (runtime === undefined) {
      await t.step({ name: `${target}: SKIPPED, npm does not give its Deno`, ignore: true, fn: () => {} });
      continue;
    }
    await t.step(target, () =>
      withTree({}, async (dir) => {
        const file = `${dir}/${programName(target)}`;
        await compileTarget(bundle.folder, target, file, runtime);
        const payload = readPayload(await Deno.readFile(file));
        checkSettings(payload, target);
        await checkFiles(payload, bundle.folder);
        assert.ok(payload.size <= MAX_PAYLOAD, `${payload.size}`);
      }));
  }
});

Deno.test("a binary for another platform has the rights of those that are looked at [binary:rights]", () => {
  for (const target of TARGET_NAMES) {
    const alike = TARGETS[target].os === "windows" ? "x86_64-pc-windows-msvc" : "x86_64-unknown-linux-gnu";
    assert.deepEqual(binaryFlags(target), binaryFlags(alike), target);
  }
});

function checkSettings({ settings }: Payload, target: Target): void {
  // Follows from the disk of whoever compiles.
  const { permissions, vfs_case_sensitivity: _, ...others } = settings as {
    permissions: Record<string, unknown> & { allow_env: string[] };
  } & Record<string, unknown>;
  permissions.allow_env.sort();
  assert.deepEqual(permissions, wantedRights(target));
  assert.deepEqual(others, WANTED_SETTINGS);
}

async function checkFiles({ files, counts }: Payload, folder: string): Promise<void> {
  assert.deepEqual(counts, { npm: 0, aliases: 0, remote: 0 });
  assert.deepEqual(files.map(({ path }) => path).filter((path) => !ALLOWED.test(path)), []);

  // Every file of the content is there with the bytes that its name or its original promise, and no other.
  const content = `${REPOSITORY}/${CONTENT}`;
  const found = new Map(files.map((file) => [file.path, file]));
  const wanted = await listContent(content);
  const made = [`${CONTENT}/build.json`, `${CONTENT}/licenses.txt`];
  const code = (await listTree(folder)).map((line) => line.split(" ")[0]!).filter((path) =>
    /\.js$/.test(path)
  );
  assert.deepEqual(
    [...found.keys()].sort(),
    [...wanted.map((path) => `${CONTENT}/${path}`), ...made, ...code].sort(),
  );
  for (const path of wanted) {
    const { bytes, hash } = found.get(`${CONTENT}/${path}`)!;
    if (path.startsWith("blobs/")) assert.equal(hash, path.slice("blobs/".length));
    else {
      const original = await Deno.readFile(`${content}/${path}`);
      assert.ok(Buffer.compare(bytes, original) === 0, `${path} is not what was built`);
    }
  }
  const stamp = new TextDecoder().decode(found.get(`${CONTENT}/build.json`)!.bytes);
  assert.deepEqual(JSON.parse(stamp), { commit: COMMIT });
  // A file's time would tell when, and so would differ each time.
  assert.deepEqual([...new Set(files.map(({ time }) => time))], [Date.UTC(2000, 0, 1)]);
}

Deno.test("a file that deno compile did not make has no payload", () => {
  const bytes = new TextEncoder().encode(`a program with the mark d3n0l4nd in it, ${"x".repeat(100)}`);
  assert.throws(
    () => readPayload(bytes),
    /^Error: Cannot find a payload: not a binary built by deno compile/,
  );
});

Deno.test("a build without a runtime says what is missing [binary:runtime-missing]", async (t) => {
  await withTree(
    {
      "stage/bmad-mcp.js": "",
      [`stage/${CODE}/a.js`]: "",
      [`stage/${CONTENT}/a`]: "",
      "text": "no program",
      "deno/": "",
    },
    async (dir) => {
      const attempt = (runtime: string) => compileTarget(`${dir}/stage`, OWN, `${dir}/out`, runtime);
      await t.step("DENORT_BIN names nothing", () =>
        assert.rejects(attempt(`${dir}/none`), {
          message: `Cannot compile for ${OWN}: ${dir}/none does not exist. Set DENORT_BIN to denort of ` +
            `Deno ${Deno.version.deno} for this platform`,
        }));
      await t.step("DENORT_BIN names another kind of file", () =>
        assert.rejects(attempt(`${dir}/text`), {
          message: `Cannot compile for ${OWN}: ${dir}/text is not a program for this platform. ` +
            `Set DENORT_BIN to denort for ${OWN}`,
        }));
      // Nobody listens at that port, so nothing can be fetched through it.
      await t.step("there is none, and none can be fetched", async () => {
        const { code, stderr } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "--allow-all", `${REPOSITORY}/.github/release/compile.ts`],
          env: { HTTPS_PROXY: "http://127.0.0.1:9", DENORT_BIN: "", NO_COLOR: "1" },
        }).output();
        assert.equal(code, 1);
        assert.match(
          new TextDecoder().decode(stderr),
          /^Cannot download https:[^\n]*set DENORT_BIN to denort/,
        );
      });
    },
  );
  assert.equal(explainFailure(OWN, "the disk is full", "/x"), `Cannot compile for ${OWN}: the disk is full`);
});
