/** Reading inside one folder and never outside it, on disk or in the embedded content. */
export { askDisk, diskTree, realPath, stampBefore } from "./disk.ts";
export { embeddedTree, type PackFiles } from "./embedded.ts";
export {
  baseName,
  checkName,
  insidePath,
  isDatabase,
  isInside,
  isSecretFile,
  isUnserved,
  joinPath,
  normalizePath,
  parentPath,
  whyUnserved,
} from "./paths.ts";
export { expireChecks, noteReads, type Recorded, recordReads } from "./reads.ts";
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
