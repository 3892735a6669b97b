import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { fromInstallation, messageOf } from "@hookline/ground";
import type * as Esbuild from "esbuild";

/**
 * Matches esbuild's errors when its process was ended from outside, for example by Ctrl-C; after `stop` it can start
 * again.
 */
const SERVICE_GONE = /^The service (?:was stopped|is no longer running)/;

interface Service {
  readonly esbuild: typeof Esbuild;
  /** False if the host had already started esbuild's process for its own use. */
  readonly isOurs: boolean;
}

let started: Promise<Service> | undefined;
let running = 0;

/** Imports esbuild, starts its process if needed, and calls `work`; retries once if the process has ended meanwhile. */
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

/**
 * Ends esbuild's process, unless it is busy or the host has started it: even when idle, it wakes up many times a
 * second.
 */
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

/** Starts esbuild's process with rarer garbage collection than its default, which is excessive for small files. */
function firstAnswer(esbuild: typeof Esbuild): Promise<unknown> {
  if (process.env["GOGC"] !== undefined) return esbuild.transform("");
  process.env["GOGC"] = "400";
  try {
    // esbuild starts its process before this call returns; from then on, the process has its own copy of `GOGC`.
    return esbuild.transform("");
  } finally {
    Reflect.deleteProperty(process.env, "GOGC");
  }
}
