/** Sessions that outlive their server: what each client has said to begin and shape its session. */
import { attempt } from "../base/absence.ts";
import { parsePerson, type Person } from "../base/roles.ts";
import { asValues, parseJson } from "../base/values.ts";

interface KeptSession {
  readonly person?: Person;
  /** `initialize` first. */
  readonly messages: readonly unknown[];
}

export type SessionFiles = ReturnType<typeof openSessionFiles>;

const ID = /^[0-9a-f-]{36}$/;
const MAX_BYTES = 64 << 10;

export function openSessionFiles(
  folder: string,
  project: string,
  { maxAge, now }: { readonly maxAge: number; now(): number },
) {
  const pathOf = (id: string) => `${folder}/${id}.json`;
  return {
    save: (id: string, { person, messages }: KeptSession) => {
      const text = JSON.stringify({ project, ...(person && { person: factsOf(person) }), messages });
      if (!ID.test(id) || text.length > MAX_BYTES) return;
      const draft = `${folder}/.${id}`;
      attempt(() => {
        Deno.writeTextFileSync(draft, text, { mode: 0o600 });
        Deno.renameSync(draft, pathOf(id));
      });
    },
    find: (id: string): KeptSession | undefined => {
      if (!ID.test(id)) return undefined;
      return attempt(() => {
        const { isFile, size, mtime } = Deno.lstatSync(pathOf(id));
        if (!isFile || size > MAX_BYTES || now() - (mtime?.getTime() ?? 0) > maxAge) return undefined;
        const kept = asValues(parseJson(Deno.readTextFileSync(pathOf(id))));
        const { person, messages } = kept;
        if (kept["project"] !== project || !Array.isArray(messages)) return undefined;
        if (person === undefined) return { messages };
        // Somebody who cannot be told apart from others has no session.
        return { person: parsePerson(person) ?? { role: "reader", name: "" }, messages };
      });
    },
    touch: (id: string) => {
      const time = new Date(now());
      attempt(() => Deno.utimeSync(pathOf(id), time, time));
    },
    remove: (id: string) => void attempt(() => Deno.removeSync(pathOf(id))),
  };
}

export function sweepSessions(folder: string, { maxAge, now }: { readonly maxAge: number; now(): number }) {
  attempt(() => {
    for (const { name } of Deno.readDirSync(folder)) {
      const { mtime } = Deno.lstatSync(`${folder}/${name}`);
      if (now() - (mtime?.getTime() ?? 0) > maxAge) Deno.removeSync(`${folder}/${name}`);
    }
  });
}

/** Whatever else is known of people stays out of the file. */
function factsOf({ name, role, projects }: Person): Person {
  return { ...(name !== undefined && { name }), role, ...(projects !== undefined && { projects }) };
}
