import type { Owner } from "../../in-process/owner.ts";

type Level = "error" | "warn" | "info" | "debug";
type Write = (message: unknown, about?: unknown) => void;

/** One line of the log, as listeners receive it. */
interface LogEvent {
  readonly level: Level;
  readonly message: string;
  readonly context: unknown;
  readonly timestamp: Date;
}

/** omp's logger. Its lines go to the host's log. Its functions for timing omp's own start do nothing. */
export interface Logger extends Readonly<Record<Level, Write>> {
  /** Also calls a listener with each line of this module. Returns a function that removes the listener. */
  registerLogSink(sink: (event: LogEvent) => void): () => void;
  setTransports(transports: unknown): void;
  /** Runs a function and returns its result, without timing it. */
  time<T, A extends unknown[]>(name: string, run?: (...args: A) => T, ...args: A): T | undefined;
  startTiming(): void;
  endTiming(): void;
  printTimings(): void;
  openSpanPath(): string[];
  recordModuleLoadSpan(): void;
  shouldExitAfterTimings(): boolean;
  startupMarker(text: string): void;
  timingModeIncludes(option: string): boolean;
}

/**
 * Makes the logger of one module. `about` is appended to the message as JSON. `setTransports` does nothing, since the
 * host decides where lines go.
 *
 * Source: pi-utils 18.2.3, `logger`.
 */
export function createLogger({ around, instance }: Owner): Logger {
  const sinks = new Set<(event: LogEvent) => void>();
  const at =
    (level: Level): Write =>
    (message, about) => {
      const text = String(message);
      around.services.log?.(level, about === undefined ? text : `${text} ${json(about)}`);
      for (const sink of [...sinks]) {
        try {
          sink({ level, message: text, context: about, timestamp: new Date() });
        } catch {
          // A failing sink must not affect the code that logs, as in omp.
        }
      }
    };
  const nothing = (): void => {};
  return {
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
    registerLogSink(sink) {
      sinks.add(sink);
      const forget = (): void => void sinks.delete(sink);
      const release = instance.own(forget);
      return () => {
        release();
        forget();
      };
    },
    setTransports: nothing,
    time: (_name, run, ...args) => run?.(...args),
    startTiming: nothing,
    endTiming: nothing,
    printTimings: nothing,
    openSpanPath: () => [],
    recordModuleLoadSpan: nothing,
    shouldExitAfterTimings: () => false,
    startupMarker: nothing,
    timingModeIncludes: () => false,
  };
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
