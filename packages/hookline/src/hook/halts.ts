/** An answer that ends the run. */
export interface Halt {
  readonly reason: string;
}

/** The result of a run that a hook has ended. */
export interface Halted {
  readonly kind: "stopped";
  readonly reason: string;
  readonly halt: true;
}

/** The result that the model sees for a call that did not run because a hook ended the run. */
export const RUN_ENDED = "A hook ended the run, so this call was not run.";

/**
 * Records whether a hook has ended the run. Such a run continues until all events are recorded, and makes no further
 * request. Source: ruling 79.
 */
export class Halts {
  readonly #tell: (reason: string) => void;
  #runs = false;
  #halted: Halted | undefined;

  /** `tell` receives the hook's reason if a hook ends the run while nothing is running. */
  constructor(tell: (reason: string) => void) {
    this.#tell = tell;
  }

  /** Marks the start of a run; returns a function to call at its end. */
  begin(): () => void {
    this.#runs = true;
    this.#halted = undefined;
    return () => {
      this.#runs = false;
      this.#halted = undefined;
    };
  }

  /** Ends the run if hooks answered an event with a halt. If several did during a run, the first one counts. */
  take(halt: Halt | undefined): Halted | undefined {
    if (halt === undefined) return undefined;
    if (!this.#runs) this.#tell(halt.reason);
    else this.#halted ??= halted(halt);
    return this.#halted;
  }

  /** Whether a run is in progress. */
  get isOn(): boolean {
    return this.#runs;
  }

  get hasEnded(): boolean {
    return this.#halted !== undefined;
  }

  /** The result of the run; undefined if no hook has ended it. */
  get result(): Halted | undefined {
    return this.#halted;
  }
}

/** Returns the result of a run that a hook ends. */
export function halted({ reason }: Halt): Halted {
  return { kind: "stopped", reason: reason.trim() === "" ? "A hook ended the run." : reason, halt: true };
}
