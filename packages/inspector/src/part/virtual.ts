import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

/**
 * Makes a list of which only the rows on the screen, and `overscan` rows around them, are in the page. Rows are assumed
 * to be `rowHeight` high unless they are passed to `measureElement`.
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
