import {
  type Operation,
  type OperationName,
  OPERATIONS,
  type Param,
  type Params,
  paramsOf,
  target,
  WORK_OPERATIONS,
} from "../../operations/mod.ts";

export interface Address {
  /** Such as `/stories/{story}/mark`. */
  readonly path: string;
  readonly method: "GET" | "POST";
  readonly operation: OperationName;
  readonly params: Params;
  /** Those that change something, which GET does not take. */
  readonly notTaken: Params;
  readonly list?: string;
}

/** Items are in the path by their names, and a program gets all of an answer. */
const IN_PATH: readonly Param[] = [target.agent, target.workflow, target.task, target.skill];
const NOT_TAKEN = ["format", "cursor"];

function pathsOf(name: OperationName): readonly string[] {
  const { addresses }: Operation = OPERATIONS[name];
  if (addresses !== undefined) return addresses;
  if (!WORK_OPERATIONS.some((one) => one === name)) return [];
  const { story } = Object.fromEntries(takenParams(name));
  const ofStory = `/stories/{story}/${name}`;
  if (story === undefined) return [`/${name}`];
  return story.isRequired ? [ofStory] : [`/${name}`, ofStory];
}

function methodsOf({ changes }: Operation): readonly Address["method"][] {
  return changes === undefined ? ["GET"] : changes === true ? ["POST"] : ["GET", "POST"];
}

function takenParams(name: OperationName): readonly [string, Param][] {
  const forPrograms = paramsOf(name, "terminal").filter(([, param]) => param.isForPrograms);
  const taken = paramsOf(name, "tool").filter(([key, param]) =>
    !NOT_TAKEN.includes(key) && !IN_PATH.includes(param)
  );
  return [...taken, ...forPrograms];
}

/** One that is an operation by itself is not among the addresses of `lists`. */
export function addressesOf(lists: readonly string[]): readonly Address[] {
  const names = Object.keys(OPERATIONS) as OperationName[];
  const all = names.flatMap((operation) => pathsOf(operation).map((path) => ({ operation, path })));
  const free = lists.filter((list) => !all.some(({ path }) => path === `/${list}`));
  return all.flatMap(({ operation, path: spelled }): readonly Address[] => {
    const row: Operation = OPERATIONS[operation];
    const [path = "", needed] = spelled.split("?");
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!);
    const required = [...inPath, ...(needed === undefined ? [] : [needed])];
    if (operation === "list") {
      const params = Object.fromEntries(takenParams(operation).filter(([key]) => key !== "query"));
      const notTaken = {};
      return free.map((list) => ({ path: `/${list}`, method: "GET", operation, params, notTaken, list }));
    }
    return methodsOf(row).map((method) => {
      const changing = Array.isArray(row.changes) ? row.changes : [];
      const isTaken = ([key]: readonly [string, Param]) => method === "POST" || !changing.includes(key);
      const all = takenParams(operation);
      const params = all.filter(isTaken).map(([key, param]): [string, Param] => {
        const { names = [] } = param;
        // An address may call it by another of its names.
        const called = needed !== undefined && names.includes(needed) ? needed : key;
        if (!required.includes(called) && !changing.includes(key)) return [key, param];
        return [called, { ...param, names: [key, ...names], isRequired: true }];
      });
      const notTaken = Object.fromEntries(all.filter((row) => !isTaken(row)));
      return { path, method, operation, params: Object.fromEntries(params), notTaken };
    });
  });
}
