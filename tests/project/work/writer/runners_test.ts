/**
 * Is anything run that only the caller has made up?
 */
import assert from "node:assert/strict";
import { bashArguments, commandsIn } from "../../../../src/project/work/writer/runners.ts";
import { verifies } from "../../../support/requirements.ts";

const NONE: ReadonlySet<string> = new Set();

const filesOf = (files: Readonly<Record<string, string>>) => ({ find: (path: string) => files[path] });
const FILES = filesOf({
  "package.json": '{"scripts": {"test": "vitest", "check": "tsc", "from-npm": "x"}}',
  "packages/a/package.json": '{"scripts": {"test:unit": "vitest"}}',
  "deno.jsonc":
    '{\n  // "evil": "x" and /* so on\n  "tasks": { /* "evil": */ "a//b": "x", "test": { "command": "y" }, },\n}\n',
});

Deno.test(
  verifies(["work:evidence-run"], "plain calls of test runners may run, without a shell"),
  async () => {
    for (
      const command of [
        "npm test",
        "npm test -- login",
        "npm run test:unit -w packages/a",
        "npm run test:unit --workspace=packages/a/",
        "pnpm test --filter web",
        "yarn run check",
        "bun test src/a.test.ts",
        "npx vitest run src/login --coverage",
        "npx jest -t 'logs in'",
        "npx playwright test tests/e2e",
        "deno test -A tests/a_test.ts --filter login",
        "deno task test",
        "deno task from-npm",
        "cargo test -p core login",
        "go test ./... -run TestLogin -count=1",
        "pytest tests/test_a.py::test_login -k 'a or b' -q",
        "python3 -m unittest tests.test_a",
        "mvn test -Dtest=LoginTest -q",
        "./gradlew test --tests com.shop.LoginTest",
        "dotnet test --filter Login",
        "make check",
        "just test",
        "bundle exec rspec spec/login_spec.rb",
        "composer test",
        "vendor/bin/phpunit --filter testLogin",
        "mix test",
        "flutter test",
        "swift test",
      ]
    ) {
      const [flag, script, name, ...words] = (await bashArguments(command, NONE, FILES)) ?? [];
      assert.deepEqual([flag, script, name], ["-c", 'exec "$@"', "bash"], command);
      // What is not installed is not downloaded.
      assert.equal(words.join(" "), command.replaceAll("'", "").replace(/^npx /, "npx --no "));
    }
  },
);

Deno.test(
  verifies(["work:evidence-run"], "shell signs, other programs and other places are refused"),
  async () => {
    for (
      const command of [
        "rm -rf x",
        "npm",
        "npm publish",
        "npm exec evil",
        "npm run ls",
        "npm run toString",
        "npm run test:unit",
        "npm run test:unit -w packages/b",
        "pnpm run ls",
        "yarn run ls",
        "yarn run test:unit -w packages/a",
        "bun run ls",
        "bun run reboot",
        "deno task evil",
        "deno task b",
        "npx evil",
        "npx -p evil vitest",
        "npx vitest --config /tmp/x.ts",
        "npm test; rm x",
        "npm test && rm x",
        "npm test | sh",
        "npm test > x",
        "npm test < x",
        "npm test $HOME",
        "npm test $(id)",
        "npm test `id`",
        "npm test\nrm x",
        "npm test 'open",
        "npm test -- 'a; rm x'",
        "npm test --script-shell=/tmp/x",
        "npm test --prefix /tmp",
        "npm run ../x",
        "npm run -c",
        "X=1 npm test",
        "env npm test",
        "/tmp/npm test",
        "deno test https://example.test/a.ts",
        "deno test npm:evil",
        "deno test jsr:@a/b",
        "deno test ../other",
        "deno test /tmp/a.ts",
        "deno test --config=/tmp/deno.json",
        "deno run a.ts",
        "go test -exec /tmp/x",
        "go test -toolexec=x",
        "cargo test --config target.x",
        "cargo run",
        "pytest -p evil",
        "pytest -c /tmp/x",
        "pytest @args.txt",
        "pytest ~/x",
        "pytest a/../../x",
        "python -m http.server",
        "mvn test deploy",
        "mvn -f /tmp/pom.xml test",
        "./gradlew test publish",
        "./gradlew test -I /tmp/init.gradle",
        "make test SHELL=/tmp/x",
        "make -f /tmp/Makefile test",
        "make --eval=x test",
        "make test deploy",
        "just test 'x; y'",
        "just --justfile /tmp/x test",
        "bundle exec rspec -r /tmp/x.rb",
        "vendor/bin/phpunit --bootstrap /tmp/x.php",
        "composer run -d",
        "dotnet test C:\\x",
        "",
      ]
    ) assert.equal(await bashArguments(command, NONE, FILES), undefined, command);
  },
);

