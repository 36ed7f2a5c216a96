/** Does an archive from strangers unpack to plain files in its folder, or to nothing? */
import assert from "node:assert/strict";
import { chanceFrom } from "../../support/chance.ts";
import { ArchiveError, unpackArchive } from "../../../src/content/repositories/archive.ts";
import { UNSAFE_PAIRS, UNSAFE_PATHS } from "../../support/unsafe_names.ts";
import { gzip, packageOf, paxOf, type TarEntry, tarOf, tgzOf } from "../../support/tar.ts";
import { listTree, withTree } from "../../support/trees.ts";

const MAX = 1 << 20;

/** Unpacks into an empty folder that has a neighbour; what is left, or why it was refused. */
function unpack(bytes: Uint8Array<ArrayBuffer>, maxSize = MAX) {
  return withTree({ "in/": "", "neighbour.txt": "Mine.\n" }, async (dir) => {
    const outcome = await unpackArchive(bytes, `${dir}/in`, { maxSize }).then(
      (root) => root.slice(dir.length),
      (error) => error instanceof ArchiveError ? error : Promise.reject(error),
    );
    const all = await listTree(dir);
    assert.deepEqual(all.filter((path) => !path.startsWith("in/")), ["neighbour.txt 6"]);
    assert.equal(await Deno.readTextFile(`${dir}/neighbour.txt`), "Mine.\n");
    assert.deepEqual(all.filter((path) => path.includes("->")), []);
    return { outcome, files: all.filter((path) => path.startsWith("in/")) };
  });
}

Deno.test("an honest archive is unpacked as it is [add:archives]", async () => {
  const long = `package/${"deep/".repeat(30)}file.md`;
  const { outcome, files } = await unpack(
    await tgzOf([
      { path: "package", type: "5" },
      { path: "package/package.json", data: "{}" },
      { path: "./package/skills/a/SKILL.md", data: "# A\n" },
      { path: "package/skills/a/empty.md" },
      { path: "pax_global_header", type: "g", data: "19 comment=12345678\n" },
      paxOf({ path: "package/ünder.md", mtime: "1.5" }),
      { path: "package/under.md", data: "x".repeat(1_500) },
      { path: "././@LongLink", type: "L", data: `${long}\0` },
      { path: long.slice(0, 99), data: "Long.\n" },
    ]),
  );
  assert.equal(outcome, "/in/package");
  assert.deepEqual(
    files.filter((path) => !path.endsWith("/")).sort(),
    [
      `in/${long} 6`,
      "in/package/package.json 2",
      "in/package/skills/a/SKILL.md 4",
      "in/package/skills/a/empty.md 0",
      "in/package/ünder.md 1500",
    ].sort(),
  );
});

Deno.test("an archive without empty blocks at its end is unpacked [add:archives]", async () => {
  const { outcome, files } = await unpack(await gzip(tarOf([HONEST]).slice(0, 1_024)));
  assert.equal(outcome, "/in/package");
  assert.deepEqual(files.filter((path) => !path.endsWith("/")), ["in/package/package.json 2"]);
});

const HONEST: TarEntry = { path: "package/package.json", data: "{}" };

