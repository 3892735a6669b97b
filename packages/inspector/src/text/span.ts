/** From when to when, in epoch ms. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** The shortest part of time that is shown. */
const LEAST_MS = 4;

/** A part of time made shorter or longer around a place in it (0 to 1), within the whole. */
export function zoomed(span: Span, factor: number, at: number, whole: Span): Span {
  const length = span.until - span.since;
  const next = Math.max(LEAST_MS, Math.min(whole.until - whole.since, length * factor));
  const since = span.since + (length - next) * at;
  return within({ since, until: since + next }, whole);
}

/** A part of time moved by a share of its length, within the whole. */
export function moved(span: Span, share: number, whole: Span): Span {
  const by = (span.until - span.since) * share;
  return within({ since: span.since + by, until: span.until + by }, whole);
}

/**
 * A part of time moved and made longer or shorter by two fingers: the times that were at two places of it (shares of
 * its length) when they came down stand at the two places where the fingers are now.
 */
export function pinched(
  span: Span,
  [left, right]: readonly [number, number],
  now: readonly [number, number],
  whole: Span,
): Span {
  const length = span.until - span.since;
  const apart = Math.sign(now[1] - now[0]) * Math.max(NEAREST, Math.abs(now[1] - now[0]));
  const next = Math.abs(((right - left) / (apart || NEAREST)) * length);
  const since = span.since + length * ((left + right) / 2) - next * ((now[0] + now[1]) / 2);
  const most = Math.max(LEAST_MS, Math.min(whole.until - whole.since, next));
  return within({ since, until: since + most }, whole);
}

/** Fingers that are nearer to each other than this share of the width are taken for so far apart. */
const NEAREST = 0.02;

/** Kept within the whole, in whole milliseconds. */
export function within({ since, until }: Span, whole: Span): Span {
  const length = Math.min(until - since, whole.until - whole.since);
  const from = Math.round(Math.max(whole.since, Math.min(whole.until - length, since)));
  return { since: from, until: Math.max(from + LEAST_MS, Math.round(from + length)) };
}

/** Places for the marks of an axis: round steps of time, at most so many. */
export function ticksOf(
  { since, until }: Span,
  most: number,
): { readonly stepMs: number; readonly at: readonly number[] } {
  const least = (until - since) / Math.max(1, most);
  const stepMs = STEPS.find((step) => step >= least) ?? Math.ceil(least / DAY) * DAY;
  const offset = new Date(since).getTimezoneOffset() * 60_000;
  const first = Math.ceil((since - offset) / stepMs) * stepMs + offset;
  return {
    stepMs,
    at: Array.from({ length: Math.floor((until - first) / stepMs) + 1 }, (_, at) => first + at * stepMs),
  };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  DAY,
];
