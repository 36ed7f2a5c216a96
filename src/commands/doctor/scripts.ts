/**
 * The installed scripts: which of them ours were compared with, and which may follow other rules.
 */
import type { ScriptState } from "../../app.ts";
import { command, counted, withCommand } from "../../base/text.ts";
import { type Line, line } from "./report.ts";

/** One line for all that are known, and one for each that is not; none of this keeps anything from working. */
export function scriptLines(scripts: readonly ScriptState[], root: string): readonly Line[] {
  const shown = (place: string) => place.replace(`${root}/`, "");
  const native = scripts.filter(({ isNative }) => isNative);
  const strange = native.filter(({ strange }) => strange.length > 0);
  const others = scripts.filter(({ isNative, release }) => !isNative && release === undefined);
  const known = native.length - strange.length;
  return [
    ...(known === 0 ? [] : [
      line("ok", "scripts", `${counted(known, "script")} as in BMAD releases that ours were compared with`),
    ]),
    ...strange.map(({ name, place, strange, rules, lacks }) => {
      const calls = strange.filter((one) => one !== place).map(shown);
      const what = calls.length === 0
        ? "is"
        : strange.length === calls.length
        ? `calls ${calls.join(", ")},`
        : `and ${calls.join(", ")} are`;
      return line(
        "info",
        "scripts",
        `${shown(place)} ${what} in no release that ours was compared with. Answers follow ${rules}` +
          `${lacks.length === 0 ? "" : `, lack ${lacks.join(", ")}`} and say so. ` +
          withCommand("Compare them", command`bmad-mcp verify-scripts ${name}`),
      );
    }),
    ...(others.length === 0 ? [] : [line(
      "info",
      "scripts",
      `not native and unknown: ${others.map(({ place }) => shown(place)).join(", ")}`,
    )]),
  ];
}
