/**
 * The values in force, each with the file that says so.
 */
import { asValues } from "../../parse.ts";
import { explainConfig, resolveConfig } from "../values/config.ts";
import { type Library, nameOfFile } from "../library.ts";
import type { Row } from "../rows/row.ts";

/** A row for each value of the core and of each module, or of one of them. */
export function listValues(library: Library, only?: string): readonly Row[] {
  const { core, modules } = resolveConfig(library);
  const tables = Object.entries({ core, ...asValues(modules) })
    .filter(([module]) => !only || module === only.toLowerCase());
  return tables.flatMap(([module, values]) => {
    const facts = new Map(explainConfig(library, module).map((fact) => [fact.key, fact]));
    return Object.entries(asValues(values)).map(([key, value]): Row => {
      const file = facts.get(key)?.file;
      const source = file === undefined ? "default" : nameOfFile(file);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return {
        name: `${module}/${key}`,
        about: `${text} (${source})`,
        data: { name: key, module, kind: "config", value, source, origin: file?.source.origin.id },
      };
    });
  });
}
