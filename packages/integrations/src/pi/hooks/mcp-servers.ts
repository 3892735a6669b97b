import { isFields } from "@hookline/ground";
import { diagnose } from "@hookline/runtime/dialect";
import { sharedOf } from "@hookline/runtime/engine";
import { lineOf, type Owner } from "../../in-process/owner.ts";
import { alive } from "../../in-process/ui.ts";

/** An MCP server that an extension has registered, in the form in which pi lists it. */
interface RegisteredServer {
  readonly name: string;
  readonly config: unknown;
  readonly extensionPath: string;
}

/** The members of pi's API for MCP servers. */
export interface ServerMembers {
  registerMcpServer(name: string, config: unknown): void;
  unregisterMcpServer(name: string): void;
  getMcpServers(): readonly RegisteredServer[];
}

const SHARED = "pi MCP servers";

/**
 * Fields of pi's server entries that have no effect here. They concern signing in, and how tools are offered; here the
 * model is always offered them.
 */
const WITHOUT_EFFECT = ["exposure", "toolExposure", "oauth", "auth"];

/**
 * Makes the members with which an extension adds MCP servers to its session. A registered server needs no approval
 * besides its extension's, has the extension's tier, and is replaced by a configured server of the same name.
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
        // pi's `timeout` is in seconds.
        { ...wanted, ...(typeof timeout === "number" && { timeout: timeout * 1000 }) },
        { path, line: lineOf(owner, `"${name}"`, "registerMcpServer"), tier, ...around.transports },
      );
      const shown = structuredClone(wanted);
      // Comes after `define` and `structuredClone`: if one of them throws, nothing has changed.
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
