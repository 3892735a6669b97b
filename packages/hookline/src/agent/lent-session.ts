import type { SessionManager } from "../session/manager.ts";
import { usageOf } from "./usage.ts";

type Member = (store: SessionManager) => unknown;

/** Members of oh-my-pi's session manager that pi's lacks, for readers of a session. */
const MORE: Readonly<Record<string, Member>> = {
  getRecordedCwd: (store) => store.getHeader().cwd,
  /** A folder for the session's artifacts, next to its file; it may not exist. `null` without a file. */
  getArtifactsDir: (store) => store.getSessionFile()?.replace(/\.jsonl$/, "") ?? null,
  getUsageStatistics(store) {
    const { tokens, cost } = usageOf(store.getEntries());
    const { total, ...counts } = tokens;
    // Nothing here orchestrates requests on the provider's side or counts premium requests.
    const none = { orchestrationInput: 0, orchestrationOutput: 0, orchestrationCacheRead: 0, premiumRequests: 0 };
    return { ...counts, totalTokens: total, ...none, cost };
  },
};

/** The session's store as hooks get it; it always refers to the agent's current session. */
export function lentSession(store: () => SessionManager): object {
  return new Proxy(
    {},
    {
      get(_, name) {
        const more = typeof name === "string" && Object.hasOwn(MORE, name) ? MORE[name] : undefined;
        if (more !== undefined) return () => more(store());
        const current = store() as unknown as Record<PropertyKey, unknown>;
        const value = current[name];
        return typeof value === "function" ? value.bind(current) : value;
      },
      has: (_, name) => name in store() || Object.hasOwn(MORE, name),
      // So that its members can be listed and `instanceof` works.
      getPrototypeOf: () => Object.getPrototypeOf(store()) as object,
    },
  );
}
