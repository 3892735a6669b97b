import type { At, HostAdapter, Scope } from "../host/adapter.ts";
import type { BridgeHost } from "../host/host.ts";
import { moduleFormat } from "../install/module.ts";
import type { ModuleParts } from "./text.ts";

/** Makes the adapter of a host that loads a module from a folder and asks the bridge through it. */
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
