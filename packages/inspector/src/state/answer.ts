import { useEffect, useState } from "preact/hooks";
import { Refused } from "../data/api.ts";
import { ask } from "./page.ts";

/** What was answered last, and what is wrong with the newest question. */
export interface Answer<T> {
  /** Of the path asked now, or of one before while that is under way. */
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
