import { createPrivateKey } from "node:crypto";
import { type SigningKey, sha256, signingKeyOf } from "../../src/policy/key.ts";
import type { BundleFile, HookRule, Manifest } from "../../src/policy/manifest.ts";
import type { Root } from "../../src/policy/root.ts";

/** The time of the samples, and a year later. */
export const NOW = Date.UTC(2026, 10, 1);
/** When the samples expire. */
export const LATER = NOW + 365 * 24 * 3600_000;

/** The key whose 32 secret bytes are all this number. */
export function keyOf(seed: number): SigningKey {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, seed)]);
  return signingKeyOf(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
}

export const rootKey = keyOf(1);
export const policyKey = keyOf(2);
export const approverKey = keyOf(3);
export const strangerKey = keyOf(9);

/** A root with one key for each role. */
export function rootOf(change: Partial<Root> = {}): Root {
  const keys = [rootKey, policyKey, approverKey, keyOf(4), keyOf(5)];
  const role = (key: SigningKey) => ({ keyids: [key.keyid], threshold: 1 });
  return {
    v: 1,
    fleet: "acme",
    version: 1,
    expires: LATER,
    keys: Object.fromEntries(
      keys.map(({ keyid, bytes }) => [keyid, { type: "ed25519", public: bytes.toString("base64") }] as const),
    ),
    roles: { root: role(rootKey), policy: role(policyKey), approvals: role(approverKey) },
    ...change,
  };
}

/** The files of the samples. */
export const FILES: Readonly<Record<string, string>> = {
  "hooks/secrets.ts": "export const guard = 1;\n",
  "hooks/style.ts": "export const style = 2;\n",
};

export function fileOf(path: string, content: string): BundleFile {
  return { path, sha256: sha256(Buffer.from(content)), bytes: Buffer.byteLength(content) };
}

/** Returns a rule for the hooks in a file, with defaults. */
export function ruleOf(file: string, change: Partial<HookRule> = {}): HookRule {
  return {
    file,
    where: "worker",
    events: ["tool.before"],
    may: ["deny", "ask"],
    needs: ["tool", "args"],
    onFailure: "closed",
    idempotent: false,
    ...change,
  };
}

/** A manifest of the sample files. */
export function manifestOf(change: Partial<Manifest> = {}, files = FILES): Manifest {
  return {
    v: 1,
    fleet: "acme",
    channel: "stable",
    version: 1,
    notBefore: NOW,
    expires: LATER,
    files: Object.entries(files).map(([path, content]) => fileOf(path, content)),
    hooks: Object.keys(files).map((path) => ruleOf(path)),
    onStale: "keep",
    rollout: { maxMs: 600_000 },
    audit: { level: "decisions", required: false },
    ...change,
  };
}

/** Gives the bytes of these files by their hash. */
export function blobsOf(files = FILES): (hash: string) => Promise<Buffer | undefined> {
  const kept = new Map(Object.values(files).map((content) => [sha256(Buffer.from(content)), Buffer.from(content)]));
  return async (hash) => kept.get(hash);
}
