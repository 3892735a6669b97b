import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { ANSWER_FRAMES, type BridgeRequest, encodeRequest, FrameReader, readAnswer } from "./frame.ts";
import type { NativeAnswer } from "./host.ts";
import { type DaemonPlace, socketProblem } from "./place.ts";

/** Why there is no answer of the daemon: words that may stand in any host's answer. */
export class Away extends Error {}

/** How often a daemon that starts is looked for, in ms. */
const STEP_MS = 15;
/** The system's code if a socket's queue of waiting connections is full. */
const FULL = "EAGAIN";

/** What asking the daemon takes. */
export interface Asking {
  readonly place: DaemonPlace;
  readonly request: BridgeRequest;
  /** How long all of it may take, in ms. */
  readonly timeoutMs: number;
  /** Starts the daemon; called once, where none listens. */
  start?(): void;
}

/** Asks the daemon, which is started where none runs. Throws `Away` where it gives no answer in time. */
export async function askDaemon({ place, request, timeoutMs, start }: Asking): Promise<NativeAnswer> {
  const bytes = encodeRequest(request);
  const signal = AbortSignal.timeout(timeoutMs);
  for (let isStarted = false, resets = 0; ; ) {
    const problem = socketProblem(place);
    if (problem !== undefined && problem !== "absent") throw new Away(problem);
    const answer = problem === undefined ? await exchange(place.socket, bytes, signal) : "refused";
    if (typeof answer === "object") return answer;
    if (answer === "reset" && resets++ > 0) throw new Away("the connection ended before the request was read");
    if (answer === "full") {
      if (signal.aborted) throw new Away("no answer in time");
    } else {
      if (start === undefined) throw new Away("no daemon runs");
      if (signal.aborted) throw new Away(isStarted ? "the daemon did not start in time" : "no daemon runs");
      if (!isStarted) start();
      isStarted = true;
    }
    await wait(STEP_MS);
  }
}

/**
 * What became of a request that was not answered: nobody listens; as many others wait for the daemon as may; or it went
 * away before it had read all of the request. No hook has run for it then, so that it may be sent again.
 */
type Unasked = "refused" | "full" | "reset";

function exchange(socket: string, bytes: Buffer, signal: AbortSignal): Promise<NativeAnswer | Unasked> {
  const { promise, resolve, reject } = Promise.withResolvers<NativeAnswer | Unasked>();
  const connection = connect(socket);
  // After one more look at the connection: this process may have been kept waiting while the answer came.
  const late = (): void => void setImmediate(() => reject(new Away("no answer in time")));
  signal.addEventListener("abort", late);
  if (signal.aborted) late();
  const reader = new FrameReader(ANSWER_FRAMES);
  connection.on("connect", () => connection.write(bytes));
  connection.on("data", (piece) => {
    try {
      const frames = reader.push(piece);
      if (frames !== undefined) resolve(readAnswer(frames));
    } catch {
      reject(new Away("the answer cannot be read"));
    }
  });
  connection.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "ENOENT" || code === "ECONNREFUSED") resolve("refused");
    else if (code === FULL) resolve("full");
    else if (code === "ECONNRESET" || code === "EPIPE") resolve("reset");
    else reject(new Away(`the connection failed: ${code ?? "unknown"}`));
  });
  connection.on("close", () => reject(new Away("the connection ended before the answer")));
  return promise.finally(() => {
    signal.removeEventListener("abort", late);
    connection.destroy();
  });
}

/** Whether somebody listens at a socket. */
export function connects(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = connect(socket);
  connection.on("connect", () => resolve(true));
  connection.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code === FULL));
  return promise.finally(() => connection.destroy());
}
