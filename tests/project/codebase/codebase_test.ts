/** Does search_codebase find the right file, skip what it must, and stay inside the project? */
import assert from "node:assert/strict";
import { codePaths } from "../../../src/project/codebase/scan.ts";
import { createRulesReader, NO_RULES } from "../../../src/project/codebase/scan.ts";
import { openCodebase } from "../../../src/project/codebase/mod.ts";
import { openAnalyzer, stemsOf } from "../../../src/project/kit/memory/mod.ts";
import { isServed } from "../../../src/content/library/files/mounts.ts";
import { loadCleaner } from "../../../src/content/library/mod.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import { refusal, say } from "../../support/answers.ts";
import { clientHere } from "../../support/client.ts";
import { CONTENT } from "../../support/recall.ts";
import { type TreeFile, treeTest, withTree } from "../../support/trees.ts";

const TOOL = "search_codebase";

const analyze = openAnalyzer(CONTENT);
const byStems = (text: string) => stemsOf(analyze(text));

function open(root: string, tools: Partial<Parameters<typeof openCodebase>[0]> = {}) {
  return openCodebase({
    root,
    stemsOf: (text) => new Map(text.toLowerCase().split(" ").map((word) => [word, word])),
    clean: (text) => text,
    now: Date.now,
    after: () => () => {},
    ...tools,
  });
}

const SHOP: Readonly<Record<string, TreeFile>> = {
  ".gitignore": "dist/\n*.log\n",
  ".env": "TOKEN_EXPIRY_SECRET=9f8Zk2LmQ7tRw4Xv\n",
  "server.pem": "token expiry",
  "dist/bundle.js": "token expiry token expiry",
  "debug.log": "token expiry",
  "node_modules/x/index.js": "token expiry",
  ".git/HEAD": "token expiry",
  "logo.png": new Uint8Array([1, 0, 2]),
  "data.txt": new Uint8Array([116, 0, 111]),
  "huge.ts": `// token expiry\n${"x\n".repeat(600_000)}`,
  "src/auth/session.ts":
    `import { now } from "./clock.ts";\n\n/** How long access lasts. */\nexport function checkTokenExpiry(token: Token): boolean {\n  return token.issued + 900 > now();\n}\n`,
  "src/auth/password_policy.ts": "export const minimum_length = 12;\n",
  "src/cart.ts": `${"// the cart\n".repeat(100)}export function addToCart() {}\n`,
  "docs/tokens.md": "Design tokens: colours and spaces.\n",
  "config/app.yaml": "api_key: sk-ant-REDACTED\nname: token expiry shop\n",
};

Deno.test("files are ranked, with the lines to look at [memory:codebase, toolsets:memory]", (t) =>
  withTree(SHOP, async (cwd) => {
    await using client = await clientHere({ era: "2026", cwd, args: ["--toolsets", "memory"] });
    const search = async (args: Readonly<Record<string, unknown>>) =>
      JSON.parse(await say(client, { ...args, format: "json" }, TOOL));
    const paths = async (args: Readonly<Record<string, unknown>>) =>
      (await search(args)).hits.map(({ path }: { path: string }) => path);

    await t.step("by parts of names and forms of words", async () => {
      const { hits: [hit], complete } = await search({ query: "when do tokens expire" });
      assert.deepEqual([hit.path, hit.line, complete], ["src/auth/session.ts", 4, true]);
      assert.match(hit.snippet, /^2: \n3: .*\n4: export function checkTokenExpiry/);
      assert.deepEqual((await paths({ query: "policies" }))[0], "src/auth/password_policy.ts");
      assert.deepEqual((await search({ query: "cart function" })).hits[0].line, 101);
    });
    await t.step("by a French question", async () => {
      assert.equal((await paths({ query: "expiration des jetons" }))[0], "src/auth/session.ts");
    });
    await t.step("without ignored, binary and huge files, and without secrets", async () => {
      const { hits } = await search({ query: "token expiry", limit: 50 });
      const found = hits.filter(({ words }: { words: readonly string[] }) => words.length > 0)
        .map(({ path }: { path: string }) => path);
      assert.deepEqual(found.toSorted(), ["config/app.yaml", "docs/tokens.md", "src/auth/session.ts"]);
      assert.doesNotMatch(
        await say(client, { query: "token expiry api_key" }, TOOL),
        /9f8Zk2LmQ7tRw4Xv|sk-ant-api03-abcdef/,
      );
    });
    await t.step("in one folder or file of the project", async () => {
      assert.deepEqual(await paths({ query: "tokens", path: "docs" }), ["docs/tokens.md"]);
      assert.deepEqual(await paths({ query: "tokens", path: "docs/tokens.md" }), ["docs/tokens.md"]);
      assert.deepEqual(await paths({ query: "tokens", path: `${cwd}/docs/` }), ["docs/tokens.md"]);
    });
    await t.step("as the files are now", async () => {
      await Deno.writeTextFile(`${cwd}/src/new.ts`, "zebra");
      assert.deepEqual(await paths({ query: "zebra" }), ["src/new.ts"]);
      await Deno.writeTextFile(`${cwd}/src/new.ts`, "giraffe");
      assert.deepEqual(await paths({ query: "zebra" }), []);
    });
    await t.step("and never outside it [memory:hostile]", async () => {
      for (const path of ["../", "/etc", "src/../../x", "a\0b", "x".repeat(900)]) {
        assert.match(await refusal(client, { query: "root", path }, TOOL), /Invalid path/);
      }
      assert.match(
        await refusal(client, { query: "root", path: "node_modules" }, TOOL),
        /searchable file or folder/,
      );
      for (const path of [".env", "server.pem", "logo.png", "debug.log", "dist/bundle.js", ".git/HEAD"]) {
        assert.match(
          await refusal(client, { query: "token", path }, TOOL),
          /searchable file or folder/,
        );
      }
      assert.match(await refusal(client, { query: "  " }, TOOL), /no word to search for/);
      assert.match(await refusal(client, { query: "x".repeat(2_001) }, TOOL), /longer than 2000/);
    });
  }));

