/** A time range, in ms since 1970. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** The shortest time range that can be shown, in ms. */
const LEAST_MS = 4;

/** Zooms a time range by a factor, around a position in it (0 to 1). The result stays within `whole`. */
export function zoomed(span: Span, factor: number, at: number, whole: Span): Span {
  const length = span.until - span.since;
  const next = Math.max(LEAST_MS, Math.min(whole.until - whole.since, length * factor));
  const since = span.since + (length - next) * at;
  return within({ since, until: since + next }, whole);
}

/** Pans a time range by a share of its length. The result stays within `whole`. */
export function moved(span: Span, share: number, whole: Span): Span {
  const by = (span.until - span.since) * share;
  return within({ since: span.since + by, until: span.until + by }, whole);
}

/**
 * Pans and zooms a time range with two fingers, so that the times under the fingers stay under them. Positions are
 * shares of the range: the first pair is where the fingers came down, `now` where they are now.
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

/**
 * The smallest distance between two fingers, as a share of the width. Fingers that are nearer count as this far apart.
 */
const NEAREST = 0.02;

/** Moves a time range so that it lies within `whole`, and rounds it to milliseconds. */
export function within({ since, until }: Span, whole: Span): Span {
  const length = Math.min(until - since, whole.until - whole.since);
  const from = Math.round(Math.max(whole.since, Math.min(whole.until - length, since)));
  return { since: from, until: Math.max(from + LEAST_MS, Math.round(from + length)) };
}

/** Returns the ticks of a time axis, at round times; about `most` of them. */
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
