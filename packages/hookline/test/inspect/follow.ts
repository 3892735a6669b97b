import { request } from "node:http";
import type { LiveLine } from "../../src/inspect/api.ts";
import type { Served } from "./served.ts";

/** Reads a live stream; `next` gives the lines one after the other, without the empty ones. */
export function follow(
  { inspector: { port, token }, ids }: Served,
  from: number,
): { next(): Promise<LiveLine>; end(): void } {
  const waiting: LiveLine[] = [];
  let wake = (): void => {};
  let text = "";
  const sent = request(
    {
      host: "127.0.0.1",
      port,
      path: `/api/sources/${ids[0]}/live?from=${from}`,
      headers: { authorization: `Bearer ${token}` },
    },
    (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        const lines = text.split("\n");
        text = lines.pop() ?? "";
        waiting.push(...lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LiveLine));
        wake();
      });
      response.on("error", () => {});
    },
  );
  sent.on("error", () => {});
  sent.end();
  return {
    async next() {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return waiting.shift() as LiveLine;
    },
    end: () => sent.destroy(),
  };
}
