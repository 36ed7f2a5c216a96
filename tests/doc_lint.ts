/**
 * `deno doc --lint` over the face of every unit, without the rule that each member needs a comment.
 *
 * An exported name says in a sentence what it is for; a member whose name says everything needs no sentence that repeats
 * it. The tool knows no such exception, so its complaints are filtered here.
 */
import { ROOMS } from "./layers.ts";

const faces = Object.values(ROOMS).flatMap(({ folder, units }) =>
  Object.entries(units).map(([name, { faces = [] }]) => {
    const base = folder === undefined || folder === name ? `src/${name}` : `src/${folder}/${name}`;
    return [name === "main" ? "main.ts" : isFile(`${base}.ts`) ? `${base}.ts` : `${base}/mod.ts`]
      .concat(faces.map((file) => `${base}/${file}`));
  })
).flat();

const { stderr, success } = await new Deno.Command(Deno.execPath(), {
  args: ["doc", "--lint", ...faces],
  env: { NO_COLOR: "1" },
  stdout: "null",
}).output();
const output = new TextDecoder().decode(stderr);
const complaints = output.split(/\n(?=error)/).filter((text) => text.startsWith("error["));
if (!success && complaints.length === 0) throw new Error(output);

const isAboutMember = (text: string) =>
  text.startsWith("error[missing-jsdoc]") && /^ *\d+ \| {2,}/m.test(text);
const relevant = complaints.filter((text) => !isAboutMember(text));
for (const text of relevant) Deno.stderr.writeSync(new TextEncoder().encode(`${text.trimEnd()}\n\n`));
Deno.exit(relevant.length === 0 ? 0 : 1);

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
