import { useRef } from "preact/hooks";
import { moved, pinched, type Span } from "../text/span.ts";
import { NAMES } from "./lanes.ts";

const CLICK_PX = 4;

/** The timeline's state and functions that pointer gestures need. */
export interface Pointed {
  readonly span: Span;
  readonly whole: Span;
  /** The time range that is being marked. */
  readonly drawn: Span | undefined;
  timeAt(event: MouseEvent): number;
  show(span: Span): void;
  setDrawn(span: Span | undefined): void;
  keep(drawn: Span): void;
  clicked(event: PointerEvent): void;
  hovered(event: PointerEvent): void;
}

/** A gesture. It begins when the first button or finger goes down, and ends when the last one is lifted. */
type Gesture =
  | { readonly kind: "mark" | "pan"; readonly x: number; readonly t: number; readonly span: Span }
  | { readonly kind: "pinch"; readonly span: Span; readonly at: readonly [number, number] }
  | { readonly kind: "over" };

/**
 * Handles gestures of pointers on the timeline. Dragging marks a time range; with Shift or the middle button, it pans.
 * Two fingers pan and zoom, so that the times under them stay under them.
 */
export function usePointing({ span, whole, timeAt, show, drawn, setDrawn, keep, clicked, hovered }: Pointed) {
  const gesture = useRef<Gesture | undefined>(undefined);
  /** The position of each button or finger that is down, as a share of the timeline's width. */
  const down = useRef(new Map<number, number>()).current;
  const shareOf = (event: PointerEvent): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return (event.clientX - box.left - NAMES) / Math.max(1, box.width - NAMES);
  };
  const places = (): readonly [number, number] => [...down.values()].slice(0, 2) as [number, number];

  const lifted = ({ pointerId }: PointerEvent): Gesture | undefined => {
    down.delete(pointerId);
    const ended = gesture.current;
    // After the first of two fingers is lifted, moving the other one must not mark anything.
    gesture.current = down.size === 0 ? undefined : { kind: "over" };
    return ended;
  };

  return {
    onPointerDown(event: PointerEvent): void {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      down.set(event.pointerId, shareOf(event));
      setDrawn(undefined);
      const kind = event.shiftKey || event.button === 1 ? "pan" : "mark";
      if (down.size === 1) gesture.current = { kind, x: event.clientX, t: timeAt(event), span };
      else gesture.current = down.size === 2 ? { kind: "pinch", span, at: places() } : { kind: "over" };
    },
    onPointerMove(event: PointerEvent): void {
      const began = gesture.current;
      if (began === undefined) {
        hovered(event);
        return;
      }
      if (down.has(event.pointerId)) down.set(event.pointerId, shareOf(event));
      if (began.kind === "pinch") show(pinched(began.span, began.at, places(), whole));
      if (began.kind === "over" || began.kind === "pinch" || Math.abs(event.clientX - began.x) < CLICK_PX) return;
      if (began.kind === "pan") {
        const width = (event.currentTarget as HTMLElement).clientWidth - NAMES;
        show(moved(began.span, (began.x - event.clientX) / Math.max(1, width), whole));
      } else {
        const t = timeAt(event);
        setDrawn({ since: Math.round(Math.min(t, began.t)), until: Math.round(Math.max(t, began.t)) + 1 });
      }
    },
    onPointerUp(event: PointerEvent): void {
      if (lifted(event)?.kind !== "mark") return;
      if (drawn !== undefined) keep(drawn);
      else clicked(event);
    },
    onPointerCancel(event: PointerEvent): void {
      lifted(event);
      setDrawn(undefined);
    },
  };
}
