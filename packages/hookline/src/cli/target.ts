import { didYouMean, nearest } from "@hookline/ground";
import { type EventName, HooklineError } from "@hookline/runtime";
import { catalog, type Lane } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";

/** An event that a person has named. */
export type EventTarget =
  | { readonly kind: "catalog"; readonly event: EventName }
  | { readonly kind: "lane"; readonly lane: Lane; readonly event: string };

/**
 * Parses `EVENT` or `DIALECT:EVENT`; the dialect may be left out if only one dialect has such an event. In a dialect
 * with two lanes, chooses the lane whose hooks listen, or the first lane if none does. Throws for an unknown event and
 * names the nearest one.
 */
export function readTarget(text: string, lanes: readonly Lane[], session: HookSession): EventTarget {
  if (catalog.has(text)) return { kind: "catalog", event: text as EventName };
  const all = lanes.filter(({ id }) => id !== "library");
  const colon = text.indexOf(":");
  const event = text.slice(colon + 1);
  const dialect = colon < 0 ? onlyDialect(event, all) : text.slice(0, colon);
  const named = all.filter(
    ({ id, rows }) => (id === dialect || id.split("-")[0] === dialect) && rows.some(({ name }) => name === event),
  );
  const exact = named.find(({ id }) => id === dialect);
  const listening = (one: Lane | undefined): boolean =>
    session.hooks().some(({ lane, hook }) => lane === one?.id && hook.event === event);
  const lane = listening(exact) ? exact : (named.find(listening) ?? exact ?? named[0]);
  if (lane !== undefined) return { kind: "lane", lane, event };
  throw unknown(text, colon < 0 ? undefined : dialect, all);
}

/** Returns the dialect that has an event of this name, if it is the only one. */
function onlyDialect(event: string, lanes: readonly Lane[]): string | undefined {
  const having = lanes.filter(({ rows }) => rows.some(({ name }) => name === event));
  const [dialect, ...others] = new Set(having.map(({ id }) => id.split("-")[0]));
  return others.length === 0 ? dialect : undefined;
}

function unknown(text: string, dialect: string | undefined, lanes: readonly Lane[]): HooklineError {
  const names = lanes.flatMap(({ id, rows }) => rows.map(({ name }) => `${id}:${name}`));
  const own = names.filter((name) => dialect !== undefined && name.startsWith(`${dialect}:`));
  // If the dialect was left out, an event of exactly this name in some dialect is suggested before a similar name.
  const same =
    dialect === undefined ? names.find((name) => name.endsWith(`:${text}`))?.replace(/^(\w+)-\w+:/, "$1:") : undefined;
  const near = same ?? nearest(text, own.length > 0 ? own : [...catalog.keys(), ...names]);
  return new HooklineError("UNKNOWN_EVENT", { event: text, guess: didYouMean(near) });
}
