/** Can a sub-agent that knows nothing of this session open what its prompt names? */
import assert from "node:assert/strict";
import { openApp } from "../../../../src/app.ts";
import { denoHost } from "../../../../src/process/host.ts";
import type { OriginKind } from "../../../../src/base/model.ts";
import {
  executeEntry,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { resolveConfig } from "../../../support/config.ts";
import { opening, testsOver } from "../../../support/library.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

const SKILLS = ".claude/skills";

const PROJECT = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\n",
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    '"bmad-press","bmad-press","Prints.","bmm","_bmad/bmm/bmad-press/SKILL.md"\n' +
    '"bmad-proof","bmad-proof","Reads.","bmm","_bmad/bmm/bmad-proof/SKILL.md"\n',
  "_bmad/config.toml": '[core]\nuser_name = "Ann"\n',
  [`${SKILLS}/bmad-proof/SKILL.md`]: "---\nname: bmad-proof\ndescription: Reads.\n---\nRead.\n",
  [`${SKILLS}/bmad-proof/customize.toml`]: '[workflow]\ntemplate = "prompts/eye.md"\n\n' +
    '[[workflow.layers]]\nid = "eye"\ninstruction = "Follow `{skill-root}/prompts/eye.md`, then say \\"done\\"."\n\n' +
    '[[workflow.layers]]\nid = "ear"\ninstruction = "Load `prompts/eye.md` and `prompts/none.md`."\n\n' +
    '[[workflow.layers]]\nid = "all"\ninstruction = "Load `prompts/long.md`, `prompts/eye.md` and `prompts/dir`."\n',
  [`${SKILLS}/bmad-proof/prompts/eye.md`]: "Look.\n",
  [`${SKILLS}/bmad-proof/prompts/long.md`]: "Look again.\n".repeat(200),
  [`${SKILLS}/bmad-proof/prompts/dir/x.md`]: "Deep.\n",
  [`${SKILLS}/bmad-press/SKILL.md`]: "---\nname: bmad-press\ndescription: Prints.\n---\n\n" +
    '    uv run render_skill.py --project-root "{project-root}" --skill "{skill-root}"\n',
  [`${SKILLS}/bmad-press/customize.toml`]:
    '[workflow]\nhandoff = "Follow {skill-root}/prompts/plain.md, not {skill-root}/prompts/named.md."\n',
  [`${SKILLS}/bmad-press/workflow.md`]: "{workflow.handoff}\n" +
    "Start a subagent with `[[bmad-snapshot:prompts/plain.md]]` as its prompt.\nThen [[bmad-snapshot:prompts/plain.md]].\n",
  [`${SKILLS}/bmad-press/prompts/plain.md`]: "Print.\n",
  [`${SKILLS}/bmad-press/prompts/named.md`]: "Print for {{.user_name}}.\n",
};

const CALLS = { open: 'get {"uri":URI}', start: "start NAME" };

/** The answers for both skills, and the folder of the skills on disk. */
function withSkills(
  kind: OriginKind,
  fn: (texts: Record<"proof" | "press", string>, folder: string) => void,
  isRemote = false,
) {
  return withTree(PROJECT, async (dir) => {
    const library = await openLibrary([opening(kind, 1, dir)], { project: "/project", isRemote });
    const execute = (name: string) =>
      executeEntry(library, resolveEntry(library, { name }), { calls: CALLS });
    const press = await execute("bmad-press");
    // Whoever reads the file gets the same.
    const { text } = await readResource(library, "bmad://rendered/bmm/bmad-press/workflow.md", {
      calls: CALLS,
    });
    assert.ok(press.endsWith(text!));
    fn({ proof: await execute("bmad-proof"), press }, `${dir}/${SKILLS}`);
  });
}

const skillsTest = testsOver(withSkills);

skillsTest(
  "prompts for sub-agents name files by their full paths [tool:execute-fresh]",
  "project",
  ({ proof, press }, folder) => {
    assert.ok(proof.includes(`Follow \`${folder}/bmad-proof/prompts/eye.md\`, then say "done".`), proof);
    assert.ok(
      proof.includes(`Load \`${folder}/bmad-proof/prompts/eye.md\` and \`prompts/none.md\`.`),
      proof,
    );
    // Only the reader of this answer opens it.
    assert.match(proof, /^ {2}template: prompts\/eye\.md$/m);
    const plain = `${folder}/bmad-press/prompts/plain.md`;
    const rendered = "bmad://rendered/bmm/bmad-press/prompts";
    // The file on disk is not what the sub-agent should read if it is a template.
    assert.ok(press.includes(`\nFollow ${plain}, not get {"uri":"${rendered}/named.md"}.\n`), press);
    assert.ok(press.includes(`\nStart a subagent with \`${plain}\` as its prompt.\n`), press);
    assert.ok(press.endsWith(`\nThen ${rendered}/plain.md.\n`), press);
  },
);

for (const [kind, isRemote] of [["package", false], ["project", true]] as const) {
  Deno.test(
    `a prompt has a short file of a ${
      isRemote ? "distant" : "packed"
    } skill itself, and the call for others [tool:execute-fresh, tool:execute-remote]`,
    () =>
      withSkills(kind, ({ proof, press }, folder) => {
        const uri = (name: string) => `bmad://bmm/bmad-proof/prompts/${name}`;
        const call = (uri: string) => `get {"uri":"${uri}"}`;
        const included = `\n\n=== ${uri("eye.md")} ===\nLook.`;
        const plain = proof.replaceAll(/(?<=\n) +/g, "");
        const prompts = [
          `Follow \`${uri("eye.md")}\`, then say "done".${included}\n`,
          `Load \`${call(uri("long.md"))}\`, \`${uri("eye.md")}\` and \`prompts/dir\`.${included}\n`,
        ];
        for (const prompt of prompts) assert.ok(plain.includes(prompt), proof);
        assert.ok(
          press.includes(`Follow ${call("bmad://rendered/bmm/bmad-press/prompts/plain.md")}, not `),
          press,
        );
        for (const text of [proof, press]) {
          assert.ok(!text.includes(folder), text);
          assert.equal(/^project-root: /m.test(text), !isRemote);
        }
      }, isRemote),
  );
}

treeTest(
  "the address of a server decides whether its paths are named [tool:execute-remote]",
  PROJECT,
  async (dir) => {
    const host = denoHost(dir);
    const execute = async (address: string) => {
      const args = ["serve", "--project", dir, "--pack", "none", "--http", address];
      const env = (name: string) => name === "BMAD_TOKEN" ? "a".repeat(40) : undefined;
      const app = openApp(resolveConfig({ ...host, home: undefined, args, env }), host);
      return await app.execute(await app.resolve({ name: "bmad-proof" }), { calls: CALLS });
    };
    assert.ok((await execute("127.0.0.1:8080")).includes(dir));
    assert.ok(!(await execute("0.0.0.0:8080")).includes(dir));
  },
);
