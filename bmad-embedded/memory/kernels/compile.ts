/**
 * Compiles the kernels of project memory from AssemblyScript to WebAssembly, into a folder or beside their source.
 *
 *     deno task kernels
 *
 * The results are committed, so that nobody needs the compiler (100 MB) who does not change a kernel: its version and
 * hash are in the deno.json and deno.lock beside this file, and no other task fetches it. Therefore it is named at run
 * time, and typed here as far as it is used. tests/release/kernels_test.ts compiles again and compares.
 */
import { MEMORY_FILES } from "../../../src/project/kit/memory/files.ts";

interface Compiler {
  main(args: readonly string[], host: {
    readFile(name: string): string | null;
    writeFile(name: string, contents: Uint8Array | string): void;
    listFiles(): readonly string[];
  }): Promise<{ readonly error: Error | null; readonly stderr: unknown }>;
}

const HERE = import.meta.dirname!;
const [relaxed, simd] = MEMORY_FILES.kernels;

/** Each file with its source and the instruction sets that it may use. */
const KERNELS = [
  { file: relaxed, source: "minilm.as.ts", features: ["simd", "relaxed-simd"] },
  { file: simd, source: "minilm.as.ts", features: ["simd"] },
  { file: MEMORY_FILES.nearest, source: "nearest.as.ts", features: ["simd"] },
] as const;

const load = (name: string): Promise<Compiler> => import(name);
const { main } = await load("assemblyscript/asc");

/** The compiled WebAssembly module; it imports its memory from the caller. */
async function compile(source: string, features: readonly string[]): Promise<Uint8Array> {
  let compiled: Uint8Array | undefined;
  const options = [
    ...["-O3", "--noAssert", "--runtime", "stub", "--importMemory", "--use", "abort="],
    ...features.flatMap((feature) => ["--enable", feature]),
    ...["--outFile", "kernels.wasm"],
  ];
  const { error, stderr } = await main(["kernels.ts", ...options], {
    readFile: (name) => name === "kernels.ts" ? Deno.readTextFileSync(`${HERE}/${source}`) : null,
    writeFile: (_name, contents) => {
      if (typeof contents !== "string") compiled = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || compiled === undefined) throw new Error(`Cannot compile ${source}: ${stderr}`);
  return compiled;
}

const [target = HERE] = Deno.args;
for (const { file, source, features } of KERNELS) {
  await Deno.writeFile(`${target}/${file}`, await compile(source, features));
}
