import { createHash, createHmac, randomBytes } from "node:crypto";
import { isAbsolute } from "node:path";
import type { Clock, Files } from "@hookline/ground";
import { isProviderKey, VERSION } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";
import type { Instance } from "../hook/instance.ts";
import { Recorder, type RecorderParts } from "../record/recorder.ts";

/** Options of `recorderOf`: where and how much to record, and what to keep secret. */
export interface RecorderMade extends Pick<RecorderParts, "to" | "level" | "lost" | "host"> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  readonly clock: Clock;
  /** The secret key for digests, from this hookline home. Default: a key for this process only. */
  readonly key?: string;
  /** Whether a guarded call is refused if its decision cannot be recorded. */
  readonly required?: boolean;
  /** Removes further secrets from a text, besides the provider keys in the environment. */
  clean?(text: string): string;
}

/** The length below which a value of the environment is a word rather than a key. */
const MIN_KEY_LENGTH = 8;

/** Makes a recorder that replaces each provider key of `env` in a text by the key's name. */
export function recorderOf(made: RecorderMade): Recorder {
  const { to, level, host, env, files, clock, clean, lost, required = false } = made;
  const key = made.key ?? randomBytes(32).toString("hex");
  const keys = Object.entries(env)
    .filter(([name, value = ""]) => isProviderKey(name) && value.length >= MIN_KEY_LENGTH)
    .sort(([, a = ""], [, b = ""]) => b.length - a.length);
  const withoutKeys = (text: string): string =>
    keys.reduce((rest, [name, value]) => rest.replaceAll(value as string, () => `[${name}]`), text);
  const hashes = new WeakMap<Instance, string | undefined>();
  return new Recorder({
    to,
    level,
    required,
    hookline: VERSION,
    host,
    clean: clean === undefined ? withoutKeys : (text) => clean(withoutKeys(text)),
    digest: (text) => createHmac("sha256", key).update(text).digest("hex").slice(0, 16),
    hashOf({ instance, path }: Hook) {
      if (!hashes.has(instance)) hashes.set(instance, isAbsolute(path) ? hashOf(files, path) : undefined);
      return hashes.get(instance);
    },
    lost,
    wall: () => clock.wall(),
  });
}

function hashOf(files: Files, path: string): string | undefined {
  const bytes = files.read(path);
  return bytes === undefined ? undefined : createHash("sha256").update(bytes).digest("hex");
}
