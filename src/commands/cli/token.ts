/**
 * `bmad-mcp token`: gives others tokens of their own for a server over HTTP, lists them and takes them back.
 */
import { fail, failUnknown } from "../../base/errors.ts";
import { MAX_OWNER } from "../../base/model.ts";
import { isRole, ROLES } from "../../base/roles.ts";
import { suggest } from "../../base/suggestions.ts";
import { oneLine } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import { addToken, type NamedToken, readTokens, removeTokens } from "../../process/named_tokens.ts";
import { Refused } from "../../process/private_folder.ts";
import { actionNamed, type Invocation } from "../../operations/mod.ts";
import type { Row } from "../../app.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows } from "./output.ts";

type Action = "add" | "list" | "revoke";

export async function token(host: Host, state: string | undefined, invocation: Invocation): Promise<void> {
  const [word = "", ...names] = invocation.operands;
  const action = actionNamed("token", word);
  if (state === undefined) {
    return fail({
      code: "not-allowed",
      what: "keep tokens",
      hint: "no folder can hold them: HOME is not set",
    });
  }
  try {
    await ACTIONS[action](host, state, names, invocation.options);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { problem, fix } = error.fault;
    fail({ code: "not-allowed", what: `${action} tokens`, hint: `${problem}. ${fix}` });
  }
}

type Act = (
  host: Host,
  state: string,
  names: readonly string[],
  options: Invocation["options"],
) => Promise<void>;

const ACTIONS: Readonly<Record<Action, Act>> = {
  add: async (host, state, names, { role = "worker", projects, expires, json }) => {
    const name = nameIn(names);
    if (!isRole(role)) return failUnknown("role", role, ROLES, suggest(role.toLowerCase(), ROLES));
    const added = host.now();
    const ends = expires === undefined ? undefined : endIn(expires, added);
    const { text, token } = await addToken(state, {
      name,
      role,
      ...(projects !== undefined && { projects: projectsIn(projects) }),
      added,
      ...(ends !== undefined && { ends }),
    });
    if (json) return printJson(host, { ...factsOf(token, added), token: text });
    host.writeOut(`${text}\n`);
    host.writeErr(
      `The token of ${name}, ${detailsOf(token)}. It is not shown again: only its hash is kept.\n` +
        `Clients send it as BMAD_TOKEN; a browser asks for it at the door.\n`,
    );
  },
  list: async (host, state, _names, { json }) => {
    const now = host.now();
    const rows = readTokens(state).map((token): Row => ({
      name: token.name,
      about: detailsOf(token, now),
      data: factsOf(token, now),
    }));
    if (json) return printJson(host, { items: rows.map(({ data }) => data), total: rows.length });
    await printRows(host, rows, columnsOf("tokens"));
    if (rows.length === 0) host.writeErr("Nobody has a token yet. bmad-mcp token add NAME adds one.\n");
  },
  revoke: async (host, state, names, { json }) => {
    const tokens = readTokens(state);
    for (const name of names) {
      if (!tokens.some((one) => isMeant(one, name))) {
        const known = [...new Set(tokens.flatMap((one) => [one.name, one.id]))];
        failUnknown("token", name, known, suggest(name.toLowerCase(), known));
      }
    }
    const removed = await removeTokens(state, (one) => names.some((name) => isMeant(one, name)));
    const now = host.now();
    if (json) {
      return printJson(host, { items: removed.map((one) => factsOf(one, now)), total: removed.length });
    }
    for (const one of removed) host.writeOut(`Revoked the token ${one.id} of ${one.name}\n`);
  },
};

function isMeant({ id, name }: NamedToken, word: string): boolean {
  return id === word || name.toLowerCase() === word.toLowerCase();
}

function nameIn([given = ""]: readonly string[]): string {
  const name = oneLine(given);
  if (name !== "" && name === given.trim() && name.length <= MAX_OWNER) return name;
  return fail({
    code: "invalid-input",
    problem: `Invalid name: expected 1 to ${MAX_OWNER} characters on one line`,
  });
}

function projectsIn(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return names.length > 0
    ? names
    : fail({ code: "invalid-input", field: "--projects", problem: "name at least one" });
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** `12h`, `90d`, `8w`, or the last day: `2027-01-31`. */
function endIn(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T23:59:59.999Z`) : NaN;
  const end = count === undefined ? day : now + Number(count) * UNITS[unit!]!;
  if (end > now) return end;
  const problem = Number.isNaN(end) ? "expected 12h, 90d, 8w or a day such as 2027-01-31" : "it has passed";
  return fail({ code: "invalid-input", field: "--expires", problem });
}

function detailsOf({ role, projects, ends }: NamedToken, now = 0): string {
  const end = ends === undefined
    ? "without an end"
    : `${ends <= now ? "ended" : "until"} ${new Date(ends).toISOString().slice(0, 16).replace("T", " ")} UTC`;
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