Deno.test(
  verifies(["work:evidence-run"], "without the file that defines it, no script of a package runs"),
  async () => {
    for (const text of ["", "{", '{"scripts": ["test"]}']) {
      const files = filesOf(text === "" ? {} : { "package.json": text });
      for (const command of ["npm test", "pnpm test", "yarn test", "bun run test", "deno task test"]) {
        assert.equal(await bashArguments(command, NONE, files), undefined, command);
      }
      assert.ok(await bashArguments("bun test", NONE, files));
    }
  },
);

Deno.test(
  verifies(["work:evidence-run"], "comments of a large file with tasks are read in linear time"),
  async () => {
    for (const part of ["/*", '"', '\\"', ",  ", "//", "[", '{"a":']) {
      const since = performance.now();
      await bashArguments("deno task x", NONE, filesOf({ "deno.json": part.repeat(100_000) }));
      assert.ok(performance.now() - since < 1_000, part);
    }
  },
);

Deno.test(
  verifies(["work:evidence-run"], "a command that the documents spell runs as they spell it"),
  async () => {
    const known = new Set(["cd web && npm test"]);
    assert.deepEqual(await bashArguments("cd web && npm test", known, FILES), ["-c", "cd web && npm test"]);
    assert.equal(await bashArguments("cd web && npm test ", known, FILES), undefined);
    assert.equal(await bashArguments("cd web", known, FILES), undefined);
  },
);

Deno.test(verifies(["work:evidence-run"], "commands are those of the sections that have commands"), () => {
  const fence = "```";
  const story = [
    "# Testing the login `title`",
    "Status: `status`",
    "## Story\n`story`",
    "## Acceptance Criteria\n1. `criterion`",
    "## Tasks / Subtasks\n- [ ] Run `task`\n### Review Follow-ups (AI)\n- [ ] `follow-up`\n### More\n1. `more`",
    "## Dev Notes\n`note`\n### Testing standards\n- `tested`\n### References\n- `reference`",
    "## Verification\n**Commands:**\n- `spelled` -- expected: green",
    `- \`ran\` — after: passed\n${fence}sh\n$ fenced && x\n${fence}\n#### Details\n\`detail\``,
    "## Dev Agent Record\n### Debug Log References\n- `logged`\n### Completion Notes List\n- `completed`",
    "## QA Results\n### Testing\n`reviewed`",
  ].join("\n\n");
  const commands = [...commandsIn("a.md", story, false)].filter((one) => !one.startsWith(fence));
  assert.deepEqual(commands, ["task", "more", "tested", "spelled", "fenced && x", "detail"]);
});

Deno.test(verifies(["work:evidence-run"], "what may be an entry of a log is no command"), () => {
  const body = "## Verification\n\n- `item`\n  - `inner`\n* `star`\n\n`line`\n\n```sh\nfenced\n- ; entry\n";
  const spec = (fields: string) => `---\ntitle: a\n${fields}---\n\n# A\n\n${body}`;
  const found = (text: string, hasStamps: boolean) => {
    const commands = commandsIn("a.md", text, hasStamps);
    assert.ok(["inner", "star", "line", "fenced"].every((one) => commands.has(one)), text);
    return commands.has("item") || commands.has("- ; entry");
  };
  assert.equal(found(`# A\n\n${body}`, false), true);
  assert.equal(found(spec(""), true), true);
  assert.equal(found(spec("").replaceAll("\n", "\r\n"), true), true);
  assert.equal(found(spec(""), false), false);
  for (const fields of ["updated: 2026-08-01T12:00\n", 'x: "\nupdated: 2026-08-01T12:00\n']) {
    assert.equal(found(spec(fields), true), false, fields);
    assert.equal(found(spec(fields).replaceAll("\n", "\r\n"), true), false, fields);
  }
});
