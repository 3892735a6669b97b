import type { Model } from "../../provider/provider.ts";
import { ModelRegistry } from "../../provider/registry.ts";
import { SessionManager } from "../../session/session.ts";
import { builtinTools } from "../../tool/builtin.ts";
import { commandShell } from "../../tool/shell.ts";
import type { Lent } from "../modules.ts";
import { piAgentDir } from "../pi-paths.ts";
import { SettingsManager } from "../pi-settings.ts";
import { resourceLoaders } from "../resource-loader.ts";
import type { Level, SideParts, SideTexts, SideTool } from "./parts.ts";
import { AgentSession } from "./session.ts";

/** The default tools of a side session. */
const USUAL = ["read", "bash", "edit", "write"];

/** The options of pi's `createAgentSession`, in newer and older releases. */
interface Options {
  readonly cwd?: string;
  readonly agentDir?: string;
  readonly model?: Model;
  readonly thinkingLevel?: Level;
  readonly modelRuntime?: { readonly registry?: ModelRegistry };
  readonly modelRegistry?: unknown;
  /** Names; in older releases the tools themselves. */
  readonly tools?: readonly (string | SideTool)[];
  readonly excludeTools?: readonly string[];
  readonly noTools?: "all" | "builtin";
  readonly customTools?: readonly SideTool[];
  readonly resourceLoader?: SideTexts;
  readonly sessionManager?: SessionManager;
  readonly settingsManager?: unknown;
}

interface Services {
  readonly cwd: string;
  readonly agentDir: string;
  readonly settingsManager: unknown;
  readonly modelRuntime: unknown;
  readonly resourceLoader: SideTexts;
  readonly diagnostics: readonly unknown[];
}

/** Makes the functions with which extensions open side sessions. */
export function sideSessions(lent: Lent) {
  async function createAgentSession(options: Options = {}) {
    const cwd = options.cwd ?? lent.cwd;
    const texts = options.resourceLoader ?? (await loadedTexts(lent, cwd, options.agentDir));
    const current = lent.current?.();
    const tools = toolsOf(lent, cwd, options);
    const parts: SideParts = {
      cwd,
      store: options.sessionManager ?? SessionManager.create(cwd),
      registry: registryOf(lent, options),
      model: options.model ?? current?.model,
      level: options.thinkingLevel ?? (current?.thinking as Level | undefined) ?? "off",
      texts,
      settings: options.settingsManager ?? SettingsManager.create(cwd, options.agentDir ?? piAgentDir()),
      ...tools,
      guards: lent.guards,
    };
    const { Agent } = await import("@earendil-works/pi-agent-core");
    const session = new AgentSession(parts, Agent);
    return { session, extensionsResult: texts.getExtensions?.() ?? { extensions: [], errors: [] } };
  }

  async function createAgentSessionServices(given: {
    readonly cwd: string;
    readonly agentDir?: string;
    readonly settingsManager?: SettingsManager;
    readonly modelRuntime?: unknown;
    readonly resourceLoaderOptions?: object;
  }): Promise<Services> {
    const { cwd, agentDir = piAgentDir() } = given;
    const settingsManager = given.settingsManager ?? SettingsManager.create(cwd, agentDir);
    const { modelRuntimes } = await import("../model-runtime.ts");
    const modelRuntime = given.modelRuntime ?? (await modelRuntimes(lent).ModelRuntime.create());
    const { DefaultResourceLoader } = resourceLoaders(lent);
    const resourceLoader = new DefaultResourceLoader({ ...given.resourceLoaderOptions, cwd, agentDir });
    await resourceLoader.reload();
    return { cwd, agentDir, settingsManager, modelRuntime, resourceLoader, diagnostics: [] };
  }

  return {
    AgentSession,
    createAgentSession,
    createAgentSessionServices,
    createAgentSessionFromServices: ({ services, ...options }: Options & { readonly services: Services }) =>
      createAgentSession({ ...services, ...options } as Options),
  };
}

async function loadedTexts(lent: Lent, cwd: string, agentDir = piAgentDir()): Promise<SideTexts> {
  const { DefaultResourceLoader } = resourceLoaders(lent);
  const loader = new DefaultResourceLoader({ cwd, agentDir });
  await loader.reload();
  return loader;
}

function registryOf(lent: Lent, { modelRuntime, modelRegistry }: Options): ModelRegistry {
  if (modelRegistry instanceof ModelRegistry) return modelRegistry;
  return modelRuntime?.registry ?? lent.registry;
}

/** The tools that a side session knows, and those that its model is offered. */
function toolsOf(lent: Lent, cwd: string, options: Options): Pick<SideParts, "tools" | "active"> {
  const { tools: wanted, customTools = [], noTools, excludeTools = [] } = options;
  const given = (wanted ?? []).filter((one): one is SideTool => typeof one !== "string");
  const own = [...customTools, ...given];
  const taken = new Set(own.map(({ name }) => name));
  const builtin = builtinTools({ cwd, processes: lent.processes, shellPath: commandShell() }) as SideTool[];
  const tools = [...builtin.filter(({ name }) => !taken.has(name)), ...own].filter(
    ({ name }) => !excludeTools.includes(name),
  );
  const usual = noTools === undefined ? [...USUAL, ...taken] : noTools === "all" ? [] : [...taken];
  // In pi, a list of names limits everything, including an extension's own tools; a list of tools is the complete set.
  const names = wanted?.map((one) => (typeof one === "string" ? one : one.name));
  const custom = given.length > 0 ? customTools.map(({ name }) => name) : [];
  const active = new Set(names === undefined ? usual : [...names, ...custom]);
  return { tools, active: tools.map(({ name }) => name).filter((name) => active.has(name)) };
}
