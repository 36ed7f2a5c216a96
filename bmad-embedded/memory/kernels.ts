/**
 * Compiles the kernels, which are written in AssemblyScript, to WebAssembly.
 *
 * The compiler is a package of the build alone: nothing of it is part of the program.
 */
import { main } from "assemblyscript/asc";

/** An instruction set that kernels are compiled for. */
export type Features = "simd" | "relaxed-simd";

/** The bytes of a compiled file; its memory is the caller's. */
export async function compileKernels(path: string, features: readonly Features[]): Promise<Uint8Array> {
  let compiled: Uint8Array | undefined;
  const options = [
    ...["-O3", "--noAssert", "--runtime", "stub", "--importMemory", "--use", "abort="],
    ...features.flatMap((feature) => ["--enable", feature]),
    ...["--outFile", "kernels.wasm"],
  ];
  const { error, stderr } = await main(["kernels.ts", ...options], {
    readFile: (name) => name === "kernels.ts" ? Deno.readTextFileSync(path) : null,
    writeFile: (_name, contents) => {
      if (typeof contents !== "string") compiled = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || compiled === undefined) throw new Error(`Cannot compile ${path}: ${stderr}`);
  return compiled;
}
