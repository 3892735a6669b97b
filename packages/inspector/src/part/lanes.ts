import type { Mark, MomentItem, Timeline } from "../../../hookline/src/inspect/api.ts";
import { clock } from "../text/format.ts";
import { gravest, MARKS } from "../text/mark.ts";
import { type Span, ticksOf } from "../text/span.ts";

/** The height of a lane, in CSS pixels like the following sizes. */
export const LANE = 22;
/** The height of the axis. */
export const AXIS = 18;
/** The width of the lanes' names. */
export const NAMES = 76;
/** The minimum width of a refusal, so that it can be seen even if the call was short. */
const REFUSAL = 8;

/** The data that the picture of the timeline shows. */
export interface Picture {
  readonly span: Span;
  readonly lanes: Timeline["lanes"];
  readonly columns: number;
  /** The time range that `lanes` covers in `columns` equal parts. Differs from `span` while a request runs. */
  readonly counted: Span;
  /** The moments, if few enough are in the range to be drawn one by one. */
  readonly items?: readonly MomentItem[] | undefined;
  readonly brush?: Span | undefined;
  /** The moment that the page shows in detail: its end `t`, and how long it took. */
  readonly open?: { readonly t: number; readonly ms: number } | undefined;
}

/** Returns the lane of an event, which is the first word of its name. */
export function laneOf(event: string): string {
  return event.split(".", 1)[0] as string;
}

function rankOf(marks: readonly Mark[]): number {
  const rank = MARKS.findIndex(([mark]) => marks.includes(mark));
  return rank < 0 ? MARKS.length : rank;
}

/** Draws the lanes on a canvas. */
export function drawLanes(canvas: HTMLCanvasElement, picture: Picture): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const to = canvas.getContext("2d");
  if (to === null || width <= NAMES) return;
  to.setTransform(scale, 0, 0, scale, 0, 0);
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`);
  const { span } = picture;
  const x = (t: number): number => NAMES + ((t - span.since) / (span.until - span.since)) * (width - NAMES);
  to.font = `11px ${style.fontFamily}`;
  to.textBaseline = "middle";

  drawAxis();
  to.save();
  to.beginPath();
  to.rect(NAMES, AXIS, width - NAMES, height);
  to.clip();
  picture.lanes.forEach(({ lane, cells }, row) => {
    const top = AXIS + row * LANE;
    if (picture.items === undefined) drawCells(cells, top);
    else
      drawBars(
        picture.items.filter(({ event }) => laneOf(event) === lane),
        top,
      );
  });
  drawOver();
  to.restore();
  picture.lanes.forEach(({ lane }, row) => {
    to.fillStyle = colour("quiet");
    to.fillText(lane.slice(0, 12), 6, AXIS + row * LANE + LANE / 2, NAMES - 10);
  });

  function drawAxis(): void {
    const { at, stepMs } = ticksOf(span, (width - NAMES) / 110);
    to!.strokeStyle = colour("line");
    to!.fillStyle = colour("quiet");
    for (const tick of at) {
      const left = Math.round(x(tick)) + 0.5;
      to!.beginPath();
      to!.moveTo(left, AXIS - 4);
      to!.lineTo(left, height);
      to!.stroke();
      const text = clock(tick);
      const label = stepMs >= 1000 ? text.slice(0, 8) : text;
      // A label that would be cut off at the edge is not drawn.
      if (left + 3 + to!.measureText(label).width <= width) to!.fillText(label, left + 3, AXIS / 2);
    }
  }

  function drawCells(cells: Timeline["lanes"][number]["cells"], top: number): void {
    const { counted, columns } = picture;
    const most = Math.log2(1 + cells.reduce((max, { count }) => Math.max(max, count), 1));
    const step = (counted.until - counted.since) / columns;
    for (const { column, count, marks } of cells) {
      const left = x(counted.since + column * step);
      const wide = Math.max(2, x(counted.since + (column + 1) * step) - left);
      const tall = (LANE - 6) * (0.4 + (0.6 * Math.log2(1 + count)) / most);
      let bottom = top + LANE - 2;
      fill("none", left, bottom - tall, wide, tall);
      for (const [mark] of MARKS.toReversed()) {
        const some = marks[mark] ?? 0;
        if (some === 0) continue;
        const high = Math.max(3, (some / count) * tall);
        fill(mark, left, bottom - high, wide, high);
        bottom = Math.max(top + 5, bottom - high);
      }
      if (marks.refused !== undefined) drawRefusal(left, top, wide);
    }
  }

  function drawBars(items: readonly MomentItem[], top: number): void {
    // The most serious moments are drawn last, over their neighbours.
    const ranked = items.toSorted((a, b) => rankOf(b.marks) - rankOf(a.marks));
    for (const { t, ms, marks } of ranked) {
      const left = x(t - ms);
      const wide = Math.max(3, x(t) - left);
      if (marks.includes("refused")) drawRefusal(left, top, wide);
      else fill(gravest(marks) ?? "none", left, top + 4, wide, LANE - 8);
    }
  }

  /** Draws a bar of at least the minimum width, with a triangle that points to it. */
  function drawRefusal(left: number, top: number, wide: number): void {
    const shown = Math.max(REFUSAL, wide);
    const from = left - (shown - wide) / 2;
    const middle = from + shown / 2;
    fill("refused", from, top + 6, shown, LANE - 8);
    to!.beginPath();
    to!.moveTo(middle - 5, top - 1);
    to!.lineTo(middle + 5, top - 1);
    to!.lineTo(middle, top + 5);
    to!.fill();
  }

  function drawOver(): void {
    const { brush, open } = picture;
    if (brush !== undefined) {
      to!.fillStyle = colour("brush");
      to!.fillRect(x(brush.since), AXIS, Math.max(1, x(brush.until) - x(brush.since)), height);
    }
    if (open === undefined) return;
    to!.strokeStyle = colour("text");
    to!.lineWidth = 1.5;
    to!.strokeRect(
      x(open.t - open.ms) - 2,
      AXIS + 1,
      Math.max(6, x(open.t) - x(open.t - open.ms) + 4),
      height - AXIS - 2,
    );
  }

  function fill(mark: Mark | "none", left: number, top: number, wide: number, tall: number): void {
    to!.fillStyle = colour(`mark-${mark}`);
    to!.fillRect(left, top, wide, tall);
  }
}
