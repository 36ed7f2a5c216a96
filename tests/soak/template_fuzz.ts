/**
 * Can a template hold up the server, or fill its memory?
 *
 * One launcher gets one hostile template after the other, and each is asked for while a ping waits.
 */
import assert from "node:assert/strict";
import { flatSource } from "../support/flat.ts";
import { HOSTILE_VALUES, hostileTemplate } from "../support/hostile_templates.ts";
import { startSession } from "../support/program.ts";
import { withTree } from "../support/trees.ts";
import { chanceFrom } from "../support/chance.ts";
import { openSlowest, residentMemory } from "./measure.ts";

/** So many launchers get their templates at once: after each change, the server reads its content again. */
const LAUNCHERS = 25;
const folderOf = (at: number) => `.agents/skills/bmad-l${at % LAUNCHERS}`;

const SKILL = (id: string) =>
  `---\nname: ${id}\ndescription: Renders.\n---\n\nuv run {project-root}/_bmad/scripts/render_skill.py --skill {skill-root}\n`;

/** The first requests load code; the memory after them is what others are compared with. */
const WARM = LAUNCHERS;

export function fuzzTemplates(count: number, seed: number) {
  // Small enough that its reading takes less time than the templates.
  const list = HOSTILE_VALUES.list.slice(0, 500);
  const customize =
    `[workflow]\nmode = "careful"\ntext = "${"ab ".repeat(10_000)}"\nsame = "${"a".repeat(20_000)}"\n` +
    `list = ${JSON.stringify(list)}\n\n[workflow.table]\n${
      list.map((_, at) => `key${at} = ${at}`).join("\n")
    }\n`;
  const files = flatSource("tickets", ".agents/skills");
  const launchers = Array.from({ length: LAUNCHERS }, (_, at) => [
    [`${folderOf(at)}/SKILL.md`, SKILL(`bmad-l${at}`)],
    [`${folderOf(at)}/bmod.toml`, '[skill]\nbmod = "bmod-method"\n'],
    [`${folderOf(at)}/customize.toml`, customize],
    [`${folderOf(at)}/workflow.md`, ""],
  ]).flat();
  return withTree({ ...files, ...Object.fromEntries(launchers) }, async (cwd) => {
    await using program = await startSession(["--pack", "none"], { cwd });
    const answers = openSlowest(), pings = openSlowest();
    let [before, after] = [0, 0];
    for (let at = 0; at < count + WARM; at++) {
      const own = seed + at;
      for (let next = at; at % LAUNCHERS === 0 && next < at + LAUNCHERS; next++) {
        await Deno.writeTextFile(
          `${cwd}/${folderOf(next)}/workflow.md`,
          hostileTemplate(chanceFrom(seed + next)),
        );
      }
      const begun = performance.now();
      const params = {
        name: "bmad",
        arguments: { operation: "execute", workflow: `bmad-l${at % LAUNCHERS}`, message: `${own}` },
      };
      await program.send({ id: `call ${at}`, method: "tools/call", params });
      await program.send({ id: `ping ${at}`, method: "ping" });
      await program.next(`ping ${at}`);
      const pinged = performance.now() - begun;
      const { result } = await program.next(`call ${at}`);
      const answered = performance.now() - begun;
      assert.ok(result !== undefined, `seed ${own} was not answered`);
      if (at < WARM) {
        before = residentMemory(program.pid);
        continue;
      }
      answers.note(answered, own);
      pings.note(pinged, own);
      if (at % 50 === 0) after = Math.max(after, residentMemory(program.pid));
    }
    assert.doesNotMatch(program.stderr(), /Internal|RangeError|TypeError/);
    return { templates: count, answer: answers.slowest, ping: pings.slowest, growth: after - before };
  });
}
