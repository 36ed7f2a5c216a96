/** Do the scripts that look something up print what BMAD's own print? */
import assert from "node:assert/strict";
import { findResolvers, listSkills, openLibrary } from "../../../src/content/library/mod.ts";
import { commandOf, runScript } from "../../../src/project/scripts/mod.ts";
import { installation } from "../../support/installs.ts";
import { opening } from "../../support/library.ts";
import { NO_PYTHON, PYTHON } from "../../support/python.ts";
import { worldOf } from "../../support/scripts.ts";
import { copyTree, treeTest, withTree } from "../../support/trees.ts";

const SKILLS = ".claude/skills";

async function openWorld(root: string) {
  const library = await openLibrary([opening("project", 1, root)], { project: root });
  const skills = await listSkills(library);
  return worldOf(root, { skills, resolvers: () => findResolvers(library) });
}

/** What BMAD's own script prints; it imports its neighbours, so it runs by its path. */
async function runOriginal(script: string, root: string, args: readonly string[]) {
  const { code, stdout, stderr } = await new Deno.Command(PYTHON, {
    args: ["-B", script, ...args],
    cwd: root,
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { status: code, stdout: decode(stdout), stderr: decode(stderr) };
}

const CONFIG = "_bmad/scripts/resolve_config.py";
const CUSTOM = "_bmad/scripts/resolve_customization.py";
const PARTY = `${SKILLS}/bmad-party-mode/scripts/resolve_party.py`;
const RENDER = "_bmad/scripts/render_skill.py";
const PERSONAS = `${SKILLS}/bmad-forge-idea/scripts/resolve_personas.py`;

/** Scripts with their arguments; ROOT is the project. */
const CALLS: readonly (readonly string[])[] = [
  [CONFIG, "--project-root", "ROOT"],
  [CONFIG, "-p", "ROOT", "--key", "core", "-k", "modules.bmm.planning_artifacts", "--key", "none.such"],
  [CONFIG],
  [CUSTOM, "--skill", `ROOT/${SKILLS}/bmad-prd`, "--project-root", "ROOT"],
  [
    CUSTOM,
    "--skill",
    `ROOT/${SKILLS}/bmad-agent-pm`,
    "--project-root",
    "ROOT",
    "--key",
    "agent.menu",
    "-k",
    "agent.name",
  ],
  [CUSTOM, "-s", `ROOT/${SKILLS}/bmad-prd`, "--key", "workflow.none"],
  [CUSTOM, "--skill", `ROOT/${SKILLS}/none`, "--project-root", "ROOT"],
  [PARTY, "--project-root", "ROOT", "--skill", `ROOT/${SKILLS}/bmad-party-mode`],
  [PARTY, "--project-root", "ROOT", "--skill", `ROOT/${SKILLS}/bmad-party-mode`, "--list-groups"],
  [PARTY, "--project-root", "ROOT", "--skill", `ROOT/${SKILLS}/bmad-party-mode`, "--party", "camp"],
  [PARTY, "--project-root", "ROOT", "--skill", `ROOT/${SKILLS}/bmad-party-mode`, "--party", "none"],
  [PERSONAS, "--project-root", "ROOT", "--skill", `ROOT/${SKILLS}/bmad-forge-idea`],
];

/** What teams and users write, then what cannot be read. */
const CHANGES: readonly Readonly<Record<string, string>>[] = [
  {
    "_bmad/custom/config.toml": '[core]\noutput_folder = "öut"\n[agents.zoe]\nname = "Zoé"\nicon = "🦊"\n',
    "_bmad/custom/config.user.toml":
      "[modules.bmm]\nnumber = 3\nfraction = 1.5\nflag = true\nlist = [1, 2]\n",
    "_bmad/custom/bmad-prd.toml": '[workflow]\non_complete = "Sing"\n',
    "_bmad/custom/bmad-agent-pm.user.toml":
      '[[agent.menu]]\ncode = "XX"\ndescription = "More"\nprompt = "Do"\n',
    "_bmad/custom/bmad-party-mode.toml":
      '[workflow]\ndefault_party = "camp"\n[[workflow.party_members]]\ncode = "ranger"\nname = "Ray"\n' +
      '[[workflow.party_groups]]\nid = "camp"\nname = "Camp"\nmembers = ["ranger", "analyst", "nobody"]\nscene = "Fire"\n',
  },
  { "_bmad/custom/bmad-build.toml": "x = \n" },
  {
    "_bmad/custom/bmad-build.toml": "",
    "_bmad/custom/config.toml": "[core\n",
    "_bmad/custom/bmad-prd.toml": "x = \n",
  },
];

Deno.test("scripts that look things up answer as BMAD's [work:script]", { ignore: NO_PYTHON }, async () => {
  await withTree({}, async (root) => {
    await copyTree(await installation({ version: "6.12.0", tools: "claude-code" }), root);
    for (const files of CHANGES) {
      await Deno.mkdir(`${root}/_bmad/custom`, { recursive: true });
      for (const [path, text] of Object.entries(files)) await Deno.writeTextFile(`${root}/${path}`, text);
      const world = await openWorld(root);
      await Promise.all(CALLS.map(async (call) => {
        const [script = "", ...args] = call.map((word) => word.replace("ROOT", root));
        const theirs = await runOriginal(`${root}/${script}`, root, args);
        const ours = await runScript(commandOf([script, ...args]), world);
        const about = `${call.join(" ")}\n${theirs.stderr}\n${ours.stderr}`;
        assert.deepEqual([ours.status, ours.stdout], [theirs.status, theirs.stdout], about);
      }));
      for (const skill of ["bmad-build", "bmad-prd", "none"]) {
        const args = ["--project-root", root, "--skill", `${root}/${SKILLS}/${skill}`];
        const theirs = await runOriginal(`${root}/${RENDER}`, root, args);
        const ours = await runScript(commandOf([RENDER, ...args]), world);
        // Where each renders to, and what is wrong, is said in other words.
        const verdict = (
          { status, stdout }: typeof theirs,
        ) => [status, /^(?:HALT:|read and follow)/.exec(stdout)?.[0]];
        assert.deepEqual(verdict(ours), verdict(theirs), `${skill}\n${theirs.stdout}\n${ours.stdout}`);
      }
    }
  });
});

treeTest("without an installation they answer from the served content", {
  "core/module.yaml": "code: core\nuser_name:\n  prompt: Who?\n  default: Ann\n",
  "core/bmad-go/SKILL.md": "---\nname: bmad-go\ndescription: Goes.\n---\nGo.\n",
  "core/bmad-go/customize.toml": '[workflow]\non_complete = "Rest"\n',
}, async (root) => {
  const world = await openWorld(root);
  const run = (...words: string[]) => runScript(commandOf(words), world);
  assert.match(
    (await run("resolve_config.py", "--project-root", "{project-root}", "--key", "core")).stdout,
    /"core": \{/,
  );
  const custom = await run(
    "resolve_customization.py",
    "--skill",
    "bmad-go",
    "--key",
    "workflow.on_complete",
  );
  assert.deepEqual(JSON.parse(custom.stdout), { "workflow.on_complete": "Rest" });
  const halted = await run("render_skill.py", "--project-root", "{project-root}", "--skill", "bmad-go");
  assert.deepEqual([halted.status, halted.stdout.startsWith("HALT: ")], [1, true]);
});
