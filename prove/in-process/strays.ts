import { setImmediate as turn } from "node:timers/promises";

/** Returns errors that were uncaught while the work ran, and in the turns after it. */
export async function straysOf(work: () => Promise<void>): Promise<readonly unknown[]> {
  const strays: unknown[] = [];
  const note = (error: unknown): void => void strays.push(error);
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  try {
    await work();
    for (let i = 0; i < 5; i++) await turn();
  } finally {
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
  }
  return strays;
}
