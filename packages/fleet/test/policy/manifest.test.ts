import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encoded, MOST_ENVELOPE_BYTES, seal } from "../../src/policy/envelope.ts";
import { sha256 } from "../../src/policy/key.ts";
import { MANIFEST_TYPE, requireCurrent, sealManifest, signedManifest } from "../../src/policy/manifest.ts";
import { ROOT_TYPE, sealRoot } from "../../src/policy/root.ts";
import {
  approverKey,
  fileOf,
  keyOf,
  LATER,
  manifestOf,
  NOW,
  policyKey,
  rootKey,
  rootOf,
  ruleOf,
  strangerKey,
} from "./sample.ts";

const root = rootOf();
const expected = { root, channel: "stable" };
const refusal = (refusal: string) => expect.objectContaining({ name: "Refused", refusal });
const payloadOf = (value: object) => Buffer.from(JSON.stringify(value));
/** A manifest with members that `sealManifest` would not write. */
const odd = (change: object) => seal(MANIFEST_TYPE, payloadOf({ ...manifestOf(), ...change }), [policyKey]);

test("a manifest of the root's policy keys is read, and named by the hash of its exact bytes", () => {
  const bytes = sealManifest(manifestOf(), [policyKey]);
  expect(signedManifest(bytes, expected)).toEqual({ manifest: manifestOf(), digest: sha256(payloadOf(manifestOf())) });
});

describe("trust depends on the pinned root alone", () => {
  const payload = payloadOf(manifestOf());
  const sig = (type: string, key = policyKey) => key.sign(encoded(type, payload)).toString("base64");
  const envelope = (signatures: readonly object[], payloadType = MANIFEST_TYPE, body = payload) =>
    Buffer.from(JSON.stringify({ payloadType, payload: body.toString("base64"), signatures }));
  const good = sig(MANIFEST_TYPE);

  test.each<[string, readonly object[]]>([
    ["without a key id", [{ sig: good }]],
    ["with a key id that nobody knows", [{ keyid: "whatever", sig: good }]],
    ["with another key's id", [{ keyid: strangerKey.keyid, sig: good }]],
    [
      "behind a stranger's signature",
      [{ keyid: policyKey.keyid, sig: sig(MANIFEST_TYPE, strangerKey) }, { sig: good }],
    ],
  ])("a good signature counts %s", (_, signatures) => {
    expect(signedManifest(envelope(signatures), expected).manifest.version).toBe(1);
  });

  test.each<[string, readonly object[]]>([
    ["no signature", []],
    [
      "a stranger's signature under the right key id",
      [{ keyid: policyKey.keyid, sig: sig(MANIFEST_TYPE, strangerKey) }],
    ],
    ["the signature of a key of another role", [{ keyid: rootKey.keyid, sig: sig(MANIFEST_TYPE, rootKey) }]],
    ["an approver's signature", [{ keyid: approverKey.keyid, sig: sig(MANIFEST_TYPE, approverKey) }]],
    ["a signature of the same bytes as a root", [{ keyid: policyKey.keyid, sig: sig(ROOT_TYPE) }]],
    ["a signature of the bytes without their type", [{ sig: policyKey.sign(payload).toString("base64") }]],
    ["a signature of zeros", [{ keyid: policyKey.keyid, sig: Buffer.alloc(64).toString("base64") }]],
  ])("%s does not do", (_, signatures) => {
    expect(() => signedManifest(envelope(signatures), expected)).toThrow(refusal("signature"));
  });

  test("one key counts once, however often it signed", () => {
    const two = rootOf({
      roles: { ...root.roles, policy: { keyids: [policyKey.keyid, keyOf(4).keyid], threshold: 2 } },
    });
    expect(() =>
      signedManifest(sealManifest(manifestOf(), [policyKey, policyKey]), { ...expected, root: two }),
    ).toThrow(refusal("signature"));
    const both = sealManifest(manifestOf(), [policyKey, keyOf(4)]);
    expect(signedManifest(both, { ...expected, root: two }).manifest.version).toBe(1);
  });

  test("an envelope of another type does not count, whoever signed it", () => {
    expect(() => signedManifest(envelope([{ sig: sig(ROOT_TYPE) }], ROOT_TYPE), expected)).toThrow(refusal("type"));
    expect(() => signedManifest(sealRoot(root, [rootKey, policyKey]), expected)).toThrow(refusal("type"));
  });

  test.each<[string, string, string]>([
    ["nothing", "", "json"],
    [
      "a cut envelope",
      envelope([{ sig: good }])
        .toString()
        .slice(0, -1),
      "json",
    ],
    ["two envelopes", `${envelope([{ sig: good }])}${envelope([{ sig: good }])}`, "json"],
    [
      "a second payload",
      envelope([{ sig: good }])
        .toString()
        .replace("{", '{"payload":"",'),
      "json",
    ],
    [
      "an unknown member",
      envelope([{ sig: good }])
        .toString()
        .replace("{", '{"by":"me",'),
      "field",
    ],
    ["a signature that is cut", envelope([{ sig: good.slice(0, -4) }]).toString(), "field"],
    ["Base64 with a break", envelope([{ sig: `${good.slice(0, 40)}\n${good.slice(40)}` }]).toString(), "field"],
    ["Base64 for URLs", envelope([{ sig: Buffer.alloc(64, 255).toString("base64url") }]).toString(), "field"],
    ["a flood of signatures", envelope(Array.from({ length: 33 }, () => ({ sig: good }))).toString(), "field"],
    ["a byte order mark", `\ufeff${envelope([{ sig: good }])}`, "json"],
    [
      "a member named __proto__",
      envelope([{ sig: good }])
        .toString()
        .replace("{", '{"__proto__":{},'),
      "json",
    ],
    ["more than an envelope may have", " ".repeat(MOST_ENVELOPE_BYTES + 1), "size"],
  ])("%s is refused", (_, text, why) => {
    expect(() => signedManifest(Buffer.from(text), expected)).toThrow(refusal(why));
  });
});

