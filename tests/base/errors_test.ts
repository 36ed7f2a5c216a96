/** Which errors are failures that users can fix, and which are bugs? */
import assert from "node:assert/strict";
import { BmadError, failureIn, reportRefusal, systemCode } from "../../src/base/errors.ts";

const systemError = (code: string, message: string) => Object.assign(new Error(message), { code });

Deno.test("a refusal of the system is one sentence with the path, the reason and the fix", () => {
  const messages = [
    systemError("EROFS", "Read-only file system (os error 30): open '/p/x'"),
    systemError("ENOSPC", "No space left on device (os error 28)"),
    systemError("EDQUOT", "Disk quota exceeded (os error 122): open '/p/x'"),
    new Deno.errors.PermissionDenied("it is write-protected"),
    systemError("EACCES", "Permission denied (os error 13): open '/p/x'"),
    systemError("EPERM", "Operation not permitted (os error 1): rename '/p/x' -> '/p/y'"),
    systemError("EXDEV", "Invalid cross-device link (os error 18): link '/p/x' -> '/p/y'"),
    systemError("EXDEV", "EXDEV: cross-device link not permitted, link '/p/x' -> '/p/y'"),
    new Deno.errors.NotCapable('Requires write access to "/p/x", run again with the --allow-write flag'),
  ].map((error) => {
    try {
      return reportRefusal("out/x.md", () => {
        throw error;
      });
    } catch (failure) {
      assert.ok(failure instanceof BmadError && failure.cause === error);
      return failure.message.replace("Cannot write out/x.md: ", "");
    }
  });
  const permission = "permission denied. Check who owns it and its folder, and their permissions";
  assert.deepEqual(messages, [
    "the file system is read-only. Mount it writable, or work on a writable copy",
    "the disk is full. Free some space and try again",
    "your disk quota is used up. Free some space and try again",
    "it is write-protected. Check it and its folder, then try again",
    permission,
    permission,
    "Invalid cross-device link. Check it and its folder, then try again",
    "cross-device link not permitted. Check it and its folder, then try again",
    "the program was not granted that folder; a link may lead it out of the project. " +
    "Replace the link with a folder, or restart the program",
  ]);
});

Deno.test("a failure and a bug pass through a write unchanged", () => {
  const failure = new BmadError({ code: "outside-root", path: "x" });
  const odd = Object.assign(new Error("no"), { code: "ERR_SQLITE_ERROR" });
  for (const error of [failure, new TypeError("no"), odd]) {
    assert.throws(() =>
      reportRefusal("x", () => {
        throw error;
      }), (thrown) => thrown === error);
    assert.equal(systemCode(error), undefined);
  }
});

Deno.test("an error that only writes cause is a failure wherever it comes from; others are bugs", () => {
  const full = systemError("ENOSPC", "No space left on device (os error 28): open '/p/x'");
  const fullOutput = systemError("ENOSPC", "No space left on device (os error 28)");
  const reason = "the disk is full. Free some space and try again";
  assert.equal(failureIn(full)?.message, `Cannot write /p/x: ${reason}`);
  assert.equal(failureIn(fullOutput)?.message, `Cannot write the output: ${reason}`);
  assert.equal(failureIn(systemError("EACCES", "Permission denied (os error 13): open '/p/x'")), undefined);
  assert.equal(failureIn(new Error("no")), undefined);
});
