/** Which file of a client is used on each system, and with which rights? */
import assert from "node:assert/strict";
import {
  CLIENTS,
  type ClientsPlan,
  findClient,
  type Launch,
  launchFor,
  ownPathsIn,
  type Target,
} from "../../../src/commands/clients/mod.ts";
import {
  isOwnLaunch,
  portableLaunch,
  programsIn,
  stableLaunch,
} from "../../../src/commands/clients/own_launch.ts";
import {
  isInstalled,
  type Machine,
  type Purpose,
  rightsFor,
  targetsOf,
} from "../../../src/commands/clients/target.ts";
import { resolveConfig } from "../../support/config.ts";

interface MachineParts {
  readonly os?: Machine["os"];
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute paths of files; the folders above them exist, too. */
  readonly files?: readonly string[];
  /** Absolute paths of folders, which may be empty. */
  readonly folders?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
}

function machine(parts: MachineParts): Machine {
  const { os = "linux", env = {}, files = [], links = {} } = parts;
  const folders = new Set<string>(["/", "C:/", ...parts.folders ?? []]);
  for (const path of [...files, ...folders, ...Object.keys(links)]) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      folders.add(path.slice(0, at));
    }
  }
  const real = (path: string): string => {
    const link = Object.keys(links).find((one) => path === one || path.startsWith(`${one}/`));
    return link === undefined ? path : real(links[link]! + path.slice(link.length));
  };
  return {
    os,
    home: "home" in parts ? parts.home : os === "windows" ? "C:\\Users\\ann" : "/home/ann",
    env: (name) => env[name],
    look: (path) => {
      const target = real(path);
      if (files.includes(target)) return { kind: "file", real: target };
      if (folders.has(target)) return { kind: "folder", real: target };
      return Object.hasOwn(links, path) ? { kind: "dead-link", real: path } : undefined;
    },
    namesIn: (folder) => {
      const below = [...files, ...folders, ...Object.keys(links)].filter((path) =>
        path.startsWith(`${real(folder)}/`)
      );
      return [...new Set(below.map((path) => path.slice(real(folder).length + 1).split("/")[0]!))];
    },
  };
}

const rights = (parts: MachineParts, purpose: Purpose, ...ids: readonly string[]) =>
  rightsFor(ids.map((id) => place(id, parts)), purpose, machine(parts));

const place = (id: string, parts: MachineParts, project?: string): Target =>
  targetsOf(findClient(id)!, project, machine(parts), true)[0]!;

/** A client, what is on the machine, and the file that an entry goes into. */
const PLACES: readonly (readonly [id: string, parts: MachineParts, path: string | undefined])[] = [
  ["claude-code", {}, "/home/ann/.claude.json"],
  ["claude-code", { env: { CLAUDE_CONFIG_DIR: "/srv/claude" } }, "/srv/claude/.claude.json"],
  ["bob", {}, "/home/ann/.bob/mcp_settings.json"],
  ["claude-desktop", {}, "/home/ann/.config/Claude/claude_desktop_config.json"],
  [
    "claude-desktop",
    { os: "darwin", home: "/Users/ann" },
    "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json",
  ],
  [
    "claude-desktop",
    { os: "windows", env: { APPDATA: "C:\\Users\\ann\\AppData\\Roaming" } },
    "C:/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json",
  ],
  // The packaged application reads only its own folder, even if an older one still exists.
  [
    "claude-desktop",
    {
      os: "windows",
      files: ["C:/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json"],
      folders: [
        "C:/Users/ann/AppData/Local/Packages/Claude_pzs8sxrjxfjjc",
        "C:/Users/ann/AppData/Local/Packages/Other_1",
      ],
    },
    "C:/Users/ann/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json",
  ],
  ["cursor", { os: "windows" }, "C:/Users/ann/.cursor/mcp.json"],
  ["vscode", {}, "/home/ann/.config/Code/User/mcp.json"],
  ["vscode", { env: { XDG_CONFIG_HOME: "/home/ann/.cfg" } }, "/home/ann/.cfg/Code/User/mcp.json"],
  ["vscode", { os: "windows" }, "C:/Users/ann/AppData/Roaming/Code/User/mcp.json"],
  ["codex", { env: { CODEX_HOME: "~/codex" } }, "/home/ann/codex/config.toml"],
  ["gemini", { env: { GEMINI_CLI_HOME: "/srv/g" } }, "/srv/g/.gemini/settings.json"],
  ["opencode", {}, "/home/ann/.config/opencode/opencode.jsonc"],
  [
    "opencode",
    { files: ["/home/ann/.config/opencode/opencode.json"] },
    "/home/ann/.config/opencode/opencode.json",
  ],
  [
    "antigravity",
    { files: ["/home/ann/.gemini/antigravity/mcp_config.json"] },
    "/home/ann/.gemini/antigravity/mcp_config.json",
  ],
  ["goose", { os: "windows" }, "C:/Users/ann/AppData/Roaming/Block/goose/config/config.yaml"],
  ["zed", { os: "darwin", home: "/Users/ann" }, "/Users/ann/.config/zed/settings.json"],
  ["visual-studio", {}, undefined],
  [
    "xcode-codex",
    { os: "darwin", home: "/Users/ann" },
    "/Users/ann/Library/Developer/Xcode/CodingAssistant/codex/config.toml",
  ],
  ["cursor", { home: undefined }, undefined],
];

