/** Are secrets recognised, by their keys and by their form, and nothing else? */
import assert from "node:assert/strict";
import {
  isSecretKey,
  maskLongText,
  maskSecrets,
  maskText,
  maskValue,
  withoutSecrets,
} from "../../../../src/content/library/files/secrets.ts";
import { parseToml, parseYaml } from "../../../../src/content/parse.ts";
import { assertEnds } from "../../../support/cpu.ts";
import { isSlow } from "../../../support/hostile_texts.ts";
import { installation, sourceTree } from "../../../support/installs.ts";

const SMALL = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const ALL = SMALL + SMALL.toUpperCase() + DIGITS;

function draw(length: number, from = ALL, seed = 1): string {
  let state = seed * 2654435761 >>> 0;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from[Math.floor(state / 2 ** 32 * from.length)];
  }).join("");
}

const base64 = (text: string) => btoa(text).replaceAll("=", "");

/** Each with what must be gone of it, if that is not all. */
const SECRETS: readonly (readonly [what: string, text: string, secret?: string])[] = [
  ["OpenAI", `sk-${draw(48)}`],
  ["OpenAI, of a project", `sk-proj-${draw(20)}_${draw(20)}-${draw(8)}`],
  ["Anthropic", `sk-ant-api03-${draw(40)}-${draw(30)}`],
  ["Stripe", `sk_live_${draw(24)}`],
  ["GitHub", `ghp_${draw(36)}`],
  ["GitHub, of an app", `ghs_${draw(36)}`],
  ["GitHub, fine-grained", `github_pat_${draw(22)}_${draw(59)}`],
  ["GitLab", `glpat-${draw(20)}`],
  ["npm", `npm_${draw(36)}`],
  ["PyPI", `pypi-AgEIcHlwaS5vcmc${draw(40)}`],
  ["Hugging Face", `hf_${draw(34, ALL.slice(0, 52))}`],
  ["Slack", `xoxb-${draw(12, DIGITS)}-${draw(12, DIGITS)}-${draw(24)}`],
  ["Slack, of an app", `xapp-1-A${draw(10)}-${draw(13, DIGITS)}-${draw(64)}`],
  ["Slack's web hook", `https://hooks.slack.com/services/T${draw(8)}/B${draw(8)}/${draw(24)}`, draw(24)],
  ["Amazon", `AKIA${draw(16, SMALL.toUpperCase() + "234567")}`],
  ["Amazon's other half", draw(40, ALL + "+/")],
  ["Google", `AIza${draw(35)}`],
  ["SendGrid", `SG.${draw(22)}.${draw(43)}`],
  ["Telegram", `${draw(10, "123456789")}:AA${draw(33)}`],
  ["a JSON Web Token", `${base64('{"alg":"HS256"}')}.${base64('{"sub":"1234567890"}')}.${draw(43)}`],
  ["a password in an address", "postgres://ann:hunter2@db.example.org:5432/shop", "hunter2"],
  ["a password with an at sign", "amqp://ann:p@ss:w0rd@mq.example.org/", "w0rd"],
  ["a token in an address", `https://${draw(30)}@git.example.org/x.git`, draw(30)],
  ["a token in a query", `https://example.org/x?a=1&access_token=${draw(12)}`, draw(12)],
  ["a key of storage", `AccountName=shop;AccountKey=${draw(44)}==;Suffix=x`, draw(44)],
  ["a header", `Authorization: Bearer ${draw(20)}`, draw(20)],
  [
    "a header of a name and a password",
    `Basic ${btoa("ann:hunter2 and more")}`,
    btoa("ann:hunter2 and more"),
  ],
  [
    "a private key",
    `-----BEGIN RSA PRIVATE KEY-----\n${draw(64)}\n${draw(30)}\n-----END RSA PRIVATE KEY-----`,
  ],
  ["a private key that is cut off", `-----BEGIN OPENSSH PRIVATE KEY-----\n${draw(64)}\n${draw(9)}`],
  ["random letters and digits", draw(32)],
  ["random characters of an address", draw(43, `${ALL}-_`)],
  ["random small letters and digits", draw(40, SMALL + DIGITS)],
];

