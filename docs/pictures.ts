/**
 * Draws every picture of the README and the guide, from real runs of the program: `deno task pictures`.
 */
import { drawProject } from "./conversation.ts";
import { drawTerminal } from "./picture.ts";

const FOLDER = new URL("./", import.meta.url);

await drawTerminal(FOLDER);
await drawProject(FOLDER);
