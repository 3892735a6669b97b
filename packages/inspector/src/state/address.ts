import { type ReadonlySignal, signal } from "@preact/signals";
import type { Span } from "../text/span.ts";

/** The views that can be in an address. */
export const VIEWS = ["story", "timeline", "request", "hooks", "replay"] as const;

/** A view of a source. */
export type View = (typeof VIEWS)[number];

/** The filters of moments. The names are those of `MomentQuery`. */
export const FILTERS = ["event", "tool", "hook", "decision", "q"] as const;

/** The values of the filters that are set. */
export type Filter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

/** The part of the page's state that is in its address. */
export interface Address {
  readonly source?: string;
  readonly view: View;
  readonly filter: Filter;
  /** The number of the open moment. */
  readonly n?: number;
  /** The step that the view `story` scrolls to, given by the number of its first moment. */
  readonly at?: number;
  /** The time range to which the list is limited. */
  readonly brush?: Span;
  /** The time range that the timeline shows. */
  readonly zoom?: Span;
}

/** Parses the part of an address after `#`. Ignores what it does not know. */
export function readAddress(hash: string): Address {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const text = (name: string): string | undefined => given.get(name) || undefined;
  const number = (name: string): number | undefined => {
    const found = Number(text(name));
    return Number.isSafeInteger(found) && found > 0 ? found : undefined;
  };
  const view = VIEWS.find((one) => one === text("view")) ?? "story";
  const filter = Object.fromEntries(FILTERS.flatMap((name) => (text(name) === undefined ? [] : [[name, text(name)]])));
  return without({
    source: text("source"),
    view,
    filter,
    n: number("n"),
    at: number("at"),
    brush: spanOf(text("brush")),
    zoom: spanOf(text("zoom")),
  });
}

/** Formats an address as the part after `#`. */
export function writeAddress({ filter, brush, zoom, ...rest }: Address): string {
  const told = new URLSearchParams();
  const parts = { source: rest.source, view: rest.view, n: rest.n, at: rest.at, ...filter };
  for (const [name, value] of Object.entries(parts)) if (value !== undefined) told.set(name, String(value));
  if (brush !== undefined) told.set("brush", `${brush.since}-${brush.until}`);
  if (zoom !== undefined) told.set("zoom", `${zoom.since}-${zoom.until}`);
  return `#${told}`;
}

const current = signal<Address>(readAddress(""));

/** The current address. */
export const address: ReadonlySignal<Address> = current;

/** A change of the address. `undefined` removes a part. */
export type Step = { readonly [Name in keyof Address]?: Address[Name] | undefined };

/** Changes the address. With `replace`, the browser's back button skips the current address. */
export function go(step: Step, how: "push" | "replace" = "push"): void {
  const next = without({ ...current.peek(), ...step });
  const hash = writeAddress(next);
  if (hash === location.hash) return;
  current.value = next;
  if (how === "push") history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

/** Whether the page shows only a part of the open source. */
export function isFiltered(): boolean {
  const { filter, brush } = address.value;
  return Object.keys(filter).length > 0 || brush !== undefined;
}

const jumps = signal(0);

/** Counts the calls of `goToStep`, so that the story scrolls again when the same step is chosen twice. */
export const stepsChosen: ReadonlySignal<number> = jumps;

/** Scrolls the view `story` to the step that begins with a moment. */
export function goToStep(n: number): void {
  go({ at: n });
  jumps.value += 1;
}

/** Opens a source at its beginning, or the list of sources if there is none. */
export function goToSource(source: string | undefined): void {
  go({ source, view: "story", n: undefined, at: undefined, filter: {}, brush: undefined, zoom: undefined });
}

/** Updates `address` when the user changes the browser's address. */
export function followAddress(): void {
  const read = (): void => {
    current.value = readAddress(location.hash);
  };
  read();
  addEventListener("popstate", read);
  addEventListener("hashchange", read);
}

function spanOf(text: string | undefined): Span | undefined {
  const [, since, until] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "") ?? [];
  if (since === undefined || Number(since) >= Number(until)) return undefined;
  return { since: Number(since), until: Number(until) };
}

type Loose = { readonly [Name in keyof Address]: Address[Name] | undefined };

function without(loose: Loose | (Address & Step)): Address {
  return Object.fromEntries(Object.entries(loose).filter(([, value]) => value !== undefined)) as unknown as Address;
}
