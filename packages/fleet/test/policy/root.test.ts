import { describe, expect, test } from "vitest";
import { seal } from "../../src/policy/envelope.ts";
import { sha256 } from "../../src/policy/key.ts";
import { nextRoot, pinnedRoot, ROOT_TYPE, type Root, sealRoot } from "../../src/policy/root.ts";
import { keyOf, LATER, policyKey, rootKey, rootOf, strangerKey } from "./sample.ts";

const refusal = (refusal: string) => expect.objectContaining({ name: "Refused", refusal });
const trusted = (root: Root, ...keys: Parameters<typeof sealRoot>[1]) => {
  const bytes = sealRoot(root, keys);
  return pinnedRoot(bytes, sha256(bytes));
};

describe("a pinned root", () => {
  test("is the file with this SHA-256 and no other", () => {
    const bytes = sealRoot(rootOf(), [rootKey]);
    expect(pinnedRoot(bytes, sha256(bytes))).toEqual({ ...rootOf(), sha256: sha256(bytes) });
    const other = sealRoot(rootOf({ expires: LATER + 1 }), [rootKey]);
    expect(() => pinnedRoot(other, sha256(bytes))).toThrow(refusal("pin"));
    expect(() => pinnedRoot(bytes, "")).toThrow(refusal("pin"));
    expect(() => pinnedRoot(bytes, sha256(bytes).toUpperCase())).toThrow(refusal("pin"));
  });

  test("has signed itself", () => {
    for (const keys of [[], [strangerKey], [policyKey]]) {
      const bytes = sealRoot(rootOf(), keys);
      expect(() => pinnedRoot(bytes, sha256(bytes))).toThrow(refusal("signature"));
    }
  });

  const { keys, roles } = rootOf();
  const policy = (change: object) => ({ roles: { ...roles, policy: { ...roles.policy, ...change } } });
  const id = policyKey.keyid;
  test.each<[string, object, string]>([
    ["a key under another id", { keys: { ...keys, ["0".repeat(64)]: keys[id] } }, "field"],
    ["a role with a key that is not there", policy({ keyids: [strangerKey.keyid] }), "field"],
    ["a role with one key twice", policy({ keyids: [id, id], threshold: 2 }), "field"],
    ["a threshold of none", policy({ threshold: 0 }), "field"],
    ["a threshold that cannot be reached", policy({ threshold: 2 }), "field"],
    ["a policy role without keys", policy({ keyids: [], threshold: 1 }), "field"],
    ["an unknown member", { policy: [] }, "field"],
    ["another kind of key", { keys: { ...keys, [id]: { type: "rsa", public: keys[id]?.public } } }, "field"],
    ["a fleet with a capital", { fleet: "Acme" }, "field"],
    ["a fleet with a dot", { fleet: "a.b" }, "field"],
    ["a version that is no count", { version: 1.5 }, "field"],
    ["a time that is no number", { expires: "2027-01-01" }, "field"],
    ["another format", { v: 2 }, "field"],
  ])("is refused with %s", (_, change, why) => {
    const bytes = seal(ROOT_TYPE, Buffer.from(JSON.stringify({ ...rootOf(), ...change })), [rootKey]);
    expect(() => pinnedRoot(bytes, sha256(bytes))).toThrow(refusal(why));
  });

  test("may have nobody who approves", () => {
    const lonely = rootOf({ roles: { ...roles, approvals: { keyids: [], threshold: 1 } } });
    expect(trusted(lonely, rootKey).roles.approvals.keyids).toEqual([]);
  });

  test("needs as many different keys as its threshold, however often one has signed", () => {
    const two = rootOf({ roles: { ...roles, root: { keyids: [rootKey.keyid, policyKey.keyid], threshold: 2 } } });
    expect(() => trusted(two, rootKey, rootKey, rootKey)).toThrow(refusal("signature"));
    expect(() => trusted(two, rootKey, strangerKey)).toThrow(refusal("signature"));
    expect(trusted(two, policyKey, rootKey).version).toBe(1);
  });
});

describe("the next root", () => {
  const before = trusted(rootOf(), rootKey);
  const next = keyOf(4);
  const rotated = (change: Partial<Root> = {}) =>
    rootOf({ version: 2, roles: { ...before.roles, root: { keyids: [next.keyid], threshold: 1 } }, ...change });

  test("is signed by the keys before and by its own", () => {
    const bytes = sealRoot(rotated(), [rootKey, next]);
    expect(nextRoot(bytes, before)).toMatchObject({ version: 2, sha256: sha256(bytes) });
    for (const keys of [[rootKey], [next], [], [strangerKey, policyKey]])
      expect(() => nextRoot(sealRoot(rotated(), keys), before)).toThrow(refusal("signature"));
  });

  test.each<[string, Partial<Root>, string]>([
    ["the same version", { version: 1 }, "version"],
    ["a version later than the next", { version: 3 }, "version"],
    ["another fleet", { fleet: "emca" }, "fleet"],
  ])("is refused with %s", (_, change, why) => {
    expect(() => nextRoot(sealRoot(rotated(change), [rootKey, next]), before)).toThrow(refusal(why));
  });
});
