/** The hash of a script, whichever line ends a checkout gave it. */
export async function scriptHash(text: string): Promise<string> {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(plain))).toHex();
}
