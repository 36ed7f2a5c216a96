/**
 * Can anything that a client sends, or a project contains, stop the server or make it reveal what it should not?
 *
 * Wrong names, types and URIs through the official clients, and projects whose files are broken, empty or odd. After
 * each of them the server must still answer. Lines that no official client sends: bad_lines_test.ts.
 */
import assert from "node:assert/strict";
import {
  type Arguments,
  callBmad,
  facts,
  headLine,
  refusal,
  refuses,
  say,
  says,
} from "../../support/answers.ts";
import { clientHere, ERAS, type ProgramClient, startClient } from "../../support/client.ts";
import { treeTest } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

async function stillAnswers(client: ProgramClient): Promise<void> {
  assert.deepEqual((await client.listTools())[0].name, "bmad");
}

/** What is wrong with files is logged once the client is silent, so perhaps after the last answer. */
async function untilLogged(client: ProgramClient, line: RegExp): Promise<void> {
  await until(`${line} is logged`, () => line.test(client.stderr()), client.stderr);
}

const LIST = { operation: "list", query: "agents" };
const EXECUTE = { operation: "execute", agent: "analyst" };

const PARAMETERS: Readonly<Record<string, Arguments>> = {
  operation: { agent: "analyst" },
  query: LIST,
  agent: EXECUTE,
  workflow: EXECUTE,
  task: EXECUTE,
  skill: EXECUTE,
  module: EXECUTE,
  item: EXECUTE,
  message: EXECUTE,
  uri: { operation: "read" },
  category: LIST,
  pattern: LIST,
  type: { operation: "search", query: "prd" },
  limit: LIST,
  cursor: LIST,
  part: EXECUTE,
  raw: EXECUTE,
  format: LIST,
  command: {},
};

const TAKES_NUMBERS = ["message", "limit", "part", "format", "pattern"];

const OUTSIDE = [
  "bmad://../../../etc/passwd",
  "bmad://bmm/../../../../etc/passwd",
  "bmad://bmm/bmad-prd/../../../../../etc/passwd",
  "bmad://%2e%2e/%2e%2e/%2e%2e/etc/passwd",
  "bmad://..%2f..%2f..%2fetc%2fpasswd",
  "bmad://bmm\\..\\..\\..\\etc\\passwd",
  "bmad://bmm%5c..%5c..%5c..%5cetc%5cpasswd",
  "bmad:///etc/passwd",
  "bmad://%2Fetc%2Fpasswd",
  "bmad://C:/Windows/win.ini",
  "bmad://bmm/bmad-prd/SKILL.md%00.txt",
  "/etc/passwd",
  "C:\\Windows\\win.ini",
];

const NOWHERE = [
  "../../../../etc/passwd",
  "{project-root}/../../../etc/passwd",
  "{project-root}//etc/passwd",
  "~/.ssh/id_rsa",
  "bmad://constructor",
  "bmad://bmm/__proto__",
];

const MALFORMED = [
  "bmad:/bmm/bmad-prd/SKILL.md",
  " bmad://bmm/bmad-prd/SKILL.md",
  "BMAD://bmm/bmad-prd/SKILL.md",
  "https://example.com/bmad-prd/SKILL.md",
  "file:///etc/passwd",
  "data:text/plain,x",
  "bmad://",
  "bmad://%zz",
  "bmad://bmm/%ff.md",
];

