/** What does a repository cost that is small to send, and huge once it is unpacked? */
import assert from "node:assert/strict";
import { problemOf, withCache } from "../../support/copies.ts";
import { commitTree, type TreeEntry, writeObject, writeTree } from "../../support/git_objects.ts";
import { canServeGit } from "../../support/git.ts";
import { withServer } from "../../support/git_server.ts";
import { SAFE_PATHS, UNSAFE_PAIRS, UNSAFE_PATHS } from "../../support/unsafe_names.ts";
import { listTree } from "../../support/trees.ts";
import { checkTree } from "../../../src/content/repositories/fetching.ts";

const EMPTY = new Uint8Array();
const [SMALL, LARGE] = [50_000_000, 512 << 20];

/** A tree of `levels` levels whose every folder has ten names for the next: 10^levels of what `leaf` makes. */
function nest(repository: string, levels: number, leaf: TreeEntry): string {
  let tree = writeTree(repository, [leaf]);
  for (let level = 1; level <= levels; level++) {
    tree = writeTree(
      repository,
      Array.from({ length: 10 }, (_, at): TreeEntry => ["folder", `d${at}`, tree]),
    );
  }
  return tree;
}

/** Repositories of a few kilobytes, each with the reason for its refusal. */
const BOMBS: Readonly<
  Record<string, readonly [make: (repository: string) => string, maxSize: number, reason: string]>
> = {
  "a trillion folders without a file": [
    (at) => nest(at, 12, ["folder", "d", writeTree(at, [])]),
    LARGE,
    "the repository has more than 100000 files and folders",
  ],
  "a thousand names for one large file": [
    (at) => nest(at, 3, ["file", "f", writeObject(at, "blob", new Uint8Array(1_000_000))]),
    SMALL,
    "the repository is larger than the maximum git size of 50000000 bytes",
  ],
  "empty files that take more space than they have bytes": [
    (at) => nest(at, 4, ["file", "f", writeObject(at, "blob", EMPTY)]),
    SMALL,
    "the repository is larger than the maximum git size of 50000000 bytes",
  ],
  "one enormous file": [
    (at) => writeTree(at, [["file", "f", writeObject(at, "blob", new Uint8Array(60_000_000))]]),
    SMALL,
    "the repository is larger than the maximum git size of 50000000 bytes",
  ],
  "folders in folders": [
    (at) => {
      let tree = writeTree(at, [["file", "f", writeObject(at, "blob", EMPTY)]]);
      for (let level = 0; level < 600; level++) tree = writeTree(at, [["folder", "d", tree]]);
      return tree;
    },
    LARGE,
    "the repository has a path of more than 1000 bytes",
  ],
  "a name of a megabyte": [
    (at) => writeTree(at, [["file", "f".repeat(1_000_000), writeObject(at, "blob", EMPTY)]]),
    LARGE,
    "the repository has a path of more than 1000 bytes",
  ],
};

Deno.test("a repository that unpacks to too much is refused before a file exists [git:bombs]", async (t) => {
  for (const [name, [make, maxSize, reason]] of Object.entries(BOMBS)) {
    await t.step(name, () =>
      withCache(async ({ team, fetch, rules }) => {
        commitTree(team, make(team.folder));
        assert.equal(problemOf(await fetch(team.address)), reason);
        const left = await listTree(rules.cache);
        assert.deepEqual(left.filter((name) => !/^\.work\/($|[^/]+\.(lock|failed\.json) )/.test(name)), []);
        // The next commit is fetched as if nothing had happened.
        commitTree(
          team,
          writeTree(team.folder, [["file", "one.md", writeObject(team.folder, "blob", EMPTY)]]),
        );
        assert.equal((await fetch(team.address, { force: true })).outcome, "fetched");
      }, { maxSize, timeout: 60_000 }));
  }
});

Deno.test({
  name: "git cannot use more memory than its limit [git:bombs]",
  ignore: Deno.build.os !== "linux" || !canServeGit(),
  fn: async () => {
    await withServer(async ({ address, fetch, team }) => {
      team.commit({ "one.md": "second" });
      const problem = problemOf(await fetch(address));
      assert.match(problem, /^the repository needs more than the 1024 MiB of memory that git may use \(/);
    }, {
      between: async (request, give) => {
        const answer = await give();
        if (!new URL(request.url).pathname.endsWith("/git-upload-pack")) return answer;
        const bytes = new Uint8Array(await answer.arrayBuffer());
        const isPack = new TextDecoder("latin1").decode(bytes).includes("PACK");
        return new Response(isPack ? hugeTree() : bytes, { headers: answer.headers });
      },
    });
  },
});

/** An answer with a pack of one object: a tree of three gigabytes, which git holds in memory as a whole. */
function hugeTree(): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const size = 3 * 2 ** 30;
  // The lowest four bits go with the type, a tree; then seven bits a byte, each but the last with its highest bit set.
  const header = [0x80 | (2 << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header.push((rest & 127) | (rest >= 128 ? 0x80 : 0));
  }
  const pack = [...encoder.encode("PACK"), 0, 0, 0, 2, 0, 0, 0, 1, ...header, 0x78, 0x01];
  const length = (pack.length + 5).toString(16).padStart(4, "0");
  return new Uint8Array([
    ...encoder.encode(`000dpackfile\n${length}`),
    1,
    ...pack,
    ...encoder.encode("0000"),
  ]);
}

Deno.test("a name with a meaning on Windows refuses the commit [git:bombs]", async () => {
  const row = (path: string) => `100644 blob ${"0".repeat(40)}       2\t${path}\0`;
  const bytesOf = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));
  const check = (...paths: readonly string[]) =>
    checkTree(async (_, take) => await take(bytesOf(paths.map(row).join(""))), "HEAD", LARGE);
  await check(...SAFE_PATHS);
  // Git ends a name with a zero, and a tab before it.
  for (
    const path of UNSAFE_PATHS.filter((path) => !/[\0\t\uD800-\uDFFF]/u.test(path) && path.length <= 1_000)
  ) {
    await assert.rejects(() => check("README.md", path), /unsafe name/, path);
  }
  for (const pair of UNSAFE_PAIRS) {
    await assert.rejects(() => check(...pair), /unsafe name/, pair.join(" "));
  }
});
