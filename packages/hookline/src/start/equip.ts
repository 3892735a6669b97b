import type { Io } from "@hookline/ground/system";
import type { HostUi } from "@hookline/runtime";
import type { HookSession } from "@hookline/runtime/session";
import type { Agent } from "../agent/agent.ts";
import { Children } from "../agent/children.ts";
import type { SessionHooks } from "../agent/session-hooks.ts";
import { ProtectedPlaces } from "../protect/places.ts";
import { type ProtectionParts, protectedTools } from "../protect/tools.ts";
import { createAskTool } from "../tool/ask.ts";
import { builtinTools } from "../tool/builtin.ts";
import { outputFolder } from "../tool/output-files.ts";
import { commandShell } from "../tool/shell.ts";
import { createTodoTool } from "../tool/todo.ts";
import type { Tool } from "../tool/tool.ts";
import { elsewhereOf } from "./fleet.ts";
import type { LoadedHooks, Offered } from "./load-hooks.ts";
import { openStoreFor } from "./open-session.ts";
import { currentStore, type Opening } from "./opening.ts";
import type { Place } from "./place.ts";
import { type ServersAndTools, serversOf } from "./servers.ts";
import { sessionHooksOf } from "./session-hooks.ts";

/** The tools, servers and other parts that an agent works with. */
export interface Equipment {
  readonly tools: readonly Tool[];
  readonly servers: ServersAndTools;
  readonly children: Children;
  /** The hooks that the model has registered in this session; undefined if it cannot register any. */
  readonly sessionHooks: SessionHooks | undefined;
  /** The people at other machines who may answer approvals. */
  readonly elsewhere: ReturnType<typeof elsewhereOf>;
  /** The path of a shell that accepts `-c`; undefined for the system's usual one, such as `sh`. */
  readonly shellPath: string | undefined;
  /** The folder for outputs that are too long for the model. */
  readonly outputs: string;
}

/** Makes tools, servers and sub-agents of an agent. */
export async function equip(
  opening: Opening,
  { services, excludes, environment }: Offered,
  { hooks }: Pick<LoadedHooks, "hooks">,
): Promise<Equipment> {
  const { args, io, options, late, place, models, storing, store, runtime, scene } = opening;
  const ui = (): HostUi | undefined => services.ui;
  const current = () => currentStore(opening);
  const sessionHooks = await sessionHooksOf(place, {
    hooks,
    frozen: args.flags["frozen"] === true,
    ui: services.ui,
    store: current,
    report: options.onDiagnostic,
  });
  const shellPath = commandShell();
  const outputs = outputFolder(place.hooklineHome, store.isPersisted());
  const servers = serversOf({
    place,
    env: io.env,
    hooks: () => hooks,
    late,
    ui,
    waits: options.mode !== "tui",
    outputs,
    tell: late.warn,
  });
  servers.follow();
  const builtin = builtinTools({
    cwd: place.cwd,
    processes: runtime.processes,
    excludes,
    shellPath,
    tmpDir: outputs,
    spawnHook: (command) => ({ ...command, env: { ...command.env, ...environment } }),
  });
  const children = new Children({
    hooks,
    scene,
    registry: models.registry,
    never: sessionHooks === undefined ? [] : [sessionHooks.tool.name],
    store: current,
    sessionSignal: () => (late.agent as Agent).sessionSignal,
    openSession: (request) => openStoreFor(args, place, storing, request),
  });
  const tools: readonly Tool[] = [
    ...protectedTools(builtin, protection(place, io, hooks, ui)),
    createTodoTool() as Tool,
    createAskTool(ui) as unknown as Tool,
    children.tool(() => (late.agent as Agent).core),
    ...(sessionHooks === undefined ? [] : [sessionHooks.tool]),
  ];
  const elsewhere = elsewhereOf(place, io.env, late.warn);
  return { tools, servers, children, sessionHooks: sessionHooks?.hooks, elsewhere, shellPath, outputs };
}

/** Returns the parts that keep the agent's own tools from changing files that decide about hooks. */
function protection(place: Place, io: Io, hooks: HookSession, ui: () => HostUi | undefined): ProtectionParts {
  const { cwd, home, hooklineHome } = place;
  const places = new ProtectedPlaces({
    cwd,
    hooklineHome,
    env: io.env,
    hookPlaces: () => hooks.reach.places,
    wouldReach: (path) => hooks.reach.wouldReach(path),
  });
  return { places, cwd, home, ui };
}
