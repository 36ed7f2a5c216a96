/** Is a file that is being written, or cannot be read, never served half? */
import assert from "node:assert/strict";
import { type Library, readResource } from "../../../src/content/library/mod.ts";
import { listen, ONE, skill, withScene } from "../../support/live.ts";
import { until } from "../../support/waiting.ts";

Deno.test("a half-written file is waited for, and the previous content is served meanwhile", () =>
  withScene(async (scene) => {
    const { clock, write, description } = scene;
    const { changes, off } = await listen(scene);
    clock.advance(900);
    await write(ONE, "---\nname: bmad-one\ndescr");
    clock.advance(100);
    // The first attempt found unclosed front matter; the next one is planned.
    await until("the next attempt is planned", () => clock.waiting().some((ms) => ms <= 100));
    assert.equal(await description(), "first");
    assert.deepEqual(changes, []);
    await write(ONE, skill("second"));
    await until("a change is reported", () => {
      clock.advance(100);
      return changes.length > 0;
    });
    assert.equal(await description(), "second");
    assert.deepEqual(changes.flatMap(({ diagnostics }) => diagnostics), []);
    off();
  }));

Deno.test("a file that stays broken is accepted as broken after a moment, and reported once", () =>
  withScene(async (scene) => {
    const { clock, write, description } = scene;
    const { changes, off } = await listen(scene);
    await write(ONE, "---\nname: bmad-one\ndescr");
    const begun = clock.now();
    clock.advance(900);
    await until("a change is reported", () => {
      clock.advance(20);
      return changes.length > 0;
    });
    assert.ok(clock.now() - begun < 2_000, `${clock.now() - begun}`);
    assert.deepEqual(changes[0]!.diagnostics.map(({ code, path }) => [code, path]), [["bad-file", ONE]]);
    assert.equal(await description(), "");
    off();
  }));

Deno.test("a request that reads a half-written file retries, three times at most", () =>
  withScene(async ({ live, clock, write, description }) => {
    await description();
    await write(ONE, "half");
    const read = (library: Library) => readResource(library, "bmad://own/bmad-one/SKILL.md");
    let reads = 0;
    const answer = live.ask((library) => {
      reads++;
      return read(library);
    });
    await until("one timer waits", () => clock.waiting().length === 1);
    await write(ONE, "whole");
    clock.advance(100);
    assert.equal((await answer).text, "whole");
    // Once more on the library that was read again because of it.
    assert.equal(reads, 3);
    // Somebody who never stops writing does not keep others waiting.
    reads = 0;
    const impatient = live.ask(async (library) => {
      await write(ONE, `${++reads}`);
      return read(library);
    });
    let isAnswered = false;
    impatient.then(() => isAnswered = true);
    await until("it is answered", () => {
      clock.advance(100);
      return isAnswered;
    });
    // At most the first attempt, three more, and one on the library that was read again.
    assert.equal((await impatient).text, `${reads}`);
    assert.ok(reads <= 5, `${reads}`);
  }));

Deno.test("a failed reload keeps the previous content, and is reported once until it works again", () =>
  withScene(async (scene) => {
    const { clock, write, description, breakReading } = scene;
    const { changes, off } = await listen(scene);
    const second = async () => {
      await until("one timer waits", () => clock.waiting().length === 1);
      clock.advance(1_000);
      await until("one timer waits", () => clock.waiting().length === 1);
    };
    await write(ONE, skill("second"));
    breakReading("the disk is on fire");
    for (let tries = 0; tries < 3; tries++) await second();
    assert.equal(await description(), "first");
    assert.deepEqual(changes.map(({ diagnostics }) => diagnostics.map(({ code }) => code)), [[
      "reload-failed",
    ]]);
    assert.match(changes[0]!.diagnostics[0]!.message, /previous content: the disk is on fire$/);
    assert.equal(changes[0]!.touched.size, 0);
    breakReading("there is water in it");
    await second();
    assert.equal(changes.length, 2);
    breakReading();
    await second();
    assert.equal(await description(), "second");
    assert.equal(changes.length, 3);
    off();
  }));

Deno.test("a failed first reading is tried again by the next request", () =>
  withScene(async ({ breakReading, description }) => {
    breakReading("not yet");
    await assert.rejects(description(), /not yet/);
    breakReading();
    assert.equal(await description(), "first");
  }));
