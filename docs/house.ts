/** The part of docs/architecture.md that comes from the table of layers (tests/layers.ts). */
import { ROOMS } from "../tests/layers.ts";
import { fillSections } from "./sections.ts";

/** The page with its generated part brought up to date. */
export function fillArchitecture(text: string): string {
  return fillSections(text, { units: renderUnits });
}

function renderUnits(): readonly string[] {
  return Object.entries(ROOMS).flatMap(([room, { units }]) => [
    "",
    `**${room}**`,
    "",
    ...Object.entries(units).map(([name, { purpose }]) => `- \`${name}\`: ${purpose}`),
  ]).slice(1);
}
