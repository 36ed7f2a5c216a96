/** Whether a test may mount folders for the programs that it starts, as only the first user of a Linux machine may. */
export const CAN_MOUNT = Deno.build.os === "linux" && canMount();

function canMount(): boolean {
  try {
    const args = ["-m", "sh", "-c", "mount --bind /usr /usr && mount -o remount,bind,ro /usr"];
    return new Deno.Command("unshare", { args, stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}
