/** Do we render the launchers of 6.12.0 as BMAD's own script does? */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { renderFiles } from "../../src/content/library/delivery/launcher.ts";
import { openLibrary, readResource, resolveEntry } from "../../src/content/library/mod.ts";
import { parseToml, type Values } from "../../src/content/parse.ts";
import { say } from "../support/answers.ts";
import { clientHere } from "../support/client.ts";
import { LAUNCHERS } from "../support/ids.ts";
import { installation, sourceTree } from "../support/installs.ts";
import { opening, openProject } from "../support/library.ts";
import { NO_PYTHON, runPython } from "../support/python.ts";
import { copyTree, withTree } from "../support/trees.ts";

const INSTALL = { version: "6.12.0", tools: "claude-code" } as const;

type Files = Readonly<Record<string, string>>;

function withInstall<T>(files: Files, fn: (dir: string) => Promise<T>): Promise<T> {
  return withTree({}, async (dir) => {
    await copyTree(await installation(INSTALL), dir);
    for (const [path, text] of Object.entries(files)) await Deno.writeTextFile(`${dir}/${path}`, text);
    return await fn(dir);
  });
}

const runScript = (dir: string, id: string) =>
  runPython(dir, [
    `${dir}/_bmad/scripts/render_skill.py`,
    ...["--project-root", dir, "--skill", `${dir}/.claude/skills/${id}`],
  ]);

async function renderByScript(dir: string, id: string): Promise<Files> {
  const { out, said } = await runScript(dir, id);
  const [, output] = /^read and follow (.+)\/workflow\.md\n$/.exec(out) ?? assert.fail(said);
  const files: Record<string, string> = {};
  const walk = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(`${output}/${folder}`)) {
      const path = `${folder}${name}`;
      if (isDirectory) await walk(`${path}/`);
      else if (path !== "manifest.json") files[path] = await Deno.readTextFile(`${output}/${path}`);
    }
  };
  await walk("");
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      text.replaceAll(output!, `bmad://rendered/bmm/${id}`).replaceAll(dir, "{project-root}"),
    ]),
  );
}

async function renderByServer(dir: string, id: string): Promise<Files> {
  const library = await openProject(dir);
  return Object.fromEntries(renderFiles(library, resolveEntry(library, { name: id })));
}

const CONFIG: Files = {
  "_bmad/custom/config.toml": '[core]\ncommunication_language = "Français"\n\n[modules.bmm]\n' +
    'implementation_artifacts = "{project-root}/our $& work"\n\n[agents.bmad-agent-dev]\nname = "Ada"\n',
  "_bmad/custom/config.user.toml": '[core]\ncommunication_language = "Schwyzerdütsch"\n',
};

const overrides = (id: string): Files => ({
  ...CONFIG,
  [`_bmad/custom/${id}.toml`]: `[workflow]
activation_steps_prepend = ["Open the window.", "Read:\\n- {skill-root}/spec-template.md\\n\\n- {project-root}/a\\n"]
persistent_facts = ["file:{project-root}/docs/*.md", "We say {{.user_name}} and [[bmad-snapshot:workflow.md]]. $1"]
on_complete = "Ring the bell."
implementation_handoff = """
  Do it yourself, {workflow.on_complete}

"""

[[workflow.review_layers]]
id = "edge-case-hunter"
instruction = "\\n  Look at {diff_file} with {skill-root}/references/claims-check.md\\n"
when = "there is a diff"

[[workflow.review_layers]]
id = "blind-hunter"
name = "Nobody"
instruction = " \\n"

[[workflow.review_layers]]
id = "ours"
instruction = "Ask the team."
`,
  [`_bmad/custom/${id}.user.toml`]: `[workflow]
persistent_facts = ["I am left-handed."]
on_complete = ""

[[workflow.review_layers]]
id = "ours"
name = "Mine"
instruction = "Ask me."
`,
});

const quiet = (id: string): Files => ({
  [`_bmad/custom/${id}.toml`]: ["blind-hunter", "edge-case-hunter", "verification-gap", "intent-alignment"]
    .map((layer) => `[[workflow.review_layers]]\nid = "${layer}"\ninstruction = ""\n`).join("\n"),
});

