/**
 * Reading inside one folder and never outside it.
 *
 * A `Tree` lists, measures and reads files by a path relative to its root, on disk or in the embedded content.
 * What the files mean is left to others.
 */
export { type DiskOptions, diskTree, MAX_FILE_BYTES, stampBefore } from "./disk.ts";
export { embeddedTree, type PackFiles } from "./embedded.ts";
export { checkName, insidePath } from "./checks.ts";
export { baseName, isDatabase, joinPath, normalizePath, parentPath } from "./paths.ts";
export { expireChecks, noteReads, type Reads, type Recorded, recordReads } from "./reads.ts";
export { realPath, unlessMissing } from "./probe.ts";
export { isInside } from "./resolve.ts";
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
  type Unlisted,
  walkFiles,
} from "./tree.ts";
