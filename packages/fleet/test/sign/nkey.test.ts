import { createAccount, createOperator, createUser, fromPublic, fromSeed } from "@nats-io/jwt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPublic, isSignedBy, type KeyKind, newNkey, readNkey } from "../../src/sign/nkey.ts";

const MAKERS = { operator: createOperator, account: createAccount, user: createUser } as const;
const KINDS = Object.keys(MAKERS) as KeyKind[];
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe.each(KINDS)("a key of a %s", (kind) => {
  test("is spelt as NATS spells it, and signs what NATS verifies", () => {
    const theirs = MAKERS[kind]();
    const ours = readNkey(kind, text(theirs.getSeed()));
    expect(ours.public).toBe(theirs.getPublicKey());
    expect(ours.seed).toBe(text(theirs.getSeed()));
    const message = Buffer.from("a message");
    expect(fromPublic(ours.public).verify(message, ours.sign(message))).toBe(true);
    expect(isSignedBy(kind, theirs.getPublicKey(), message, theirs.sign(message))).toBe(true);
  });

  test("that is new can be read by NATS", () => {
    const ours = newNkey(kind);
    expect(fromSeed(new TextEncoder().encode(ours.seed)).getPublicKey()).toBe(ours.public);
  });

  test("has signed nothing else, and is no key of another kind", () => {
    const key = newNkey(kind);
    const message = Buffer.from("a message");
    const signature = key.sign(message);
    expect(isSignedBy(kind, key.public, Buffer.from("a massage"), signature)).toBe(false);
    expect(isSignedBy(kind, newNkey(kind).public, message, signature)).toBe(false);
    expect(isSignedBy(kind, key.public, message, signature.subarray(1))).toBe(false);
    for (const other of KINDS.filter((one) => one !== kind)) {
      expect(isPublic(other, key.public)).toBe(false);
      expect(() => readNkey(other, key.seed)).toThrow("it is not the seed of");
    }
  });

  test("is refused with one letter changed, and the error does not quote the seed", () => {
    const key = newNkey(kind);
    fc.assert(
      fc.property(
        fc.nat(key.public.length - 1),
        fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ234567a=. "),
        (at, letter) => {
          const changed = key.public.slice(0, at) + letter + key.public.slice(at + 1);
          expect(isPublic(kind, changed)).toBe(changed === key.public);
          const seed = key.seed.slice(0, at) + letter + key.seed.slice(at + 1);
          if (seed === key.seed) return;
          expect(() => readNkey(kind, seed)).toThrow(/^it is not the seed of an? (operator's|account's|user's) key$/);
        },
      ),
    );
  });
});

test("no text breaks the reading of a key", () => {
  fc.assert(fc.property(fc.string(), (any) => isPublic("user", any) === false));
});
