import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { createHttpTransport } from "../../../runtime/src/transport/http/transport.ts";
import { createProcessTransport } from "../../../runtime/src/transport/process/transport.ts";
import type { ServerDefinition } from "../../src/mcp/definition.ts";
import type { Notified, ServerSource } from "../../src/mcp/server.ts";
import { McpServers, type ServersHost } from "../../src/mcp/servers.ts";

/** The server that misbehaves in a named way. */
export const FIXTURE = fileURLToPath(new URL("fixtures/server.mjs", import.meta.url));

/** How the fixture is started; `mark` stands among its arguments and nowhere else. */
export function fixture(
  name: string,
  mode = "good",
  mark = "",
  more: Partial<ServerDefinition> = {},
): ServerDefinition {
  return { name, command: process.execPath, args: [FIXTURE, mode, mark], ...more };
}

/** Servers with real transports, ended with the test, and all that they told. */
export function serversOf(
  definitions: readonly ServerDefinition[],
  options: Partial<ServersHost> & { readonly tier?: ServerSource["tier"] } = {},
): { readonly servers: McpServers; readonly told: string[]; readonly notified: [string, Notified][] } {
  const processes = createProcessTransport({ clock: systemClock });
  const http = createHttpTransport({ clock: systemClock });
  const told: string[] = [];
  const notified: [string, Notified][] = [];
  const { tier = "user", ...host } = options;
  const servers = new McpServers({
    cwd: process.cwd(),
    clock: systemClock,
    env: process.env,
    startTimeoutMs: 60_000,
    callTimeoutMs: 60_000,
    waitMs: 60_000,
    elicit: async () => ({ action: "decline" }),
    notified: (server, notification) => void notified.push([server, notification]),
    changed: () => {},
    tell: (text) => void told.push(text),
    ...host,
  });
  onTestFinished(async () => {
    await servers.stop();
    await Promise.all([processes.close(), http.close()]);
  });
  servers.follow(definitions.map((definition) => ({ definition, path: "/mcp.json", tier, processes, http })));
  return { servers, told, notified };
}

/** The server of a name. */
export function serverNamed(servers: McpServers, name: string) {
  const found = servers.all.find((server) => server.name === name);
  if (found === undefined) throw new Error(`there is no server ${name}`);
  return found;
}

/** Waits until something holds; the limit of the test ends the wait. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
