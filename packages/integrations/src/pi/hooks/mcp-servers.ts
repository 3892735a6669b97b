import { isFields } from "@hookline/ground";
import { diagnose } from "@hookline/runtime/dialect";
import { sharedOf } from "@hookline/runtime/engine";
import { lineOf, type Owner } from "../../in-process/owner.ts";
import { alive } from "../../in-process/ui.ts";

/** A server that an extension has registered, as pi shows it to extensions. */
interface RegisteredServer {
  readonly name: string;
  readonly config: unknown;
  readonly extensionPath: string;
}

/** pi's members about MCP servers. */
export interface ServerMembers {
  registerMcpServer(name: string, config: unknown): void;
  unregisterMcpServer(name: string): void;
  getMcpServers(): readonly RegisteredServer[];
}

const SHARED = "pi MCP servers";

/** Fields of pi's entries that say how tools are offered or how one signs in; here tools are offered to the model. */
const WITHOUT_EFFECT = ["exposure", "toolExposure", "oauth", "auth"];

/**
 * Makes the members with which an extension adds MCP servers to its session. A registered server runs under the approval
 * of its extension, belongs to its tier, and gives way to a configured one of the same name.
 */
export function serverMembers(owner: Owner): ServerMembers {
  const { around, instance } = owner;
  const { path, tier } = instance.source;
  const registered = sharedOf(around.shared, SHARED, () => new Map<string, RegisteredServer>());
  const undo = new Map<string, () => void>();
  const told = (name: string, problem: string, remedy: string): void => {
    const details = { path, line: lineOf(owner, `"${name}"`, "registerMcpServer"), problem, remedy };
    instance.report(diagnose("LINT", details, { source: instance.source }));
  };
  const unregister = (name: string): void => {
    undo.get(name)?.();
    undo.delete(name);
  };
  return {
    registerMcpServer(name, config) {
      if (!alive(instance, "pi.registerMcpServer")) return;
      const { servers } = around.services;
      if (servers?.define === undefined)
        return told(name, "pi.registerMcpServer has no effect here", "Configure the server in .mcp.json.");
      const other = registered.get(name);
      if (other !== undefined && other.extensionPath !== path)
        throw new Error(`The MCP server "${name}" is registered by ${other.extensionPath}`);
      const { enabled, timeout, ...entry } = isFields(config) ? config : {};
      if (enabled === false) return unregister(name);
      const idle = WITHOUT_EFFECT.filter((key) => Object.hasOwn(entry, key));
      if (idle.length > 0)
        told(name, `"${idle.join('", "')}" of the MCP server "${name}" has no effect here`, "Leave it out.");
      const wanted = Object.fromEntries(Object.entries(entry).filter(([key]) => !WITHOUT_EFFECT.includes(key)));
      const server = servers.define(
        name,
        // pi counts seconds.
        { ...wanted, ...(typeof timeout === "number" && { timeout: timeout * 1000 }) },
        { path, line: lineOf(owner, `"${name}"`, "registerMcpServer"), tier, ...around.transports },
      );
      const shown = structuredClone(wanted);
      // Nothing has changed where one of these has thrown.
      unregister(name);
      const remove = around.contributions.add("server", `registered ${name}`, server, instance, "first");
      registered.set(name, { name, config: shown, extensionPath: path });
      const forget = instance.own(() => registered.delete(name));
      undo.set(name, () => {
        remove();
        forget();
        registered.delete(name);
      });
    },
    unregisterMcpServer: unregister,
    getMcpServers: () => [...registered.values()].map((server) => structuredClone(server)),
  };
}
