import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Moments, Sources, Summary } from "../../../hookline/src/inspect/api.ts";
import { type Api, Refused } from "../data/api.ts";
import { pathOf, queryOf } from "../data/path.ts";
import { watchSource } from "../data/watch.ts";
import { Windows } from "../data/windows.ts";
import { address, go } from "./address.ts";

const found = signal<Sources | undefined>(undefined);
const told = signal<Summary | undefined>(undefined);
const refused = signal<Refused | undefined>(undefined);
const listed = signal<Windows | undefined>(undefined);
const grown = signal(0);
const revised = signal(0);

/** What can be looked at. */
export const sources: ReadonlySignal<Sources | undefined> = found;
/** What is known of the source that is open. */
export const summary: ReadonlySignal<Summary | undefined> = told;
/** Why the page cannot show what it should. */
export const problem: ReadonlySignal<Refused | undefined> = refused;
/** The moments that fit the filter. */
export const list: ReadonlySignal<Windows | undefined> = listed;
/** Counts how often the source has grown; a view that shows all of it asks again. */
export const growth: ReadonlySignal<number> = grown;
/** Counts how often more was said about the moment that is open. */
export const revision: ReadonlySignal<number> = revised;

let api: Api | undefined;

/** Asks where the page's answers come from. */
export function ask<T>(path: string, ended?: AbortSignal): Promise<T> {
  return api === undefined ? Promise.reject(new Refused("closed", "The page is not open.")) : api.ask<T>(path, ended);
}

/** The lines of a live stream of the server that the page came from. */
export function follow<T>(path: string, ended: AbortSignal): AsyncIterable<T> | undefined {
  return api?.live?.<T>(path, ended);
}

/** Sends something to the server that the page came from. */
export function send<T>(path: string, body: object): Promise<T> {
  return api?.send?.<T>(path, body) ?? Promise.reject(new Refused("closed", "The page is not open."));
}

/** Says that something could not be had. */
export function fail(thrown: unknown): void {
  refused.value = thrown instanceof Refused ? thrown : new Refused("failed", String(thrown));
}

/** Begins to show what an API tells, as the address says. */
export async function openPage(from: Api): Promise<void> {
  api = from;
  try {
    found.value = await from.ask<Sources>("sources");
  } catch (thrown) {
    fail(thrown);
    return;
  }
  const { open, sources: all } = found.value;
  const only = open ?? (all.length === 1 ? all[0]?.id : undefined);
  if (address.peek().source === undefined && only !== undefined) go({ source: only }, "replace");
  followSource(from);
  followFilter(from);
}

/** Lists the sources again: there may be others than before. */
async function listSources(from: Api): Promise<void> {
  try {
    found.value = await from.ask<Sources>("sources");
  } catch (thrown) {
    fail(thrown);
  }
}

function followSource(from: Api): void {
  let open: string | undefined;
  let ended = new AbortController();
  effect(() => {
    const { source } = address.value;
    if (source === open) return;
    open = source;
    ended.abort();
    ended = new AbortController();
    told.value = undefined;
    refused.value = undefined;
    const isListed = found.peek()?.sources.some(({ id }) => id === source) === true;
    if (!isListed) void listSources(from);
    if (source === undefined) return;
    void watchSource(from, source, ended.signal, {
      told(next) {
        told.value = next;
        grown.value += 1;
        listed.peek()?.grew();
      },
      changed(item) {
        listed.peek()?.changed(item);
        if (item.n === address.peek().n) revised.value += 1;
      },
      failed: fail,
    });
  });
}

function followFilter(from: Api): void {
  let key = "";
  effect(() => {
    const { source, filter, brush } = address.value;
    const next = JSON.stringify([source, filter, brush]);
    if (next === key) return;
    key = next;
    listed.peek()?.close();
    const kind = found.peek()?.sources.find(({ id }) => id === source)?.kind;
    listed.value =
      source === undefined || kind === "replay"
        ? undefined
        : new Windows(
            (place, count, ended) =>
              from.ask<Moments>(pathOf(source, "moments", { ...queryOf({ filter, brush }), ...place, count }), ended),
            fail,
          );
  });
}
