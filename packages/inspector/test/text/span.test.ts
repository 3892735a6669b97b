import fc from "fast-check";
import { expect, test } from "vitest";
import { moved, pinched, ticksOf, within, zoomed } from "../../src/text/span.ts";

const whole = { since: 1_000_000, until: 1_100_000 };

test("zooming keeps the place under the pointer", () => {
  expect(zoomed(whole, 0.5, 0, whole)).toEqual({ since: 1_000_000, until: 1_050_000 });
  expect(zoomed(whole, 0.5, 1, whole)).toEqual({ since: 1_050_000, until: 1_100_000 });
  expect(zoomed(zoomed(whole, 0.5, 0.5, whole), 2, 0.5, whole)).toEqual(whole);
});

test("what is shown stays within the whole, however it is moved and zoomed", () => {
  const steps = fc.array(
    fc.tuple(fc.double({ min: -3, max: 3, noNaN: true }), fc.double({ min: 0.01, max: 9, noNaN: true })),
  );
  fc.assert(
    fc.property(steps, (all) => {
      let span = whole;
      for (const [share, factor] of all) span = zoomed(moved(span, share, whole), factor, 0.3, whole);
      expect(span.since).toBeGreaterThanOrEqual(whole.since);
      expect(span.until).toBeLessThanOrEqual(whole.until);
      expect(span.until).toBeGreaterThan(span.since);
    }),
  );
});

test("the axis has round steps, and no more than fit", () => {
  const { stepMs, at } = ticksOf(whole, 10);
  expect(stepMs).toBe(10_000);
  expect(at.length).toBeLessThanOrEqual(11);
  expect(at.every((tick) => tick % 10_000 === 0)).toBe(true);
  expect(within({ since: 0, until: 10 }, whole).since).toBe(whole.since);
});

test("what is under two fingers stays under them, as long as it fits into the whole", () => {
  const span = { since: 1_040_000, until: 1_060_000 };
  // Twice as far apart shows half of the time, around what was between them.
  expect(pinched(span, [0.4, 0.6], [0.3, 0.7], whole)).toEqual({ since: 1_045_000, until: 1_055_000 });
  // Both moved by a tenth, without changing their distance: all has moved by a tenth.
  expect(pinched(span, [0.4, 0.6], [0.5, 0.7], whole)).toEqual({ since: 1_038_000, until: 1_058_000 });
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(place, place, place, place, (a, b, c, d) => {
      const shown = pinched(span, [a, b], [c, d], whole);
      expect(shown.since).toBeGreaterThanOrEqual(whole.since);
      expect(shown.until).toBeLessThanOrEqual(whole.until);
      expect(shown.until).toBeGreaterThan(shown.since);
    }),
  );
});
