/** To add an operation, export its row from the file of its subject; deno check asks for its handler. */
import * as authors from "./authors.ts";
import * as content from "./content.ts";
import type { ArgsOf, Operation, Param } from "./operation.ts";
import { format } from "./params.ts";
import * as reviews from "./review.ts";
import * as setup from "./setup.ts";
import * as shared from "./shared.ts";
import * as sources from "./sources.ts";
import * as work from "./work.ts";

export const GROUPS = {
  Work: { ...work, ...reviews, ...shared },
  Content: { ...content, ...sources },
  Authors: authors,
  Setup: setup,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export const OPERATIONS = { ...GROUPS.Work, ...GROUPS.Content, ...GROUPS.Authors, ...GROUPS.Setup };

type Table = typeof OPERATIONS;
export type OperationName = keyof Table;

export type Arguments<N extends OperationName> = ArgsOf<Table[N]["params"]>;

export type WorkOperation = {
  [N in OperationName]: Table[N] extends { readonly hint: string } ? N : never;
}[OperationName];

export const WORK_OPERATIONS = (Object.keys(OPERATIONS) as OperationName[])
  .filter((name): name is WorkOperation => (OPERATIONS[name] as Operation).hint !== undefined);

export function isWorkOperation(name: string): name is WorkOperation {
  return WORK_OPERATIONS.some((operation) => operation === name);
}

export function paramsOf(
  name: OperationName,
  surface: NonNullable<Param["only"]>,
): readonly [string, Param][] {
  const params: readonly [string, Param][] = Object.entries({
    ...OPERATIONS[name].params,
    // A script prints what it prints.
    ...(name !== "script" && !("format" in OPERATIONS[name].params) && { format }),
  });
  return params.filter(([, { only = surface }]) => only === surface);
}

export function operationNamed<N extends OperationName>(word: string, names: readonly N[]) {
  for (const name of names) {
    const { aliases = {} }: Operation = OPERATIONS[name];
    if (name === word || Object.hasOwn(aliases, word)) {
      return { name, args: name === word ? {} : aliases[word]! };
    }
  }
  return undefined;
}

export function changes({ changes = [] }: Operation, args: Readonly<Record<string, unknown>>): boolean {
  if (changes === true) return true;
  return changes.some((name) => args[name] !== undefined && (args[name] as readonly unknown[]).length !== 0);
}
