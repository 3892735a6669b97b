import { useEffect, useState } from "preact/hooks";
import { Refused } from "../data/api.ts";
import { ask } from "./page.ts";

/** The last answer, and the error of the newest request. */
export interface Answer<T> {
  /** The answer for the current path, or for an earlier one until the request is done. */
  readonly value?: T;
  /** The path for which `value` is the answer. */
  readonly path?: string;
  readonly problem?: Refused;
}

/** Requests a path, and repeats that when the path or `again` changes. */
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
