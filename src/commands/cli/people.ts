import type { Row } from "../../app.ts";
import { chooseFrom, failField, failInput, failUnknown, forbid } from "../../base/errors.ts";
import { MAX_OWNER } from "../../base/model.ts";
import { ROLES } from "../../base/roles.ts";
import { suggest } from "../../base/suggestions.ts";
import { oneLine } from "../../base/text.ts";
import { renderTime } from "../../base/time.ts";
import { addToken, type NamedToken, readTokens, removeTokens } from "../../process/named_tokens.ts";
import { Refused } from "../../process/private_folder.ts";
import { openRecordFile } from "../../process/record_file.ts";
import { actionNamed, type Invocation } from "../../operations/mod.ts";
import { LIMITS } from "../limits.ts";
import { parseCount } from "./input.ts";
import { listed } from "./output.ts";
import type { Answer, Session } from "./session.ts";

export async function token({ host, config, invocation }: Session): Promise<Answer> {
  const { operands: [word = "", ...names], options } = invocation;
  const action = actionNamed("token", word);
  const state = config.httpState?.state;
  if (state === undefined) {
    return forbid("keep tokens", "no folder can hold them: HOME is not set");
  }
  try {
    return await TOKEN_ACTIONS[action]({ now: host.now(), state, names, options });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { problem, fix } = error.fault;
    return forbid(`${action} tokens`, `${problem}. ${fix}`);
  }
}

interface Request extends Pick<Invocation, "options"> {
  readonly now: number;
  readonly state: string;
  readonly names: readonly string[];
}

const TOKEN_ACTIONS: Readonly<
  Record<ReturnType<typeof actionNamed<"token">>, (request: Request) => Answer | Promise<Answer>>
> = {
  add: async ({ now, state, names, options: { role = "worker", projects, expires } }) => {
    const name = nameIn(names);
    const { text, token } = await addToken(state, {
      name,
      role: chooseFrom(ROLES, "role", role),
      ...(projects !== undefined && { projects: projectsIn(projects) }),
      added: now,
      ...(expires !== undefined && { ends: endIn(expires, now) }),
    });
    return {
      text,
      notes: [
        `The token of ${name}, ${detailsOf(token)}. It is not shown again: only its hash is kept.`,
        "Clients send it as `Authorization: Bearer TOKEN`; the sign-in page of a browser asks for it.",
      ],
      data: { ...factsOf(token, now), token: text },
    };
  },
  list: ({ now, state }) => {
    const rows = readTokens(state).map((token): Row => ({
      name: token.name,
      about: `${token.id}, ${detailsOf(token, now)}`,
      data: factsOf(token, now),
    }));
    return listed(rows, "tokens", { ifEmpty: "Nobody has a token yet. bmad-mcp token add NAME adds one." });
  },
  revoke: async ({ now, state, names }) => {
    const tokens = readTokens(state);
    const unknown = names.find((name) => !tokens.some((one) => isMeant(one, name)));
    if (unknown !== undefined) {
      const known = [...new Set(tokens.flatMap(({ name, id }) => [name, id]))];
      failUnknown("token", unknown, known, suggest(unknown.toLowerCase(), known));
    }
    const removed = await removeTokens(state, (one) => names.some((name) => isMeant(one, name)));
    return {
      text: removed.map(({ id, name }) => `Revoked the token ${id} of ${name}`).join("\n"),
      data: { items: removed.map((one) => factsOf(one, now)), total: removed.length },
    };
  },
};

function isMeant({ id, name }: NamedToken, word: string): boolean {
  return id === word || name.toLowerCase() === word.toLowerCase();
}

function nameIn([given = ""]: readonly string[]): string {
  const name = oneLine(given);
  if (name !== "" && name === given.trim() && name.length <= MAX_OWNER) return name;
  return failInput(`Invalid name: expected 1 to ${MAX_OWNER} characters on one line`);
}

function projectsIn(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (names.length > 0) return names;
  return failField("--projects", "name at least one");
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

function endIn(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T23:59:59.999Z`) : NaN;
  const end = count === undefined ? day : now + Number(count) * UNITS[unit!]!;
  if (end > now) return end;
  const problem = Number.isNaN(end) ? "expected 12h, 90d, 8w or a day such as 2027-01-31" : "it has passed";
  return failField("--expires", problem);
}

function detailsOf({ role, projects, ends }: NamedToken, now = 0): string {
  const end = ends === undefined ? "never expires" : `${ends <= now ? "ended" : "until"} ${renderTime(ends)}`;
  return [role, projects === undefined ? "all projects" : projects.join(", "), end].join(", ");
}

function factsOf({ id, name, role, projects, added, ends }: NamedToken, now: number) {
  return {
    id,
    name,
    role,
    ...(projects !== undefined && { projects }),
    added: new Date(added).toISOString(),
    ...(ends !== undefined && { ends: new Date(ends).toISOString(), hasEnded: ends <= now }),
  };
}

export function record({ config, invocation: { options } }: Session): Answer {
  const folder = config.httpState?.record;
  const { shown, most } = LIMITS.record;
  const count = parseCount("--count", options.count, [1, most]) ?? shown;
  const deeds = folder === undefined ? [] : openRecordFile(folder).latest(count);
  const rows = deeds.map(({ at, ...deed }): Row => ({
    name: deed.name ?? "–",
    about: `${renderTime(at)} ${deed.project === "" ? "" : `${deed.project}: `}${deed.deed}`,
    data: { at: new Date(at).toISOString(), ...deed },
  }));
  return listed(rows, "record", { ifEmpty: "Nothing was changed yet." });
}
