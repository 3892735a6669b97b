import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type * as Esbuild from "esbuild";
import { messageOf } from "../../error/error.ts";
import { fromInstallation } from "../../error/installation.ts";

/** esbuild's process may have been ended from outside, by Ctrl-C for one; after `stop` it is started again. */
const SERVICE_GONE = /^The service (?:was stopped|is no longer running)/;

interface Service {
  readonly esbuild: typeof Esbuild;
  /** False where the host had started esbuild's process before us, for its own work. */
  readonly isOurs: boolean;
}

let started: Promise<Service> | undefined;
let running = 0;

/** Imports esbuild and starts its process if need be, then does the work; once more if the process has gone meanwhile. */
export async function withEsbuild<T>(work: (esbuild: typeof Esbuild) => Promise<T>): Promise<T> {
  running++;
  try {
    const { esbuild } = await (started ??= fromInstallation("esbuild", start));
    return await work(esbuild).catch((thrown: unknown) => {
      if (!SERVICE_GONE.test(messageOf(thrown))) throw thrown;
      return esbuild.stop().then(() => work(esbuild));
    });
  } finally {
    running--;
  }
}

/** Ends esbuild's process, which wakes up many times a second, unless it is at work or was started by the host. */
export async function restEsbuild(): Promise<void> {
  const service = await started?.catch(() => undefined);
  if (running > 0) return;
  started = undefined;
  if (service?.isOurs === true) await service.esbuild.stop();
}

async function start(): Promise<Service> {
  const esbuild = await import("esbuild");
  let isOurs = false;
  const note = (): void => {
    isOurs = true;
  };
  subscribe("child_process", note);
  let answer: Promise<unknown>;
  try {
    answer = firstAnswer(esbuild);
  } finally {
    unsubscribe("child_process", note);
  }
  await answer;
  return { esbuild, isOurs };
}

/** esbuild's process collects its garbage all the time; for files of this size a tenth of that is enough. */
function firstAnswer(esbuild: typeof Esbuild): Promise<unknown> {
  if (process.env["GOGC"] !== undefined) return esbuild.transform("");
  process.env["GOGC"] = "400";
  try {
    // Starts the process before it returns.
    return esbuild.transform("");
  } finally {
    Reflect.deleteProperty(process.env, "GOGC");
  }
}
