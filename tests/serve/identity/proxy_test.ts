/** Is a proxy believed from the named addresses, and from no other? */
import assert from "node:assert/strict";
import { networkIn } from "../../../src/base/networks.ts";
import { openProxies } from "../../../src/serve/identity/mod.ts";

const RULES = {
  from: ["10.1.0.0/16", "192.168.7.9", "fd00:1::/32"].map((text) => networkIn(text)!),
  userHeader: "remote-user",
  groupsHeader: "remote-groups",
  roles: [{ role: "owner", group: "leads" }, { role: "worker", group: "devs" }] as const,
  access: [],
};

const CASES: readonly (readonly [address: string, user: string | null, groups: string, expected: unknown])[] =
  [
    ["10.1.2.3", "ana", "devs", { name: "ana", role: "worker" }],
    ["::ffff:10.1.2.3", "ana", "devs, leads", { name: "ana", role: "owner" }],
    ["fd00:1:0:5::9", "ana", "leads", { name: "ana", role: "owner" }],
    ["192.168.7.9", "ana", "guests", "no role"],
    ["192.168.7.9", null, "devs", undefined],
    ["192.168.7.9", " ", "devs", undefined],
    ["192.168.7.9", "olga, ana", "devs", "several"],
    ["192.168.7.9", "x".repeat(61), "devs", undefined],
    ["192.168.7.10", "ana", "leads", undefined],
    ["10.2.0.1", "ana", "leads", undefined],
    ["fd00:2::1", "ana", "leads", undefined],
    ["127.0.0.1", "ana", "leads", undefined],
    ["nonsense", "ana", "leads", undefined],
  ];

Deno.test("identity headers count from configured addresses alone [team:proxy]", () => {
  const proxies = openProxies(RULES);
  for (const [address, user, groups, expected] of CASES) {
    const headers = new Headers({ "remote-groups": groups, ...(user !== null && { "remote-user": user }) });
    assert.deepEqual(proxies.find(address, headers), expected, `${address} ${user}`);
  }
  assert.equal(
    openProxies({ ...RULES, from: [] }).find("10.1.2.3", new Headers({ "remote-user": "ana" })),
    undefined,
  );
  for (
    const text of ["", "10.0.0", "10.0.0.256", "10.0.0.0/33", "::1/129", "host", "10.0.0.0/8/8", "1::2::3"]
  ) {
    assert.equal(networkIn(text), undefined, text);
  }
});
