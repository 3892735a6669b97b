import * as core from "@earendil-works/pi-agent-core";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { ExtensionContext, ExtensionOptions } from "../provider/request.ts";
import type { Exports } from "./part.ts";

/** Returns all exports of `pi-agent-core`. An `Agent` without its own stream function uses this agent's models. */
export function agentCore({ registry }: { readonly registry: ModelRegistry }): Exports {
  core.setDefaultStreamFn(((model: Model, context: ExtensionContext, options?: ExtensionOptions) =>
    registry.stream(model, context, options)) as never);
  return core;
}