/** Archives that must be refused, and why. */
const HOSTILE: Readonly<Record<string, readonly [reason: RegExp, ...entries: TarEntry[]]>> = {
  "a symbolic link": [/a link, "package\/x"/, HONEST, {
    path: "package/x",
    type: "2",
    link: "../../neighbour.txt",
  }],
  "a hard link": [/a link/, HONEST, { path: "package/x", type: "1", link: "package/package.json" }],
  "a link with a long target": [/a link/, HONEST, {
    path: "././@LongLink",
    type: "K",
    data: "/etc/passwd\0",
  }],
  "a device": [/neither a file nor a folder/, HONEST, { path: "package/x", type: "3" }],
  "a sparse file": [/neither a file nor a folder/, HONEST, { path: "package/x", type: "S", data: "x" }],
  "the label of a volume": [/neither a file nor a folder/, HONEST, { path: "package/x", type: "V" }],
  "a pipe": [/neither a file nor a folder/, HONEST, { path: "package/x", type: "6" }],
  "an absolute name": [/unsafe name/, { path: "/neighbour.txt", data: "Evil." }],
  "a name that climbs": [/unsafe name/, { path: "../neighbour.txt", data: "Evil." }],
  "a name that climbs later": [/unsafe name/, HONEST, {
    path: "package/a/../../../neighbour.txt",
    data: "Evil.",
  }],
  "a folder that climbs": [/unsafe name/, HONEST, { path: "package/../..", type: "5" }],
  "a backslash": [/unsafe name/, HONEST, { path: "package\\..\\..\\x", data: "Evil." }],
  "a drive": [/unsafe name/, { path: "C:/x", data: "Evil." }],
  // A final slash only says that it is a folder, a tar header ends with a zero, and half a character is no UTF-8.
  ...Object.fromEntries(
    UNSAFE_PATHS.filter((name) => name !== "" && name !== "a/" && !/[\0\uD800-\uDFFF]/u.test(name)).map((
      name,
    ) => [
      `an unsafe name, ${JSON.stringify(name)}`,
      [/unsafe name/, HONEST, paxOf({ path: `package/${name}` }), { path: "package/x", data: "Evil." }],
    ]),
  ),
  ...Object.fromEntries(
    UNSAFE_PAIRS.map(([one, other]) => [
      `two names for one file, ${one} and ${other}`,
      [
        /unsafe name/,
        HONEST,
        ...[one, other].flatMap((
          name,
        ) => [paxOf({ path: `package/${name}` }), { path: "package/x", data: "" }]),
      ],
    ]),
  ),
  "an empty part of a name": [/unsafe name/, HONEST, { path: "package//x", data: "Evil." }],
  "a described name that climbs": [/unsafe name/, paxOf({ path: "package/../../x" }), HONEST],
  "a long name that climbs": [/unsafe name/, { path: "L", type: "L", data: "../../x\0" }, HONEST],
  "a path that is too long": [
    /more than 1000 bytes/,
    paxOf({ path: `package/${"a".repeat(1_000)}` }),
    HONEST,
  ],
  "a description that is too long": [
    /too long a description/,
    paxOf({ comment: "x".repeat(70_000) }),
    HONEST,
  ],
  "descriptions without an end": [/too long a description/, ...Array(6).fill(paxOf({ mtime: "1" })), HONEST],
  "a broken description": [/damaged/, { path: "x", type: "x", data: "99 path=a\n" }, HONEST],
  "the same file twice": [/twice/, HONEST, HONEST],
  "a file as a folder": [/twice/, HONEST, { path: "package/package.json/x", data: "" }],
  "a folder as a file": [/twice/, { path: "package/a/b", data: "" }, { path: "package/a", data: "" }],
  "several folders": [/one folder/, HONEST, { path: "other/x", data: "" }],
  "a file at the top": [/one folder/, { path: "x", data: "" }],
  "a size beyond the limit": [/maximum git size/, { path: "package/x", size: 8 ** 11 - 1 }],
  "a described size beyond the limit": [/maximum git size/, paxOf({ size: "99999999999" }), {
    path: "package/x",
  }],
  "a size that is no number": [/damaged/, paxOf({ size: "-1" }), HONEST],
  "too many files": [
    /maximum git size/,
    ...Array.from({ length: 300 }, (_, at) => ({ path: `package/${at}` })),
  ],
  "a wrong checksum": [/damaged/, { ...HONEST, badSum: true }],
  "nothing": [/empty/],
};

Deno.test("a hostile archive is refused and leaves nothing outside [add:archives]", async () => {
  for (const [name, [reason, ...entries]] of Object.entries(HOSTILE)) {
    const { outcome } = await unpack(await tgzOf(entries));
    assert.match(
      outcome instanceof ArchiveError ? outcome.message : `unpacked to ${outcome}`,
      reason,
      name,
    );
  }
});

Deno.test("an archive that is not one, cut off or a bomb is refused [add:archives]", async () => {
  const honest = await packageOf({ "a.md": "x".repeat(5_000) });
  const zeros = await gzip(tarOf([{ path: "package/x", data: new Uint8Array(64 << 20) }]));
  const table: readonly (readonly [bytes: Uint8Array<ArrayBuffer>, reason: RegExp])[] = [
    [new TextEncoder().encode("No archive at all."), /not a \.tgz archive/],
    [new Uint8Array(), /not a \.tgz archive|empty/],
    [honest.subarray(0, honest.length - 20) as Uint8Array<ArrayBuffer>, /damaged|middle/],
    [await gzip(tarOf([{ path: "package/x", size: 5_000 }]).slice(0, 1_024)), /middle/],
    [zeros, /maximum git size of 1048576 bytes/],
  ];
  assert.ok(zeros.length < 100_000);
  for (const [bytes, reason] of table) {
    const { outcome } = await unpack(bytes);
    assert.match(outcome instanceof ArchiveError ? outcome.message : `unpacked to ${outcome}`, reason);
  }
});

Deno.test("no damaged archive does anything but unpack or be refused [add:archives]", async () => {
  const seed = 20_261_116;
  const { below: pick } = chanceFrom(seed);
  const tar = tarOf([
    HONEST,
    paxOf({ path: "package/long/name.md" }),
    { path: "package/x", data: "Text.\n" },
    { path: "package/sub", type: "5" },
    { path: "package/sub/y", data: "More.\n" },
  ]);
  let refused = 0;
  for (let round = 0; round < 150; round++) {
    const bytes = tar.slice();
    for (let change = 0; change <= pick(4); change++) {
      const at = pick(bytes.length);
      bytes[at] = pick(3) === 0 ? pick(256) : [0x2e, 0x2f, 0x32, 0x35, 0][pick(5)]!;
      // Half of them with a correct checksum, so that more than the checksum is tried.
      if (pick(2) === 0) mendSum(bytes, at - at % 512);
    }
    const { outcome } = await unpack(await gzip(bytes)).catch((error) => {
      throw new Error(`seed ${seed}, round ${round}: ${error}`, { cause: error });
    });
    if (outcome instanceof ArchiveError) refused += 1;
  }
  assert.ok(refused > 15 && refused < 150, `${refused} refused`);
});

function mendSum(bytes: Uint8Array, at: number): void {
  const block = bytes.subarray(at, at + 512);
  block.fill(32, 148, 156);
  const sum = block.reduce((sum, byte) => sum + byte, 0);
  block.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
}
