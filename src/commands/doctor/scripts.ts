/**
 * The installed scripts: which of them ours were compared with, and which may follow other rules.
 */
import type { ScriptState } from "../../app.ts";
import { command, counted, withCommand } from "../../base/text.ts";
import { type Line, line } from "./report.ts";

/** One line for all that are known, and one for all that follow the rules of one release; none of it breaks anything. */
export function scriptLines(scripts: readonly ScriptState[], root: string): readonly Line[] {
  const shown = (place: string) => place.replace(`${root}/`, "");
  const native = scripts.filter(({ isNative }) => isNative);
  const strangers = Map.groupBy(native.filter(({ strange }) => strange.length > 0), ({ rules }) => rules);
  const named = new Set(native.flatMap(({ strange }) => strange));
  const others = scripts.filter(({ isNative, release, place }) =>
    !isNative && release === undefined && !named.has(place)
  );
  const known = native.filter(({ strange }) => strange.length === 0).length;
  return [
    ...(known === 0 ? [] : [
      line("ok", "scripts", `${counted(known, "script")} as in BMAD releases that ours were compared with`),
    ]),
    ...[...strangers].map(([rules, alike]) =>
      line(
        "info",
        "scripts",
        `in no BMAD release that ours were compared with: ${
          alike.map((script) => shown(script.place) + whyStrange(script, shown)).join(", ")
        }. Our answers follow ${rules} and say so. ` +
          withCommand("Compare them", command`bmad-mcp verify-scripts`),
      )
    ),
    ...(others.length === 0 ? [] : [line(
      "info",
      "scripts",
      `not native and unknown: ${others.map(({ place }) => shown(place)).join(", ")}`,
    )]),
  ];
}

/** What else than the script itself is unknown: ` (calls config_utils.py; has --new)`. */
function whyStrange({ place, strange, lacks }: ScriptState, shown: (place: string) => string): string {
  const called = strange.filter((one) => one !== place).map(shown);
  const reasons = [
    ...(called.length === 0 ? [] : [`calls ${called.join(", ")}`]),
    ...(lacks.length === 0 ? [] : [`ours lacks ${lacks.join(", ")}`]),
  ];
  return reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
}
