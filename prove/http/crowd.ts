import { readdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { callOf, serve } from "../../packages/runtime/test/http/servers.ts";
import type { Experiment } from "../processes/experiment.ts";
import { asker, inTime, isLeft } from "./ground.ts";

const LIMIT_MS = 300;
const PLACES = 16;

/** Responses of a server, chosen by the last digit of the call's number; other calls get their own number back. */
const MOODS: readonly ((response: ServerResponse) => void)[] = [
  () => {},
  (response) => void response.destroy(),
  (response) => void response.writeHead(200, { "content-length": 99 }).write("{", () => response.destroy()),
  (response) => void response.end(Buffer.alloc(2 * 1024 * 1024)),
  (response) => void response.setHeader("connection", "close").end("closed"),
];

function handle(request: IncomingMessage, response: ServerResponse): void {
  const id = Number(request.headers["x-id"]);
  const mood = MOODS[id % 20];
  if (mood === undefined) setTimeout(() => response.end(`${id}`), id % 7);
  else mood(response);
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

/**
 * Many calls at once, of which every fourth goes wrong: no call gets another's answer, and no connection stays open.
 */
export const crowd: Experiment = {
  id: "R56, many at once",
  paths: [],
  async run(tally, { full }) {
    const before = openFiles();
    const count = full ? 5000 : 400;
    {
      await using server = await serve(handle);
      await using transport = asker({ concurrency: PLACES });
      let most = 0;
      const ask = async (id: number): Promise<void> => {
        const stop = new AbortController();
        if (id % 50 === 49) setTimeout(() => stop.abort(), id % 90);
        const call = callOf(server.url, { headers: { "x-id": `${id}` }, timeoutMs: LIMIT_MS, signal: stop.signal });
        // The wait for a slot has no limit; the crowd as a whole has one.
        const report = await inTime(transport.ask(call), count * LIMIT_MS);
        most = Math.max(most, server.sockets.size);
        const own = id % 20 < MOODS.length ? ["closed"] : [`${id}`];
        if (report === undefined) tally.trial(`call ${id} hangs`);
        else if (report.status === "answered" && !own.includes(report.body))
          tally.trial(`call ${id} got ${report.body}`);
        else if (report.status !== "answered" && report.body !== "") tally.trial(`call ${id} got a part`);
        else tally.trial(undefined);
      };
      await Promise.all(Array.from({ length: count }, (_, id) => ask(id)));
      tally.figure(`${most} connections at most, for ${PLACES} places`);
      tally.trial(
        await isLeft(server).then((left) => (left ? undefined : `${server.sockets.size} connections stay open`)),
      );
    }
    const after = openFiles();
    tally.trial(after - before <= 5 ? undefined : `${after - before} more files are open than before`);
  },
};
