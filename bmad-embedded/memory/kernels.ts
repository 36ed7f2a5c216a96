/**
 * Compiles the kernels from AssemblyScript to WebAssembly.
 *
 * The compiler is only a build dependency: it is not part of the program.
 */
import { main } from "assemblyscript/asc";

/** An instruction set. */
export type Features = "simd" | "relaxed-simd";

/** The compiled WebAssembly module; it imports its memory from the caller. */
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