const HARMLESS: readonly string[] = [
  "Ann",
  "",
  "English",
  "intermediate",
  "6.12.0",
  "v6.0.0-alpha.22+build.20260101",
  "ann.walker+bmad@mail.example.org",
  "{project-root}/_bmad-output/planning-artifacts",
  "{planning_artifacts}/prds/{date}-{slug}",
  "/Users/AnnWalker/Projects/Shop2026/Docs/ArchitectureV2/README.md",
  "C:\\Users\\AnnWalker\\Projects\\Shop2026\\Docs",
  "src/Modules/V2/Api3/Controllers/HomeController2",
  "docs/architecture/coding-standards.md",
  "file:{project-root}/**/project-context.md",
  "skill:bmad-review lenses=adversarial,edge-case",
  "123e4567-e89b-12d3-a456-426614174000",
  "{123E4567-E89B-12D3-A456-426614174000}",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "cjld2cjxh0000qzrmn831i7rn",
  "V1StGXR8_Z5jdHi6B-myT",
  "e04fb14c9d2b7a1f3e5d8c6b4a2f1e0d9c8b7a65",
  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  "https://docs.google.com/spreadsheets/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit#gid=0",
  "https://github.com/bmad-code-org/BMAD-METHOD/blob/main/src/core-skills/module.yaml?plain=1#L10",
  "https://example.org:8080/x?tab=settings&key=name",
  "http://localhost:3000/auth?token=${TOKEN}",
  "postgres://ann:${DB_PASSWORD}@localhost/shop",
  "https://{user}:{token}@example.org/",
  "mailto:ann@example.org",
  "Bearer authentication is what the services expect.",
  "Basic understanding of accessibility",
  "risk-based-testing-strategy-2026",
  "sk-learn-pipelines-for-everyone",
  "task-management-and-planning-2",
  "npm_config_registry_mirror_url",
  "NEXT_PUBLIC_SITE_URL_FOR_PREVIEW_2",
  "bmadMethodInstallationFolderName2026",
  "sprint-2026-Q3-review-v2-Final1",
  "BMAD-PRD-2026-01-15-Checkout-Redesign-V2",
  "thisIsAVeryLongCamelCaseIdentifierWithNumbers1And2",
  "2026-01-15T10:20:30.000Z",
  "+41 79 123 45 67",
  "================================================",
  "a_b-c_d-e_f-g_h-i_j-k_l-m_n-o_p",
  "Use Jobs-to-be-Done; ask 'why?' 5 times, then write it down (docs/prd.md, section 3.2).",
  "AWS-only: eu-central-1, arn:aws:iam::123456789012:role/ShopDeployRole",
  "ssh-keys live in 1Password; ask the team.",
  "-----BEGIN CERTIFICATE-----",
  "API_KEY=${API_KEY} and TOKEN=<yours>",
  "require_token=true; max_tokens=4000; tokens=800",
  "Token: count them.\nKey = what opens the door\nkey: value",
  "if (token==other) then password !== secret",
];

const PAIRS: readonly (readonly [text: string, shown: string])[] = [
  ["API_KEY=hush-hush", "API_KEY=[removed]"],
  ["DEBUG=1 API_KEY='hush hush' run", "DEBUG=1 API_KEY=[removed] run"],
  ["run --api-key=hush-hush --fast", "run --api-key=[removed] --fast"],
  ["Password=hush-hush;Server=x", "Password=[removed];Server=x"],
  ["Server=x; Pwd=hush hush;Database=y", "Server=x; Pwd=[removed];Database=y"],
  ["X-Api-Key: hush-hush", "X-Api-Key: [removed]"],
  ["curl -H 'X-Api-Key: hush-hush' x", "curl -H 'X-Api-Key: [removed]' x"],
  ["Authorization: Token hush-hush", "Authorization: Token [removed]"],
  ['{"name": "n", "api_key": "hush hush"}', '{"name": "n", "api_key": "[removed]"}'],
  ["A=b\nTOKEN=hush-hush\n  password = hush-hush\nC=d", "A=b\nTOKEN=[removed]\n  password = [removed]\nC=d"],
];

