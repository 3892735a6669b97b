import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encoded, seal } from "../../src/policy/envelope.ts";
import { sha256 } from "../../src/policy/key.ts";
import { MANIFEST_TYPE, sealManifest, signedManifest } from "../../src/policy/manifest.ts";
import { pinnedRoot, ROOT_TYPE } from "../../src/policy/root.ts";
import { BATCH_TYPE, readBatch } from "../../src/spool/batch.ts";
import { keyOf, policyKey, rootKey } from "./sample.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/fleet-formats.md"), "utf8");
const vectors = new Map(
  [...page.matchAll(/^`([^`\n]+)`[^\n]*:\n\n```text\n(.*)\n```$/gm)].map(([, name = "", text = ""]) => [name, text]),
);
const vector = (name: string): string => vectors.get(name) ?? expect.fail(`the page has no vector "${name}"`);
const envelopeOf = (payloadType: string, payload: string, keyid: string, sig: string) =>
  Buffer.from(
    `${JSON.stringify({ payloadType, payload: Buffer.from(payload).toString("base64"), signatures: [{ keyid, sig }] })}\n`,
  );

test("the documented keys are the keys", () => {
  expect(rootKey.bytes.toString("hex")).toBe(vector("public root"));
  expect(rootKey.keyid).toBe(vector("keyid root"));
  expect(policyKey.bytes.toString("hex")).toBe(vector("public policy"));
  expect(policyKey.keyid).toBe(vector("keyid policy"));
});

test("the encoding that is signed is DSSE's", () => {
  expect(encoded("http://example.com/HelloWorld", Buffer.from("hello world")).toString()).toBe(vector("pae hello"));
  const payload = Buffer.from(vector("manifest payload"));
  expect(`${encoded(MANIFEST_TYPE, payload)}`).toBe(vector("manifest signed bytes").replace("…", `${payload}`));
});

test("the documented root and manifest are written and read as documented", () => {
  const rootPayload = vector("root payload");
  const rootBytes = seal(ROOT_TYPE, Buffer.from(rootPayload), [rootKey]);
  expect(rootBytes).toEqual(envelopeOf(ROOT_TYPE, rootPayload, vector("keyid root"), vector("root signature")));
  const root = pinnedRoot(rootBytes, vector("root pin"));
  const payload = vector("manifest payload");
  const bytes = envelopeOf(MANIFEST_TYPE, payload, vector("keyid policy"), vector("manifest signature"));
  expect(sha256(bytes)).toBe(vector("manifest envelope sha256"));
  const { manifest, digest } = signedManifest(bytes, { root, channel: "stable" });
  expect(digest).toBe(vector("manifest digest"));
  expect(sealManifest(manifest, [policyKey])).toEqual(bytes);
});

test("the documented batch is read as documented", () => {
  const key = keyOf(7);
  expect(key.bytes.toString("hex")).toBe(vector("public machine"));
  const line = envelopeOf(BATCH_TYPE, vector("seal payload"), key.keyid, vector("seal signature"));
  const message = Buffer.concat([line, Buffer.from('{"v":2,"n":1}\n')]);
  expect(sha256(message)).toBe(vector("batch message sha256"));
  const { seal, hash } = readBatch(message, key);
  expect(hash).toBe(vector("seal hash"));
  expect(JSON.stringify(seal)).toBe(vector("seal payload"));
});
