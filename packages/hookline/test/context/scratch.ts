import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { CACHE_DEFAULTS } from "../../src/cache/keep.ts";
import { type ContextOptions, Contexts } from "../../src/context/contexts.ts";
import { SessionManager } from "../../src/session/session.ts";

/** A folder that is gone after the test. */
export function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-context-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Contexts with an agent that keeps what it is told. */
export interface Stage {
  readonly contexts: Contexts;
  readonly store: SessionManager;
  readonly events: [string, any][];
  readonly warnings: string[];
}

/** Opens contexts in a home, as a run with these options and plugins would. */
export function stage(
  home: string,
  asked?: ContextOptions["asked"],
  about: { readonly plugins?: boolean; readonly now?: () => number } = {},
): Stage {
  const contexts = new Contexts({
    home,
    cwd: home,
    userHome: home,
    asked,
    cache: CACHE_DEFAULTS,
    allowedPaths: [],
    ...(about.now !== undefined && { now: about.now }),
  });
  const store = SessionManager.inMemory(home);
  const events: [string, any][] = [];
  const warnings: string[] = [];
  contexts.attach({
    store: () => store,
    emit: async (event, payload) => {
      events.push([event, payload]);
      return { answer: {} } as never;
    },
    warn: (text) => warnings.push(text),
    hasPlugins: () => about.plugins ?? false,
    isLeftOut: () => false,
  });
  return { contexts, store, events, warnings };
}

/** Work in a context that stays the current one. */
export const lasting = (request: string) => ({ request, transient: false });
