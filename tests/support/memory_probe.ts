/**
 * A program with no more rights than the real one has: it gives up the disk save for the content, then embeds a text.
 *
 * Prints the length of the vector. Is handed the content folder; run by memory/rights_test.ts.
 */
import { dropRights } from "../../src/process/rights.ts";

const contentDir = Deno.args[0]!;
dropRights({ read: [contentDir], write: [], run: [], net: false }, { sandbox: true });
const { openEmbedder } = await import("../../src/project/kit/memory/embed/built_in.ts");
const embedder = openEmbedder(contentDir)!;
const [vector] = await embedder.embed(["a text"]);
embedder.close();
await Deno.stdout.write(new TextEncoder().encode(`${vector!.length} numbers\n`));
