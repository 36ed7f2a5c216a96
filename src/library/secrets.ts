/**
 * Configuration without what nobody should see: values whose key names a secret.
 *
 * Keys are read as words, however they are written: `api_key`, `apiKey` and `API-KEY` are alike.
 */
import { isValues, type Values } from "../parse.ts";

const SECRET_WORDS = new Set([
  "key",
  "keys",
  "apikey",
  "token",
  "tokens",
  "secret",
  "secrets",
  "password",
  "passwords",
  "passwd",
  "passphrase",
  "pwd",
  "credential",
  "credentials",
]);

/** The values, without those whose key names a secret, at any depth. */
export function withoutSecrets(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => !isSecret(key)).map(([key, value]) => [key, cleaned(value)]),
  );
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  return isValues(value) ? withoutSecrets(value) : value;
}

/** Whether a key names a secret. */
export function isSecret(key: string): boolean {
  const words = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/);
  return words.some((word) => SECRET_WORDS.has(word) || /^(token|secret|passw|credential)/.test(word));
}
