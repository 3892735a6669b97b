import { request } from "node:http";
import { onTestFinished } from "vitest";
import { FileList } from "../../src/inspect/file-list.ts";
import type { PageFile } from "../../src/inspect/page.ts";
import { recogniseFile } from "../../src/inspect/recognise.ts";
import { breathe } from "../../src/inspect/run.ts";
import { type Inspector, serve } from "../../src/inspect/server.ts";

const PAGE = new Map<string, PageFile>([
  ["/", { type: "text/html; charset=utf-8", bytes: Buffer.from("<!doctype html><title>page</title>") }],
  ["/assets/page.js", { type: "text/javascript; charset=utf-8", bytes: Buffer.from("export {};\n") }],
]);

/** A response of the server. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: any;
}

/** How a request is made; a header that is `undefined` is left out. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** A server of these files on a port of its own, until the test ends. */
export async function served(paths: readonly string[], open?: string): Promise<Served> {
  const list = new FileList({
    find: () => paths.map((path) => recogniseFile(path)).filter((file) => file !== undefined),
    open,
    breathe,
  });
  const inspector = await serve({ list, page: PAGE, hookline: "0.0.0", port: 0, breathe });
  const close = async (): Promise<void> => {
    await inspector.close();
    await list.close();
  };
  onTestFinished(close);
  const sources = await list.list();
  return new Served(
    inspector,
    sources.map(({ id }) => id),
  );
}

export class Served {
  readonly inspector: Inspector;
  readonly ids: readonly string[];

  constructor(inspector: Inspector, ids: readonly string[]) {
    this.inspector = inspector;
    this.ids = ids;
  }

  /** Waits until the first source is indexed. */
  async indexed(): Promise<this> {
    for (;;) {
      const { indexed, bytes } = (await this.get("/api/sources/ID/summary")).json;
      if (indexed === bytes) return this;
    }
  }

  /** Asks as the page does; `ID` stands for the first source. */
  get(path: string, asking: Asking = {}): Promise<Answered> {
    // A random id may have the same two letters in it.
    const address = path.replace(/(?<=\/sources\/)ID(?![\w-])/, this.ids[0] ?? "");
    const { port, token } = this.inspector;
    const headers = { authorization: `Bearer ${token}`, host: `127.0.0.1:${port}`, ...asking.headers };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          path: address,
          method: asking.method ?? "GET",
          headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
            string,
            string
          >,
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (text += chunk));
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              get json() {
                return JSON.parse(text);
              },
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(asking.body);
    });
  }
}