for (const [id, parts, path] of PLACES) {
  Deno.test(`the user's file of ${id} on ${JSON.stringify(parts)} is ${path}`, () => {
    assert.equal(targetsOf(findClient(id)!, undefined, machine(parts), true)[0]?.path, path);
  });
}

Deno.test("a project's file lies in the project [cli:install-scopes]", () => {
  const parts = { folders: ["/srv/shop"] };
  assert.equal(place("vscode", parts, "/srv/shop").path, "/srv/shop/.vscode/mcp.json");
  assert.equal(place("claude-code", parts, "/srv/shop").path, "/srv/shop/.mcp.json");
  assert.deepEqual(targetsOf(findClient("claude-desktop")!, "/srv/shop", machine(parts), true), []);
});

Deno.test("what lies where the draft or the backup goes must be a plain file [cli:install-scopes]", () => {
  const file = "/srv/shop/.mcp.json";
  const problem = (parts: MachineParts) =>
    place("claude-code", { folders: ["/srv/shop"], ...parts }, "/srv/shop").problem;
  for (const name of [`${file}.bmad-mcp-backup`, `${file}.bmad-mcp-new`]) {
    assert.equal(problem({ files: [name] }), undefined);
    for (const parts of [{ folders: ["/srv/shop", name] }, { links: { [name]: "/home/ann/.netrc" } }]) {
      assert.equal(problem(parts), `${name} is in the way. Delete it`);
      assert.equal(
        problem({ ...parts, files: [file, "/home/ann/.netrc"] }),
        `${name} is in the way. Delete it`,
      );
    }
  }
});

Deno.test("a client is installed if one of its markers exists", () => {
  const isHere = (id: string, parts: MachineParts) => isInstalled(findClient(id)!, machine(parts));
  assert.equal(isHere("cursor", {}), false);
  assert.equal(isHere("cursor", { folders: ["/home/ann/.cursor"] }), true);
  assert.equal(isHere("claude-code", { files: ["/home/ann/.claude.json"] }), true);
  assert.equal(isHere("claude-code", { folders: ["/home/ann/.claude"] }), true);
  assert.equal(
    isHere("visual-studio", { folders: ["/home/ann/AppData/Local/Microsoft/VisualStudio"] }),
    false,
  );
  assert.equal(isHere("jetbrains", { folders: ["/home/ann/.jetbrains"] }), false);
});

Deno.test("a client is installed if one of its programs is on PATH [cli:install-found]", () => {
  const isHere = (id: string, parts: MachineParts) => isInstalled(findClient(id)!, machine(parts));
  const unix = { env: { PATH: ":bin:/usr/bin:/opt/tools" } };
  assert.equal(isHere("claude-code", { ...unix, files: ["/opt/tools/claude"] }), true);
  assert.equal(isHere("crush", { ...unix, files: ["/usr/bin/crush"] }), true);
  assert.equal(isHere("claude-code", { ...unix, files: ["/opt/other/claude", "/bin/claude"] }), false);
  assert.equal(isHere("claude-code", { ...unix, folders: ["/opt/tools/claude"] }), false);
  assert.equal(isHere("claude-code", { ...unix, links: { "/usr/bin/claude": "/gone" } }), false);
  // Windows' own programs, seen from WSL, do not read files here.
  const wsl = { env: { PATH: "/mnt/c/code/bin" }, files: ["/mnt/c/code/bin/code"] };
  assert.equal(isHere("vscode", wsl), false);
  const windows = { os: "windows" as const, env: { PATH: "C:/bin;D:/npm" } };
  for (const file of ["C:/bin/code.cmd", "D:/npm/code.exe"]) {
    assert.equal(isHere("vscode", { ...windows, files: [file] }), true, file);
  }
  assert.equal(isHere("vscode", { ...windows, files: ["C:/bin/code"] }), false);
});

