/** Which addresses of repositories are understood, what do they mean, and why are all others refused? */
import assert from "node:assert/strict";
import { configOf as configIn } from "../../support/config.ts";
import { type GitLocation, hideCredentials, parseGitLocation } from "../../../src/settings/locations/git.ts";
import { Invalid } from "../../../src/base/invalid.ts";

function understood(address: string): GitLocation {
  const location = parseGitLocation(address);
  if (location instanceof Invalid) throw new Error(`${address}: ${location.expected}`);
  return location;
}

const configOf = (...args: readonly string[]) => configIn({ args });

/** An address, then what it means: what git is told, the ref, the folder. */
const UNDERSTOOD: readonly (readonly [string, string, string?, string?])[] = [
  ["git+https://example.org/team/bmad.git", "https://example.org/team/bmad.git"],
  ["git+https://example.org/team/bmad", "https://example.org/team/bmad"],
  ["git+https://example.org/team/bmad.git#main", "https://example.org/team/bmad.git", "main"],
  ["git+https://example.org/t/b#v6.0.0-alpha.15", "https://example.org/t/b", "v6.0.0-alpha.15"],
  ["git+https://example.org/t/b#feature/x_1", "https://example.org/t/b", "feature/x_1"],
  ["git+https://example.org/t/b#fix/#12", "https://example.org/t/b", "fix/#12"],
  ["git+https://example.org/t/b#refs/pull/7/head", "https://example.org/t/b", "refs/pull/7/head"],
  ["git+https://example.org/t/b#main:/src/ops", "https://example.org/t/b", "main", "src/ops"],
  ["git+https://example.org/t/b#main:src/ops", "https://example.org/t/b", "main", "src/ops"],
  ["git+https://example.org/t/b#main:/.claude/skills/", "https://example.org/t/b", "main", ".claude/skills"],
  ["git+https://example.org/t/b#main:/", "https://example.org/t/b", "main"],
  ["git+https://example.org/t/b:/src/ops", "https://example.org/t/b", undefined, "src/ops"],
  ["git+https://example.org/t/b#main:/my%20team", "https://example.org/t/b", "main", "my team"],
  ["git+https://example.org:8443/group/sub/team/b.git", "https://example.org:8443/group/sub/team/b.git"],
  ["git+https://[2001:db8::1]:8443/b.git", "https://[2001:db8::1]:8443/b.git"],
  ["git+ssh://git@example.org/team/bmad.git#v1", "ssh://git@example.org/team/bmad.git", "v1"],
  ["git+ssh://git@example.org:2222/~ann/bmad:/a", "ssh://git@example.org:2222/~ann/bmad", undefined, "a"],
  ["git+ssh://work-alias/team/bmad", "ssh://work-alias/team/bmad"],
  ["git+file:///srv/git/bmad.git#main", "file:///srv/git/bmad.git", "main"],
  ["git+file:///C:/git/bmad.git:/ops", "file:///C:/git/bmad.git", undefined, "ops"],
  ["git+file:///srv/my%20git/bmad", "file:///srv/my%20git/bmad"],
];

Deno.test("an address names a repository, a state of it and a folder in it [git:url-grammar]", () => {
  for (const [address, url, ref, subpath] of UNDERSTOOD) {
    const location = understood(address);
    assert.deepEqual([location.url, location.ref, location.subpath], [url, ref, subpath], address);
    assert.equal(location.credentials, undefined);
    assert.equal(location.protocol, /^git\+(\w+)/.exec(address)![1]);
    // What people see is an address with the same meaning.
    const { url: again, ref: sameRef, subpath: sameFolder } = understood(location.shown);
    assert.deepEqual([again, sameRef, sameFolder], [url, ref, subpath]);
  }
});

const wordsIn = (text: string) => text.split(" ");

