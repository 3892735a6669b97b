import * as core from "@earendil-works/pi-agent-core";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { ExtensionContext, ExtensionOptions } from "../provider/request.ts";
import type { Exports } from "./part.ts";

/** All of `pi-agent-core`; an `Agent` without its own stream function uses the models of this agent. */
export function agentCore({ registry }: { readonly registry: ModelRegistry }): Exports {
  core.setDefaultStreamFn(((model: Model, context: ExtensionContext, options?: ExtensionOptions) =>
    registry.stream(model, context, options)) as never);
  return core;
}