Deno.test("no two clients share a program, which would show both", () => {
  const names = CLIENTS.flatMap(({ programs = [] }) => programs);
  assert.ok(names.length > 20);
  assert.deepEqual(names.filter((name, at) => names.indexOf(name) !== at), []);
});

Deno.test("the rights for a new file cover it, its draft, its backup and the first missing folder", () => {
  const parts = { folders: ["/home/ann"] };
  const file = "/home/ann/.config/goose/config.yaml";
  const files = [file, `${file}.bmad-mcp-backup`, `${file}.bmad-mcp-new`];
  assert.deepEqual(rights(parts, "read", "goose"), { read: files, write: [], run: [], net: false });
  const all = [...files, "/home/ann/.config"];
  assert.deepEqual(rights(parts, "add", "goose"), { read: all, write: all, run: [], net: false });
  assert.deepEqual(rights(parts, "remove", "goose"), { read: files, write: files, run: [], net: false });
});

Deno.test("the rights for an existing file cover no folder with anything else in it", () => {
  const file = "/home/ann/.kiro/settings/mcp.json";
  const folders = (purpose: Purpose, files: readonly string[], ...ids: readonly string[]) =>
    rights({ files }, purpose, ...ids).write.filter((path) => !/\.(json|yaml)\b/.test(path));
  const copy = `${file}.bmad-mcp-backup`;
  assert.deepEqual(folders("remove", [file, copy], "kiro"), ["/home/ann/.kiro/settings", "/home/ann/.kiro"]);
  assert.deepEqual(folders("add", [file, copy], "kiro"), []);
  assert.deepEqual(folders("remove", [file, "/home/ann/.kiro/notes"], "kiro"), ["/home/ann/.kiro/settings"]);
  assert.deepEqual(folders("remove", [file, "/home/ann/.kiro/settings/other"], "kiro"), []);
  const both = ["/home/ann/.config/goose/config.yaml", "/home/ann/.config/zed/settings.json"];
  assert.deepEqual(folders("remove", both, "goose"), ["/home/ann/.config/goose"]);
  assert.deepEqual(folders("remove", both, "goose", "zed"), [
    "/home/ann/.config/goose",
    "/home/ann/.config",
    "/home/ann/.config/zed",
  ]);
  const named = { env: { CODEX_HOME: "/srv/codex" }, files: ["/srv/codex/config.toml"] };
  assert.equal(rights(named, "remove", "codex").write.includes("/srv/codex"), false);
});

Deno.test("a file behind links is changed at its real path", () => {
  const file = place("cursor", {
    files: ["/home/ann/dotfiles/cursor.json"],
    links: { "/home/ann/.cursor/mcp.json": "/home/ann/dotfiles/cursor.json" },
  });
  assert.deepEqual([file.path, file.real], ["/home/ann/.cursor/mcp.json", "/home/ann/dotfiles/cursor.json"]);
  const folder = place("cursor", {
    folders: ["/home/ann/dotfiles/cursor"],
    links: { "/home/ann/.cursor": "/home/ann/dotfiles/cursor" },
  });
  assert.deepEqual([folder.real, folder.exists], ["/home/ann/dotfiles/cursor/mcp.json", false]);
  assert.equal(folder.missingFolder, undefined);
});

Deno.test("a broken link, a folder, and a link out of a project are not changed", () => {
  const dead = place("cursor", { links: { "/home/ann/.cursor/mcp.json": "/gone" } });
  assert.match(dead.problem!, /broken link/);
  assert.match(place("cursor", { folders: ["/home/ann/.cursor/mcp.json"] }).problem!, /is not a file/);
  assert.match(
    place("cursor", { files: ["/home/ann/.cursor"] }).problem!,
    /lies below something that is not a folder/,
  );
  const out = { files: ["/home/ann/secrets.json"], folders: ["/srv/shop", "/home/ann/stolen"] };
  const file = { ...out, links: { "/srv/shop/.vscode/mcp.json": "/home/ann/secrets.json" } };
  assert.match(place("vscode", file, "/srv/shop").problem!, /leads out of the project/);
  const folder = { ...out, links: { "/srv/shop/.vscode": "/home/ann/stolen" } };
  assert.match(place("vscode", folder, "/srv/shop").problem!, /leads out of the project/);
  assert.deepEqual(rightsFor([place("vscode", file, "/srv/shop")], "add", machine(file)), {
    read: [],
    write: [],
    run: [],
    net: false,
  });
});

