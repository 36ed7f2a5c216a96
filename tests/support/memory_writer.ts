/**
 * A program that remembers one thing after the other and says so each time: for tests that end it in the midst of it.
 *
 *     memory_writer.ts FILE NAME COUNT
 *
 * Prints the text of each memory once it is kept. What cannot be kept is told on a line that begins with a bang.
 */
import { BmadError } from "../../src/base/errors.ts";
import { openSqlite } from "../../src/project/kit/memory/store/sqlite.ts";
import { memoryOf, TERMS_ONLY } from "./memories.ts";

const [file, name, count] = Deno.args;
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
const store = openSqlite({ file: file!, readOnly: false }, TERMS_ONLY);
for (let at = 0; at < Number(count); at++) {
  const text = `${name} remembers number ${at}`;
  try {
    await store.remember([await memoryOf({ text, tags: [`n${at}`] })]);
    say(text);
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    say(`! ${error.message}`);
    break;
  }
}
store.close();
