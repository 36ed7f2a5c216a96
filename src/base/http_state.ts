/**
 * What a server over HTTP keeps in the user's state folder, as paths. Each is a folder of its own, so that a start has
 * rights to exactly those that it uses.
 */

export interface HttpPlaces {
  readonly folder: string;
  readonly ownToken: string;
  readonly secretFile: string;
  readonly tokens: string;
  readonly tokensFile: string;
  readonly record: string;
  readonly sessions: string;
}

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
