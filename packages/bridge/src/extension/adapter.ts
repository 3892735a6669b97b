import type { At, HostAdapter, Scope } from "../host/adapter.ts";
import type { BridgeHost } from "../host/host.ts";
import { moduleFormat } from "../install/module.ts";
import type { ModuleParts } from "./text.ts";

/** How a host is made to ask the bridge that loads a module of its own from a folder. */
export function moduleAdapter(
  host: ModuleParts["host"] & Pick<BridgeHost, "name">,
  path: (scope: Scope, at: At) => string,
  text: (parts: ModuleParts) => string,
): Omit<HostAdapter, "trust"> {
  return {
    path,
    unit: "ms",
    format: (scope, at) => moduleFormat((entries) => text({ host, entries, origin: `${host.name}-${scope}`, at })),
    command: () => "",
  };
}
