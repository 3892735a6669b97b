/** Methods of an extension's runtime that need a session. A runtime that an extension makes has none, so they throw. */
const ACTIONS = [
  "sendMessage",
  "sendUserMessage",
  "appendEntry",
  "setSessionName",
  "getSessionName",
  "setLabel",
  "getActiveTools",
  "getAllTools",
  "setActiveTools",
  "getCommands",
  "getThinkingLevel",
  "setThinkingLevel",
];

/** Makes the runtime for a custom loader of extensions. Its actions throw, as in pi before a session is bound. */
export function createExtensionRuntime(): Readonly<Record<string, unknown>> {
  const unbound = (name: string) => (): never => {
    throw new Error(
      `${name} was called on an extension runtime that belongs to no session; call it on \`pi\` instead.`,
    );
  };
  let stale: string | undefined;
  return {
    ...Object.fromEntries(ACTIONS.map((name) => [name, unbound(name)])),
    setModel: async () => unbound("setModel")(),
    refreshTools: () => {},
    flagValues: new Map<string, boolean | string>(),
    pendingProviderRegistrations: [],
    pendingNativeProviderRegistrations: [],
    registerProvider: () => {},
    unregisterProvider: () => {},
    assertActive() {
      if (stale !== undefined) throw new Error(stale);
    },
    invalidate(message = "The session of this extension runtime is gone.") {
      stale ??= message;
    },
  };
}

interface Registered {
  readonly definition: { execute(...given: readonly unknown[]): unknown } & Readonly<Record<string, unknown>>;
}
interface Contexts {
  createContext(): unknown;
}

/** Turns an extension's registered tool into one that an agent loop can run. `runner` makes the tool's context. */
export function wrapRegisteredTool({ definition }: Registered, runner: Contexts): object {
  return {
    ...definition,
    execute: (...given: readonly unknown[]) => definition.execute(...given.slice(0, 4), runner.createContext()),
  };
}

/** Turns several registered tools into tools that an agent loop can run. */
export function wrapRegisteredTools(tools: readonly Registered[], runner: Contexts): object[] {
  return tools.map((tool) => wrapRegisteredTool(tool, runner));
}
