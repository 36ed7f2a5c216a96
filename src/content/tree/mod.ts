/** Reading inside one folder and never outside it, on disk or in the embedded content. */
export { diskTree, stampBefore } from "./disk.ts";
export { embeddedTree, type PackFiles } from "./embedded.ts";
export {
  baseName,
  checkName,
  insidePath,
  isDatabase,
  isInside,
  joinPath,
  normalizePath,
  parentPath,
} from "./paths.ts";
export { expireChecks, noteReads, type Recorded, recordReads } from "./reads.ts";
export { askDisk, realPath } from "./resolve.ts";
export { isSecretFile, isUnserved, whyUnserved } from "./secret_files.ts";
export {
  cacheListings,
  decodeText,
  type FileFacts,
  findBytes,
  findText,
  isSettled,
  spelledOnDisk,
  type Stamp,
  textFault,
  type Tree,
  type TreeItem,
  walkFiles,
} from "./tree.ts";
