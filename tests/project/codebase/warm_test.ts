/** Does a later search_codebase find what a first one would, whatever has happened to the files in between? */
import assert from "node:assert/strict";
import { LIMITS } from "../../../src/project/limits.ts";
import { type Codebase, openCodebase } from "../../../src/project/codebase/mod.ts";
import { createMatcher, findMatches, type OnMatch } from "../../../src/project/codebase/code_terms.ts";
import { createTermCache } from "../../../src/project/codebase/term_cache.ts";
import { wordsOf } from "../../../src/base/language/mod.ts";
import { type Chance, chanceFrom } from "../../support/chance.ts";
import { POSIX } from "../../support/run.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const WORDS = "token expiry cart order invoice zebra giraffe userId HTTPServer sécurité policies x2".split(
  " ",
);
const QUESTIONS = ["token expiry", "zebra cart", "giraffe order invoice", "policy", "id", "securite server"];
const NAMES = [
  "a.ts",
  "b.ts",
  "lib/c.ts",
  "lib/d.md",
  "lib/deep/e.ts",
  "docs/f.md",
  "docs/g.md",
  "new/h.ts",
  "i.log",
];

interface Options {
  now?(): number;
  after?(ms: number, call: () => void): () => void;
}

function open(root: string, { now = Date.now, after = () => () => {} }: Options = {}): Codebase {
  const stemsOf = (question: string) =>
    new Map(wordsOf(question).map((word) => [word.replace(/(?:y|ies)$/, "i"), word]));
  return openCodebase({ root, stemsOf, clean: (text) => text, now, after });
}

async function found(codebase: Codebase, query: string, path?: string): Promise<unknown> {
  return await codebase.search({ query, path }).then(({ data }) => data, (error: Error) => error.message);
}

async function paths(codebase: Codebase, query: string, path?: string): Promise<unknown> {
  const data = await found(codebase, query, path) as { readonly hits?: readonly { readonly path: string }[] };
  return data.hits?.map(({ path }) => path) ?? data;
}

function textBy(chance: Chance): string {
  const line = () => Array.from({ length: chance.below(6) }, () => chance.pick(WORDS)).join(" ");
  return Array.from({ length: 1 + chance.below(80) }, line).join("\n");
}

/** Writes until the system tells a later time than before: its clocks are coarse. */
async function writeLater(file: string, text: string, clock: "mtime" | "ctime" = "mtime"): Promise<void> {
  const time = async () => (await Deno.stat(file))[clock]?.getTime();
  const before = await time();
  do {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await Deno.writeTextFile(file, text);
  } while (await time() === before);
}

const CHANGES: Readonly<Record<string, (root: string, chance: Chance) => Promise<void>>> = {
  async edit(root, chance) {
    await Deno.writeTextFile(`${root}/${chance.pick(NAMES)}`, textBy(chance));
  },
  async "an edit of the same size"(root) {
    for (const name of NAMES) {
      const text = await Deno.readTextFile(`${root}/${name}`).catch(() => "");
      if (!text.includes("zebra") && !text.includes("token")) continue;
      const other = text.replaceAll(/zebra|token/g, (word) => word === "zebra" ? "token" : "zebra");
      return await writeLater(`${root}/${name}`, other);
    }
  },
  async removal(root, chance) {
    await Deno.remove(`${root}/${chance.pick(NAMES)}`).catch(() => {});
  },
  async rename(root, chance) {
    await Deno.rename(`${root}/${chance.pick(NAMES)}`, `${root}/${chance.pick(NAMES)}`).catch(() => {});
  },
  async "the folder's rename"(root) {
    await Deno.rename(`${root}/lib`, `${root}/docs/lib`)
      .catch(() => Deno.rename(`${root}/docs/lib`, `${root}/lib`)).catch(() => {});
  },
  async "other rules"(root, chance) {
    const rules = chance.pick(["*.md\n", "lib/\n", "*.ts\n!a.ts\n", "/docs/**\n", "\n"]);
    await Deno.writeTextFile(`${root}/${chance.pick(["", "docs/"])}.gitignore`, rules);
  },
  async "no rules"(root) {
    await Deno.remove(`${root}/.gitignore`).catch(() => {});
  },
  async "no text any more"(root) {
    await Deno.writeFile(`${root}/b.ts`, new Uint8Array([116, 111, 0, 107]));
  },
};