treeTest("a word is found in any script, also inside of a run [memory:codebase-scripts]", {
  "ru.py": "# Проверка пароля пользователя\n",
  "el.py": "# Έλεγχος κωδικού\n",
  "zh.ts": "// 验证用户密码，然后登录。\n",
  "ja.ts": "// ユーザーのパスワードを確認する\n",
  "ko.ts": "// 사용자의 비밀번호를 확인\n",
  "ar.ts": "// التحقق من كلمة المرور\n",
  "he.ts": "// בדיקת סיסמה\n",
  "hi.ts": "// पासवर्ड की जाँच\n",
  "mixed.ts": "// 调用checkPassword方法\n",
  "plain.ts": "export const other = 1; // “naïve” — done\n",
}, async (root) => {
  const codebase = open(root, { stemsOf: byStems });
  const WANTED = {
    "пароль": "ru.py",
    "проверить пароли": "ru.py",
    "έλεγχο": "el.py",
    "密码": "zh.ts",
    "用户密码登录": "zh.ts",
    "确认登录": "zh.ts",
    "パスワード": "ja.ts",
    "確認": "ja.ts",
    "비밀번호": "ko.ts",
    "كلمة": "ar.ts",
    "סיסמה": "he.ts",
    "पासवर्ड": "hi.ts",
    "check": "mixed.ts",
    "方法": "mixed.ts",
    "naive done": "plain.ts",
  };
  for (const [query, path] of Object.entries(WANTED)) {
    const { data } = await codebase.search({ query });
    const [first] = data["hits"] as readonly { readonly path: string }[];
    assert.equal(first?.path, path, query);
  }
});

treeTest("a link out of the project leads nowhere [memory:hostile]", {
  "outside/secret.md": "zebra",
  "shop/in.md": "horse",
  "shop/link": { link: "../outside" },
  "shop/x.md": { link: "../outside/secret.md" },
}, async (folder) => {
  const codebase = open(`${folder}/shop`, { stemsOf: byStems });
  const { data } = await codebase.search({ query: "zebra horse" });
  assert.deepEqual((data["hits"] as { path: string }[]).map(({ path }) => path), ["in.md"]);
});

/** Patterns of every form, and paths that they may match. Old versions of git read two stars after a plain name wrongly. */
const RULES = `# comment
*.log
!keep.log
/root-only.txt
build/
!build/never.txt
docs/**/draft-*.md
**/tmp
a/**/z
vendor/**
!vendor/keep.txt
file[0-9].ts
not[!a-c].ts
q?.md
\\#hash.md
\\!bang.md
trailing\\ 
white   
foo/*.js
*.d/
[[:digit:]]x
sub/dir
[~]temp
[&]and
[a\\-z]dash
[p]re**/in.ts
`;
const PATHS =
  ("a.log keep.log deep/b.log deep/keep.log root-only.txt deep/root-only.txt build/x.ts build/never.txt deep/build/y.ts " +
    "docs/draft-1.md docs/a/draft-2.md docs/a/b/draft-3.md docs/final.md tmp/x deep/tmp/y a/z a/b/z a/b/c/z a/b/zz vendor/x vendor/keep.txt " +
    "vendor/d/keep.txt file1.ts filex.ts nota.ts notd.ts q1.md qq1.md #hash.md !bang.md white foo/x.js foo/bar/x.js x.d/y.ts 5x xx sub/dir/x " +
    "deep/sub/dir/x deep/own.txt deep/other.txt ~temp temp &and -dash mdash pre/in.ts prefix/in.ts prefix/deep/in.ts")
    .split(" ");

