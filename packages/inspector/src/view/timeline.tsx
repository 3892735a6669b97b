import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Moments, Summary, Timeline } from "../../../hookline/src/inspect/api.ts";
import { pathOf, queryOf } from "../data/path.ts";
import { AXIS, drawLanes, LANE, laneOf, NAMES, type Picture } from "../part/lanes.ts";
import { usePointing } from "../part/pointing.ts";
import { address, go, type Step } from "../state/address.ts";
import { useAnswer } from "../state/answer.ts";
import { growth, list } from "../state/page.ts";
import { clock, counted, duration } from "../text/format.ts";
import { MARKS } from "../text/mark.ts";
import { moved, type Span, within, zoomed } from "../text/span.ts";

const MOST_BARS = 500;
const KEYS =
  "Arrow keys move, plus and minus zoom, b marks a part of the time, Shift and the arrow keys stretch it, Enter zooms to it, Escape clears it.";

/** Shows moments as lanes over time. The user can zoom, pan and select a time range, by pointer and by keyboard. */
export function TimelineView({ source, summary }: { readonly source: string; readonly summary: Summary }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [hint, setHint] = useState("");
  const [drawn, setDrawn] = useState<Span>();
  const { filter, brush, zoom, n } = address.value;
  const whole: Span = { since: Math.floor(summary.from), until: Math.max(Math.ceil(summary.to), summary.from + 10) };
  const span = zoom === undefined ? whole : within(zoom, whole);
  const columns = Math.max(50, Math.min(1000, Math.floor((width - NAMES) / 3)));
  const asked = { ...queryOf({ filter }), ...span };
  const { value } = useAnswer<Timeline>(
    width === 0 ? undefined : pathOf(source, "timeline", { ...asked, columns }),
    growth.value,
  );
  const count = value?.lanes.reduce((sum, lane) => sum + lane.count, 0) ?? 0;
  const isFew = value !== undefined && count <= MOST_BARS;
  const few = useAnswer<Moments>(
    isFew ? pathOf(source, "moments", { ...asked, count: MOST_BARS }) : undefined,
    growth.value,
  );
  const isOfSpan = few.path === pathOf(source, "moments", { ...asked, count: MOST_BARS });
  const windows = list.value;
  void windows?.version.value;
  const at = n === undefined ? undefined : windows?.indexOf(n);
  const open = at === undefined ? undefined : windows?.at(at);
  const picture: Picture = {
    span,
    lanes: value?.lanes ?? [],
    columns: value?.columns ?? 1,
    counted: value ?? span,
    items: isFew && isOfSpan ? few.value?.items : undefined,
    brush: drawn ?? brush,
    open,
  };
  useWidth(canvas, setWidth);
  useDrawn(canvas, picture, width);

  const show = (next: Span): void =>
    go({ zoom: next.until - next.since >= whole.until - whole.since ? undefined : next }, "replace");
  const keep = (next: Step): void => {
    setDrawn(undefined);
    go(next);
  };
  const acts: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => show(moved(span, -0.1, whole)),
    ArrowRight: () => show(moved(span, 0.1, whole)),
    Home: () => show(moved(span, -Number.MAX_SAFE_INTEGER, whole)),
    End: () => show(moved(span, Number.MAX_SAFE_INTEGER, whole)),
    "+": () => show(zoomed(span, 0.5, middle(), whole)),
    "=": () => show(zoomed(span, 0.5, middle(), whole)),
    "-": () => show(zoomed(span, 2, middle(), whole)),
    "0": () => show(whole),
    b: () => keep({ brush: around(0.2) }),
    "Shift+ArrowLeft": () => stretch(-0.05),
    "Shift+ArrowRight": () => stretch(0.05),
    Enter: () => brush !== undefined && show(brush),
    Escape: () => keep({ brush: undefined }),
  };

  /** Returns the position to zoom at: that of the open moment if it is visible, otherwise the middle. */
  function middle(): number {
    if (open === undefined || open.t < span.since || open.t > span.until) return 0.5;
    return (open.t - span.since) / (span.until - span.since);
  }

  function around(share: number): Span {
    const length = (span.until - span.since) * share;
    const from = span.since + (span.until - span.since) * middle() - length / 2;
    return within({ since: from, until: from + length }, whole);
  }

  function stretch(share: number): void {
    if (brush === undefined) {
      keep({ brush: around(0.1) });
      return;
    }
    const until = brush.until + (span.until - span.since) * share;
    go({ brush: within({ since: brush.since, until: Math.max(brush.since + 1, until) }, whole) }, "replace");
  }

  const timeAt = (event: MouseEvent): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const share = (event.clientX - box.left - NAMES) / Math.max(1, box.width - NAMES);
    return span.since + Math.max(0, Math.min(1, share)) * (span.until - span.since);
  };
  const pointer = usePointing({
    span,
    whole,
    timeAt,
    show,
    drawn,
    setDrawn,
    keep: (next) => keep({ brush: next }),
    clicked,
    hovered,
  });

  function clicked(event: PointerEvent): void {
    const near = nearest(event);
    if (near !== undefined) go({ n: near.n });
  }

  function hovered(event: PointerEvent): void {
    setHint(nearest(event)?.words ?? clock(timeAt(event)));
  }

  /** Returns the moment, or the column of moments, under the pointer. */
  function nearest(event: PointerEvent): { readonly n: number; readonly words: string } | undefined {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const lane = value?.lanes[Math.floor((event.clientY - box.top - AXIS) / LANE)];
    const t = timeAt(event);
    const slack = ((span.until - span.since) / Math.max(1, box.width - NAMES)) * 5;
    if (lane === undefined || value === undefined) return undefined;
    if (picture.items !== undefined) {
      const fit = picture.items.filter(
        (one) => laneOf(one.event) === lane.lane && t >= one.t - one.ms - slack && t <= one.t + slack,
      );
      const one = fit.toSorted((a, b) => Math.abs(a.t - t) - Math.abs(b.t - t))[0];
      if (one === undefined) return undefined;
      return {
        n: one.n,
        words: `${clock(one.t)} ${one.event} ${one.tool ?? ""} ${one.marks.join(", ")} ${duration(one.ms)}`,
      };
    }
    const column = Math.floor(((t - value.since) / (value.until - value.since)) * value.columns);
    const cell = lane.cells.find((one) => Math.abs(one.column - column) <= 1);
    if (cell === undefined) return undefined;
    const marks = MARKS.flatMap(([mark, word]) =>
      cell.marks[mark] === undefined ? [] : [`${cell.marks[mark]} ${word}`],
    );
    return { n: cell.n, words: `${clock(t)} ${lane.lane}: ${[counted(cell.count, "moment"), ...marks].join(", ")}` };
  }

  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const isAside = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const share = (timeAt(event) - span.since) / (span.until - span.since);
    if (isAside) show(moved(span, Math.sign(event.deltaX || event.deltaY) * 0.1, whole));
    else show(zoomed(span, event.deltaY > 0 ? 1.25 : 0.8, share, whole));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const act =
      event.ctrlKey || event.altKey || event.metaKey
        ? undefined
        : acts[`${event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : ""}${event.key}`];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const buttons: readonly (readonly [sign: string, name: string, key: string, isOn: boolean])[] = [
    ["−", "Zoom out", "-", zoom !== undefined],
    ["+", "Zoom in", "+", true],
    ["◀", "Earlier", "ArrowLeft", zoom !== undefined],
    ["▶", "Later", "ArrowRight", zoom !== undefined],
    ["All", "Show all of the time", "0", zoom !== undefined],
    ["Mark", "Choose a part of the time", "b", true],
    ["Zoom to mark", "Zoom to the chosen part", "Enter", brush !== undefined],
    ["Clear mark", "Choose all of the time", "Escape", brush !== undefined],
  ];
  return (
    <section class="timeline" aria-label="Timeline">
      <div
        class="lanes"
        tabIndex={0}
        role="slider"
        aria-roledescription="timeline"
        aria-label={`Timeline. ${KEYS}`}
        aria-valuemin={whole.since}
        aria-valuemax={whole.until}
        aria-valuenow={Math.round((span.since + span.until) / 2)}
        aria-valuetext={`${counted(count, "moment")} from ${clock(span.since)} to ${clock(span.until)}`}
        onKeyDown={onKeyDown}
        onWheel={onWheel}
        onPointerLeave={() => setHint("")}
        {...pointer}
      >
        <canvas ref={canvas} style={{ height: `${AXIS + LANE * Math.max(1, picture.lanes.length)}px` }} />
      </div>
      <div class="tools">
        {buttons.map(([sign, name, key, isOn]) => (
          <button
            key={key}
            type="button"
            aria-label={/\w/.test(sign) ? undefined : name}
            title={name}
            disabled={!isOn}
            onClick={() => acts[key]?.()}
          >
            {sign}
          </button>
        ))}
        <ul class="legend" aria-label="Colours">
          {MARKS.map(([mark, word]) => (
            <li key={mark} class={`mark ${mark}`}>
              {word}
            </li>
          ))}
        </ul>
        <output>{hint === "" ? spanWords(span, brush) : hint}</output>
      </div>
    </section>
  );
}

function spanWords(span: Span, brush: Span | undefined): string {
  if (brush === undefined) return `${clock(span.since)} to ${clock(span.until)}`;
  return `Marked: ${clock(brush.since)} to ${clock(brush.until)}, ${duration(brush.until - brush.since)}`;
}

function useWidth(canvas: { readonly current: HTMLCanvasElement | null }, setWidth: (width: number) => void): void {
  useLayoutEffect(() => {
    const seen = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    if (canvas.current !== null) seen.observe(canvas.current);
    return () => seen.disconnect();
  }, [canvas, setWidth]);
}

/** Draws the picture after each change, and when the system's colours change. */
function useDrawn(canvas: { readonly current: HTMLCanvasElement | null }, picture: Picture, width: number): void {
  useLayoutEffect(() => {
    if (canvas.current !== null && width > 0) drawLanes(canvas.current, picture);
  });
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const redraw = (): void => {
      if (canvas.current !== null) drawLanes(canvas.current, picture);
    };
    dark.addEventListener("change", redraw);
    return () => dark.removeEventListener("change", redraw);
  });
}
