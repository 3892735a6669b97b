import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { onTestFinished } from "vitest";
import { SentOn } from "../../../bridge/src/daemon/sent-on.ts";
import type { BridgeHost, HostHooks } from "../../../bridge/src/host/host.ts";

/** The hooks of a session as a host's events ask them, with a cap of five, where these MCP servers are configured. */
export function hooksOf(session: HookSession, servers: readonly string[] = []): HostHooks {
  const scene = { sessionId: "s", cwd: "/", context: "", summary: "", todos: "", goals: "", recursionDepth: 0 };
  const retries = new SentOn({ scene, settings: { feedbackCap: undefined, claudeStopCap: 8 }, told: [] });
  retries.begin();
  return {
    cwd: "/",
    emit: async (event, payload) => session.emit(event, payload),
    listens: (event) => session.listens(event),
    servers: () => servers,
    retries,
    notices: () => [],
    tell: () => {},
    memory: new Map(),
  };
}

/**
 * Events of a program with extensions like pi's, asked of a session without hooks, to which a test adds its own; gives what
 * the extension is told.
 */
export async function asked(host: BridgeHost): Promise<{
  readonly session: HookSession;
  say(event: string, fields: object): Promise<Readonly<Record<string, unknown>>>;
}> {
  const runtime = createHookRuntime({ dialects: [] });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s", cwd: "/" } });
  const hooks = hooksOf(session);
  return {
    session,
    async say(name, fields) {
      const event = host.events[name];
      const call = event?.read({ session: "s", event: fields }, {});
      if (event === undefined || call === undefined) throw new Error(`no event ${name}`);
      const { stdout } = await event.ask(call, hooks);
      return stdout === "" ? {} : JSON.parse(stdout);
    },
  };
}
