import type { Scene } from "../../hook/lane.ts";

/**
 * A read-only session for hosts that keep none: it knows the conversation, as entries in a row, and nothing else.
 * Its writing members do nothing.
 */
export function sceneSession(scene: Scene): object {
  const entries = (): { readonly id: string }[] =>
    (scene.messages?.() ?? []).map((message, i) => ({
      type: "message",
      id: `m${i}`,
      parentId: i === 0 ? null : `m${i - 1}`,
      timestamp: new Date(message.timestamp ?? 0).toISOString(),
      message,
    }));
  return {
    getCwd: () => scene.cwd,
    getSessionDir: () => "",
    getSessionId: () => scene.sessionId,
    getSessionFile: () => undefined,
    getSessionName: () => undefined,
    getHeader: () => null,
    getLeafId: () => entries().at(-1)?.id ?? null,
    getLeafEntry: () => entries().at(-1),
    getEntry: (id: string) => entries().find((entry) => entry.id === id),
    getLabel: () => undefined,
    getBranch: entries,
    getEntries: entries,
    getChildren: () => [],
    getTree: () => [],
    buildSessionContext: () => ({ messages: scene.messages?.() ?? [], thinkingLevel: "off", model: null }),
  };
}

/** A registry that knows no model, for hosts without one. */
export const noModels: object = Object.freeze({
  find: () => undefined,
  getAll: () => [],
  getAvailable: () => [],
  hasConfiguredAuth: () => false,
  getApiKey: async () => undefined,
  getApiKeyForProvider: async () => undefined,
  getApiKeyAndHeaders: async () => ({ ok: false, error: "This host has no models" }),
  refresh: () => {},
  getError: () => undefined,
});