Deno.test("a search ignores exactly the files that git ignores [memory:codebase]", async () => {
  const files = Object.fromEntries([...PATHS, "trailing "].map((path) => [path, "x"]));
  await withTree(
    {
      ...files,
      ".gitignore": RULES,
      "deep/.gitignore": "own.txt\n!b.log\n",
      "odd [a]*/.gitignore":
        "\uFEFF/own.txt\r\nbuild \r\n!*.log\r\n!build/\r\n*.d/\r\n!x.d/\r\n\\!bang.md\r\n",
      ...Object.fromEntries(
        ["own.txt", "in/own.txt", "z.log", "build/x", "x.d/y.ts", "y.d/y.ts", "!bang.md"].map((
          path,
        ) => [`odd [a]*/${path}`, "x"]),
      ),
    },
    async (folder) => {
      const git = async (...args: readonly string[]) => {
        const { stdout } = await new Deno.Command("git", { args: ["-C", folder, ...args] }).output();
        return new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "");
      };
      await git("init", "--quiet");
      const theirs = await git("ls-files", "-z", "--others", "--exclude-standard");
      const ours = [...codePaths(diskTree(folder), "")].flat();
      assert.deepEqual(ours.toSorted(), theirs.toSorted());
      assert.ok(theirs.length > 15 && theirs.length < PATHS.length);
    },
  );
});

Deno.test("patterns that would take forever to match are dropped [memory:hostile]", async () => {
  const long = `${"a".repeat(200)}.ts`, deep = `${"d/".repeat(30)}x.ts`;
  const rules = `${"*a".repeat(30)}b\n${"**/".repeat(30)}z\n${"d/**/".repeat(20)}x.*\n${
    " ".repeat(99_999)
  }x\n*.log\n`;
  const files = { ".gitignore": rules, [long]: "x", [deep]: "x", "d/z": "x", "i.log": "x" };
  await withTree(files, (folder) => {
    const paths = [...codePaths(diskTree(folder), "")].flat();
    assert.deepEqual(paths.toSorted(), [".gitignore", long, deep].toSorted());
    const rules = createRulesReader()(diskTree(folder), "", NO_RULES);
    assert.equal(rules.ignores("i.log", false), true);
    for (const path of ["", ".", "..", "../i.log", "/i.log"]) {
      assert.equal(rules.ignores(path, false), false);
    }
  });
});

Deno.test("of very many rules the first thousand count [content:bounded, content:limits-reported]", () => {
  const rules = Array.from({ length: 20_000 }, (_, n) => `*${n}*x*`).join("\n");
  const files = Array.from({ length: 500 }, (_, n) => [`file-${n}.ts`, "const zebra = 1;\n"]);
  return withTree({
    // The second is too long, and the third has too many `**`.
    ".gitignore": `*999.ts\n${"x".repeat(600)}\n**/a/**/b/**/c/**/d\n${rules}`,
    "sub/.gitignore": "*.ts\n",
    "sub/a.ts": "const zebra = 2;\n",
    "a999.ts": "const zebra = 3;\n",
    ...Object.fromEntries(files),
  }, async (root) => {
    const codebase = open(root);
    for (let round = 0; round < 2; round++) {
      const { text } = await codebase.search({ query: "zebra", limit: 1_000 });
      assert.match(text, /; \.gitignore: 19004 rules beyond the limit ignored\)/);
      assert.doesNotMatch(text, /a999\.ts/);
      assert.match(text, /sub\/a\.ts/);
    }
  });
});

treeTest("a pattern that would take long to compile is dropped, others count [memory:hostile]", {
  ".git/": "",
  ".gitignore": `[${"k".repeat(600)}]ept.ts\n[${"s".repeat(400)}]kipped.ts\n`,
  "kept.ts": "const zebra = 1;\n",
  "skipped.ts": "const zebra = 2;\n",
}, async (root) => {
  const codebase = open(root);
  const { data } = await codebase.search({ query: "zebra" });
  assert.deepEqual(JSON.stringify(data).match(/\w+\.ts/g), ["kept.ts"]);
});

