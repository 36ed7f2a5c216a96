/** For each setting that a file may set, what a file says and what it then is. */

interface Sample {
  readonly text: string;
  /** What it then is, if that differs from the text; paths depend on the file's folder. */
  readonly value?: unknown;
  readonly isShared?: true;
}

const own = (text: string, value?: unknown): Sample => ({ text, ...(value !== undefined && { value }) });
const shared = (text: string, value?: unknown): Sample => ({ ...own(text, value), isShared: true });
const below = (...paths: readonly string[]) => (folder: string) =>
  paths.map((path) => /^(?:npm|git\+\w+):/.test(path) ? path : `${folder}/${path}`);

export const SAMPLES: Readonly<Record<string, Sample>> = {
  paths: shared('["bmad", "more/../other"]', below("bmad", "other")),
  projects: shared('["packages/api", "."]', (folder: string) => [`${folder}/packages/api`, folder]),
  mode: shared('"local"'),
  pack: shared('"v4"'),
  maxResult: shared("2048"),
  noSampling: shared("true"),
  toolsets: own('["workflows", "bmad"]', ["bmad", "workflows"]),
  tools: own('"bmm-pm"', ["bmm-pm"]),
  maxFile: own("4096"),
  maxFiles: own("7"),
  logLevel: own('"debug"'),
  logFormat: own('"json"'),
  excludeTools: own('["a", "b"]'),
  readOnly: own("true"),
  rememberUsage: own("true"),
  logFile: own('"server.log"', (folder: string) => `${folder}/server.log`),
  token: own('"sixteen-letters-and-more"'),
  noToken: own("true"),
  tlsCert: own('"/srv/cert.pem"'),
  tlsKey: own('"/srv/key.pem"'),
  allowHosts: own('["Team.example.org"]', ["team.example.org"]),
  allowOrigins: own('"https://app.example.org"', ["https://app.example.org"]),
  httpBody: own("2048"),
  httpHeaders: own("5"),
  httpStall: own("4"),
  httpConnections: own("30"),
  httpClientConnections: own("20"),
  httpSessions: own("3"),
  httpIdle: own("60"),
  httpRequests: own("9"),
  httpInFlight: own("2"),
  httpRate: own("7"),
  oidcIssuer: own('"https://login.example.org/team"'),
  oidcAudience: own('"https://bmad.example.org/mcp"'),
  oidcName: own('"email"'),
  oidcGroups: own('"realm.roles"'),
  proxyFrom: own('["10.0.0.7", "10.1.0.0/16"]'),
  proxyUser: own('"X-Auth-User"', "x-auth-user"),
  proxyGroups: own('"X-Auth-Groups"', "x-auth-groups"),
  roles: own('["owner=leads", "reader=*"]'),
  access: own('["shop=devs", "*=leads"]'),
  gitCache: own('"copies"', (folder: string) => `${folder}/copies`),
  sources: own(
    '["pack.tgz", "npm:bmad-ops", "git+https://example.org/x.git"]',
    below("pack.tgz", "npm:bmad-ops", "git+https://example.org/x.git"),
  ),
  gitTtl: own('"7d"', 604_800),
  claims: own('"remote"'),
  claimsRemote: own('"team"'),
  claimTime: own("600"),
  gitTimeout: own("90"),
  gitMaxSize: own("2048"),
  offline: own("true"),
  execTimeout: own("30"),
  qdrantUrl: own('"http://localhost:6333/"', "http://localhost:6333"),
  qdrantKey: own('"k3y"'),
  embeddingsUrl: own('"http://localhost:11434/v1"'),
  embeddingsModel: own('"nomic-embed-text"'),
  embeddingsKey: own('"k4y"'),
};
