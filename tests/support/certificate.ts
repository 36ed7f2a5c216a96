/** Certificates for servers of tests, by default for the name `localhost`. */

export function canMakeCertificate(): boolean {
  try {
    return new Deno.Command("openssl", { args: ["version"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

export function makeCertificate(dir: string, host = "localhost") {
  const [file, keyFile] = [`${dir}/certificate.pem`, `${dir}/key.pem`];
  const kind = ["-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "2"];
  const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  // One that could sign others would not be taken for a server's own.
  const use = ["-addext", "basicConstraints=critical,CA:FALSE"];
  const { success, stderr } = new Deno.Command("openssl", {
    args: ["req", ...kind, ...names, ...use, "-keyout", keyFile, "-out", file],
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return { cert: Deno.readTextFileSync(file), key: Deno.readTextFileSync(keyFile), file, keyFile };
}
