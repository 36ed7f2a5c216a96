/** Does a skill that finds out what to do next come with the answer? */
import assert from "node:assert/strict";
import { flatSource } from "../../support/flat.ts";
import { toolCallsIn } from "../../support/printed_calls.ts";
import { type Args, openIn, Reader } from "../../support/printed_reader.ts";
import { runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const STATUS_FILE = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const SPRINT = "development_status:\n  epic-1: in-progress\n  1-1-sign-in: in-progress\n";

const adviceIn = (text: string) => /\nWhat to do next in this project:\n([^]*?)\n---\n/.exec(text)?.[1];

Deno.test("the help skill comes with the next step, as next hands it out [tool:execute-next]", () =>
  withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
    const reader = new Reader(openIn(dir));
    const { text } = await reader.call("bmad", { skill: "bmad-help", message: "what next?" });
    const { text: next } = await reader.call("bmad_work", { operation: "next" });
    assert.match(
      next,
      /^Continue “Sign in” \(1-1\)\nNext: bmm\/bmad-build\nWhy: story 1-1-sign-in is in progress/,
    );
    assert.equal(adviceIn(text), next);
    for (const { tool, json } of toolCallsIn(next)) {
      assert.equal((await reader.call(tool, JSON.parse(json))).isError, false, json);
    }
    // The next answer follows the ledger.
    const later = await reader.call("bmad", { skill: "bmad-help" });
    assert.match(adviceIn(later.text)!, /story 1-1-sign-in is ready for review/);
    // No other skill has it, and a file is only the file.
    for (const args of [{ skill: "bmad-prd" }, { skill: "bmad-help", raw: true }]) {
      assert.equal(adviceIn((await reader.call("bmad", args)).text), undefined);
    }
    const { stdout } = await runHere(["execute", "bmad-help"], { cwd: dir });
    assert.match(adviceIn(stdout)!, /^Call: bmad-mcp execute bmm\/bmad-code-review /m);
  }));

Deno.test("asked what is next, the help skill answers that alone [tool:execute-next]", () =>
  withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
    const reader = new Reader(openIn(dir));
    const { text: next } = await reader.call("bmad_work", { operation: "next" });
    for (const message of [undefined, "What's next?", "where are we", "Done. Show me the next step"]) {
      const { text } = await reader.call("bmad", { skill: "bmad-help", message });
      assert.equal(adviceIn(text), next);
      assert.ok(text.length < next.length + 450, text);
      const [, call] = /^The skill's text, for other questions: bmad (\{.*\})$/m.exec(text) ??
        assert.fail(text);
      assert.match((await reader.call("bmad", JSON.parse(call!))).text, /^## Response Format$/m);
    }
    for (
      const message of ["How do I write a PRD?", "Can I skip the next step?", "Which agent knows Next.js?"]
    ) {
      const { text } = await reader.call("bmad", { skill: "bmad-help", message });
      assert.match(text, /^## Response Format$/m, message);
    }
  }));

Deno.test("a read-only server offers no mark with it [tool:execute-next]", () =>
  withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
    const { text } = await new Reader(openIn(dir, "--read-only")).call("bmad", { skill: "bmad-help" });
    assert.match(adviceIn(text)!, /^Call: bmad /m);
    assert.doesNotMatch(adviceIn(text)!, /bmad_work/);
  }));

Deno.test("the hub of flat skills has it too [tool:execute-next]", () =>
  withTree({ ...flatSource("tickets", ".agents/skills") }, async (dir) => {
    const hub = async (...args: readonly string[]) =>
      (await new Reader(openIn(dir, ...args)).call("bmad", { skill: "bmad" })).text;
    assert.match(adviceIn(await hub())!, /^Next step unknown\nWhy: there are no stories yet; /);
    const alone = await hub("--mode", "strict", "--path", dir);
    assert.equal(adviceIn(alone), undefined);
    assert.match(alone, /^next: bmad \{.*\} names the next step of this project, and why$/m);
  }));

Deno.test("the help skill comes with the answer and its own whole text [tool:execute-next, tool:execute-raw-text]", () =>
  withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
    const read = async (call: Args) => (await new Reader(openIn(dir)).call("bmad", call)).text;
    const text = await read({ skill: "bmad-help", message: "What is there for research?" });
    const whole = await read({ operation: "execute", skill: "bmad-help", raw: true });
    assert.match(whole, /^## CSV Interpretation$/m);
    assert.ok(adviceIn(text) !== undefined);
    assert.ok(text.includes(whole.trimEnd()), "its text is as it is");
  }));
