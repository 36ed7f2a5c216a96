/**
 * Is anything run that only the caller has made up?
 */
import assert from "node:assert/strict";
import { bashArguments } from "../../../../src/project/work/writer/runners.ts";
import { verifies } from "../../../support/requirements.ts";

const NONE: ReadonlySet<string> = new Set();

Deno.test(
  verifies(["work:evidence-run"], "plain calls of test runners may run, without a shell"),
  async () => {
    for (
      const command of [
        "npm test",
        "npm test -- login",
        "npm run test:unit -w packages/a",
        "pnpm test --filter web",
        "yarn run check",
        "bun test src/a.test.ts",
        "npx vitest run src/login --coverage",
        "npx jest -t 'logs in'",
        "npx playwright test tests/e2e",
        "deno test -A tests/a_test.ts --filter login",
        "deno task test",
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
      const [flag, script, name, ...words] = (await bashArguments(command, NONE)) ?? [];
      assert.deepEqual([flag, script, name], ["-c", 'exec "$@"', "bash"], command);
      assert.equal(words.join(" "), command.replaceAll("'", ""));
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
    ) assert.equal(await bashArguments(command, NONE), undefined, command);
  },
);

Deno.test(
  verifies(["work:evidence-run"], "a command that the documents spell runs as they spell it"),
  async () => {
    const known = new Set(["cd web && npm test"]);
    assert.deepEqual(await bashArguments("cd web && npm test", known), ["-c", "cd web && npm test"]);
    assert.equal(await bashArguments("cd web && npm test ", known), undefined);
    assert.equal(await bashArguments("cd web", known), undefined);
  },
);
