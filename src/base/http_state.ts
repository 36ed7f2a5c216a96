/**
 * What a server over HTTP keeps in the user's state folder, as paths. Each is a folder of its own, so that a start has
 * rights to exactly those that it uses.
 */

export function httpPlaces(state: string) {
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
