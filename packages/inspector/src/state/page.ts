import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { MomentItem, Moments, Sources, Story, StoryStep, Summary } from "../../../hookline/src/inspect/api.ts";
import { type Api, Refused } from "../data/api.ts";
import { pathOf, queryOf } from "../data/path.ts";
import { pause, watchSource } from "../data/watch.ts";
import { Windows } from "../data/windows.ts";
import { hookName } from "../text/hook.ts";
import { address, go } from "./address.ts";

const found = signal<Sources | undefined>(undefined);
const told = signal<Summary | undefined>(undefined);
const refused = signal<Refused | undefined>(undefined);
const listed = signal<Windows<MomentItem> | undefined>(undefined);
const steps = signal<Windows<StoryStep> | undefined>(undefined);
const grown = signal(0);
const revised = signal(0);

/** The sources that can be inspected, such as recordings and agents' sessions. */
export const sources: ReadonlySignal<Sources | undefined> = found;
/** The summary of the open source. */
export const summary: ReadonlySignal<Summary | undefined> = told;
/** The error that the page shows. */
export const problem: ReadonlySignal<Refused | undefined> = refused;
/** The moments that match the filter. */
export const list: ReadonlySignal<Windows<MomentItem> | undefined> = listed;
/** The steps of the view `story` that match the filter. */
export const story: ReadonlySignal<Windows<StoryStep> | undefined> = steps;
/** Counts how often the source has grown, so that views of the whole source can request their data again. */
export const growth: ReadonlySignal<number> = grown;
/** Counts how often the open moment has changed, so that its view can request it again. */
export const revision: ReadonlySignal<number> = revised;

/** Returns the short name of a hook of the open source: its file and line. */
export function nameOf(hook: string): string {
  const source = told.value?.places[hook];
  return hookName({ hook, ...(source !== undefined && { source }) });
}

/** Whether the open source has a moment, as far as it is indexed. */
export function isIndexed(n: number | undefined): boolean {
  return n !== undefined && n <= (told.value?.moments ?? 0);
}

/** Whether the index of the open source is still being made, so that a moment may be missing for now. */
export function isIndexing(): boolean {
  return told.value !== undefined && told.value.indexed < told.value.bytes;
}

/** The number of moments, and of steps, in one request. */
const MOMENTS = 500;
const STEPS = 50;
const SOURCES_MS = 1500;

let api: Api | undefined;

/** Requests a path from the page's API. */
export function ask<T>(path: string, ended?: AbortSignal): Promise<T> {
  return api === undefined ? Promise.reject(new Refused("closed", "The page is not open.")) : api.ask<T>(path, ended);
}

/** Shows an error. */
export function fail(thrown: unknown): void {
  refused.value = thrown instanceof Refused ? thrown : new Refused("failed", String(thrown));
}

/** Connects the page to an API and shows what the address says. */
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
  // The ids of sources are new with each server and each export.
  const isKnown = all.some(({ id }) => id === address.peek().source);
  if (!isKnown && only !== undefined) go({ source: only }, "replace");
  followSource(from);
  followFilter(from);
  followSources(from);
}

/** Requests the list of sources again. */
async function listSources(from: Api, ended?: AbortSignal): Promise<void> {
  try {
    const next = await from.ask<Sources>("sources", ended);
    if (address.peek().source === undefined) refused.value = undefined;
    if (JSON.stringify(next) !== JSON.stringify(found.peek())) found.value = next;
  } catch (thrown) {
    if (ended?.aborted !== true) fail(thrown);
  }
}

/** Keeps the list of sources up to date while it is shown. */
function followSources(from: Api): void {
  if (from.live === undefined) return;
  let ended = new AbortController();
  const isListed = computed(() => address.value.source === undefined);
  effect(() => {
    ended.abort();
    ended = new AbortController();
    if (isListed.value) void watch(ended.signal);
  });

  async function watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(SOURCES_MS, signal);
      if (!signal.aborted && document.visibilityState === "visible") await listSources(from, signal);
    }
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
        steps.peek()?.grew();
      },
      changed(item) {
        listed.peek()?.changed(item.n);
        steps.peek()?.changed(item.n);
        if (item.n === address.peek().n) revised.value += 1;
      },
      failed: fail,
    });
  });
}

/** Creates the lists anew when the source or filter changes. Requests only the list that the current view shows. */
function followFilter(from: Api): void {
  let key = "";
  effect(() => {
    const { source, filter, brush, view } = address.value;
    const next = JSON.stringify([source, filter, brush]);
    if (next !== key) {
      key = next;
      for (const windows of [listed, steps]) {
        windows.peek()?.close();
        windows.value = undefined;
      }
    }
    const kind = found.peek()?.sources.find(({ id }) => id === source)?.kind;
    if (source === undefined || kind === "replay") return;
    const query = queryOf({ filter, brush });
    const pathTo = (about: string, place: object, count: number): string =>
      pathOf(source, about, { ...query, ...place, count });
    if (view === "timeline")
      listed.value =
        listed.peek() ??
        new Windows(MOMENTS, (place, count, ended) => from.ask<Moments>(pathTo("moments", place, count), ended), fail);
    if (view === "story")
      steps.value =
        steps.peek() ??
        new Windows(STEPS, (place, count, ended) => from.ask<Story>(pathTo("story", place, count), ended), fail);
  });
}
