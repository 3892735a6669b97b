import type { HostServices } from "../port/host.ts";

/** The host's services that hooks may still use in a replay: values to read, and programs that may be started. */
export type ReadServices = Pick<HostServices, "modules" | "flag" | "modelRegistry" | "exec"> & {
  /** The names of the tools that hooks are shown. */
  readonly tools?: readonly string[];
};

/** The state of the session at the moment that hooks are asked about. */
export interface Present {
  /** Returns whether a program may be started for the event. */
  mayStart(): boolean;
  model(): string | undefined;
  sessionManager(): object | undefined;
}

const NO_PROGRAM = "in a replay, hookline does not start programs for events that they only observe";

/**
 * Returns services whose actions do nothing but are counted. They return what a host without these abilities returns: a
 * dialog closes without an answer, a change of the session is cancelled.
 */
export function inertServices(
  read: ReadServices,
  present: Present,
  effect: (kind: string) => void,
): Omit<HostServices, "llm"> {
  const nothing =
    <T>(kind: string, otherwise: T) =>
    (): T => {
      effect(kind);
      return otherwise;
    };
  const cancelled = (kind: string) => nothing(kind, Promise.resolve({ cancelled: true }));
  const { modules, flag, modelRegistry, exec, tools = [] } = read;
  return {
    mode: "print",
    ...(modules !== undefined && { modules }),
    ...(flag !== undefined && { flag }),
    ...(modelRegistry !== undefined && { modelRegistry }),
    // A getter, because `mayStart` depends on the event. If the host has no `exec`, the library starts programs itself.
    get exec() {
      if (present.mayStart()) return exec as never;
      return () => {
        effect("exec");
        return Promise.resolve({ stdout: "", stderr: NO_PROGRAM, code: 1, killed: false });
      };
    },
    get sessionManager() {
      return present.sessionManager() as never;
    },
    ui: {
      select: nothing("select", Promise.resolve(undefined)),
      confirm: nothing("confirm", Promise.resolve(false)),
      input: nothing("input", Promise.resolve(undefined)),
      editor: nothing("editor", Promise.resolve(undefined)),
      custom: nothing("custom", Promise.resolve(undefined)),
      notify: nothing("notify", undefined),
      setStatus: nothing("setStatus", undefined),
      setWidget: nothing("setWidget", undefined),
      setTitle: nothing("setTitle", undefined),
      setEditorText: nothing("setEditorText", undefined),
      pasteToEditor: nothing("pasteToEditor", undefined),
      terminalSequence: nothing("terminalSequence", undefined),
    },
    conversation: {
      sendMessage: nothing("sendMessage", undefined),
      sendUserMessage: nothing("sendUserMessage", undefined),
      appendEntry: nothing("appendEntry", undefined),
      setSessionName: nothing("setSessionName", undefined),
      getSessionName: () => undefined,
      setLabel: nothing("setLabel", undefined),
    },
    models: {
      current: () => undefined,
      set: nothing("setModel", Promise.resolve(false)),
      thinkingLevel: () => "off",
      setThinkingLevel: nothing("setThinkingLevel", undefined),
      registerProvider: nothing("registerProvider", undefined),
      unregisterProvider: nothing("unregisterProvider", undefined),
    },
    tools: {
      active: () => tools,
      setActive: nothing("setActiveTools", undefined),
      setEnvironment: nothing("setEnvironment", undefined),
      all: () => tools.map((name) => ({ name, description: "", type: "builtin" as const, parameters: {} })) as never,
      commands: () => [],
    },
    agent: {
      isIdle: () => false,
      abort: nothing("abort", undefined),
      signal: () => undefined,
      hasPendingMessages: () => false,
      shutdown: nothing("shutdown", undefined),
      contextUsage: () => undefined,
      compact: nothing("compact", undefined),
      systemPrompt: () => "",
    },
    control: {
      waitForIdle: () => Promise.resolve(),
      newSession: cancelled("newSession"),
      branch: cancelled("branch"),
      navigateTree: cancelled("navigateTree"),
      switchSession: cancelled("switchSession"),
      reload: nothing("reload", Promise.resolve()),
    },
  };
}
