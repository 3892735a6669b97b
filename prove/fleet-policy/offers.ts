import { encoded, seal } from "../../packages/fleet/src/policy/envelope.ts";
import { type SigningKey, sha256 } from "../../packages/fleet/src/policy/key.ts";
import { MANIFEST_TYPE, type Manifest } from "../../packages/fleet/src/policy/manifest.ts";
import { ROOT_TYPE } from "../../packages/fleet/src/policy/root.ts";
import type { Dice } from "../stage/dice.ts";
import { KEYS, NOW, type Publication, publication, signed } from "./machine.ts";

/** A bad offer to a machine, which must not accept it. */
export interface Offer {
  readonly envelope: Uint8Array;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  readonly now?: number;
}

interface About {
  readonly dice: Dice;
  /** The version that the machine uses. */
  readonly version: number;
  /** A good publication with a higher version. */
  readonly next: Publication;
}

const payloadOf = (manifest: object): Buffer => Buffer.from(JSON.stringify(manifest));

function sealed(publication: Publication, change: object, keys: readonly SigningKey[] = [KEYS.policy]): Offer {
  const payload = payloadOf({ ...publication.manifest, ...change });
  return { envelope: seal(MANIFEST_TYPE, payload, keys), blobs: publication.blobs };
}

function envelope(payload: Buffer, signatures: readonly object[], payloadType = MANIFEST_TYPE): Buffer {
  return Buffer.from(JSON.stringify({ payloadType, payload: payload.toString("base64"), signatures }));
}

function flipped(bytes: Uint8Array, dice: Dice): Buffer {
  const changed = Buffer.from(bytes);
  const at = dice.below(changed.length);
  changed[at] = (changed[at] as number) ^ (1 << dice.below(8));
  return changed;
}

/** Returns the publication with the content of one of its files changed. */
function withBlob({ manifest, blobs }: Publication, dice: Dice, change: (bytes: Buffer) => Buffer | undefined): Offer {
  const { sha256: hash } = dice.pick(manifest.files);
  const changed = new Map<string, Uint8Array>(blobs);
  const bytes = change(blobs.get(hash) as Buffer);
  if (bytes === undefined) changed.delete(hash);
  else changed.set(hash, bytes);
  return { envelope: signed({ manifest, blobs }), blobs: changed };
}

/** Returns the publication with one more file, whose name is invalid. */
function withPath({ manifest, blobs }: Publication, path: string): Offer {
  const content = Buffer.from("evil");
  const file = { path, sha256: sha256(content), bytes: content.length };
  return sealed({ manifest, blobs: new Map([...blobs, [file.sha256, content]]) }, { files: [...manifest.files, file] });
}

const OUTSIDE = [
  "../evil",
  "a/../../evil",
  "/tmp/evil",
  "a\\..\\evil",
  "C:evil",
  "a//evil",
  "./evil",
  "a/.",
  "evil\0",
  "con.ts",
  "a.",
];

/** Duplicates a member of a JSON text. */
function twice(text: string, name: string, dice: Dice): string {
  const spelt = dice.chance(0.5) ? name : `\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}`;
  return text.replace(`"${name}":`, `"${spelt}":${dice.below(100)},"${name}":`);
}

