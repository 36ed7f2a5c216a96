/**
 * What a server over HTTP keeps in the user's state folder, as paths. Each is a folder of its own, so that a start has
 * rights to exactly those that it uses.
 */

/** The folders and files. */
export interface HttpPlaces {
  readonly folder: string;
  /** The user's own token. */
  readonly ownToken: string;
  /** With which pages and their cookies are signed. */
  readonly secretFile: string;
  /** The tokens of others: their folder and file. */
  readonly tokens: string;
  readonly tokensFile: string;
  /** Who changed what. */
  readonly record: string;
  /** Sessions that outlive a server. */
  readonly sessions: string;
}

/** Those in a state folder. */
export function httpPlaces(state: string): HttpPlaces {
  const folder = `${state}/http`;
  const tokens = `${folder}/tokens`;
  return {
    folder,
    ownToken: `${folder}/token`,
    secretFile: `${folder}/secret`,
    tokens,
    tokensFile: `${tokens}/tokens.json`,
    record: `${folder}/record`,
    sessions: `${folder}/sessions`,
  };
}
