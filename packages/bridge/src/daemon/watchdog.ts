import { Worker } from "node:worker_threads";
import { BEAT_MS } from "../client/client.ts";

/**
 * Source of the thread that shows that the daemon is alive while hooks keep its main thread busy: it sends a byte to
 * each connection at once, and every two seconds. It is plain JavaScript, so it needs no file and no loader.
 */
const THREAD = `"use strict";
const { chmodSync } = require("node:fs");
const { createServer } = require("node:net");
const { workerData } = require("node:worker_threads");
createServer((connection) => {
  const beat = () => connection.write(".");
  const timer = setInterval(beat, workerData.everyMs);
  connection.on("error", () => {}).on("close", () => clearInterval(timer)).resume();
  beat();
}).on("error", () => {}).listen(workerData.path, () => chmodSync(workerData.path, 0o600));
`;

/** Starts a thread that listens at the socket of the watchdog. Without it, no client detects a daemon that hangs. */
export function startWatchdog(path: string): void {
  const workerData = { path, everyMs: BEAT_MS };
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
  new Worker(THREAD, { eval: true, workerData, execArgv: [], env: {}, resourceLimits }).on("error", () => {}).unref();
}
