import type { Curve } from "./growth.ts";

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 70;
const RIGHT = 150;
const TOP = 34;
const BOTTOM = 44;
const COLOURS = ["#0b6e4f", "#c1440e", "#5b5f97", "#8a6d00", "#444444"];

/** Draws a curve as a picture; both axes are logarithmic, with zero at the left edge. */
export function plot(curve: Curve): string {
  const names = [...new Set(curve.points.flatMap(({ values }) => Object.keys(values)))];
  const all = curve.points.flatMap(({ values }) => Object.values(values)).filter((value) => value > 0);
  const bottom = Math.floor(Math.log10(Math.min(...all)));
  const top = Math.ceil(Math.log10(Math.max(...all)));
  const last = Math.log10(Math.max(...curve.points.map(({ x }) => x), 1) + 1);
  const px = (x: number): number => LEFT + (Math.log10(x + 1) / last) * (WIDTH - LEFT - RIGHT);
  const py = (y: number): number =>
    HEIGHT - BOTTOM - ((Math.log10(y) - bottom) / Math.max(1, top - bottom)) * (HEIGHT - TOP - BOTTOM);
  const grid = Array.from({ length: top - bottom + 1 }, (_, i) => 10 ** (bottom + i)).flatMap((value) => [
    `<line x1="${LEFT}" y1="${n(py(value))}" x2="${WIDTH - RIGHT}" y2="${n(py(value))}" stroke="#ddd"/>`,
    `<text x="${LEFT - 6}" y="${n(py(value) + 4)}" text-anchor="end">${short(value)}</text>`,
  ]);
  const ticks = curve.points.map(
    ({ x }) => `<text x="${n(px(x))}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${short(x)}</text>`,
  );
  const drawn = names.map((name, i) => {
    const points = curve.points.flatMap(({ x, values }) =>
      values[name] === undefined || values[name] <= 0 ? [] : [[px(x), py(values[name])] as const],
    );
    return { name, points, colour: COLOURS[i % COLOURS.length], end: points.at(-1)?.[1] ?? TOP };
  });
  const lines = drawn.flatMap(({ points, colour }) => [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.map(([x, y]) => `${n(x)},${n(y)}`).join(" ")}"/>`,
    ...points.map(([x, y]) => `<circle cx="${n(x)}" cy="${n(y)}" r="3" fill="${colour}"/>`),
  ]);
  let above = 0;
  const labels = [...drawn]
    .sort((a, b) => a.end - b.end)
    .map(({ name, colour, end }) => {
      above = Math.max(end + 4, above + 14);
      return `<text x="${WIDTH - RIGHT + 8}" y="${n(above)}" fill="${colour}">${name}</text>`;
    });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    `<text x="${LEFT}" y="18" font-weight="bold">${curve.title.replaceAll("`", "")}</text>`,
    ...grid,
    ...ticks,
    `<text x="${LEFT}" y="${HEIGHT - 8}">${curve.x}; ${curve.y}; both axes logarithmic</text>`,
    ...lines,
    ...labels,
    "</svg>",
    "",
  ].join("\n");
}

function n(value: number): string {
  return value.toFixed(1);
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`;
  return value >= 1e3 ? `${value / 1e3}k` : `${value}`;
}