/** Names of files that hold secrets, and of files that only look like it. */
const KEPT_BACK =
  (".env .env.local prod.env .envrc .bash_history .zsh_history .psql_history .python_history .mysql_history " +
    ".node_repl_history fish_history .lesshst .viminfo .pgpass .netrc _netrc .npmrc .pypirc .my.cnf .git-credentials " +
    ".docker/config.json .dockercfg .aws/credentials .aws/config .config/gcloud/x.json .azure/t.json .kube/config " +
    "deep/.ssh/known_hosts .ssh/id_ed25519 .gnupg/x.conf id_rsa id_ecdsa_sk server.pem tls.KEY a.p12 a.ppk " +
    "credentials credentials.json aws-credentials.yaml secrets.yml app_secrets.toml service-account-1.json " +
    "x.tfstate kubeconfig .vault-token .config/gh/hosts.yml .m2/settings.xml").split(" ");
const SEARCHED =
  ".env.example .env.sample secrets.ts credentials.ts secret_files.md history.md keys.ts config.json docker/config.json"
    .split(" ");

async function found(root: string, query: string): Promise<readonly string[]> {
  const { longText } = await loadCleaner();
  const codebase = open(root, { clean: longText });
  const { data } = await codebase.search({ query, limit: 50 });
  return (data["hits"] as { path: string; line: number }[]).map(({ path, line }) => `${path}:${line}`);
}

treeTest(
  "files that hold secrets by their name are left out [memory:codebase-secrets]",
  Object.fromEntries([...KEPT_BACK, ...SEARCHED].map((path) => [path, "a zebra\n"])),
  async (root) => {
    assert.deepEqual(
      (await found(root, "zebra")).toSorted(),
      SEARCHED.map((path) => `${path}:1`).toSorted(),
    );
  },
);

Deno.test(
  "a link to a withheld file is withheld [memory:codebase-secrets]",
  { ignore: Deno.build.os === "windows" },
  () =>
    withTree({
      ".env": "zebra",
      ".aws/notes.txt": "zebra",
      "notes.md": { link: ".env" },
      "cloud": { link: ".aws" },
      "plain.md": "zebra",
      "other.md": { link: "plain.md" },
      "_bmad/data/knowledge.md": { link: "../../.env" },
    }, async (root) => {
      assert.deepEqual((await found(root, "zebra")).toSorted(), ["other.md:1", "plain.md:1"]);
      const tree = diskTree(root);
      for (const path of ["notes.md", "cloud/notes.txt", "_bmad/data/knowledge.md"]) {
        assert.equal(tree.stat(path), undefined, path);
        assert.throws(() => tree.read(path), { failure: { code: "outside-root", path } });
      }
    }),
);

Deno.test("a secret cannot be guessed by searching for its beginning [memory:codebase-secrets]", () => {
  const token = ["sk", "ant", "api03", "Kx9mPq2LvR8sTn4WzB7cYd1F"].join("-");
  return withTree({
    "app.yaml": `name: shop\napi_key: ${token}\nzebra: yes\n`,
    "deploy.sh": "export DB_PASSWORD=marmalade7\n",
    "key.txt": `-----BEGIN RSA PRIVATE KEY-----\nmarzipan\n-----END RSA PRIVATE KEY-----\ngiraffe\n`,
    "check.ts": `const isKey = text.includes("-----BEGIN RSA PRIVATE KEY-----");\nconst okapi = 1;\n`,
    "url.md": "postgres://ann:liquorice@db.example.org/shop\n",
  }, async (root) => {
    for (const guess of ["kx9mpq2", "marmalade", "marzipan", "liquorice", "api03"]) {
      assert.deepEqual(await found(root, guess), [], guess);
    }
    assert.deepEqual(await found(root, "zebra"), ["app.yaml:3"]);
    assert.deepEqual(await found(root, "giraffe"), ["key.txt:4"]);
    assert.deepEqual(await found(root, "okapi"), ["check.ts:2"]);
    assert.deepEqual(await found(root, "password"), ["deploy.sh:1"]);
  });
});

treeTest("the name of a result is not a secret, and is found [memory:codebase-secrets]", {
  "flow.yaml": "spawn:\n  - agent: qa\n    output_key: nougat\nstripe_key: toffee\n",
  "flow.ts": 'run({ outputKey: "praline", idempotency_key: "fudge" });\n',
}, async (root) => {
  assert.deepEqual(await found(root, "nougat"), ["flow.yaml:3"]);
  assert.deepEqual(await found(root, "praline fudge"), ["flow.ts:1"]);
  assert.deepEqual(await found(root, "toffee"), []);
});

Deno.test("content that holds secrets by its name is not served [memory:codebase-secrets]", () => {
  const mounts = [{ path: "_bmad", at: "" }];
  for (const name of ["id_rsa", "server.pem", "secrets.yaml", "credentials.json"]) {
    assert.equal(isServed(mounts, `_bmad/data/${name}`), false, name);
  }
  assert.equal(isServed(mounts, "_bmad/data/secrets.md"), true);
});
