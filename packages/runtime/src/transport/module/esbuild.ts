import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { fromInstallation, messageOf } from "@hookline/ground";
import type * as Esbuild from "esbuild";

/** esbuild's process may have been ended from outside, for example by Ctrl-C; after `stop` it is started again. */
const SERVICE_GONE = /^The service (?:was stopped|is no longer running)/;

interface Service {
  readonly esbuild: typeof Esbuild;
  /** False if the host had already started esbuild's process for its own work. */
  readonly isOurs: boolean;
}

let started: Promise<Service> | undefined;
let running = 0;

/**
 * Imports esbuild, starts its process if needed, and does the work; retries once if the process has ended meanwhile.
 */
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

/** By default esbuild's process collects garbage very often; for files of this size a tenth of that is enough. */
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