async function compare(root: string, options: Options, rounds: number, chance: Chance): Promise<void> {
  const warm = open(root, options);
  for (let round = 0; round < rounds; round++) {
    const [what, change] = chance.pick(Object.entries(CHANGES));
    for (const folder of ["lib/deep", "docs", "new"]) {
      await Deno.mkdir(`${root}/${folder}`, { recursive: true });
    }
    await change(root, chance);
    for (const query of QUESTIONS) {
      const path = chance.pick([undefined, undefined, "lib", "a.ts"]);
      const expected = await found(open(root), query, path);
      assert.deepEqual(
        await found(warm, query, path),
        expected,
        `seed ${chance.seed}, round ${round}: ${what}`,
      );
    }
  }
}

function matchesOf(find: (onMatch: OnMatch) => void): readonly string[] {
  const matches: string[] = [];
  find((line, stem) => matches.push(`${line}:${stem}`));
  return matches;
}

function project(chance: Chance): Readonly<Record<string, string>> {
  return Object.fromEntries(NAMES.map((name) => [name, textBy(chance)]));
}

/** A clock by which no file has been written lately, so that the cache trusts them all. */
const later = () => Date.now() + 60_000;

Deno.test("a search equals a first search [memory:codebase-fresh]", async () => {
  for (const seed of [1, 2, 3]) {
    const chance = chanceFrom(seed);
    await withTree(project(chance), (root) => compare(root, { now: later }, 60, chance));
    await withTree(project(chance), (root) => compare(root, {}, 30, chance));
  }
});

treeTest(
  "an edit of the same size right after a search is seen by the next [memory:codebase-fresh]",
  { "a.ts": "zebra" },
  async (root) => {
    const codebase = open(root);
    for (let round = 0; round < 50; round++) {
      const [word, other] = round % 2 === 0 ? ["token", "zebra"] : ["zebra", "token"];
      Deno.writeTextFileSync(`${root}/a.ts`, word);
      assert.deepEqual(await paths(codebase, word), ["a.ts"]);
      assert.deepEqual(await paths(codebase, other), []);
    }
  },
);

// Windows does not say when a file was changed, apart from when it was written.
Deno.test("an edit that keeps size and time is seen as well [memory:codebase-fresh]", POSIX, async () => {
  await withTree({ "a.ts": "zebra" }, async (root) => {
    const file = `${root}/a.ts`, codebase = open(root, { now: later });
    assert.deepEqual(await paths(codebase, "zebra"), ["a.ts"]);
    const { mtime, atime } = await Deno.stat(file);
    await writeLater(file, "token", "ctime");
    await Deno.utime(file, atime!, mtime!);
    assert.deepEqual(await paths(codebase, "token"), ["a.ts"]);
  });
});

treeTest(
  "a folder behind a link is found no more [memory:hostile]",
  { "shop/lib/a.md": "zebra", "shop/b.md": "zebra", "shop/c.md": "horse", "away/": "" },
  async (top) => {
    const root = `${top}/shop`, codebase = open(root, { now: later });
    assert.deepEqual(await paths(codebase, "zebra"), ["b.md", "lib/a.md"]);
    for (const name of ["lib", "b.md"]) {
      await Deno.rename(`${root}/${name}`, `${top}/away/${name}`);
      await Deno.symlink(`${top}/away/${name}`, `${root}/${name}`);
    }
    assert.deepEqual(await paths(codebase, "zebra"), []);
    for (const path of ["lib", "lib/a.md", "b.md"]) {
      assert.match(String(await paths(codebase, "zebra", path)), /searchable file or folder/);
    }
  },
);

Deno.test("cached files and files that are read have the same matches [memory:codebase]", () => {
  const chance = chanceFrom(7);
  const signs = [
    "a",
    "id",
    "ID",
    "user",
    "Name",
    "HTTP",
    "s",
    "9",
    "64",
    "é",
    "É",
    "e\u0301",
    "ß",
    "日本",
    "_",
    "-",
    " ",
    "\n",
    "x".repeat(40),
  ];
  const matcher = createMatcher([
    "user",
    "name",
    "id",
    "http",
    "namei",
    "usernam",
    "e",
    "x".repeat(36),
    "64",
  ]);
  const cache = createTermCache(), full = createTermCache(2_000);
  const find = cache.finder(matcher);
  let matches = 0, uncached = 0;
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: chance.below(200) }, () => chance.pick(signs)).join("");
    const page = new TextEncoder().encode(text);
    const { terms } = cache.add(`${round}`, { mark: "1", time: 0, changedBy: 0 }, page, later());
    const direct = matchesOf((onMatch) => findMatches(page, matcher, onMatch));
    assert.deepEqual(matchesOf((onMatch) => find(terms!, onMatch)), direct, JSON.stringify(text));
    matches += direct.length;
    if (full.add(`${round}`, { mark: "1", time: 0, changedBy: 0 }, page, later()).terms === undefined) {
      uncached++;
    }
  }
  assert.ok(matches > 1_000 && uncached > 400 && uncached < 500, `${matches} ${uncached}`);
});

