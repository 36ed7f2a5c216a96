/**
 * Sessions of clients that outlive their server: what each client has said to begin its session and to shape it, so that
 * the next start, or another server on the same folder, can go on with it.
 *
 * One file for each session, in a private folder. A file that cannot be read is no session.
 */
import { isRole, type Person } from "../base/roles.ts";
import { asText, asTexts, asValues, parseJson } from "../base/values.ts";

/** A session as it is kept. */
export interface KeptSession {
  /** Who began it; undefined where the server does not know people. */
  readonly person?: Person;
  /** The messages that made it what it is, `initialize` first. */
  readonly messages: readonly unknown[];
}

/** The sessions of one project. */
export interface SessionFiles {
  save(id: string, session: KeptSession): void;
  /** A session that was used recently enough. */
  find(id: string): KeptSession | undefined;
  /** Notes that a session is still in use. */
  touch(id: string): void;
  remove(id: string): void;
}

const ID = /^[0-9a-f-]{36}$/;
const MAX_BYTES = 64 << 10;

/** Opens the sessions of a project in a folder, which exists or cannot be used. `maxAge` is in milliseconds. */
export function openSessionFiles(
  folder: string,
  project: string,
  { maxAge, now }: { readonly maxAge: number; now(): number },
): SessionFiles {
  const pathOf = (id: string) => `${folder}/${id}.json`;
  return {
    save: (id, session) => {
      const { person, messages } = session;
      const text = JSON.stringify({ project, ...(person && { person: factsOf(person) }), messages });
      if (!ID.test(id) || text.length > MAX_BYTES) return;
      const draft = `${folder}/.${id}`;
      attempt(() => {
        Deno.writeTextFileSync(draft, text, { mode: 0o600 });
        Deno.renameSync(draft, pathOf(id));
      });
    },
    find: (id) => {
      if (!ID.test(id)) return undefined;
      return attempt(() => {
        const { isFile, size, mtime } = Deno.lstatSync(pathOf(id));
        if (!isFile || size > MAX_BYTES || now() - (mtime?.getTime() ?? 0) > maxAge) return undefined;
        const kept = asValues(parseJson(Deno.readTextFileSync(pathOf(id))));
        if (kept["project"] !== project || !Array.isArray(kept["messages"])) return undefined;
        const person = personIn(kept["person"]);
        return { ...(person !== undefined && { person }), messages: kept["messages"] };
      });
    },
    touch: (id) => {
      const time = new Date(now());
      attempt(() => Deno.utimeSync(pathOf(id), time, time));
    },
    remove: (id) => void attempt(() => Deno.removeSync(pathOf(id))),
  };
}

/** Removes what nobody has used for so long. */
export function sweepSessions(
  folder: string,
  { maxAge, now }: { readonly maxAge: number; now(): number },
): void {
  attempt(() => {
    for (const { name } of Deno.readDirSync(folder)) {
      const { mtime } = Deno.lstatSync(`${folder}/${name}`);
      if (now() - (mtime?.getTime() ?? 0) > maxAge) Deno.removeSync(`${folder}/${name}`);
    }
  });
}

/** What tells people apart; whatever else is known of them stays out of the file. */
function factsOf({ name, role, projects }: Person): Person {
  return { ...(name !== undefined && { name }), role, ...(projects !== undefined && { projects }) };
}

function personIn(value: unknown): Person | undefined {
  if (value === undefined) return undefined;
  const { name, role, projects } = asValues(value);
  const [named, roleName] = [asText(name), asText(role)];
  // Somebody who cannot be told apart from others has no session.
  if (!isRole(roleName)) return { role: "reader", name: "" };
  return {
    role: roleName,
    ...(named !== undefined && { name: named }),
    ...(projects !== undefined && { projects: asTexts(projects) }),
  };
}

/** A session that cannot be kept is lost with its server, as all are without a folder. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