Deno.test("a secret is removed by its form, in every context [resources:config-current]", () => {
  const sentence = (text: string) => `Ask with "${text}", please.`;
  for (const [what, text, secret = text] of SECRETS) {
    for (const value of [text, sentence(text), `\n  ${text}\n`, `(${text})`, `x=${text}`]) {
      const { note, list } = withoutSecrets({ note: value, list: [{ value }] });
      for (const shown of [note, JSON.stringify(list)]) {
        assert.ok(String(shown).includes("[removed]"), `${what}: ${shown}`);
        for (const line of secret.split("\n")) {
          assert.ok(!String(shown).includes(line), `${what}: ${shown}`);
        }
      }
    }
    assert.equal(maskText(sentence("plain")), sentence("plain"));
  }
});

Deno.test("other values stay unchanged", () => {
  for (const text of HARMLESS) assert.equal(maskValue(text), text);
  assert.deepEqual(withoutSecrets({ list: HARMLESS }), { list: HARMLESS });
});

Deno.test("of a configuration file that is too long to search for secrets, only the first lines are shown", () => {
  for (const file of ["_bmad/config.toml", "_bmad/bmm/config.yaml"]) {
    const line = file.endsWith("toml") ? 'name = "n"\n' : "name: n\n";
    const text = `${line}# ${"x".repeat(60_000)}\n# ${"x".repeat(10_000)}\napi_key = "hush-hush-1"\n`;
    const shown = maskSecrets(text, file);
    assert.ok(shown.startsWith(`${line}# xxx`));
    assert.match(shown, /x\n# \[removed: only the first 65536 characters are searched for secrets\]\n$/);
    assert.ok(!shown.includes("hush-hush-1"));
    assert.equal(maskSecrets("x".repeat(70_000), file).length < 100, true);
  }
  assert.equal(maskSecrets("x".repeat(70_000), "docs/a.md").length, 70_000);
});

Deno.test("a name inside a value marks a secret as a key does", () => {
  for (const [text, shown] of PAIRS) {
    assert.deepEqual(withoutSecrets({ note: text, list: [text] }), { note: shown, list: [shown] });
    assert.equal(maskValue(shown), shown);
  }
});

Deno.test("nearly everything random is removed, of every length and alphabet", () => {
  const alphabets = { ALL, address: `${ALL}-_`, base64: `${ALL}+/`, small: SMALL + DIGITS };
  for (const [name, alphabet] of Object.entries(alphabets)) {
    for (const length of name === "small" ? [40, 64] : [28, 40, 64]) {
      const drawn = Array.from({ length: 500 }, (_, seed) => draw(length, alphabet, seed + 1));
      const kept = drawn.filter((text) => maskText(text) !== "[removed]");
      assert.ok(
        kept.length <= 25,
        `${name} of ${length}: ${kept.length} of 500 are kept, such as ${kept[0]}`,
      );
    }
  }
});

Deno.test("a key names a secret or not, in every spelling", () => {
  const secret = "api_key apiKey API-KEY OPENAI_API_KEY apikey accessKey signing_key sshKey password " +
    "dbPassword db_pwd dbpwd smtp_pass passphrase token tokens authtoken access_token slack.token clientSecret " +
    "secrets credentials credential aws_credentials authorization privateKeys api_key_2 OPENAI_API_KEY_PROD " +
    "apikey1 smtp_pass_prod accessKeyEu api_key_for_shop token_v2 password_old user.pass stripe_key_live";
  const open =
    "keyboard monkey output_key mergedOutputKey idempotency_key translationKey object_key project_name user_name key_facts keyStakeholders primary_key project_key issueKey " +
    "public_key max_tokens token_limit token_budget password_policy secret_name key_path api_key_env tokenUrl " +
    "tokenizer secretary passing compass author path code id turkey hotkey keys_file story_key epic_key sprintKey " +
    "status_keys menu_key map_key item_key_2 second_pass context_tokens input_tokens designTokens api_key_env_prod";
  assert.deepEqual(secret.split(" ").filter((key) => !isSecretKey(key)), []);
  assert.deepEqual(open.split(" ").filter(isSecretKey), []);
});

Deno.test("a key that may name a secret does if its value looks like one", () => {
  const open = [
    "name",
    "1-2-user-auth",
    "PROJ-123",
    "Ctrl+Shift+P",
    "sectionTitle2",
    "as often as it takes",
    7,
  ];
  const secret = ["Tr0ub4dor&3", "x7Kp9q2LmZ", "9f86d081884c7d659a2feaa0c55ad015", SECRETS[0]![1]];
  for (const key of ["key", "keys", "key_2", "review_pass"]) {
    const kept = open.map((value) => ({ [key]: value }));
    assert.deepEqual(kept.map(withoutSecrets), kept);
    for (const value of secret) {
      assert.deepEqual(withoutSecrets({ [key]: value }), {}, value);
      assert.deepEqual(withoutSecrets({ [key]: ["name", { value }] }), {}, value);
    }
  }
  const text = "# Ours\nkey = 'name' # of a field\ntokens = 800\nreview_pass = 2\npassword = 'hunter2'\n";
  assert.equal(maskSecrets(text, "config.toml"), text.replace("'hunter2'", '"[removed]"'));
});

Deno.test("the working folder of a shell is no password", () => {
  const open = [
    "pwd=$(pwd)",
    "PWD=/srv/app",
    "run it with PWD=/srv/app first",
    "OLDPWD=~/app",
    "export PWD=`pwd`",
    "pwd=`pwd`",
    "PWD=",
    "PWD=C:\\app",
    "PWD: /srv/my-app",
    '"PWD": "/srv/app"',
    "PWD=%cd%",
  ];
  for (const text of open) assert.deepEqual([maskValue(text), maskLongText(text)], [text, text]);
  const secret = [
    "pwd=hunter2",
    "PWD=hunter2",
    "UID=sa;PWD=/hunter2x;",
    "Pwd=/srv",
    "pwd=/srv",
    "DB_PWD=/srv",
    "--pwd=/x",
  ];
  for (const text of secret) assert.match(maskValue(text), /\[removed\]/, text);
  const config = "pwd: $(pwd)\nPWD: /srv/x\npassword: abc\n";
  assert.equal(maskSecrets(config, "config.yaml"), config.replace("abc", '"[removed]"'));
});

Deno.test("a key that names a secret but has an empty value is kept", () => {
  const values = { api_key: "", require_token: true, has_secret: false, password: null, tokens: 8000 };
  assert.deepEqual(withoutSecrets(values), values);
  assert.deepEqual(withoutSecrets({ password: 1234, token: ["a"], secrets: { a: "b" }, secret: "x" }), {});
});

const FILES: readonly (readonly [path: string, text: string, shown: string])[] = [
  [
    "_bmad/bmm/config.yaml",
    "user_name: Ann\rapi_key: abc\rdb_password: x\nname: n\r",
    'user_name: Ann\rapi_key: "[removed]"\rdb_password: "[removed]"\nname: n\r',
  ],
  [
    "_bmad/bmm/config.yaml",
    '# Mine\r\nuser_name: Ann   \r\napi_key: abc # old\r\nlist:\r\n  - token: "x y"\r\n    name: n\r\n',
    '# Mine\r\nuser_name: Ann   \r\napi_key: "[removed]"\r\nlist:\r\n  - token: "[removed]"\r\n    name: n\r\n',
  ],
  [
    "_bmad/config.user.toml",
    '# password: hunter2\n[core]\nuser_name = \'Ann\'\n\ndb.password = \'hunter2\'\n"api-key"="x"\nmail = { host = "h", pwd = "p" }\n',
    '# password: "[removed]"\n[core]\nuser_name = \'Ann\'\n\ndb.password = "[removed]"\n"api-key"= "[removed]"\n' +
    'mail = { host = "h", pwd = "[removed]" }\n',
  ],
  [
    ".bmad-core/core-config.yaml",
    `prd:\n  file: docs/prd.md\n  secret: |\n    line one\n\n    line two\nnote: ${
      SECRETS[4]![1]
    } # why\nend: {a: b, token: c}\n`,
    'prd:\n  file: docs/prd.md\n  secret: "[removed]"\n\nnote: "[removed]" # why\nend: {a: b, token: "[removed]"}\n',
  ],
  [
    "_bmad/custom/config.toml",
    "# Ours\ntokens = [\n  'a',\n  'b',\n]\nx = 1\n",
    '# Ours\ntokens = "[removed]"\nx = 1\n',
  ],
  [
    "_bmad/custom/bmad-x.toml",
    "# Ours\n[workflow.secrets]\na = 'b'\n",
    '[workflow]\nsecrets = "[removed]"\n',
  ],
  [
    "_bmad/bmm/config.yaml",
    '# Ours\nenv:\n  - "API_KEY=x"\n  - API_KEY=x # old\n  - "X-Api-Key: x"\napi_key: x\nflow: [a, "TOKEN=x"]\n' +
    "file: |\n  TOKEN=x\n  NAME=y\ndb: Password=x;Server=y\n",
    '# Ours\nenv:\n  - "API_KEY=[removed]"\n  - API_KEY=[removed] # old\n  - "X-Api-Key: [removed]"\n' +
    'api_key: "[removed]"\nflow: [a, "TOKEN=[removed]"]\n' +
    "file: |\n  TOKEN=[removed]\n  NAME=y\ndb: Password=[removed];Server=y\n",
  ],
  [
    "_bmad/custom/config.toml",
    "# Ours\nenv = [\n  'API_KEY=x',\n  \"X-Api-Key: x\", # old\n]\npassword = 'x'\n",
    '# Ours\nenv = [\n  \'API_KEY=[removed]\',\n  "X-Api-Key: [removed]", # old\n]\npassword = "[removed]"\n',
  ],
  ["_bmad/custom/bmad-x.user.toml", "[workflow\npassword = 'x'\n", '[workflow\npassword = "[removed]"\n'],
];

Deno.test("a configuration file is delivered with its secrets replaced and the rest unchanged", () => {
  for (const [path, text, shown] of FILES) {
    assert.equal(maskSecrets(text, path), shown, path);
    // Nothing is masked twice, and nothing but configuration is.
    assert.equal(maskSecrets(shown, path), shown);
    assert.equal(maskSecrets(text, "_bmad/bmm/workflows/x/template.yaml"), text);
  }
});

Deno.test("no secret value is shown, in any form of configuration file", () => {
  const secret = "hunter2 & co";
  const forms: readonly (readonly [path: string, text: string])[] = [
    ["config.yaml", `password:\n  ${secret}\n`],
    ["config.yaml", `password: >-\n  hunter2\n  & co\nx: 1\n`],
    ["config.yaml", `passwords:\n- ${secret}\n- ${secret}\n`],
    ["config.yaml", `? password\n: ${secret}\n`],
    ["config.yaml", `"pass\\u0077ord": ${secret}\n`],
    ["config.yaml", `{x: [{password: ${secret}}], y: 1}\n`],
    ["config.yaml", `x: &it ${secret}\npassword: *it\n`.replace("x:", "token:")],
    ["config.yaml", `login: {\n  password: "hunter2\n   & co"\n }\n`],
    ["config.yaml", `credentials:\n  user: ${secret}\n  deep:\n    - ${secret}\n`],
    ["config.toml", `password = """\n${secret}"""\n`],
    ["config.toml", `[a]\n[[a.tokens]]\nx = '${secret}'\n`],
    ["config.toml", `a = [{ x = 1 }, { "password" = '${secret}' }]\n`],
    ["config.toml", `a.'password' = "hunter2 \\u0026 co"\n`],
    ["config.toml", `[credentials.db]\nuser = '${secret}'\n`],
  ];
  for (const [path, text] of forms) {
    const shown = maskSecrets(text, path);
    assert.ok(!/hunter2|& co|u0026/.test(shown), `${text}\nis shown as\n${shown}`);
    const { value, problem } = (path.endsWith(".toml") ? parseToml : parseYaml)(shown);
    assert.equal(problem, undefined, shown);
    assert.ok(JSON.stringify(value).includes("[removed]"));
  }
});

Deno.test("no line of a secret is shown of an invalid file", () => {
  const forms: readonly (readonly [path: string, text: string])[] = [
    ["config.yaml", 'login: {\n  password: "hunter2\n   & co"\n}\nx: 1\n'],
    ["config.yaml", "x: [\nprivate: 1\ntoken: |\n  hunter2\n\n  & co\nx: 1\n"],
    ["config.toml", 'x =\npassword = """\nhunter2\n& co"""\nx = 1\n'],
    ["config.toml", "x =\ntokens = [\n'hunter2',\n'& co'\n]\n[x]\n"],
    ["config.toml", '[credentials]\nfoo = "hunter2"\n"a b" = "& co"\n[core]\nname = "C:\\Users\\x"\n'],
    [
      "config.toml",
      "[[a.'api-keys'.b]] # mine\n# foo = hunter2\nfoo = [\n  '& co',\n]\n\n[core]\nx =\nx = 1\n",
    ],
  ];
  for (const [path, text] of forms) {
    const { problem } = (path.endsWith(".toml") ? parseToml : parseYaml)(text);
    assert.notEqual(problem, undefined);
    const shown = maskSecrets(text, path);
    assert.ok(!/hunter2|& co/.test(shown), shown);
    assert.ok(shown.endsWith(text.slice(-4)), shown);
    assert.equal(shown.split("\n")[0], text.split("\n")[0]);
  }
});

Deno.test("prose that only looks like a secret is left alone", () => {
  const text =
    'guide = """\nToken: count them.\nKey = what opens the door\n"""\n# Set the API_TOKEN elsewhere.\n';
  assert.equal(maskSecrets(text, "_bmad/custom/bmad-x.toml"), text);
  const yaml = "guide: |\n  # Secret: there is none\n  key: value pairs\n";
  assert.equal(maskSecrets(yaml, "config.yaml"), yaml);
});

Deno.test("long lines and hostile texts are scanned quickly", () => {
  const odd = [
    "-",
    " ",
    "eyJ-",
    "sk-a",
    ",a='",
    "# ",
    "key: ",
    "://a:",
    "@",
    "a:",
    "AbC1",
    "xoxb-",
    "{a:",
    "a=",
    "a= ",
    "a=;",
    '"a": "',
    "' a",
  ];
  for (const piece of odd) {
    const text = piece.repeat(1_000_000 / piece.length);
    assertEnds(JSON.stringify(piece), 5_000, () => maskSecrets(text, "config.toml"));
  }
});

Deno.test("nothing in BMAD's own content is taken for a secret", async () => {
  const folders = [
    await installation({ version: "6.12.0", tools: "claude-code" }),
    await installation({ version: "6.0.4", tools: "claude-code" }),
    await installation({ version: "4.44.3", tools: "claude-code" }),
    `${await sourceTree("bmad-method-test-architecture-enterprise@1.27.2")}/src`,
  ];
  let configurations = 0;
  const visit = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = `${folder}/${name}`;
      if (isDirectory) await visit(path);
      else if (/(config|customize|custom).*\.(ya?ml|toml)$/.test(path)) {
        const text = await Deno.readTextFile(path);
        configurations++;
        assert.equal(maskSecrets(text, path), text, path);
        const { value } = (path.endsWith(".toml") ? parseToml : parseYaml)(text);
        assert.deepEqual(withoutSecrets(value), JSON.parse(JSON.stringify(value)), path);
      }
    }
  };
  for (const folder of folders) await visit(folder);
  assert.ok(configurations > 45, `${configurations} files`);
});

