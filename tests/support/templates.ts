/** What does a client make of a URI template? */

/** A template with a value for each variable, put in as RFC 6570 says: `{+path}` keeps its slashes. */
export function fillTemplate(uriTemplate: string, values: Readonly<Record<string, string>>): string {
  return uriTemplate.replace(/\{(\+?)(\w+)\}/g, (_, plus: string, name: string) => {
    const encoded = encodeURIComponent(values[name]!);
    return plus === "" ? encoded : encoded.replaceAll("%2F", "/");
  });
}