/** What is refused, by a word of the reason; `…` is a repository that is understood. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "expected git+https": [
    "git+",
    "git+http://example.org/t/b",
    "git+git://example.org/t/b",
    "git+HTTPS://example.org/t/b",
    "git+ext::sh%20-c%20whoami",
    "git+fd::17",
    "git+https:example.org/t/b",
    "git+https://",
    "git+/srv/b",
  ],
  "missing repository path": [
    "git+https://example.org",
    "git+https://example.org/",
    "git+file:///",
    "git+ssh://git@h",
  ],
  "may not contain spaces, backslashes": [
    ...[" c", "\\b", "\n", "#main\u0000", "#ma\u200bin", "#\u202emain", ":/f\u00e4hre"].map((end) =>
      `…${end}`
    ),
    "git+https://ex\u0430mple.org/t/b",
  ],
  "the host must be": [
    ...wordsIn("-oops example..org example.org:0 example.org:65536 example.org:x $(id) ann@")
      .map((host) => `git+https://${host}/t/b`),
    "git+ssh://git@example.org:team/b",
    "git+ssh://git@-oProxyCommand=x/t/b",
  ],
  "a file URL has no host": ["git+file://example.org/t/b", "git+file://localhost/t/b"],
  "takes a plain user name": wordsIn("-oProxyCommand=x git:secret a%20b ;id")
    .map((user) => `git+ssh://${user}@h/t/b`),
  "USER:PASSWORD": wordsIn("ann:s@cret ann:%0d%0aX-Evil:1 ann%00:x ann%3ab:x :x ann:%zz")
    .map((login) => `git+https://${login}@h/t/b`),
  "a repository path may contain": wordsIn(
    "../b t/./b t//b t/%2e%2e/b t/%2E./b -t/b t/--upload-pack=x t/$(id) t/`id` t/'b' t/* t/%2fb t/%5cb t/b%00 " +
      "t/b%0a t/b% t/b%e2%80%ae t/b?service=x t/b;id t/b|id t/b&id t/b@{u} t/b:/sub#main",
  ).map((path) => `git+https://h/${path}`),
  "devices": wordsIn("dev/zero dev/stdin proc/self/root/srv/b sys/x %64ev/zero")
    .map((path) => `git+file:///${path}`),
  "#REF must be": [
    "",
    ...wordsIn(
      ":/sub -x --upload-pack=touch a..b a@{1} @ a^{} a~1 +a a//b /a a/ a/.b a/-b a. a.lock a.lock/b " +
        "refs/heads/* a? a[b] main;touch/x $(id) `id`",
    ),
  ].map((ref) => `…#${ref}`),
  ":/FOLDER must be": wordsIn(
    "../x a/../../x %2e%2e/x /etc a//b a:/b -x .git a/.GIT/hooks %2egit a%00b a%1bb a%2fb",
  ).map((folder) => `…#main:/${folder}`),
  "at most 2000": [`git+https://h/t/${"b".repeat(2_000)}`],
};

for (const [reason, addresses] of Object.entries(REFUSED)) {
  Deno.test(`an address is refused with the reason: ${reason} … [git:url-grammar]`, () => {
    for (const address of addresses.map((one) => one.replace("…", "git+https://h/t/b"))) {
      const outcome = parseGitLocation(address);
      assert.ok(outcome instanceof Invalid, `${address} was understood`);
      assert.ok(outcome.expected.includes(reason), `${address}: ${outcome.expected}`);
      // Wherever it is written, the program does not start, and says where it stands.
      assert.throws(() => configOf("--path", address), { message: /^Invalid --path "/ });
    }
  });
}

Deno.test("credentials are understood, and kept apart from the address [git:credentials]", () => {
  const cases: readonly (readonly [login: string, user: string, password: string])[] = [
    ["ann:secret", "ann", "secret"],
    ["ann:p%40ss%3Aw%2Frd", "ann", "p@ss:w/rd"],
    ["ann%40example.org:x", "ann@example.org", "x"],
    ["ghp_0123456789abcdef", "ghp_0123456789abcdef", ""],
    ["oauth2:glpat-x_y", "oauth2", "glpat-x_y"],
  ];
  for (const [login, user, password] of cases) {
    const { credentials, ...rest } = understood(`git+https://${login}@example.org/t/b.git#main:/x`);
    assert.deepEqual(credentials, { user, password });
    assert.equal(rest.shown, "git+https://example.org/t/b.git#main:/x");
    for (const word of [login, ...[user, password].filter((word) => word.length > 1)]) {
      assert.ok(!JSON.stringify(rest).includes(word), word);
    }
  }
});

Deno.test("a message about an address does not tell the credentials in it [git:credentials]", () => {
  const cases: Readonly<Record<string, string>> = {
    "git+https://ann:secret@h/t/b": "git+https://***@h/t/b",
    "git+https://ann:sec/ret@h/t/b": "git+https://***@h/t/b",
    "git+https://ann:sec#ret@h/t/b": "git+https://***@h/t/b",
    "git+http://ann:secret@h/t/b": "git+http://***@h/t/b",
    "--remote=team,git+https://secret@h/t/b": "--remote=team,git+https://***@h/t/b",
    "git+ssh://git@h/t/b": "git+ssh://git@h/t/b",
    "git+ssh://git:secret@h/t/b": "git+ssh://***@h/t/b",
    "/srv/git+https/x@y": "/srv/git+https/x@y",
    "https://ann:secret@h:6333": "https://***@h:6333",
    "--qdrant-url=HTTPS://ann:sec/ret@h": "--qdrant-url=HTTPS://***@h",
    "git+ssh://git@h/t, https://ann:secret@h": "git+ssh://git@h/t, https://***@h",
    "ssh://ann@h/t": "ssh://***@h/t",
    "https://h/t?api_key=secret": "https://h/t?***",
    "https://h/t#secret": "https://h/t#***",
    "git+https://h/t?key=secret#main": "git+https://h/t?***",
    "git+https://h/t#main:/x": "git+https://h/t#main:/x",
  };
  for (const [text, shown] of Object.entries(cases)) assert.equal(hideCredentials(text), shown);
  const wrong = "git+https://ann:secret@h/t/b#-x";
  for (const told of [() => configOf(wrong), () => configIn({ env: { BMAD_ROOT: wrong } })]) {
    assert.throws(
      told,
      ({ message }) => /git\+https:\/\/\*\*\*@h/.test(message) && !/secret/.test(message),
    );
  }
  const { warnings } = configOf("--remote=team,git+https://ann:secret@h/t/b");
  assert.deepEqual(warnings.map((warning) => /secret/.test(warning)), [false]);
});

Deno.test("git may run only for repositories [git:rights]", () => {
  const rightsOf = (...args: readonly string[]) => {
    const { read, write, run } = configOf(...args).rights;
    return { cache: read.includes("/c"), write, run };
  };
  const address = ["--git-cache", "/c", "--path", "git+https://h/t/b"];
  const all = { cache: true, write: ["/c"], run: ["git"] };
  const look = { cache: true, write: [], run: [] };
  const none = { cache: false, write: [], run: [] };
  assert.deepEqual(rightsOf(...address), all);
  for (const command of [["list", "agents"], ["show", "x"], ["execute", "x"], ["call", "x"]]) {
    assert.deepEqual(rightsOf(...command, ...address), all, command[0]);
  }
  // The doctor asks git for its version alone.
  assert.deepEqual(rightsOf("doctor", ...address), { ...look, run: ["git"] });
  assert.deepEqual(rightsOf(...address, "--offline"), look);
  assert.deepEqual(rightsOf("config", ...address), look);
  assert.deepEqual(rightsOf("complete", "--", "show", ...address, "a"), look);
  assert.deepEqual(rightsOf(...address, "--mode", "local"), none);
  // A source may be added while the server runs; other commands see what is there.
  assert.deepEqual(rightsOf("--git-cache", "/c"), look);
  assert.deepEqual(rightsOf("list", "agents", "--git-cache", "/c"), none);
  assert.deepEqual(rightsOf("cache", "list", "--git-cache", "/c"), look);
  assert.deepEqual(rightsOf("cache", "clear", "--git-cache", "/c"), { ...look, write: ["/c"] });
  assert.deepEqual(rightsOf("cache", "update", ...address), all);
  assert.deepEqual(rightsOf("cache", "update", "--git-cache", "/c"), look);
  // By default it lies below the user's BMAD folder.
  assert.deepEqual(configOf("git+https://h/t/b").rights.write, ["/home/ann/.bmad/cache/git"]);
});
