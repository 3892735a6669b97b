import { type SigningKey, sha256 } from "../../packages/fleet/src/policy/key.ts";
import { nextRoot, pinnedRoot, type Root, sealRoot, type TrustedRoot } from "../../packages/fleet/src/policy/root.ts";
import type { Dice } from "../stage/dice.ts";
import { KEYS, rootOf } from "./machine.ts";

/** Returns a root that has the second key as its root key, signed by `keys`. */
function rotated(keys: readonly SigningKey[], change: Partial<Root> = {}): Buffer {
  const { roles } = rootOf();
  const root = { keyids: [KEYS.second.keyid], threshold: 1 };
  return sealRoot(rootOf({ version: 2, roles: { ...roles, root }, ...change }), keys);
}

/** Roots that no machine may accept after the first one. */
export const ROOTS: Readonly<Record<string, (dice: Dice, before: TrustedRoot) => unknown>> = {
  "a new root without the old key": (_, before) => nextRoot(rotated([KEYS.second]), before),
  "a new root without the new key": (_, before) => nextRoot(rotated([KEYS.root]), before),
  "a new root by strangers": (dice, before) =>
    nextRoot(rotated(dice.pick([[], [KEYS.stranger], [KEYS.policy]])), before),
  "a new root that skips a version": (dice, before) =>
    nextRoot(rotated([KEYS.root, KEYS.second], { version: dice.pick([1, 3, 4 + dice.below(1000)]) }), before),
  "a new root of another fleet": (_, before) => nextRoot(rotated([KEYS.root, KEYS.second], { fleet: "emca" }), before),
  "a changed root": (dice, before) => {
    const bytes = rotated([KEYS.root, KEYS.second]);
    const { payload } = JSON.parse(bytes.toString()) as { payload: string };
    // Changes a byte of the payload: the envelope's blanks and key ids have no meaning.
    const at = bytes.indexOf(payload) + dice.below(payload.length);
    bytes[at] = bytes[at] === 0x41 ? 0x42 : 0x41;
    return nextRoot(bytes, before);
  },
  "a root that is not the pinned one": (dice, before) =>
    pinnedRoot(rotated([KEYS.root, KEYS.second]), dice.pick([before.sha256, "", "0".repeat(64)])),
  "a pinned root that has not signed itself": (dice) => {
    const bytes = sealRoot(rootOf(), dice.pick([[], [KEYS.policy], [KEYS.stranger]]));
    return pinnedRoot(bytes, sha256(bytes));
  },
};