for (const era of ERAS) {
  Deno.test(`a ${era} client with invalid arguments gets an error`, async (t) => {
    await using client = await startClient({ era });

    await t.step("unknown operations and lists are named [errors:invalid-input-field]", async () => {
      for (const operation of ["fly", "constructor", "__proto__", "toString"]) {
        const text = await refusal(client, { operation, agent: "analyst" });
        assert.equal(
          text,
          `Unknown operation "${operation.toLowerCase()}". Use one of list, read, execute, search. ` +
            'Call bmad {"operation":"execute","agent":"analyst"}',
        );
      }
      for (const query of ["agentz", "constructor", "__proto__", "valueOf"]) {
        const text = await refusal(client, { operation: "list", query });
        assert.match(
          text,
          /^Unknown list ".*"\. (?:Use one of agents, workflows,|Did you mean agents\?)/,
        );
      }
      await stillAnswers(client);
    });

    await t.step("a missing parameter is named", async () => {
      await refuses(client, { operation: "list" }, /^`query` is missing\. Use one of agents,/);
      await refuses(client, { operation: "search" }, /^`query` is missing\. .*\. Call bmad /);
      for (const operation of ["read", "execute"]) {
        const text = await refusal(client, { operation });
        const call = JSON.stringify({ operation, agent: "analyst" });
        assert.equal(
          text,
          `\`agent\` is missing. Give an agent, workflow, task, skill or uri. Call bmad ${call}`,
        );
      }
      await stillAnswers(client);
    });

    await t.step("a parameter of a wrong type is named, and null means missing", async () => {
      for (const [name, call] of Object.entries(PARAMETERS)) {
        for (const value of [{ a: 1 }, [1], [], {}]) {
          const text = await refusal(client, { ...call, [name]: value });
          assert.match(text, new RegExp(`^Invalid ${name}: expected text, got (an object|a list)`));
        }
        const number = await callBmad(client, { ...call, [name]: 42 });
        assert.equal(number.isError, !TAKES_NUMBERS.includes(name), `${name}: ${number.text.slice(0, 100)}`);
        const { [name]: _, ...rest } = call;
        assert.deepEqual(
          await callBmad(client, { ...rest, [name]: null }),
          await callBmad(client, rest),
          name,
        );
      }
      for (
        const [name, value] of [["limit", 0], ["limit", 1.5], ["part", -1], ["limit", "many"], [
          "part",
          "1e99",
        ]]
      ) {
        const text = await refusal(client, { ...PARAMETERS[name as string], [name as string]: value });
        assert.match(
          text,
          new RegExp(`^Invalid ${name}: expected a whole number from 1 to \\d+, got "${value}"`),
        );
      }
      for (const cursor of ["7", "at--1", "at-1.5", "end"]) {
        await refuses(client, { ...LIST, cursor }, /^Invalid cursor: "/);
      }
      await refuses(
        client,
        { ...LIST, category: "fun" },
        /^Invalid category: expected one of analysis, .*, got "fun"\. Call bmad .*"category":"analysis"/,
      );
      await stillAnswers(client);
    });

    await t.step(
      "a path to the outside reveals nothing [errors:outside-root, rights:traversal-refused]",
      async () => {
        for (const uri of [...OUTSIDE, ...NOWHERE]) {
          const text = await refusal(client, { operation: "read", uri });
          assert.doesNotMatch(text, /root:|\[fonts\]/);
          if (OUTSIDE.includes(uri)) assert.match(text, / is outside the served folders$/);
          await assert.rejects(client.readResource(uri), { code: -32602 }, uri);
        }
        await stillAnswers(client);
      },
    );

    await t.step("a wrong URI comes with a right one [errors:invalid-uri]", async () => {
      for (const uri of MALFORMED) {
        const text = await refusal(client, { operation: "read", uri });
        const quoted = `Invalid URI "${uri}": expected `;
        assert.ok(text.startsWith(quoted), text);
        const [, right] = / as in (bmad:\/\/\S+)$/.exec(text) ?? [];
        assert.ok((await say(client, { operation: "read", uri: right! })).length > 0);
        await assert.rejects(client.readResource(uri), (error: { code: number; message: string }) => {
          assert.deepEqual([error.code, error.message.includes(quoted)], [-32602, true], error.message);
          return true;
        });
      }
      await assert.rejects(client.readResource(""), /Invalid URI "": expected .*, as in bmad:/);
      for (const uri of ["bmad://bmm/bmad-prd/SKILL.md", "skill://bmm/%zz/SKILL.md", "skill://"]) {
        await assert.rejects(
          client.request("skills/get", { uri }),
          /Invalid URI ".*": expected .*, as in skill:\/\//,
        );
      }
      await refuses(
        client,
        { operation: "read", uri: "bmad://bmm/bmad-prd/SKILLS.md" },
        /^No resource named "bmad:.*Did you mean /,
      );
      await stillAnswers(client);
    });

    await t.step("wrong parameters are invalid params [errors:resource-others, errors:prose]", async () => {
      for (
        const [method, params] of [
          ["tools/call", {}],
          ["tools/call", { name: "nope", arguments: {} }],
          ["tools/call", { name: "bmad", arguments: [1] }],
          ["tools/call", { name: "bmad", arguments: "agents" }],
          ["tools/list", { cursor: 7 }],
          ["prompts/get", { name: "bmad-analyst", arguments: { message: ["a"] } }],
          ["prompts/get", {}],
          ["prompts/get", { name: 42 }],
          ["prompts/get", { name: "" }],
          ["resources/read", { uri: 42 }],
          ["resources/read", {}],
          ["resources/list", { cursor: 5 }],
          ["resources/list", { cursor: "zzz" }],
          ["prompts/list", { cursor: "at-x" }],
          ["resources/templates/list", { cursor: "zzz" }],
          ["completion/complete", {}],
          ["completion/complete", {
            ref: { type: "ref/prompt" },
            argument: { name: "message", value: "" },
          }],
          ["skills/list", { cursor: "zzz" }],
          ["skills/get", {}],
          ["skills/get", { uri: "bmad://bmm/bmad-prd/SKILL.md" }],
          ["skills/get", { uri: "skill://bmm/%zz/SKILL.md" }],
          ["resources/directory/read", { uri: "skill://bmm" }],
          ["resources/directory/read", { uri: "skill://bmm/bmad-prd", cursor: 5 }],
        ] as const
      ) {
        const place = `${method} ${JSON.stringify(params)}`;
        await assert.rejects(client.request(method, params), (error: { code: number; message: string }) => {
          assert.equal(error.code, -32602, `${place}: ${error.message}`);
          assert.doesNotMatch(error.message, /"(expected|code|path)"/);
          return true;
        });
      }
      await stillAnswers(client);
    });

    await t.step("an unknown method is answered at once [transport:unknown-method]", async () => {
      for (const method of ["no/such", "tools/nothing", "constructor"]) {
        await assert.rejects(client.request(method, {}), { code: -32601 }, method);
      }
      await stillAnswers(client);
    });
  });
}

treeTest("unknown parameters are named, wrong values corrected [tool:operations]", {
  "_bmad/bmm/config.yaml": "output_folder: out\nimplementation_artifacts: out\n",
  "out/sprint-status.yaml": "development_status:\n  1-1-a: backlog\n",
}, async (cwd) => {
  await using client = await clientHere({ era: "2026", cwd, args: ["--mode", "local"] });
  const takes = "list takes query, module, origin, category, pattern, limit, cursor";
  const ignored: readonly (readonly [Arguments, string])[] = [
    [{ operation: "list", query: "modules", message: "x", top: 1 }, `Ignored: message, top; ${takes}`],
    [{ operation: "next", title: "x" }, "Ignored: title; next takes by, count, all"],
    [{ operation: "search", query: "zzz", pattern: "*" }, "Ignored: pattern; search takes "],
  ];
  for (const [args, note] of ignored) {
    const last = (await say(client, args)).split("\n").at(-1)!;
    assert.ok(last.startsWith(note), last);
    const data = JSON.parse(await say(client, { ...args, format: "json" }));
    assert.ok(data.ignored.startsWith(note));
  }
  const corrected: readonly (readonly [Arguments, string])[] = [
    [{ operation: "next", count: 0 }, '{"operation":"next","count":1}'],
    [
      { operation: "list", query: "agentz", module: "bmm" },
      '{"operation":"list","query":"agents","module":"bmm"}',
    ],
    [
      { operation: "list", query: "agents", limit: "many" },
      '{"operation":"list","query":"agents","limit":1}',
    ],
    [{ operation: "list", query: "agents", cursor: "end" }, '{"operation":"list","query":"agents"}'],
    [{ operation: "boad" }, '{"operation":"board"}'],
    [{ operation: "context", budget: "5" }, '{"operation":"context","budget":"5","story":"STORY"}'],
  ];
  for (const [args, call] of corrected) {
    const text = await refusal(client, args);
    assert.ok(text.endsWith(`Call bmad ${call}`), text);
  }
  const work = (args: Arguments) => refusal(client, args, "bmad_work");
  assert.match(await work({ operation: "plan", story: "1-1" }), /^plan cannot be limited by story\. /);
  const empty = { operation: "mark", story: "1-1", status: "review", task: "" };
  assert.match(await work(empty), /^`task` is missing/);
  assert.match(
    await work({ operation: "mark" }),
    /^`story` is missing\. .*\. Call bmad_work \{"operation":"mark","story":/,
  );
  assert.match(
    await refusal(client, { operation: "mark", status: "done" }),
    /\. Call bmad_work \{"operation":"mark",/,
  );
});

const HEADER = "canonicalId,name,description,module,path\n";
const row = (id: string) => `${id},${id},About ${id},bmm,_bmad/bmm/${id}/SKILL.md\n`;
const CRLF = "\uFEFF---\r\nname: bmad-agent-carl\r\ndescription: Ends lines twice\r\n---\r\nBe Carl.\r\n";

const BROKEN = {
  "_bmad/_config/manifest.yaml": "installation: {version: 6.12.0\nmodules: [\n",
  "_bmad/_config/skill-manifest.csv": HEADER +
    ["bmad-good", "bmad-front", "bmad-toml", "bmad-agent-carl", "bmad-binary", "bmad-gone"].map(row).join(
      "",
    ) +
    'bmad-short\n"un"closed,"x\n',
  "_bmad/_config/bmad-help.csv": 'module,skill\n"a,b\n',
  "_bmad/config.toml": "[core\nuser_name = \n",
  "_bmad/bmm/config.yaml": "a: [1\nb: }\n",
  "_bmad/custom/bmad-good.toml": "=",
  ".claude/skills/bmad-good/SKILL.md": "---\nname: bmad-good\ndescription: Good\n---\nGood.\n",
  ".claude/skills/bmad-good/customize.toml": "[workflow]\n",
  ".claude/skills/bmad-front/SKILL.md": '---\nname: bmad-front\ndescription: Use "x": y: z\n---\nBody.\n',
  ".claude/skills/bmad-toml/SKILL.md": "---\nname: bmad-toml\ndescription: T\n---\nBody.\n",
  ".claude/skills/bmad-toml/customize.toml": "[agent]\nname = \n",
  ".claude/skills/bmad-agent-carl/SKILL.md": CRLF,
  ".claude/skills/bmad-agent-carl/customize.toml": '\uFEFF[agent]\r\nname = "Carl"\r\ntitle = "Carriage"\r\n',
  ".claude/skills/bmad-binary/SKILL.md": new Uint8Array([0, 1, 254, 255]),
};

treeTest("a project with broken files", BROKEN, async (dir, t) => {
  await using client = await startClient({ era: "2025", cwd: dir, args: ["--mode", "local"] });

  await t.step("only a broken file is not served [errors:diagnostics-go-on]", async () => {
    const { items } = await facts(client, { operation: "list", query: "skills" });
    assert.deepEqual(items.map(({ id, description }: Arguments) => `${id}: ${description}`), [
      "bmad-good: Good",
      'bmad-front: Use "x": y: z',
      "bmad-toml: T",
      "bmad-agent-carl: Ends lines twice",
      "bmad-binary: About bmad-binary",
    ]);
    const text = await say(client, { operation: "execute", skill: "good" });
    assert.match(
      text,
      /_bmad\/custom\/bmad-good\.toml is ignored: the TOML cannot be parsed[^]*\nGood\.\n/,
    );
    assert.match(text, /_bmad\/bmm\/config\.yaml is ignored: the YAML cannot be parsed/);
    for (const file of ["manifest.yaml", "skill-manifest.csv", "bmad-help.csv"]) {
      await untilLogged(
        client,
        new RegExp(`bmad-mcp warn: project: _bmad/_config/${RegExp.escape(file)}: the `),
      );
    }
    await untilLogged(client, /bmad-front\/SKILL\.md: the front matter cannot be parsed/);
    await untilLogged(client, /bmad-toml\/customize\.toml: the TOML cannot be parsed/);
    await stillAnswers(client);
  });

  await t.step("a binary file is refused as text", async () => {
    await refuses(client, { operation: "execute", skill: "binary" }, /SKILL\.md is not a text file$/);
    await stillAnswers(client);
  });

  await t.step("a byte order mark and CRLF are kept [tool:execute-raw-text]", async () => {
    const text = await say(client, { operation: "execute", agent: "Carl" });
    assert.equal(headLine(text), "agent: bmm/bmad-agent-carl");
    assert.ok(text.includes(CRLF));
    await says(client, { operation: "read", agent: "carl", raw: true }, CRLF);
  });
});

treeTest("a project with empty files is served without them", {
  "_bmad/_config/manifest.yaml": "",
  "_bmad/_config/skill-manifest.csv": "",
  "_bmad/_config/bmad-help.csv": "",
  "_bmad/config.toml": "",
  "_bmad/bmm/config.yaml": "",
  ".claude/skills/bmad-good/SKILL.md": "",
  ".bmad-core/core-config.yaml": "",
  ".bmad-core/agents/empty.md": "",
  ".bmad-core/workflows/empty.yaml": "",
  ".bmad-core/tasks/empty.md": "",
}, async (dir) => {
  await using client = await startClient({ era: "2026", cwd: dir, args: ["--mode", "local"] });
  await says(client, { operation: "list", query: "skills" }, "No skills.");
  assert.equal((await facts(client, { operation: "list", query: "agents" })).total, 1);
  for (const parameter of ["agent", "workflow", "task"]) {
    assert.equal(
      headLine(await say(client, { operation: "execute", [parameter]: "empty" })),
      `${parameter}: bmad-core/empty`,
    );
  }
  await untilLogged(client, /_config\/skill-manifest\.csv: the file is empty/);
  await stillAnswers(client);
});
