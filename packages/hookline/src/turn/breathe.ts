import { setImmediate as turned } from "node:timers/promises";

/** How long turns may follow each other before signals, timers and sockets are let in. */
const LONGEST_MS = 50;

let lastAt = 0;

/**
 * Lets the process hear signals, timers and sockets when turns have followed each other for a while. A model that
 * answers within the process, and tools that need no file, would keep it from them for as long as the loop runs.
 */
export async function breathe(): Promise<void> {
  const now = performance.now();
  if (now - lastAt < LONGEST_MS) return;
  lastAt = now;
  await turned();
}
