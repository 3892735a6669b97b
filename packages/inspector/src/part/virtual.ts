import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

/** A list of rows of one height, of which only those on the screen are in the page. */
export function useRows(
  count: number,
  rowHeight: number,
  scroller: () => HTMLElement | null,
): Virtualizer<HTMLElement, HTMLElement> {
  const [, draw] = useReducer((drawn: number, _: undefined) => drawn + 1, 0);
  const options = {
    count,
    getScrollElement: scroller,
    estimateSize: () => rowHeight,
    overscan: 8,
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
