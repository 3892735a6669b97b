import type { Environment } from "./config-value.ts";
import type { Model } from "./provider.ts";
import type { StreamClient } from "./through.ts";

/** The members of pi's provider object (since 0.8) that hookline uses. */
export interface NativeProvider extends StreamClient {
  readonly id: string;
  readonly name: string;
  getModels(): readonly Model[];
  readonly auth?: {
    readonly apiKey?: {
      resolve(input: {
        readonly ctx: { env(name: string): Promise<string | undefined>; fileExists(path: string): Promise<boolean> };
        readonly signal: AbortSignal;
      }): Promise<{ readonly auth: NativeAuth } | undefined>;
    };
  };
}

/** The key and headers that a provider object has found itself. */
export interface NativeAuth {
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether a value is a provider object and not a configuration. */
export function isNative(value: object | undefined): value is NativeProvider {
  return value !== undefined && "getModels" in value && typeof value.getModels === "function";
}

/** Asks a provider object for its key and headers. */
export async function nativeAuth(provider: NativeProvider, env: Environment): Promise<NativeAuth | undefined> {
  const { access } = await import("node:fs/promises");
  const ctx = {
    env: async (name: string) => env[name],
    fileExists: (path: string) =>
      access(path.replace(/^~(?=\/)/, env["HOME"] ?? "~")).then(
        () => true,
        () => false,
      ),
  };
  const found = await provider.auth?.apiKey?.resolve({ ctx, signal: new AbortController().signal });
  return found?.auth;
}