Deno.test("uninstall checks every file that exists", () => {
  const files = ["/home/ann/.config/opencode/opencode.json", "/home/ann/.config/opencode/opencode.jsonc"];
  const found = targetsOf(findClient("opencode")!, undefined, machine({ files }), false);
  assert.deepEqual(found.map(({ path }) => path).toSorted(), files);
  const none = targetsOf(findClient("opencode")!, undefined, machine({}), false);
  assert.deepEqual(none.map(({ exists }) => exists), [false]);
});

const STABLE: readonly (readonly [command: string, links: Readonly<Record<string, string>>, name: string])[] =
  [
    ["/opt/homebrew/Cellar/bmad-mcp/1.2.0/bin/bmad-mcp", {
      "/opt/homebrew/bin/bmad-mcp": "/opt/homebrew/Cellar/bmad-mcp/1.2.0/bin/bmad-mcp",
    }, "/opt/homebrew/bin/bmad-mcp"],
    ["/opt/homebrew/Cellar/bmad-mcp/1.2.0/bin/bmad-mcp", {
      "/opt/homebrew/bin/bmad-mcp": "/opt/homebrew/Cellar/bmad-mcp/1.1.0/bin/bmad-mcp",
      "/opt/homebrew/opt/bmad-mcp": "/opt/homebrew/Cellar/bmad-mcp/1.2.0",
    }, "/opt/homebrew/opt/bmad-mcp/bin/bmad-mcp"],
    [
      "/opt/homebrew/Cellar/bmad-mcp/1.2.0/bin/bmad-mcp",
      {},
      "/opt/homebrew/Cellar/bmad-mcp/1.2.0/bin/bmad-mcp",
    ],
    ["/usr/local/bin/bmad-mcp", {}, "/usr/local/bin/bmad-mcp"],
  ];

for (const [command, links, name] of STABLE) {
  Deno.test(`a program at ${command} with ${Object.keys(links)} is started as ${name}`, () => {
    const launch = stableLaunch({ command, args: ["x"] }, machine({ files: [command], links }));
    assert.deepEqual(launch, { command: name, args: ["x"] });
  });
}

Deno.test("a program from Scoop is started by its shim, with backslashes", () => {
  const files = [
    "C:/Users/ann/scoop/apps/bmad-mcp/1.2.0/bmad-mcp.exe",
    "C:/Users/ann/scoop/shims/bmad-mcp.exe",
  ];
  const launch = stableLaunch({
    command: "C:\\Users\\ann\\scoop\\apps\\bmad-mcp\\1.2.0\\bmad-mcp.exe",
    args: [],
  }, {
    look: (path) => {
      const real = files.find((file) => file === path.replaceAll("\\", "/"));
      return real === undefined ? undefined : { kind: "file", real };
    },
  });
  assert.equal(launch.command, "C:\\Users\\ann\\scoop\\shims\\bmad-mcp.exe");
});

Deno.test("a package's Node is named by its stable path, and files of projects name the package", () => {
  const cellar = "/opt/homebrew/Cellar/node/22.1.0/bin/node";
  const launcher = "/n/_npx/1f/node_modules/@al-b/bmad-mcp/launcher.cjs";
  const launch = stableLaunch(
    { command: cellar, args: [launcher] },
    machine({ files: [cellar, launcher], links: { "/opt/homebrew/bin/node": cellar } }),
  );
  assert.deepEqual(launch, { command: "/opt/homebrew/bin/node", args: [launcher] });
  assert.deepEqual(portableLaunch(launch, "1.2.3"), { command: "npx", args: ["-y", "@al-b/bmad-mcp@1.2.3"] });
  assert.equal(portableLaunch({ command: "/usr/bin/bmad-mcp", args: [] }, "1.2.3"), undefined);
});

