import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { firstSeen, raiseSeen, readSeen, type Seen, withManifest, withRoot, writeSeen } from "../../src/policy/seen.ts";
import { manifestOf, rootOf } from "./sample.ts";

const refusal = (refusal: string) => expect.objectContaining({ name: "Refused", refusal });
const hash = (n: number) => n.toString(16).padStart(64, "0");
const signed = (version: number, digest = hash(version), change = {}) => ({
  manifest: manifestOf({ version, ...change }),
  digest,
});
const seen = firstSeen({ ...rootOf(), sha256: hash(1) });

test("versions of a channel only rise", () => {
  const third = withManifest(seen, signed(3));
  expect(withManifest(third, signed(3))).toBe(third);
  expect(withManifest(third, signed(4)).channels["stable"]).toEqual({ version: 4, digest: hash(4) });
  expect(() => withManifest(third, signed(2))).toThrow(refusal("version"));
  expect(() => withManifest(third, signed(3, hash(9)))).toThrow(refusal("version"));
  expect(() => withManifest(third, signed(4, hash(4), { fleet: "emca" }))).toThrow(refusal("fleet"));
  expect(withManifest(third, signed(1, hash(1), { channel: "beta" })).channels).toMatchObject({
    stable: { version: 3 },
    beta: { version: 1 },
  });
  expect(withManifest(seen, signed(1, hash(1), { channel: "constructor" })).channels["constructor"]?.version).toBe(1);
});

test("versions of the root only rise", () => {
  const second = withRoot(seen, { ...rootOf({ version: 2 }), sha256: hash(2) });
  expect(second.root).toEqual({ version: 2, sha256: hash(2) });
  expect(() => withRoot(second, { ...rootOf(), sha256: hash(1) })).toThrow(refusal("version"));
  expect(() => withRoot(second, { ...rootOf({ version: 2 }), sha256: hash(3) })).toThrow(refusal("version"));
});

test("whatever comes in whatever order, what was seen is the newest of what was taken", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 3 }))), (offers) => {
      let now: Seen = seen;
      const taken: number[] = [];
      for (const [version, digest] of offers) {
        try {
          now = withManifest(now, signed(version, hash(digest)));
          taken.push(version);
        } catch (thrown) {
          expect(thrown).toMatchObject({ refusal: "version" });
        }
      }
      expect(taken).toEqual(taken.toSorted((a, b) => a - b));
      expect(now.channels["stable"]?.version).toBe(taken.at(-1));
    }),
  );
});

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "hookline-seen-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

test("what was seen is kept, and a change that is refused changes nothing", () => {
  const path = join(top, "seen.json");
  expect(() => readSeen(path)).toThrow(refusal("missing"));
  writeSeen(path, seen);
  raiseSeen(path, (before) => withManifest(before, signed(2)));
  const text = readFileSync(path, "utf8");
  expect(() => raiseSeen(path, (before) => withManifest(before, signed(1)))).toThrow(refusal("version"));
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(readSeen(path).channels["stable"]?.version).toBe(2);
});

test("a file that cannot be read is not taken for an empty one", () => {
  const path = join(top, "seen.json");
  for (const text of ["", "{}", '{"v":1,"v":1}', JSON.stringify({ ...seen, channels: [] })]) {
    writeFileSync(path, text, { mode: 0o600 });
    expect(() => readSeen(path)).toThrow(expect.objectContaining({ name: "Refused" }));
    expect(() => raiseSeen(path, () => seen)).toThrow();
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});
