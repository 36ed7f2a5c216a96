/**
 * Runs a program inside an npm package by the name of its file: `run.ts npm:name@1.2.3/bin/tool.js arguments…`.
 *
 * The commands that BMAD's older packages declare start Node on a file of their own, which is not there without a
 * `node_modules`; the program behind them runs in Deno as it is.
 */
import process from "node:process";

const [program] = process.argv.splice(2, 1);
await import(program!);
