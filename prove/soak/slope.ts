/** Values over time, such as megabytes by the hour. */
export interface Slope {
  readonly perUnit: number;
  /** How far off it may be, at 95 %. */
  readonly within: number;
}

/** The straight line through points, by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): Slope {
  const n = points.length;
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / n;
  const [x0, y0] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
  if (n < 3 || spread === 0) return { perUnit: 0, within: Number.POSITIVE_INFINITY };
  const perUnit = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - y0 - perUnit * (x - x0)) ** 2, 0);
  return { perUnit, within: 2 * Math.sqrt(rest / (n - 2) / spread) };
}