/** Bad offers, by what is wrong with them. */
export const OFFERS: Readonly<Record<string, (about: About) => Offer>> = {
  "a changed file": ({ next, dice }) => withBlob(next, dice, (bytes) => flipped(bytes, dice)),
  "a cut file": ({ next, dice }) => withBlob(next, dice, (bytes) => bytes.subarray(0, dice.below(bytes.length))),
  "a longer file": ({ next, dice }) =>
    withBlob(next, dice, (bytes) => Buffer.concat([bytes, Buffer.alloc(1 + dice.below(9))])),
  "a file that is not there": ({ next, dice }) => withBlob(next, dice, () => undefined),
  "a changed manifest": ({ next, dice }) => {
    const { signatures } = JSON.parse(signed(next).toString());
    const change = dice.pick<Partial<Manifest>>([
      { version: 10_000 },
      { files: [] },
      { onStale: "keep", expires: NOW * 2 },
    ]);
    return { envelope: envelope(payloadOf({ ...next.manifest, ...change }), signatures), blobs: next.blobs };
  },
  "a cut manifest": ({ next, dice }) => {
    const bytes = signed(next);
    return { envelope: bytes.subarray(0, dice.below(bytes.length - 1)), blobs: next.blobs };
  },
  "no signature": ({ next }) => sealed(next, {}, []),
  "a stranger's signature": ({ next }) => sealed(next, {}, [KEYS.stranger]),
  "a stranger's signature under a trusted key id": ({ next, dice }) => {
    const payload = payloadOf(next.manifest);
    const sig = KEYS.stranger.sign(encoded(MANIFEST_TYPE, payload)).toString("base64");
    const keyid = dice.pick([KEYS.policy.keyid, KEYS.root.keyid, "", "policy"]);
    return { envelope: envelope(payload, [{ keyid, sig }]), blobs: next.blobs };
  },
  "a key of another role": ({ next, dice }) => sealed(next, {}, [dice.pick([KEYS.root, KEYS.second])]),
  "a signature of another type": ({ next, dice }) => {
    const payload = payloadOf(next.manifest);
    const sig = KEYS.policy.sign(encoded(ROOT_TYPE, payload)).toString("base64");
    return { envelope: envelope(payload, [{ sig }], dice.pick([MANIFEST_TYPE, ROOT_TYPE])), blobs: next.blobs };
  },
  "a good signature of another manifest": ({ next, dice }) => {
    const { signatures } = JSON.parse(signed(publication(dice, next.manifest.version)).toString());
    return { envelope: envelope(payloadOf(next.manifest), signatures), blobs: next.blobs };
  },
  "another fleet": ({ next, dice }) => sealed(next, { fleet: dice.pick(["emca", "acm", "acme-2"]) }),
  "another channel": ({ next, dice }) => sealed(next, { channel: dice.pick(["beta", "stabl", "stable-2"]) }),
  "a member twice in the manifest": ({ next, dice }) => {
    const name = dice.pick(["version", "fleet", "files", "expires"]);
    const payload = Buffer.from(twice(payloadOf(next.manifest).toString(), name, dice));
    return { envelope: seal(MANIFEST_TYPE, payload, [KEYS.policy]), blobs: next.blobs };
  },
  "a member twice in the envelope": ({ next, dice }) => {
    const name = dice.pick(["payload", "payloadType", "signatures"]);
    return { envelope: Buffer.from(twice(signed(next).toString(), name, dice)), blobs: next.blobs };
  },
  "an unknown member": ({ next, dice }) => sealed(next, { [dice.pick(["extra", "Version", "constructor"])]: 1 }),
  "a name outside": ({ next, dice }) => withPath(next, dice.pick(OUTSIDE)),
  "names that differ in case": ({ next, dice }) => {
    const { path } = dice.pick(next.manifest.files);
    return withPath(
      next,
      dice.pick([path.toUpperCase(), path.replace(/^./, (one) => one.toUpperCase()), path, `${path}/x`]),
    );
  },
  "a size that is wrong": ({ next, dice }) => {
    const [first, ...rest] = next.manifest.files;
    const bytes = dice.pick([0, (first?.bytes ?? 0) + 1, 512 * 1024 + 1, -1, 2 ** 60]);
    return sealed(next, { files: [{ ...first, bytes }, ...rest] });
  },
  "more than a bundle may have": ({ next }) => {
    const content = Buffer.alloc(512 * 1024);
    const one = { sha256: sha256(content), bytes: content.length };
    const files = Array.from({ length: 33 }, (_, i) => ({ path: `big-${i}`, ...one }));
    return sealed({ ...next, blobs: new Map([[one.sha256, content]]) }, { files });
  },
  "an older version": ({ next, version, dice }) => sealed(next, { version: 1 + dice.below(version - 1) }),
  "another bundle of the same version": ({ next, version }) => sealed(next, { version }),
  "a version that is no count": ({ next, dice }) =>
    sealed(next, { version: dice.pick([0, -1, 1.5, 2 ** 53, "9", null]) }),
  "a manifest that has expired": ({ next, dice }) => ({
    ...sealed(next, {}),
    now: next.manifest.expires + dice.below(1e9),
  }),
  "a manifest that does not count yet": ({ next, dice }) => ({
    ...sealed(next, {}),
    now: next.manifest.notBefore - 1 - dice.below(1e9),
  }),
};
