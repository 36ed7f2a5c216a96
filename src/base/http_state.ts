/** What a server over HTTP keeps in the state folder; each has its own folder, because rights go by folder. */

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
