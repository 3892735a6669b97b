import type { Clock, Diagnostic, Source } from "@hookline/ground";
import type { Expected } from "../config/expected.ts";
import type { Consent } from "../consent/consent.ts";
import type { Dialect, Scan, Transports } from "../dialect/dialect.ts";
import type { Contributions } from "../hook/contribution.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, Scene } from "../hook/lane.ts";
import type { Offer } from "../hook/offer.ts";
import type { TextCache } from "../port/cache.ts";
import type { HostServices } from "../port/host.ts";
import type { Records } from "../record/recorders.ts";
import type { DispatchContext } from "../run/context.ts";
import type { Deadlines } from "../run/deadline.ts";
import type { TraceLine } from "../run/trace.ts";
import type { ToolAliases } from "./alias.ts";

/** The loaded contributions and the lanes with hooks. A host derives from them the tool names that calls can have. */
export interface LoadedTools {
  readonly contributions: Contributions;
  /** The lanes that have at least one hook which runs and is not in shadow. */
  readonly lanes: ReadonlySet<string>;
}

/** A host's options for opening a session. */
export interface SessionOptions {
  readonly scene: Scene;
  readonly services?: HostServices;
  /**
   * The host's tools by the names that hooks know: `{ shell: "bash" }`, or, if its arguments have other names too,
   * `{ shell: { tool: "bash", args: { cmd: "command" } } }`. Hooks see these names, the host its own.
   */
  readonly tools?: ToolAliases;
  /** Files and folders named on the command line. */
  readonly explicit?: readonly string[];
  readonly consent?: Consent;
  readonly settings?: Scan["settings"];
  /** Required hooks besides those in the settings, such as the entries of a lock file. */
  readonly expected?: readonly Expected[];
  /** Gets a line for each dispatch. With `payloads`, lines contain values instead of sizes and digests. */
  readonly trace?: { write(line: TraceLine): void; readonly payloads?: boolean };
  /** Records this session's moments, if its runtime records none. */
  readonly recorder?: Records | undefined;
  /** Whether this session's counters are added to those of this machine, which `hooks stats` shows. Default false. */
  readonly stats?: boolean;
  /** The agent that runs the session, for counters and the trace; absent if it is hookline's own. */
  readonly host?: string | undefined;
  /** Whether hooks are only found and reported, for `review`, and not loaded. Default false. */
  readonly inert?: boolean;
  /**
   * Whether guards are tested with a case of their own before the first guarded event; false for tests of hooks, which
   * use the cases themselves. Default true.
   */
  readonly proves?: boolean;
  /** Returns whether a definition counts; others are treated as if they did not exist. Default: all count. */
  finds?(source: Source): boolean;
  /** Returns whether a hook is asked; others are loaded but never called. Default: all are asked. */
  admits?(lane: string, hook: Hook): boolean;
  /**
   * Returns the tools that calls can name here, for the load report. Default: for each hook, the tools of the program
   * that it was written for.
   */
  offer?(loaded: LoadedTools): Offer;
  /**
   * Called with each problem as it happens, once for each hook, event and code. Default: problems are written to
   * stderr.
   */
  onDiagnostic?(diagnostic: Diagnostic): void;
}

/** Options for registering a library handler. */
export interface OnOptions {
  /** The handler's name in reports. Default: the function's name. */
  readonly name?: string;
  readonly timeoutMs?: number;
  /**
   * Whether the handler redacts: then if it fails or is aborted, the text that it should have redacted is withheld.
   * Default false: the text passes unchanged. Only for events that carry text.
   */
  readonly redact?: boolean;
}

/** The services and settings that a session gets from its runtime. */
export interface SessionParts {
  readonly dialects: readonly Dialect[];
  readonly lanes: readonly Lane[];
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly transports: Transports;
  readonly cache: TextCache;
  readonly scan: Omit<Scan, "cwd" | "explicit" | "settings">;
  readonly consent: Consent;
  readonly watched: NonNullable<DispatchContext["watched"]>;
  readonly recorder: Records | undefined;
  /** Called when the session is closed. */
  closed(session: object): void;
}
