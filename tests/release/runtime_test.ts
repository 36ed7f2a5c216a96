/** Is the runtime that goes into binaries the one that was published, and is everything in a release listed? */
import assert from "node:assert/strict";
import { zipSync } from "fflate";
import { fixFileRoot } from "../../.github/release/file_root.ts";
import { fetchRuntime } from "../../.github/release/runtime.ts";
import { padForLargePages } from "../../.github/release/large_pages.ts";
import { renderSbom } from "../../.github/release/sbom.ts";
import { temporaryFolder } from "../../.github/release/deno.ts";
import { ownTarget, programName, type Target } from "../../.github/release/targets.ts";
import { PRODUCT } from "../../src/base/model.ts";
import { standIn } from "../support/payload.ts";
import { treeTest, withTree } from "../support/trees.ts";

const LINUX = "x86_64-unknown-linux-gnu";
const WINDOWS = "x86_64-pc-windows-msvc";

function publish(target: Target, zip: Uint8Array<ArrayBuffer>, sums: (sum: string) => string) {
  const path = `/v${Deno.version.deno}/denort-${target}.zip`;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === path) return new Response(zip);
    if (pathname !== `${path}.sha256sum`) return new Response("Not found", { status: 404 });
    return new Response(sums(new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex()));
  });
  return {
    from: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const ROOT_NAME = "\rdeno-compile-\xc0\0";
const FIXED_NAME = "\r/denocompile-\xc0\0";

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const textOf = (bytes: Uint8Array) => String.fromCharCode(...bytes);

const zipOf = (target: Target, program = bytesOf(`a runtime ${ROOT_NAME}`)) =>
  new Uint8Array(zipSync({ [programName(target, "denort")]: program }));

Deno.test("a runtime is used only if it has the checksum that was published [packaging:verified]", () =>
  withTree({}, async (dir) => {
    const forms: readonly (readonly [Target, (sum: string) => string])[] = [
      [LINUX, (sum) => `${sum}  denort-${LINUX}.zip\n`],
      // What PowerShell prints.
      [
        WINDOWS,
        (sum) => `\r\nAlgorithm : SHA256\r\nHash      : ${sum.toUpperCase()}\r\nPath      : D:\\a\r\n`,
      ],
    ];
    for (const [target, sums] of forms) {
      await using published = publish(target, zipOf(target), sums);
      const file = await fetchRuntime(target, `${dir}/${target}`, published);
      assert.equal(file, `${dir}/${target}/${programName(target, "denort")}`);
      const name = target === WINDOWS ? ROOT_NAME : FIXED_NAME;
      assert.equal(textOf(await Deno.readFile(file)), `a runtime ${name}`);
      if (Deno.build.os !== "windows") {
        assert.equal((await Deno.stat(file)).mode! & 0o777, 0o755);
      }
    }
    const refusals: readonly (readonly [sums: string, message: RegExp])[] = [
      [`${"0".repeat(64)}  denort.zip\n`, /its SHA-256 is [\da-f]{64}, but 0{64} was published/],
      ["Not found", /its checksum file has no SHA-256/],
      [`${"0".repeat(64)}\n${"1".repeat(64)}\n`, /its checksum file has no SHA-256/],
    ];
    for (const [sums, message] of refusals) {
      await using published = publish(LINUX, zipOf(LINUX), () => sums);
      await assert.rejects(fetchRuntime(LINUX, `${dir}/refused`, published), message);
    }
    await using other = publish(WINDOWS, zipOf(WINDOWS), (sum) => sum);
    await assert.rejects(fetchRuntime(LINUX, `${dir}/refused`, other), /^Error: Cannot download .*: 404/);
    await assert.rejects(Deno.stat(`${dir}/refused`), Deno.errors.NotFound);
  }));

async function pagesOf(
  path: string,
  size: number,
): Promise<readonly (readonly [first: number, last: number])[]> {
  const view = new DataView((await Deno.readFile(path)).buffer);
  assert.equal(view.getUint32(0), 0x7f454c46, "not a program for Linux");
  const long = (at: number) => Number(view.getBigUint64(at, true));
  return Array.from(
    { length: view.getUint16(56, true) },
    (_, at) => long(32) + at * view.getUint16(54, true),
  ).filter((at) => view.getUint32(at, true) === 1).map((at) => {
    const [offset, address, memory] = [long(at + 8), long(at + 16), long(at + 40)];
    assert.equal(offset % size, address % size, "the file cannot be mapped there");
    return [Math.floor(address / size), Math.floor((address + memory - 1) / size)] as const;
  }).toSorted(([a], [b]) => a - b);
}

treeTest("segments of an arm64 binary share no page [binary:large-pages]", { "main.ts": "" }, async (dir) => {
  const target = "aarch64-unknown-linux-gnu";
  const deno = await standIn(target);
  assert.ok(deno !== undefined, "npm does not give it");
  const runtime = await Deno.readFile(deno);
  padForLargePages(runtime);
  await Deno.writeFile(`${dir}/denort`, runtime, { mode: 0o755 });
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["compile", "--quiet", "--no-check", "--target", target, "--output", "out", "main.ts"],
    cwd: dir,
    env: { DENORT_BIN: `${dir}/denort` },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  for (const size of [4_096, 16_384, 65_536]) {
    const pages = await pagesOf(`${dir}/out`, size);
    assert.ok(pages.length > 2);
    for (const [at, [first]] of pages.entries()) {
      assert.ok(at === 0 || first > pages[at - 1]![1], `pages of ${size} bytes: segment ${at}`);
    }
  }
  assert.throws(() => padForLargePages(new TextEncoder().encode("a runtime")), /not a program for Linux/);
});

Deno.test("the folder of a binary's files is fixed, or the build stops [binary:tmpdir]", () => {
  const others = "deno-compile \rdeno-compile \ndeno-compile-\xc0\0 \rdeno-compile-\xc1\0";
  const runtime = bytesOf(`${others}${ROOT_NAME}\x0d${others}`);
  fixFileRoot(runtime);
  assert.equal(textOf(runtime), `${others}${FIXED_NAME}\x0d${others}`);
  for (
    const [text, times] of [[others, 0], [ROOT_NAME + ROOT_NAME, 2], [ROOT_NAME.slice(0, -1), 0]] as const
  ) {
    const bytes = bytesOf(text);
    assert.throws(
      () => fixFileRoot(bytes),
      new RegExp(`has its name ${times} times, not once\\. Look in Deno's`),
    );
    assert.equal(textOf(bytes), text);
  }
});

const ASSEMBLY = {
  x86_64: `mov $1, %eax; mov $1, %edi; lea text(%rip), %rsi; mov $16, %edx; syscall
    mov $60, %eax; xor %edi, %edi; syscall`,
  aarch64: `mov x8, #64; mov x0, #1; adr x1, text; mov x2, #16; svc #0
    mov x8, #93; mov x0, #0; svc #0`,
};

async function assemble(dir: string): Promise<Uint8Array<ArrayBuffer>> {
  const symbols = Array.from({ length: 1_000 }, (_, at) => `symbol_number_${at}: .byte 0`).join("\n");
  const text = `.ascii "\\rdeno-compile-"; .byte 0xc0, 0`;
  await Deno.writeTextFile(
    `${dir}/a.s`,
    `.globl _start\n_start: ${ASSEMBLY[Deno.build.arch]}\ntext: ${text}\n.data\n${symbols}\n`,
  );
  for (const [command, ...args] of [["as", "-o", "a.o", "a.s"], ["ld", "-o", "a", "a.o"]] as const) {
    const { success, stderr } = await new Deno.Command(command, { args, cwd: dir }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
  }
  return await Deno.readFile(`${dir}/a`);
}

const HAS_BINUTILS = Deno.build.os === "linux" &&
  ["as", "ld", "strip"].every((name) =>
    (Deno.env.get("PATH") ?? "").split(":").some((folder) => isFile(`${folder}/${name}`))
  );

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

Deno.test("a stripped, changed runtime still runs [binary:stripped]", { ignore: !HAS_BINUTILS }, async () => {
  await withTree({}, async (dir) => {
    const target = ownTarget();
    const program = await assemble(dir);
    await using published = publish(target, zipOf(target, program), (sum) => sum);
    const whole = await fetchRuntime(target, `${dir}/whole`, published);
    const file = await fetchRuntime(target, `${dir}/stripped`, { ...published, strip: true });
    const stripped = await Deno.readFile(file);
    assert.match(textOf(await Deno.readFile(whole)), /symbol_number_999\0/);
    assert.doesNotMatch(textOf(stripped), /symbol_number_/);
    assert.ok(stripped.length < program.length / 5, `${stripped.length} of ${program.length}`);
    for (const path of [whole, file]) {
      const { code, stdout } = await new Deno.Command(path).output();
      assert.deepEqual([code, textOf(stdout)], [0, FIXED_NAME]);
    }
  });
});

Deno.test("the bill of materials lists packages, content and runtime [packaging:sbom]", async () => {
  const packages = [{ name: "smol-toml", version: "1.9.1" }, { name: "@clack/core", version: "1.6.0" }];
  const text = await renderSbom(packages);
  assert.equal(await renderSbom(packages), text);
  const { bomFormat, specVersion, metadata, components } = JSON.parse(text);
  assert.deepEqual([bomFormat, specVersion], ["CycloneDX", "1.6"]);
  assert.deepEqual([metadata.component.name, metadata.component.version], ["bmad-mcp", PRODUCT.version]);
  const named = (name: string) => components.find((one: { name: string }) => one.name === name);
  assert.deepEqual(named("@clack/core").purl, "pkg:npm/%40clack/core@1.6.0");
  assert.deepEqual(named("smol-toml").licenses, [{ license: { id: "BSD-3-Clause" } }]);
  assert.match(named("smol-toml").hashes[0].content, /^[\da-f]{128}$/);
  assert.equal(named("Deno").version, Deno.version.deno);
  assert.equal(named("V8").version, Deno.version.v8);
  assert.equal(named("bmad-method-test-architecture-enterprise").type, "data");
  assert.match(named("bmad-method-test-architecture-enterprise").hashes[0].content, /^[\da-f]{128}$/);
  const refs = components.map((one: Record<string, unknown>) => one["bom-ref"]);
  assert.equal(new Set(refs).size, refs.length);
});

Deno.test("an empty or relative TMPDIR does not move what a build writes", () => {
  const before = Deno.env.get("TMPDIR");
  try {
    for (const folder of ["", "tmp", "./x"]) {
      Deno.env.set("TMPDIR", folder);
      assert.match(temporaryFolder(), /^(?:\/|[A-Za-z]:\\)/);
    }
  } finally {
    if (before === undefined) Deno.env.delete("TMPDIR");
    else Deno.env.set("TMPDIR", before);
  }
});
