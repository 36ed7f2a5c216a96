/**
 * Promises that only a clock can judge: how soon changes are announced, how soon the program ends, and whether a file
 * that is being written is ever served in half. On a busy machine they fail without a fault of the program, so they are
 * no part of `deno task test`, which proves the same events without their time.
 */
import assert from "node:assert/strict";
import { pause } from "../../src/base/work.ts";
import { type Era, startClient } from "../support/client.ts";
import { startSession } from "../support/program.ts";
import { withTree } from "../support/trees.ts";
import { until } from "../support/waiting.ts";
import { quantile } from "./measure.ts";

const SKILL = "_bmad/own/skills/bmad-one/SKILL.md";
const URI = "bmad://own/bmad-one/SKILL.md";

const textOf = (round: number) =>
  `---\nname: bmad-one\ndescription: Text ${round}\n---\n\n${"x".repeat(2_000)}\n`;

export async function timeToEnd(by: Deno.Signal | "the end of its input"): Promise<number> {
  await using program = await startSession();
  await program.send({ id: 2, method: "tools/list" });
  await program.next(2);
  if (by === "the end of its input") await program.closeStdin();
  else program.signal(by);
  const { code, ms } = await program.exit;
  assert.equal(code, 0);
  return ms;
}

export function timeToAnnounce(era: Era, edits: number): Promise<number> {
  return withTree({ [SKILL]: textOf(0) }, async (dir) => {
    await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
    await client.listen([URI]);
    await client.listPrompts();
    const times: number[] = [];
    for (let round = 1; round <= edits; round++) {
      // Right after a change the program looks again by itself: an edit should come out of the blue.
      await pause(1_500);
      const from = client.notices.length;
      await Deno.writeTextFile(`${dir}/${SKILL}`, textOf(round));
      const written = performance.now();
      const find = () => client.notices.slice(from).find(({ params }) => params?.uri === URI);
      await until("the edit is announced", () => find() !== undefined);
      times.push(find()!.at - written);
    }
    return quantile(times, 0.5);
  });
}

/** Writes a file in two steps, while a client reads it: it is served as it was before or as it is afterwards. */
export function neverHalf(era: Era, rounds: number): Promise<string> {
  return withTree({ [SKILL]: textOf(0) }, async (dir) => {
    await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
    await client.listPrompts();
    let judged = 0;
    for (let round = 1; round <= rounds; round++) {
      const text = textOf(round);
      const begun = performance.now();
      // Cut in the front matter, or in the text below it.
      await Deno.writeTextFile(`${dir}/${SKILL}`, text.slice(0, round % 2 === 0 ? 20 : 900));
      const asked = [client.readResource(URI), client.readResource(URI), client.listPrompts()] as const;
      await pause(50);
      await Deno.writeTextFile(`${dir}/${SKILL}`, text);
      // What was not completed within a tenth of a second may be served as it is.
      const isQuick = performance.now() - begun < 150;
      const [one, other, prompts] = await Promise.all(asked);
      if (isQuick) {
        judged++;
        const known = [textOf(round - 1), text];
        for (const { contents } of [one, other]) {
          assert.ok(known.includes(contents[0].text), contents[0].text.slice(0, 100));
        }
        assert.ok([`Text ${round - 1}`, `Text ${round}`].includes(prompts[0].description));
      }
      await until(
        "the new text is listed",
        async () => (await client.listPrompts())[0].description === `Text ${round}`,
      );
    }
    assert.ok(judged > 0, "the machine is too busy to write a file in two steps");
    assert.equal(client.stderr(), "");
    return `${judged} of ${rounds} writes were quick enough to judge`;
  });
}
