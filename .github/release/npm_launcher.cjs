#!/usr/bin/env node
/**
 * Starts the program of the npm package: the Deno that npm installed beside it, with the rights of the binary.
 *
 * Runs on Node 20 and later, which is all that `npx` guarantees. launch.json, written by npm.ts, has the arguments for
 * each system and the package with Deno for each platform. Every start pays for it: as CommonJS, and with few modules,
 * it takes a quarter less than as an ES module.
 */
"use strict";
const { spawn } = require("node:child_process");
const { existsSync, readFileSync } = require("node:fs");

const { platform, arch } = process;
const isWindows = platform === "win32";
const launch = JSON.parse(readFileSync(`${__dirname}/launch.json`, "utf8"));

/** The path of Deno; undefined if npm has none for this system. */
function findDeno() {
  const name = launch.packages[`${platform}-${arch}`];
  const program = isWindows ? "deno.exe" : "deno";
  // npm puts packages side by side, and those of a global one into its own folder, unless another package needs another
  // version.
  const folder = [`${__dirname}/node_modules/${name}`, `${__dirname}/../../${name}`].find((folder) =>
    /[\\/]node_modules[\\/]@[^\\/]+[\\/][^\\/]+$/.test(__dirname) && isOurs(folder, program)
  );
  if (folder !== undefined) return `${folder}/${program}`;
  try {
    const paths = [require("node:path").dirname(require.resolve("deno/package.json"))];
    return require.resolve(`${name}/package.json`, { paths }).replace(/package\.json$/, program);
  } catch {
    return undefined;
  }
}

/** Whether a folder has the program in the version that we are tested with. */
function isOurs(folder, program) {
  if (!existsSync(`${folder}/${program}`)) return false;
  return JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version === launch.deno;
}

/** Our environment without what would change the runtime: its flags, its telemetry, who decides about its rights. */
function cleanEnv() {
  const isKept = (name) =>
    !/^(?:DENO_|OTEL_|NODE_OPTIONS$)/i.test(name) || /^DENO_(?:DIR|CERT|TLS_CA_STORE)$/i.test(name);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name)));
  // The program tells clients to start it with this very Node.
  const own = { BMAD_MCP_NODE: process.execPath, DENO_NO_UPDATE_CHECK: "1", DENO_NO_PACKAGE_JSON: "1" };
  return { ...env, ...own };
}

function run(program) {
  const args = [...launch.args[platform], `${__dirname}/${launch.entry}`, ...process.argv.slice(2)];
  const child = spawn(program, args, { stdio: "inherit", env: cleanEnv(), windowsHide: true });
  const signals = isWindows ? ["SIGINT", "SIGBREAK"] : ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`Cannot start ${program}: ${error.message}`));
  child.on(
    "exit",
    (code, signal) => process.exit(code ?? 128 + require("node:os").constants.signals[signal]),
  );
}

function fail(problem) {
  process.stderr.write(`bmad-mcp: ${problem}\n`);
  process.exit(1);
}

const deno = findDeno();
if (deno === undefined) {
  const where = `${platform} on ${arch}`;
  fail(
    launch.packages[`${platform}-${arch}`] === undefined
      ? `Unsupported platform: ${where}`
      : `Deno for ${where} is missing. Install this package again, with optional dependencies; ` +
        "Linux needs glibc",
  );
} else run(deno);