test.each<[string, object, string]>([
  ["another fleet", { fleet: "emca" }, "fleet"],
  ["another channel", { channel: "beta" }, "channel"],
  ["a version of none", { version: 0 }, "field"],
  ["a version that no number holds", { version: 2 ** 53 }, "field"],
  ["an unknown member", { extra: true }, "field"],
  ["a format of later", { v: 2 }, "field"],
  ["a rule for a file that is not there", { hooks: [ruleOf("hooks/none.ts")] }, "missing"],
  ["two rules for one file", { hooks: [ruleOf("hooks/style.ts"), ruleOf("hooks/style.ts")] }, "field"],
  ["a remote hook without events", { hooks: [ruleOf("hooks/style.ts", { events: [] })] }, "field"],
  ["an answer that may do anything", { hooks: [{ ...ruleOf("hooks/style.ts"), may: ["everything"] }] }, "field"],
  [
    "a rule without what a failure counts as",
    { hooks: [{ ...ruleOf("hooks/style.ts"), onFailure: undefined }] },
    "field",
  ],
  ["a roll-out of years", { rollout: { maxMs: 1e12 } }, "field"],
  ["a file that leaves the folder", { files: [fileOf("../evil.ts", "")], hooks: [] }, "path"],
  ["a hash in capitals", { files: [{ ...fileOf("a.ts", ""), sha256: "A".repeat(64) }], hooks: [] }, "field"],
])("a manifest with %s is refused, though it is signed", (_, change, why) => {
  expect(() => signedManifest(odd(change), expected)).toThrow(refusal(why));
});

test("a member that is there twice is refused, though it is signed", () => {
  const twice = JSON.stringify(manifestOf()).replace('"version":1', '"version":2,"version":1');
  expect(() => signedManifest(seal(MANIFEST_TYPE, Buffer.from(twice), [policyKey]), expected)).toThrow(refusal("json"));
  const spelt = JSON.stringify(manifestOf()).replace('"version":1', '"version":1,"v\\u0065rsion":2');
  expect(() => signedManifest(seal(MANIFEST_TYPE, Buffer.from(spelt), [policyKey]), expected)).toThrow(refusal("json"));
});

test("nobody signs a manifest that no agent would take", () => {
  expect(() => sealManifest(manifestOf({ fleet: "A" }), [policyKey])).toThrow(refusal("field"));
  expect(() => sealManifest(manifestOf({ files: [fileOf("a:b", "")], hooks: [] }), [policyKey])).toThrow(
    refusal("path"),
  );
});

test("it counts from notBefore until it or the root expires", () => {
  const signed = { manifest: manifestOf(), digest: "" };
  requireCurrent(signed, root, NOW);
  requireCurrent(signed, root, LATER - 1);
  expect(() => requireCurrent(signed, root, NOW - 1)).toThrow(refusal("early"));
  expect(() => requireCurrent(signed, root, LATER)).toThrow(refusal("expired"));
  expect(() => requireCurrent(signed, rootOf({ expires: NOW }), NOW)).toThrow(/root rotate/);
});

test("no change of a single bit is taken", () => {
  const bytes = sealManifest(manifestOf(), [policyKey]);
  const { digest } = signedManifest(bytes, expected);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ (1 << bit);
      try {
        // The key id of a signature and blanks between members say nothing.
        expect(signedManifest(changed, expected)).toEqual({ manifest: manifestOf(), digest });
      } catch (thrown) {
        expect(thrown).toMatchObject({ name: "Refused" });
      }
    }),
    { numRuns: 400 },
  );
});

test("whatever the bytes are, they are refused in words", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        expect(() => signedManifest(bytes, expected)).toThrow(expect.objectContaining({ name: "Refused" }));
      },
    ),
  );
  fc.assert(
    fc.property(fc.json(), (text) => {
      const signed = seal(MANIFEST_TYPE, Buffer.from(text), [policyKey]);
      expect(() => signedManifest(signed, expected)).toThrow(expect.objectContaining({ name: "Refused" }));
    }),
  );
});
