/**
 * The agents as people: a card for each, with what to say to it first.
 */
import type { Row } from "../../app.ts";
import { type Markup, markup } from "../../base/markup.ts";
import { copyable, link, type Site, tag } from "./site.ts";

/** What a card shows of the data of an agent. */
interface Persona {
  readonly name: string;
  readonly displayName?: string;
  readonly title?: string;
  readonly icon?: string;
  readonly role?: string;
  readonly description: string;
  readonly origin: string;
  readonly shadows: readonly string[];
  readonly customized: readonly unknown[];
}

/** The cards of agents in a list. */
export async function personCards(site: Site, rows: readonly Row[]): Promise<Markup> {
  const cards = await Promise.all(rows.map((row) => personCard(site, row)));
  return markup`<ul class="people">${cards}</ul>`;
}

async function personCard(site: Site, row: Row): Promise<Markup> {
  const { app } = site.project;
  const { data } = await app.read(await app.resolve({ name: row.name }), undefined, { isLook: true });
  const { name, displayName, title, icon, role, description, origin, shadows, customized } =
    data as unknown as Persona;
  const who = [displayName ?? name, title].filter(Boolean).join(", ");
  return markup`<li class="card"><h3>${icon && markup`<span aria-hidden="true">${icon}</span> `}${
    link(site, { show: row.name }, who)
  }</h3>
<p>${role || description}</p>
<p class="quiet"><span class="path">${row.name}</span> ${tag(origin)} ${
    shadows.length > 0 && tag(`overrides ${shadows.join(", ")}`, "mark")
  } ${customized.length > 0 && tag("customized", "mark")}</p>
<p class="say"><span class="quiet">Say</span> ${copyable(firstSentence(displayName ?? name))}</p></li>`;
}

/** What a person writes to a client to start with an agent. */
export function firstSentence(name: string): string {
  return `Talk to ${name} about this project.`;
}
