/** Only the plan is loaded with this file, because it is needed before the rights are dropped. */
import type { Report } from "../../base/report.ts";
import type { SourcesSession } from "./wanted.ts";

export { planSources, type SourcesPlan } from "./plan.ts";

export async function changeSources(session: SourcesSession): Promise<Report> {
  const { name } = session.invocation;
  if (name === "preview") return await (await import("./preview.ts")).preview(session);
  const { add, remove, update } = await import("./change.ts");
  return await (name === "add" ? add : name === "remove" ? remove : update)(session);
}
