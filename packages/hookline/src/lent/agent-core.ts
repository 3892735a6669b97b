import * as core from "@earendil-works/pi-agent-core";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { ExtensionContext, ExtensionOptions } from "../provider/request.ts";
import type { Exports } from "./part.ts";

/** Returns the exports of `pi-agent-core`. Its `Agent` uses this agent's models if it gets no stream function. */
export function agentCore({ registry }: { readonly registry: ModelRegistry }): Exports {
  core.setDefaultStreamFn(((model: Model, context: ExtensionContext, options?: ExtensionOptions) =>
    registry.stream(model, context, options)) as never);
  return core;
}
