import type { Owner } from "../inprocess/owner.ts";

type Write = (message: unknown, about?: unknown) => void;

/** omp's file logger, over the host's log. */
export interface Logger {
  readonly error: Write;
  readonly warn: Write;
  readonly info: Write;
  readonly debug: Write;
}

/** Makes the logger of one module; `about` is written behind the message as JSON. */
export function createLogger({ around }: Owner): Logger {
  const at =
    (level: keyof Logger): Write =>
    (message, about) =>
      around.services.log?.(level, about === undefined ? String(message) : `${String(message)} ${json(about)}`);
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
