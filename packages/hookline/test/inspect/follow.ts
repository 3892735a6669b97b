import { request } from "node:http";
import type { LiveLine } from "../../src/inspect/api.ts";
import type { Served } from "./served.ts";

/** A live stream; `next` gives the lines one after the other, without the empty ones. */
export interface Followed<T> {
  next(): Promise<T>;
  end(): void;
}

/** Reads how the first source grows. */
export function follow(served: Served, from: number): Followed<LiveLine> {
  return linesAt(served, `sources/${served.ids[0]}/live?from=${from}`);
}

function linesAt<T>({ inspector: { port, token } }: Served, path: string): Followed<T> {
  const waiting: T[] = [];
  let wake = (): void => {};
  let text = "";
  const sent = request(
    {
      host: "127.0.0.1",
      port,
      path: `/api/${path}`,
      headers: { authorization: `Bearer ${token}` },
    },
    (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        const lines = text.split("\n");
        text = lines.pop() ?? "";
        waiting.push(...lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T));
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
      return waiting.shift() as T;
    },
    end: () => sent.destroy(),
  };
}
