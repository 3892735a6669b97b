import { setImmediate as turned } from "node:timers/promises";

/** How long turns may run back to back before signals, timers and sockets get a chance. */
const LONGEST_MS = 50;

let lastAt = 0;

/**
 * Lets the process handle signals, timers and sockets after turns have run back to back for a while. A model that
 * answers within the process, and tools that need no file, would otherwise block them for as long as the loop runs.
 */
export async function breathe(): Promise<void> {
  const now = performance.now();
  if (now - lastAt < LONGEST_MS) return;
  lastAt = now;
  await turned();
}
