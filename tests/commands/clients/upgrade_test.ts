/** Does each way of installing the program lead to the command that upgrades it? */
import assert from "node:assert/strict";
import { cachedPackage, upgradeOf } from "../../../src/commands/clients/mod.ts";

const PACKAGE = "node_modules/@al-b/bmad-mcp/launcher.cjs";

const WAYS: readonly (readonly [command: string, args: readonly string[], upgrade: string])[] = [
  ["/opt/homebrew/Cellar/bmad-mcp/1.2.0/bin/bmad-mcp", [], "brew upgrade bmad-mcp"],
  ["C:\\Users\\ann\\scoop\\apps\\bmad-mcp\\1.2.0\\bmad-mcp.exe", [], "scoop update bmad-mcp"],
  [
    "C:\\Users\\ann\\AppData\\Local\\Microsoft\\WinGet\\Packages\\al-b.bmad-mcp_Microsoft.Winget.Source_8wek\\bmad-mcp.exe",
    [],
    "winget upgrade --id al-b.bmad-mcp",
  ],
  ["/usr/bin/node", [`/home/ann/.npm/_npx/1f/${PACKAGE}`], 'npx -y "@al-b/bmad-mcp@latest" install'],
  ["/usr/bin/node", [`/usr/local/lib/${PACKAGE}`], 'npm install --global "@al-b/bmad-mcp@latest"'],
  [
    "C:\\node.exe",
    [`C:\\Users\\ann\\AppData\\Roaming\\npm\\${PACKAGE.replaceAll("/", "\\")}`],
    'npm install --global "@al-b/bmad-mcp@latest"',
  ],
  [
    "/usr/bin/node",
    [`/home/ann/my $1 app/${PACKAGE}`],
    `npm install --prefix '/home/ann/my $1 app' "@al-b/bmad-mcp@latest"`,
  ],
  ["/usr/bin/deno", ["task", "--config", "/src/bmad/deno.json", "start"], "git -C /src/bmad pull"],
];

for (const [command, args, upgrade] of WAYS) {
  Deno.test(`${[command, ...args].join(" ")} is upgraded by ${upgrade} [cli:upgrade]`, async () => {
    assert.equal((await upgradeOf({ command, args })).command, upgrade);
  });
}

Deno.test("a program that no manager knows is replaced where it is [cli:upgrade]", async () => {
  const { command, hint } = await upgradeOf({ command: "/home/ann/.local/bin/bmad-mcp", args: [] });
  assert.equal(command, undefined);
  assert.match(hint!, /BMAD_MCP_INSTALL_DIR set to \/home\/ann\/\.local\/bin,/);
  const bundle = "/Users/ann/Library/Application Support/Claude/Claude Extensions/x/server/bmad-mcp";
  assert.match((await upgradeOf({ command: bundle, args: [] })).hint!, /\.mcpb/);
});

Deno.test("an entry that starts the copy of npx is noticed, and no other", () => {
  const cached = (launcher: string) => cachedPackage({ command: "/usr/bin/node", args: [launcher] });
  assert.equal(cached(`/home/ann/.npm/_npx/1f/${PACKAGE}`), "@al-b/bmad-mcp");
  assert.equal(
    cached(`C:\\Users\\ann\\AppData\\Local\\npm-cache\\_npx\\1f\\${PACKAGE.replaceAll("/", "\\")}`),
    "@al-b/bmad-mcp",
  );
  assert.equal(cached(`/usr/local/lib/${PACKAGE}`), undefined);
  assert.equal(cachedPackage({ command: "/usr/bin/bmad-mcp", args: [] }), undefined);
});