Deno.test("a long text loses its secrets, and no line [memory:codebase-secrets]", async () => {
  const texts = [...SECRETS.map(([, text]) => text), ...PAIRS.map(([text]) => text), ...HARMLESS];
  for (const text of texts) {
    const around = (inner: string) => `one\n\n${inner}\n\nlast line ${"x y ".repeat(200)}`;
    const masked = maskLongText(around(text));
    const wanted = maskValue(around(text));
    assert.equal(
      masked.replaceAll(/\n+/g, "\n").trimEnd(),
      wanted.replaceAll(/\n+/g, "\n").trimEnd(),
      text,
    );
    assert.equal(masked.split("\n").length, around(text).split("\n").length, text);
  }
  const all = texts.filter((text) => !text.includes("PRIVATE KEY")).join("\n");
  assert.equal(maskLongText(all), maskValue(all));
  for (const folder of ["../../../../docs", "../"].map((path) => new URL(path, import.meta.url))) {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      const text = isFile ? await Deno.readTextFile(new URL(`${folder}/${name}`)) : "";
      if (!text.includes("PRIVATE KEY")) assert.equal(maskLongText(text), maskValue(text), name);
    }
  }
});

Deno.test("a long line with many hints is masked in linear time [memory:codebase-secrets]", () => {
  const part = "key https://x token sk-a eyJ Bearer key=1 a1b2 ";
  assert.ok(!isSlow((size) => maskLongText(part.repeat(size / 8))));
});
