/**
 * Sources that people add, remove and update.
 *
 * Only the plan is loaded with this file, because it is needed before the rights are dropped.
 */
import type { Report } from "../../base/report.ts";
import type { SourcesSession } from "./session.ts";

export { planSources, type SourcesPlan } from "./plan.ts";

export async function changeSources(session: SourcesSession): Promise<Report> {
  const { name } = session.invocation;
  if (name === "update") return await (await import("./update.ts")).update(session);
  if (name === "preview") return await (await import("./preview.ts")).preview(session);
  const { add, remove } = await import("./change.ts");
  return name === "add" ? await add(session) : await remove(session);
}
