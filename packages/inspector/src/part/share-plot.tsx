import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { HookRow } from "../../../hookline/src/inspect/api.ts";
import { percent } from "../text/format.ts";
import { shortName } from "../text/hook.ts";
import { visible } from "../text/visible.ts";

const MOST = 24;
const HEIGHT = 150;

/** Each hook's share of the session's time, as bars in the order of the table. */
export function SharePlot({ rows }: { readonly rows: readonly HookRow[] }) {
  const place = useRef<HTMLDivElement>(null);
  const shown = rows.slice(0, MOST);
  const key = JSON.stringify(shown.map(({ id, share }) => [id, share]));
  useEffect(() => {
    const within = place.current;
    if (within === null) return undefined;
    let plot: uPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      plot = new uPlot(
        optionsOf(shown, within),
        [shown.map((_, at) => at), shown.map(({ share }) => share * 100)],
        within,
      );
    };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const sized = new ResizeObserver(([entry]) =>
      plot?.setSize({ width: Math.max(100, Math.floor(entry?.contentRect.width ?? 100)), height: HEIGHT }),
    );
    draw();
    dark.addEventListener("change", draw);
    sized.observe(within);
    return () => {
      dark.removeEventListener("change", draw);
      sized.disconnect();
      plot?.destroy();
    };
  }, [key]);
  const largest = shown.toSorted((a, b) => b.share - a.share)[0];
  return (
    <figure class="plot">
      <figcaption>
        Share of the session’s time
        {largest !== undefined && `; the largest is ${visible(shortName(largest.id))} with ${percent(largest.share)}`}
        {rows.length > MOST && `; the first ${MOST} of the table`}
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}

function optionsOf(rows: readonly HookRow[], within: HTMLElement): uPlot.Options {
  const style = getComputedStyle(within);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`);
  const axis = {
    stroke: colour("quiet"),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour("line"), width: 1 },
  };
  const perName = Math.max(1, Math.floor(within.clientWidth / Math.max(1, rows.length) / 8));
  // A few letters of a name say nothing, and run into their neighbours.
  const isRoomy = perName >= 10;
  return {
    width: Math.max(100, within.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: [-0.6, rows.length - 0.4] }, y: { range: (_, __, most) => [0, most || 1] } },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 2,
        ticks: { show: false },
        grid: { show: false },
        splits: () => rows.map((_, at) => at),
        values: (_, at) =>
          at.map((index) =>
            isRoomy ? visible(shortName(rows[index]?.id ?? "")).slice(0, perName) : String(index + 1),
          ),
      },
      { ...axis, size: 48, values: (_, at) => at.map((value) => `${Number(value.toPrecision(3))} %`) },
    ],
    series: [
      {},
      {
        fill: colour("mark-answered"),
        points: { show: false },
        stroke: colour("mark-answered"),
        paths: uPlot.paths.bars?.({ size: [0.7, 48] }) as uPlot.Series.PathBuilder,
      },
    ],
  };
}
