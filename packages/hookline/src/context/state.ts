import { readText, replaceText } from "@hookline/ground/system";
import { acquireLock } from "../session/lock.ts";
import { homePaths } from "./home.ts";
import { DEFAULT_CONTEXT, isContextName } from "./name.ts";

/** A context in `state.json`. Times are in seconds; unknown fields are kept. */
export interface ContextEntry {
  readonly name: string;
  readonly created_at: number;
  readonly last_activity_at: number;
  readonly [field: string]: unknown;
}

/** The contexts in `state.json`, and which of them is current. */
export interface ContextState {
  readonly contexts: readonly ContextEntry[];
  readonly current: string;
  readonly previous: string | undefined;
}

/** Reads chibi's `state.json`. Missing or damaged parts count as absent. */
export function readState(home: string): ContextState {
  const raw = rawState(home);
  const listed = Array.isArray(raw["contexts"]) ? raw["contexts"] : [];
  const current = nameIn(raw["current_context"]);
  return {
    contexts: listed.filter((entry): entry is ContextEntry => nameIn(entry?.name) !== undefined),
    current: current ?? DEFAULT_CONTEXT,
    previous: nameIn(raw["previous_context"]),
  };
}

/** Changes `state.json` under a lock that only hookline's processes use. Other fields of the file are kept. */
export function changeState(home: string, change: (state: ContextState) => ContextState): void {
  const { state: path } = homePaths(home);
  const release = lock(path);
  try {
    const { contexts, current, previous } = change(readState(home));
    const next = {
      ...rawState(home),
      contexts,
      current_context: current,
      previous_context: previous ?? null,
    };
    replaceText(path, `${JSON.stringify(next, null, 2)}\n`);
  } finally {
    release();
  }
}

/** Makes a context current, and the one before it `previous`. Returns the same state if it already is current. */
export function withCurrent(state: ContextState, name: string): ContextState {
  return state.current === name ? state : { ...state, current: name, previous: state.current };
}

/** Returns the state with the last use of a context recorded. Adds the context if it is not listed. */
export function withActivity(state: ContextState, name: string, seconds: number): ContextState {
  const known = state.contexts.find((entry) => entry.name === name);
  const entry: ContextEntry =
    known === undefined
      ? { name, created_at: seconds, last_activity_at: seconds, destroy_after_seconds_inactive: 0, destroy_at: 0 }
      : { ...known, last_activity_at: seconds };
  const contexts = [...state.contexts.filter((other) => other.name !== name), entry];
  return { ...state, contexts: contexts.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Whether a context has expired, at a fixed time or through inactivity. 0 means never. Source: spec/chibi.md 3. */
export function isOver({ last_activity_at: last, ...entry }: ContextEntry, seconds: number): boolean {
  const { destroy_at: at, destroy_after_seconds_inactive: after } = entry as Readonly<Record<string, unknown>>;
  if (typeof at === "number" && at >= 1 && seconds > at) return true;
  return typeof after === "number" && after >= 1 && Number.isFinite(last) && seconds > last + after;
}

/** Returns a copy of the state from which the context with this name is removed. */
export function withoutContext(state: ContextState, name: string): ContextState {
  return {
    contexts: state.contexts.filter((entry) => entry.name !== name),
    current: state.current === name ? DEFAULT_CONTEXT : state.current,
    previous: state.previous === name ? undefined : state.previous,
  };
}

function rawState(home: string): Record<string, unknown> {
  try {
    const raw: unknown = JSON.parse(readText(homePaths(home).state));
    return typeof raw === "object" && raw !== null && !Array.isArray(raw) ? (raw as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && isContextName(value) ? value : undefined;
}

const TRIES = 200;
const PAUSE_MS = 10;

/** Waits for the lock; returns a function that releases it. After the time limit, continues without the lock. */
function lock(path: string): () => void {
  for (let tries = 0; tries < TRIES; tries++) {
    const taken = acquireLock(path);
    if (taken.state === "locked") return () => taken.lock.release();
    if (taken.state === "failed") break;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return () => {};
}
