/**
 * The part of docs/architecture.md that comes from the table of layers (tests/layers.ts).
 */
import { ROOMS, type Unit } from "../tests/layers.ts";
import { fillSections } from "./sections.ts";

/** The page with its generated part brought up to date. */
export function fillArchitecture(text: string): string {
  return fillSections(text, { units: renderUnits });
}

function renderUnits(): readonly string[] {
  const rows = Object.entries(ROOMS).flatMap(([room, { folder, units }]) =>
    Object.entries(units).map(([name, unit], at) => [
      at === 0 ? (folder === undefined ? "" : `**${room}**`) : "",
      `\`${name}\``,
      unit.purpose,
      importsOf(unit),
      outsideOf(unit),
    ])
  );
  return [
    "| Room | Unit | Purpose | May import | Packages, and what it touches outside |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ];
}

function importsOf({ imports = [] }: Unit): string {
  return imports.length === 0 ? "–" : imports.join(", ");
}

function outsideOf({ packages = [], touches = [] }: Unit): string {
  const names = touches.map((name) => name.replace(/^Deno\./, "").replace("*", ""));
  return [...packages, ...names].map((name) => `\`${name}\``).join(", ");
}
