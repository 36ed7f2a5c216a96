/** What all servers share is not asked: all would go away at once. */
import { type App, type Config, originsOf } from "../../app.ts";
import { isWithin } from "../../base/time.ts";
import type { Clock } from "../../base/work.ts";
import { LIMITS } from "../limits.ts";
import { canWriteIn } from "../../process/private_folder.ts";

export type Checks = Readonly<Record<string, () => boolean | Promise<boolean>>>;

export type Readiness = ReturnType<typeof openReadiness>;

export function openReadiness(checks: Checks, clock: Clock) {
  let isStopping = false, hasStarted = false;
  let last: { readonly at: number; readonly failed: Promise<readonly string[]> } | undefined;
  const failedChecks = async (): Promise<readonly string[]> => {
    const late = Promise.withResolvers<false>();
    const cancel = clock.after(LIMITS.readiness.checkMs, () => late.resolve(false));
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        const holds = Promise.try(check).catch(() => false);
        return await Promise.race([holds, late.promise]) ? [] : [name];
      }),
    );
    cancel();
    return results.flat();
  };
  const reasons = async (): Promise<readonly string[]> => {
    if (isStopping) return ["stopping"];
    if (last === undefined || !isWithin(LIMITS.readiness.freshMs, last.at, clock.now())) {
      last = { at: clock.now(), failed: failedChecks() };
    }
    const failed = await last.failed;
    if (isStopping) return ["stopping"];
    if (failed.length > 0) return hasStarted ? failed : ["starting", ...failed];
    hasStarted = true;
    return [];
  };
  return {
    /** It names no folder, because anybody may ask. */
    answer: async (): Promise<Response> => {
      const because = await reasons();
      return because.length === 0
        ? Response.json({ status: "ready" })
        : Response.json({ status: "not ready", because }, { status: 503, headers: { "retry-after": "1" } });
    },
    stop: (): void => void (isStopping = true),
  };
}

export function checksOf(config: Config, app: () => App): Checks {
  const folders = [...new Set([config, ...config.siblings].flatMap(stateFolders))];
  return {
    content: async () => {
      await app().overview();
      const project = (await app().ask(originsOf)).find(({ origin }) => origin.kind === "project");
      return project?.exists ?? true;
    },
    state: () => folders.every(canWriteIn),
  };
}

/** A folder without a right to write is not used. */
function stateFolders({ memory, usageFolder, httpState, rights }: Config): readonly string[] {
  const [file = ""] = memory?.files ?? [];
  const folders = [file.slice(0, file.lastIndexOf("/")), usageFolder ?? "", httpState?.record ?? ""];
  return folders.filter((folder) => rights.write.includes(folder));
}
