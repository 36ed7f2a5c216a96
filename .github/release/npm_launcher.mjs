#!/usr/bin/env node
/**
 * Starts the program of the npm package: the Deno that npm installed beside it, with the rights of the binary.
 *
 * Runs on Node 20 and later, which is all that `npx` guarantees. launch.json, written by npm.ts, has the arguments for
 * each system and the package with Deno for each platform.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const isWindows = process.platform === "win32";
const launch = JSON.parse(readFileSync(join(folder, "launch.json"), "utf8"));

/** The path of Deno; undefined if npm has none for this system. */
function findDeno() {
  const name = launch.packages[`${process.platform}-${process.arch}`];
  try {
    const deno = createRequire(createRequire(import.meta.url).resolve("deno/package.json"));
    return join(dirname(deno.resolve(`${name}/package.json`)), isWindows ? "deno.exe" : "deno");
  } catch {
    return undefined;
  }
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
  const args = [...launch.args[process.platform], join(folder, launch.entry), ...process.argv.slice(2)];
  const child = spawn(program, args, { stdio: "inherit", env: cleanEnv(), windowsHide: true });
  const signals = isWindows ? ["SIGINT", "SIGBREAK"] : ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`Cannot start ${program}: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function fail(problem) {
  process.stderr.write(`bmad-mcp: ${problem}\n`);
  process.exit(1);
}

const deno = findDeno();
if (deno === undefined) {
  const platform = `${process.platform} on ${process.arch}`;
  fail(
    launch.packages[`${process.platform}-${process.arch}`] === undefined
      ? `Unsupported platform: ${platform}`
      : `Deno for ${platform} is missing. Install this package again, with optional dependencies; ` +
        "Linux needs glibc",
  );
} else run(deno);
