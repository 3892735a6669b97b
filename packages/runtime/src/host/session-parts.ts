import type { Consent } from "../config/consent.ts";
import type { Expected } from "../config/expected.ts";
import type { Dialect, Scan, Transports } from "../dialect/dialect.ts";
import type { Diagnostic } from "../error/diagnostic.ts";
import type { Lane, Scene } from "../hook/lane.ts";
import type { TextCache } from "../port/cache.ts";
import type { Clock } from "../port/clock.ts";
import type { HostServices } from "../port/host.ts";
import type { Deadlines } from "../run/deadline.ts";
import type { TraceLine } from "../run/trace.ts";

/** What a host knows of the session that it opens. */
export interface SessionOptions {
  readonly scene: Scene;
  readonly services?: HostServices;
  /** Files and folders named on the command line. */
  readonly explicit?: readonly string[];
  readonly consent?: Consent;
  readonly settings?: Scan["settings"];
  /** What must run beyond what the settings name, such as the entries of a lock. */
  readonly expected?: readonly Expected[];
  /** Receives each dispatch; `payloads` puts the values in, which are otherwise sizes and digests. */
  readonly trace?: { write(line: TraceLine): void; readonly payloads?: boolean };
  /** Whether the counters of this session's hooks are added to those of this machine, which `hooks stats` shows. Default false. */
  readonly stats?: boolean;
  /** Finds and reports, but loads and runs nothing: for `review`. Default false. */
  readonly inert?: boolean;
  /** Receives each problem as it happens, once for each hook, event and code. */
  onDiagnostic?(diagnostic: Diagnostic): void;
}

/** How a library handler is registered. */
export interface OnOptions {
  /** Names the handler in reports. Default: the function's name. */
  readonly name?: string;
  readonly timeoutMs?: number;
  /**
   * Says that the handler redacts: where it fails, or is aborted, what it was to redact is withheld. Default false: it
   * goes on as it was. Only for events that carry text.
   */
  readonly redact?: boolean;
}

/** What a session needs from its runtime. */
export interface SessionParts {
  readonly dialects: readonly Dialect[];
  readonly lanes: readonly Lane[];
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly transports: Transports;
  readonly cache: TextCache;
  readonly scan: Omit<Scan, "cwd" | "explicit" | "settings">;
  readonly consent: Consent;
  /** Called when the session was closed. */
  closed(session: object): void;
}