Deno.test("the cache is bounded and turns stale [memory:codebase]", () => {
  const cache = createTermCache(20_000), page = new TextEncoder().encode("some words\n".repeat(100));
  const read = 1_000_000_000;
  const stamp = (time: number) => ({ mark: "1", time, changedBy: time });
  cache.add("old", stamp(read - 5_000), page, read);
  cache.add("young", stamp(read - 20), page, read);
  assert.ok(cache.find("old", "1")?.terms);
  assert.equal(cache.find("old", "2"), undefined);
  assert.equal(cache.find("young", "1"), undefined);
  for (let at = 0; at < 50; at++) cache.add(`${at}`, stamp(0), page, read);
  const cached = Array.from({ length: 50 }, (_, at) => cache.find(`${at}`, "1")).filter((file) =>
    file !== undefined
  );
  assert.ok(cached.length > 5 && cached.length < 20, `${cached.length}`);
  assert.equal(cache.isStale(), false);
  cache.retain(new Set(["old"]));
  assert.ok(cache.find("old", "1"));
  assert.equal(cache.find("0", "1"), undefined);
  assert.equal(cache.isStale(), true);
});

treeTest(
  "the cache is dropped when no search comes [memory:codebase]",
  { "a.ts": "zebra" },
  async (root) => {
    const asked: { readonly ms: number; readonly call: () => void; isOff: boolean }[] = [];
    const codebase = open(root, {
      now: later,
      after: (ms, call) => {
        const one = { ms, call, isOff: false };
        asked.push(one);
        return () => one.isOff = true;
      },
    });
    for (const _ of [1, 2]) await codebase.search({ query: "zebra" });
    assert.deepEqual(asked.map(({ isOff }) => isOff), [true, false]);
    assert.ok(asked[1]!.ms >= 60_000);
    asked[1]!.call();
    assert.deepEqual(await paths(codebase, "zebra"), ["a.ts"]);
  },
);

treeTest(
  "a search stops when nobody waits or its time is up, and says so [memory:codebase]",
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.ts`, "zebra"])),
  async (root) => {
    let time = 0, step = 25;
    const now = () => {
      // So long that others have their turn at each file.
      for (const begun = performance.now(); performance.now() - begun < 11;);
      return time += step;
    };
    const codebase = open(root, { now });
    const controller = new AbortController();
    const reported: number[] = [];
    const watch = {
      signal: controller.signal,
      progress: (done: number, total: number) => {
        reported.push(done);
        if (done === 5) controller.abort(new Error("gone"));
        assert.ok(total <= 20);
      },
    };
    await assert.rejects(codebase.search({ query: "zebra" }, watch), /gone/);
    assert.equal(reported.at(-1), 5);
    step = LIMITS.code.ms / 20;
    const { text, data } = await codebase.search({ query: "zebra" });
    assert.equal(data["complete"], false);
    assert.match(text, / searched, then stopped at a limit: narrow it to one folder/);
  },
);

treeTest("words are found where parts of names begin, with or without accents [memory:codebase]", {
  "acronym.ts": "class HTTPServer {}",
  "digits.ts": "base64encode()",
  "short.ts": "const userIdOf = 1;",
  "plural.ts": "const ids = [];",
  "idle.ts": "const idleTime = 1;",
  "notice.md": "La sécurité d'abord.",
  "inside.ts": "const observer = dencoder;",
}, async (root) => {
  const codebase = open(root);
  assert.deepEqual(await paths(codebase, "server"), ["acronym.ts"]);
  assert.deepEqual(await paths(codebase, "encode"), ["digits.ts"]);
  assert.deepEqual((await paths(codebase, "id") as string[]).toSorted(), ["plural.ts", "short.ts"]);
  assert.deepEqual(await paths(codebase, "Sécurité"), ["notice.md"]);
});
