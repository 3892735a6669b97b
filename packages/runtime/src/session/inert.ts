import type { Conflict, ContributionKind } from "../hook/contribution.ts";
import { Contributions } from "../hook/contribution.ts";
import type { Instance } from "../hook/instance.ts";
import type { HostServices, HostUi } from "../port/host.ts";

/** Returns whether an effect may happen, and counts it by kind if not. Called before each effect. */
export type Acts = (kind: string) => boolean;

/**
 * Wraps a host's services so that `acts` is asked before every effect. A prevented effect does nothing and returns what
 * a host without that ability returns. Reading, and running programs, are unchanged.
 */
export function inertServices(services: HostServices, acts: Acts): HostServices {
  const { ui, conversation, models, tools, agent, control } = services;
  return {
    ...services,
    ...(ui !== undefined && { ui: inertUi(ui, acts) }),
    ...(conversation !== undefined && {
      conversation: {
        sendMessage: (...given) => void (acts("sendMessage") && conversation.sendMessage(...given)),
        sendUserMessage: (...given) => void (acts("sendUserMessage") && conversation.sendUserMessage(...given)),
        appendEntry: (...given) => void (acts("appendEntry") && conversation.appendEntry(...given)),
        setSessionName: (name) => void (acts("setSessionName") && conversation.setSessionName(name)),
        getSessionName: () => conversation.getSessionName(),
        setLabel: (...given) => void (acts("setLabel") && conversation.setLabel(...given)),
      },
    }),
    ...(models !== undefined && {
      models: {
        current: () => models.current(),
        set: (model) => (acts("setModel") ? models.set(model) : Promise.resolve(false)),
        thinkingLevel: () => models.thinkingLevel(),
        setThinkingLevel: (level) => void (acts("setThinkingLevel") && models.setThinkingLevel(level)),
        registerProvider: (...given) => void (acts("registerProvider") && models.registerProvider(...given)),
        unregisterProvider: (name) => void (acts("unregisterProvider") && models.unregisterProvider(name)),
      },
    }),
    ...(tools !== undefined && {
      tools: {
        ...tools,
        setActive: (names) => void (acts("setActiveTools") && tools.setActive(names)),
        setEnvironment: (variables) => void (acts("setEnvironment") && tools.setEnvironment?.(variables)),
      },
    }),
    ...(agent !== undefined && {
      agent: {
        ...agent,
        abort: () => void (acts("abort") && agent.abort()),
        shutdown: () => void (acts("shutdown") && agent.shutdown()),
        compact: (options) => void (acts("compact") && agent.compact(options)),
      },
    }),
    ...(control !== undefined && {
      control: {
        waitForIdle: () => control.waitForIdle(),
        newSession: (options) => (acts("newSession") ? control.newSession(options) : CANCELLED()),
        branch: (...given) => (acts("branch") ? control.branch(...given) : CANCELLED()),
        navigateTree: (...given) => (acts("navigateTree") ? control.navigateTree(...given) : CANCELLED()),
        switchSession: (...given) => (acts("switchSession") ? control.switchSession(...given) : CANCELLED()),
        reload: () => (acts("reload") ? control.reload() : Promise.resolve()),
      },
    }),
  };
}

const CANCELLED = () => Promise.resolve({ cancelled: true } as const);

/** The result of a dialog that is not shown, by the member that opens it. */
const DIALOGS: Readonly<Record<string, unknown>> = {
  select: undefined,
  confirm: false,
  input: undefined,
  editor: undefined,
  custom: undefined,
};

/** Members of a user interface that only read. */
const READS: ReadonlySet<string> = new Set(["getEditorText", "theme"]);

/** The kind under which dialogs are counted. */
export const DIALOG = "dialog";

function inertUi(ui: HostUi, acts: Acts): HostUi {
  const members = ui as Readonly<Record<string, unknown>>;
  const inert = (name: string, run: (...given: never[]) => unknown) =>
    Object.hasOwn(DIALOGS, name)
      ? (...given: never[]) => (acts(DIALOG) ? run.apply(ui, given) : Promise.resolve(DIALOGS[name]))
      : (...given: never[]) => (acts(name) ? run.apply(ui, given) : undefined);
  return new Proxy(ui, {
    get(_, name) {
      const value = members[name as string];
      if (typeof name !== "string" || READS.has(name)) return value;
      if (typeof value === "function") return inert(name, value as (...given: never[]) => unknown);
      return name === "screen" && value !== undefined ? inertScreen(value as Screen, acts) : value;
    },
  });
}

type Screen = NonNullable<HostUi["screen"]>;

/** Parts of the screen whose members only read, or register a listener and return a function that removes it. */
const SCREEN_READS: ReadonlySet<string> = new Set([
  "getEditorComponent",
  "getAllThemes",
  "getTheme",
  "getToolsExpanded",
]);

function inertScreen(screen: Screen, acts: Acts): Screen {
  return Object.fromEntries(
    Object.entries(screen).map(([name, run]) => [
      name,
      SCREEN_READS.has(name)
        ? run
        : (...given: never[]): unknown => {
            if (acts(name)) return run.apply(screen, given);
            return name === "onTerminalInput" ? () => {} : name === "setTheme" ? { success: false } : undefined;
          },
    ]),
  );
}

/** Shows the session's tools and commands to a file whose hooks are in shadow. Ignores those that the file adds. */
export class InertContributions extends Contributions {
  readonly #real: Contributions;

  constructor(real: Contributions) {
    super([]);
    this.#real = real;
  }

  override add(_: ContributionKind, _key: string, _value: unknown, instance: Instance, _by: Conflict): () => void {
    instance.use();
    return () => {};
  }

  override all<T = unknown>(kind: ContributionKind): ReturnType<Contributions["all"]> & ReadonlyMap<string, never> {
    return this.#real.all<T>(kind) as never;
  }

  override watch(changed: (kind: ContributionKind) => void): () => void {
    return this.#real.watch(changed);
  }
}