const CASES: readonly (readonly [what: string, files: (id: string) => Files])[] = [
  ["as it was installed", () => ({})],
  ["with other configuration", () => CONFIG],
  ["with values of a team and a user", overrides],
  ["without reviews", quiet],
];

Deno.test("the files of a launcher are read rendered", async () => {
  const library = await openLibrary([opening("package", 9, await sourceTree("bmad-method@6.12.0"))]);
  const of = resolveEntry(library, { name: "bmad-build" });
  const uri = "bmad://rendered/bmm/bmad-build/step-02-plan.md";
  const { text } = await readResource(library, uri);
  for (const spelling of ["step-02-plan.md", "./step-02-plan.md", "{skill-root}/step-02-plan.md"]) {
    assert.deepEqual(await readResource(library, spelling, { of }), {
      uri,
      mimeType: "text/markdown",
      text,
    });
  }
  const raw = await readResource(library, "step-02-plan.md", { of, raw: true });
  assert.equal(raw.uri, "bmad://bmm/bmad-build/step-02-plan.md");
  assert.match(raw.text!, /\{\{\.\w+\}\}/);
});

for (const id of LAUNCHERS) {
  for (const [what, files] of CASES) {
    Deno.test({
      name: "a launcher is rendered as BMAD's own script renders it [tool:execute-launchers]" +
        `: ${id} ${what}`,
      ignore: NO_PYTHON,
      fn: () =>
        withInstall(files(id), async (dir) => {
          const theirs = await renderByScript(dir, id);
          const ours = await renderByServer(dir, id);
          assert.ok(Object.keys(theirs).length > 10);
          assert.deepEqual(ours, theirs);
          // The values did arrive.
          if (files === overrides) {
            assert.match(ours["workflow.md"]!, /\n- I am left-handed\.\n/);
            assert.match(ours["step-04-review.md"]!, /#### Mine \(`ours`\)\n\nAsk me\./);
            assert.match(ours["step-03-implement.md"]!, /Do it yourself/);
          }
        }),
    });
  }
}

const REFUSED: readonly (readonly [token: RegExp, files: Files])[] = [
  [/persistent_facts/, { "_bmad/custom/bmad-build.toml": '[workflow]\npersistent_facts = "one"\n' }],
  [/persistent_facts/, { "_bmad/custom/bmad-build.toml": '[workflow]\npersistent_facts = [" "]\n' }],
  [/on_complete/, { "_bmad/custom/bmad-build.toml": "[workflow]\non_complete = true\n" }],
  [/implementation_handoff/, { "_bmad/custom/bmad-build.toml": '[workflow]\nimplementation_handoff = ""\n' }],
  [/review_layers/, { "_bmad/custom/bmad-build.toml": '[[workflow.review_layers]]\nname = "No id"\n' }],
  [/review_layers/, { "_bmad/custom/bmad-build.toml": '[[workflow.review_layers]]\nid = "empty"\n' }],
  [/communication_language/, { "_bmad/custom/config.toml": "[core]\ncommunication_language = 5\n" }],
  [/communication_language/, { "_bmad/custom/config.toml": '[core]\ncommunication_language = ""\n' }],
  [/planning_artifacts/, { "_bmad/custom/config.toml": '[modules.x]\nplanning_artifacts = "elsewhere"\n' }],
];

for (const [token, files] of REFUSED) {
  Deno.test({
    name: `what the script stops at we refuse: ${JSON.stringify(Object.values(files)[0])}`,
    ignore: NO_PYTHON,
    fn: () =>
      withInstall(files, async (dir) => {
        const { success, out } = await runScript(dir, "bmad-build");
        assert.deepEqual([success, /^HALT: /.test(out), token.test(out)], [false, true, true], out);
        await assert.rejects(renderByServer(dir, "bmad-build"), { name: "BmadError", message: token });
      }),
  });
}

Deno.test("without an installation, values are those of a fresh one", { ignore: NO_PYTHON }, async () => {
  await withInstall({}, async (dir) => {
    const layers = ["config.toml", "config.user.toml"].map((name) =>
      parseToml(Deno.readTextFileSync(`${dir}/_bmad/${name}`)).value
    );
    const places = layers.flatMap((layer) => placesIn(layer));
    assert.ok(places.length > 30 && places.includes("agents.bmad-agent-dev.team"), places.join());
    const probe = places.map((place) => `${place} = {{config.${place}}}\n`).join("");
    const skill = "bmad-build";
    await Deno.writeTextFile(`${dir}/.claude/skills/${skill}/probe.md`, probe);
    const theirs = (await renderByScript(dir, skill))["probe.md"]!.split("\n");

    const source = `${await sourceTree("bmad-method@6.12.0")}/src`;
    await withTree({ [`bmm-skills/ship/${skill}/probe.md`]: probe }, async (bare) => {
      for (const name of ["core-skills", "bmm-skills"]) {
        await copyTree(`${source}/${name}`, `${bare}/${name}`);
      }
      const library = await openLibrary([opening("cli", 2, bare)], { project: "/home/ann/project" });
      const { text } = await readResource(library, `bmad://rendered/bmm/${skill}/probe.md`);
      // The installer takes the user's name from the system.
      const expected = theirs.map((line) =>
        line.startsWith("core.user_name = ") ? "core.user_name = BMad" : line
      );
      assert.deepEqual(text!.split("\n"), expected);
    });
  });
});

function placesIn(table: Values, prefix = ""): readonly string[] {
  return Object.entries(table).flatMap(([key, value]) =>
    typeof value === "string" ? [`${prefix}${key}`] : placesIn(value as Values, `${prefix}${key}.`)
  );
}

const TOKEN = /\{\{config\.|\{\{\.|\{workflow\.|\[\[bmad-snapshot:|\{skill-root\}/;

Deno.test("the launchers of the embedded content", async (t) => {
  await using client = await clientHere({ era: "2026", args: ["--max-result", "1048576"] });
  for (const id of LAUNCHERS) {
    await t.step(
      "an executed launcher needs nothing more [tool:execute-launchers, tool:execute-overhead]" + `: ${id}`,
      async () => {
        const executed = await say(client, { operation: "execute", skill: id });
        const workflow = await say(client, {
          operation: "read",
          uri: `bmad://rendered/bmm/${id}/workflow.md`,
        });
        assert.ok(executed.includes(workflow));
        assert.doesNotMatch(executed, /render_skill\.py/);
        const [before, after] = executed.split(workflow);
        const values = /\nAlready resolved [^\n]*\n([\s\S]*?)\nFiles: /.exec(before!)![1]!;
        const loaded = after!.search(/\n=== loaded: /);
        const tokens = countTokens(before! + after!.slice(0, loaded < 0 ? undefined : loaded)) -
          countTokens(values);
        assert.ok(tokens > 20 && tokens <= 120, `${tokens} tokens`);

        // From the first text on, every file that a rendered one names opens and is rendered.
        const seen = new Map<string, string>();
        const follow = async (text: string) => {
          assert.doesNotMatch(text, TOKEN);
          for (const [uri] of text.matchAll(/bmad:\/\/rendered\/[\w./-]+\.md/g)) {
            if (seen.has(uri)) continue;
            const { text, mimeType } = (await client.readResource(uri)).contents[0];
            assert.equal(mimeType, "text/markdown");
            seen.set(uri, text);
            await follow(text);
          }
        };
        await follow(executed);
        const names = [...seen.keys()].map((uri) => uri.replace(`bmad://rendered/bmm/${id}/`, ""));
        for (
          const name of [
            "step-01-clarify-and-route.md",
            "step-04-review.md",
            "review-prompts/edge-case-hunter.md",
          ]
        ) {
          assert.ok(names.includes(name), name);
        }
        assert.match(
          seen.get(`bmad://rendered/bmm/${id}/step-01-clarify-and-route.md`)!,
          /_bmad-output\/implementation-artifacts/,
        );
      },
    );
  }
});
