import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

/**
 * A list of which only the rows on the screen, and `overscan` around them, are in the page. Rows are as high as
 * `rowHeight`; those that are given to `measureElement` are measured.
 */
export function useRows(
  count: number,
  { rowHeight, overscan = 8 }: { readonly rowHeight: number; readonly overscan?: number },
  scroller: () => HTMLElement | null,
): Virtualizer<HTMLElement, HTMLElement> {
  const [, draw] = useReducer((drawn: number, _: undefined) => drawn + 1, 0);
  const options = {
    count,
    getScrollElement: scroller,
    estimateSize: () => rowHeight,
    overscan,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(undefined),
  };
  const [rows] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => rows._willUpdate());
  return rows;
}
