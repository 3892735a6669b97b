/** The growth of a value, such as megabytes per hour. */
export interface Slope {
  readonly perUnit: number;
  /** The 95 % error margin of the slope. */
  readonly within: number;
}

/**
 * Fits a straight line through consecutive points by least squares. With memory, deviations last for a while, so
 * neighbouring points prove less than independent ones: `within` is widened by the correlation of each residual with
 * the next.
 */
export function slope(points: readonly (readonly [x: number, y: number])[]): Slope {
  const n = points.length;
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / n;
  const [x0, y0] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
  if (n < 3 || spread === 0) return { perUnit: 0, within: Number.POSITIVE_INFINITY };
  const perUnit = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0) / spread;
  const residuals = points.map(([x, y]) => y - y0 - perUnit * (x - x0));
  const squares = residuals.reduce((sum, one) => sum + one ** 2, 0);
  const products = residuals.reduce((sum, one, at) => sum + one * (residuals[at + 1] ?? 0), 0);
  const correlation = squares === 0 ? 0 : Math.min(Math.max(products / squares, 0), 1 - 2 / n);
  const independent = (n * (1 - correlation)) / (1 + correlation);
  if (independent <= 2) return { perUnit, within: Number.POSITIVE_INFINITY };
  return { perUnit, within: 2 * Math.sqrt(squares / (independent - 2) / spread) };
}
