/**
 * What a server over HTTP keeps in the user's state folder: tokens of others, sessions, and the record of changes.
 */
import type { Config } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import type { Person } from "../../base/roles.ts";
import { openRecordFile, type RecordedDeed } from "../../process/record_file.ts";
import { openSessionFiles, type SessionFiles, sweepSessions } from "../../process/session_files.ts";
import { type NamedTokens, openNamedTokens } from "../identity/mod.ts";

/** A change, as it is recorded. */
export interface Change extends Omit<RecordedDeed, "at" | "name" | "role"> {
  readonly person: Person | undefined;
}

/** What is kept; without a state folder, nothing is. */
export interface Kept {
  readonly tokens?: NamedTokens;
  /** With which pages and their cookies are signed. */
  readonly secret?: string;
  readonly sessionsOf?: (project: string) => SessionFiles;
  /** Fails if a change of somebody with a name cannot be recorded: it is not made then. */
  record(change: Change): void;
  /** The latest changes that somebody may see, the newest first. */
  latest(count: number, isShown: (deed: RecordedDeed) => boolean): readonly RecordedDeed[];
}

/** Opens what is kept; `report` is called with each problem. */
export function openKept(
  { httpState, settings }: Config,
  { now, report }: { now(): number; report(problem: string): void },
): Kept {
  if (httpState === undefined) return { record: () => {}, latest: () => [] };
  const { state, sessions, secret } = httpState;
  const lives = { maxAge: settings.httpIdle * 1_000, now };
  sweepSessions(sessions, lives);
  const record = openRecordFile(httpState.record);
  return {
    ...(secret !== undefined && { secret }),
    tokens: openNamedTokens(state, { now, report }),
    sessionsOf: (project) => openSessionFiles(sessions, project, lives),
    record: ({ person, ...change }) => {
      const { name, role = "owner" } = person ?? {};
      try {
        record.add({ at: now(), ...(name !== undefined && { name }), role, ...change });
      } catch (error) {
        report(`Cannot record a change: ${(error as Error).message}`);
        if (name !== undefined) {
          fail({ code: "not-allowed", what: "change anything", hint: "this server cannot record it now" });
        }
      }
    },
    latest: record.latest,
  };
}
