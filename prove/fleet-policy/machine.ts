import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newSigningKey, type SigningKey, sha256 } from "../../packages/fleet/src/policy/key.ts";
import { type Manifest, sealManifest } from "../../packages/fleet/src/policy/manifest.ts";
import { type Root, sealRoot, type TrustedRoot } from "../../packages/fleet/src/policy/root.ts";
import { pinnedChain, type RootChain, writeRoots } from "../../packages/fleet/src/policy/roots.ts";
import { firstSeen, writeSeen } from "../../packages/fleet/src/policy/seen.ts";
import {
  bundleInUse,
  fetchBundle,
  type PolicyPlace,
  policyPlace,
  useBundle,
} from "../../packages/fleet/src/policy/take.ts";
import { keptRoots } from "../../packages/fleet/src/store/trusted.ts";
import type { Dice } from "../stage/dice.ts";

/** The current time in every trial, in epoch ms. */
export const NOW = Date.UTC(2026, 10, 1);
const DAY = 24 * 3600_000;

/** The keys of a fleet whose root is pinned, and of an outsider. */
export const KEYS = {
  root: newSigningKey(),
  policy: newSigningKey(),
  second: newSigningKey(),
  stranger: newSigningKey(),
};

/** Returns a root with these keys. */
export function rootOf(change: Partial<Root> = {}): Root {
  const { root, policy, second } = KEYS;
  const role = (key: SigningKey) => ({ keyids: [key.keyid], threshold: 1 });
  const entry = ({ keyid, bytes }: SigningKey) =>
    [keyid, { type: "ed25519", public: bytes.toString("base64") }] as const;
  return {
    v: 1,
    fleet: "acme",
    version: 1,
    expires: NOW + 400 * DAY,
    keys: Object.fromEntries([root, policy, second].map(entry)),
    roles: { root: role(root), policy: role(policy), approvals: { keyids: [], threshold: 1 } },
    ...change,
  };
}

/** A publication: a manifest, and the contents of its files by their hash. */
export interface Publication {
  readonly manifest: Manifest;
  readonly blobs: ReadonlyMap<string, Buffer>;
}

/** Returns a random bundle with this version. */
export function publication(dice: Dice, version: number): Publication {
  const blobs = new Map<string, Buffer>();
  const files = Array.from({ length: 1 + dice.below(4) }, (_, i) => {
    const content = Buffer.from(
      `export const version = ${version};\n// ${"x".repeat(1 + dice.below(400))}${dice.below(1e9)}\n`,
    );
    blobs.set(sha256(content), content);
    return {
      path: `${dice.pick(["", "hooks/", "lib/deep/"])}file-${i}.ts`,
      sha256: sha256(content),
      bytes: content.length,
    };
  });
  const manifest: Manifest = {
    v: 1,
    fleet: "acme",
    channel: "stable",
    version,
    notBefore: NOW - 1 - dice.below(DAY),
    expires: NOW + 1 + dice.below(300 * DAY),
    files,
    hooks: [],
    onStale: dice.pick(["keep", "refuse"]),
    rollout: { maxMs: dice.below(DAY) },
    audit: { level: "decisions", required: dice.chance(0.5) },
  };
  return { manifest, blobs };
}

/** Returns the file of a manifest as its publisher signs it. */
export function signed({ manifest }: Publication): Buffer {
  return sealManifest(manifest, [KEYS.policy]);
}

/** A machine of the fleet, with its files in a separate folder. */
export class Machine {
  readonly folder: string;
  readonly place: PolicyPlace;
  readonly roots: RootChain;

  get root(): TrustedRoot {
    return this.roots.root;
  }

  constructor(folder = mkdtempSync(join(tmpdir(), "hookline-prove-fleet-")), root: Root = rootOf()) {
    this.folder = folder;
    this.place = policyPlace(folder);
    const bytes = sealRoot(root, [KEYS.root]);
    this.roots = pinnedChain(bytes, sha256(bytes));
    writeRoots(this.place.roots, this.roots);
    writeSeen(this.place.seen, firstSeen(this.root));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Fetches an offered bundle, and puts it into use. */
  async take(envelope: Uint8Array, blobs: ReadonlyMap<string, Uint8Array>, now = NOW): Promise<void> {
    const { root, place } = this;
    const blob = async (hash: string): Promise<Uint8Array | undefined> => blobs.get(hash);
    useBundle(place, await fetchBundle(place, { root, channel: "stable", envelope, blobs: blob, now }));
  }

  /** Returns the version that the next start would load, trusting only the pin; throws if it is refused. */
  version(): number | undefined {
    const { root } = keptRoots(this.place, { fleet: "acme", pin: this.root.sha256 });
    return bundleInUse(this.place, { root, channel: "stable" })?.manifest.version;
  }

  /** Returns the names in the folder of bundles. */
  bundles(): string[] {
    return readdirSync(this.place.bundles);
  }
}
