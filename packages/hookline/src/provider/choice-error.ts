import { HooklineError } from "@hookline/runtime";
import type { ModelRegistry } from "./registry.ts";

/** Returns the error for a flag that selects no model. */
export function invalid(option: string, problem: string, remedy: string): HooklineError {
  return new HooklineError("INVALID_OPTION", { option, problem, remedy });
}

/** Returns the ways to get a model, as advice: a key, a provider, `--base-url` or `--script`. */
export function ways(registry: ModelRegistry): string {
  return (
    "Set the key of a provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY; " +
    `or add a provider to ${registry.path ?? "models.json"}; ` +
    "or pass --base-url URL for a server of your own, or --script FILE for scripted replies."
  );
}
