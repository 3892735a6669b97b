import type { Decisions } from "@hookline/fleet";
import { systemClock } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { systemFiles } from "@hookline/ground/system";
import type { Recorder } from "@hookline/runtime/past";
import { recorderOf } from "@hookline/runtime/session";
import { secretRedactor, withoutSecrets } from "../provider/secrets.ts";
import { digestKey } from "./open.ts";

/** Records a run's decisions, which are sent to the fleet that this machine has joined. */
export interface SpooledDecisions {
  readonly recorder: Recorder;
  close(): Promise<void>;
}

/** The spool, which holds decisions until they are sent to the fleet, and the agent whose decisions these are. */
export interface SpoolingParts {
  /** Opens the spool. `lost` is called with the reason when decisions are lost. */
  open(lost: (problem: string) => void): Decisions;
  readonly hooklineHome: string;
  readonly io: Io;
  /** The agent whose decisions are stored, if it is not hookline's own. */
  readonly host?: string | undefined;
  tell(text: string): void;
}

/** Spools each decision of a run for the fleet that this machine has joined. */
export function spoolDecisions({ open, hooklineHome, io, host, tell }: SpoolingParts): SpooledDecisions {
  const redact = secretRedactor(io.env);
  let isTold = false;
  const lost = (problem: string): void => {
    if (!isTold) tell(`Not all decisions of this session reach the fleet: ${redact(problem)}`);
    isTold = true;
  };
  const decisions = open(lost);
  const recorder = recorderOf({
    ...decisions.logged,
    host,
    to: (session) => decisions.to(session),
    env: io.env,
    files: systemFiles,
    clock: systemClock,
    key: digestKey(hooklineHome),
    clean: withoutSecrets,
    lost,
  });
  decisions.whenChanged((logged) => recorder.change(logged));
  return {
    recorder,
    async close() {
      await recorder.close();
      await decisions.close();
    },
  };
}