Deno.test("our own entries are recognized in every form, and others are not", () => {
  const ours = (command: string, ...args: string[]) => isOwnLaunch({ command, args });
  assert.ok(ours("bmad-mcp"));
  assert.ok(ours("/opt/homebrew/bin/bmad-mcp", "serve"));
  assert.ok(ours("C:\\scoop\\shims\\BMAD-MCP.EXE", "serve"));
  assert.ok(ours("npx", "-y", "deno@2.9.0", "task", "--config", "/src/bmad/deno.json", "start", "serve"));
  assert.ok(ours("cmd", "/c", "npx", "-y", "deno@3", "task", "--config", "C:\\src\\deno.json", "start"));
  assert.ok(ours("/usr/bin/node", "/n/node_modules/@al-b/bmad-mcp/launcher.cjs", "serve"));
  assert.ok(ours("/bin/sh", "/n/node_modules/@al-b/bmad-mcp/launcher.sh", "serve"));
  assert.ok(!ours("/bin/sh", "/n/node_modules/@al-b/other/launcher.sh", "serve"));
  assert.ok(ours("C:\\node.exe", "C:\\n\\node_modules\\@al\\bmad-mcp\\launcher.cjs", "serve"));
  assert.ok(ours("npx", "-y", "@al-b/bmad-mcp@1.2.3", "serve"));
  assert.ok(ours("cmd", "/c", "npx", "-y", "@al-b/bmad-mcp"));
  assert.ok(!ours("npx", "-y", "bmad-mcp"));
  assert.ok(!ours("npx", "-y", "other", "@al-b/bmad-mcp"));
  assert.ok(!ours("npx", "-y", "@al-b/bmad-mcp-server"));
  assert.ok(!ours("node", "/n/node_modules/bmad-mcp/launcher.cjs"));
  assert.ok(!ours("node", "/srv/other/server.js"));
  assert.ok(!ours("/usr/bin/not-bmad-mcp"));
  assert.ok(!ours("deno", "task", "start"));
});

Deno.test("the programs in a text are found without parsing it", () => {
  assert.deepEqual(
    programsIn('{"command": "/a b/bmad-mcp", "x": "C:\\\\p\\\\bmad-mcp.exe", "y": "bmad-mcp"}'),
    ["/a b/bmad-mcp", "C:\\p\\bmad-mcp.exe", "bmad-mcp"],
  );
  assert.deepEqual(
    programsIn('{"command": "/usr/bin/node", "args": ["/n/node_modules/@a/bmad-mcp/launcher.cjs", "serve"]}'),
    ["/usr/bin/node", "/n/node_modules/@a/bmad-mcp/launcher.cjs"],
  );
  assert.deepEqual(programsIn("command = '/x/bmad-mcp'\n"), ["/x/bmad-mcp"]);
  assert.deepEqual(programsIn("    cmd: /y/bmad-mcp\r\n  - /z/bmad-mcp\n"), ["/y/bmad-mcp", "/z/bmad-mcp"]);
  assert.deepEqual(programsIn("    command: bmad-mcp\n  - name: other-bmad-mcp\n"), ["bmad-mcp"]);
  assert.deepEqual(programsIn('args = ["task", "--config", "/src/deno.json", "start"]'), ["/src/deno.json"]);
});

Deno.test("a file that teammates share names no path of this machine [cli:install-shared]", () => {
  const [project, program] = ["/home/ann/shop", { command: "bmad-mcp", args: [] }];
  const config = (...args: readonly string[]) =>
    resolveConfig({
      ...machine({ folders: [`${project}/team`, "/srv/x"] }),
      args: ["install", "cursor", "--project", project, ...args],
      cwd: project,
      contentDir: "/opt/content",
      readSettings: () => undefined,
    });
  const plan = { launch: program, sharedLaunch: program } as unknown as ClientsPlan;
  const flags = ["--path", `${project}/team`, "--pack", "v4"];
  const shared = CLIENTS.filter((client) => client.project !== undefined);
  assert.ok(shared.length > 15);
  for (const client of shared) {
    const entry = launchFor({ client, scope: "project" }, plan, config(...flags)) as Launch;
    assert.deepEqual(ownPathsIn(entry), [], client.id);
    const named = entry.args.indexOf("--project");
    const base = named < 0 ? "." : entry.args[named + 1];
    assert.ok(entry.args.includes(`${base}/team`), `${client.id} ${entry.args}`);
  }
  const far = launchFor({ client: findClient("zed")!, scope: "project" }, plan, config("--path", "/srv/x"));
  assert.deepEqual(ownPathsIn(far as Launch), ["/srv/x"]);
  assert.deepEqual(ownPathsIn({ command: "C:\\bin\\bmad-mcp.exe", args: ["serve"] }), [
    "C:\\bin\\bmad-mcp.exe",
  ]);
});
