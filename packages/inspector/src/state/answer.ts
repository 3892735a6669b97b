import { useEffect, useState } from "preact/hooks";
import { Refused } from "../data/api.ts";
import { ask } from "./page.ts";

/** The last answer, and the problem of the newest request. */
export interface Answer<T> {
  /** The answer for the current path, or for an earlier one while the request runs. */
  readonly value?: T;
  /** The path that the value belongs to. */
  readonly path?: string;
  readonly problem?: Refused;
}

/** Asks for a path, and again when it or `again` changes. */
export function useAnswer<T>(path: string | undefined, again: unknown = 0): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({});
  useEffect(() => {
    if (path === undefined) return undefined;
    const ended = new AbortController();
    ask<T>(path, ended.signal)
      .then((value) => !ended.signal.aborted && setAnswer({ value, path }))
      .catch((thrown: unknown) => {
        if (ended.signal.aborted) return;
        const problem = thrown instanceof Refused ? thrown : new Refused("failed", String(thrown));
        setAnswer((before) => ({ ...before, problem }));
      });
    return () => ended.abort();
  }, [path, again]);
  return answer;
}
