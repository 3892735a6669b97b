import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

interface Answered {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly items?: readonly unknown[] };
  readonly result?: unknown;
}

const TSC = join(import.meta.dirname, "../../../node_modules/.bin/tsc");

/** Returns the text that an editor's language server shows for each of these words of a file. */
export async function hovers(file: string, words: readonly string[]): Promise<string[]> {
  const text = readFileSync(file, "utf8");
  const uri = pathToFileURL(file).href;
  const server = spawn(TSC, ["--lsp", "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<never>((_, reject) => {
    server.once("error", reject);
    server.once("close", (code) => reject(new Error(`The language server has ended with ${code}.`)));
  });
  ended.catch(() => {});
  const waiting = new Map<number, (result: unknown) => void>();
  const send = (message: object): void => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    server.stdin.write(body);
  };
  const ask = (method: string, params: object): Promise<unknown> => {
    const id = waiting.size + 1;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return Promise.race([answer, ended]);
  };
  let rest: Buffer = Buffer.alloc(0);
  server.stdout.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = rest.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/i.exec(rest.toString("latin1", 0, Math.max(head, 0)))?.[1]);
      if (head < 0 || rest.length < head + 4 + length) return;
      const { id, method, params, result } = JSON.parse(rest.toString("utf8", head + 4, head + 4 + length)) as Answered;
      rest = rest.subarray(head + 4 + length);
      if (id === undefined) continue;
      // The server asks for settings; it gets its own.
      if (method !== undefined) send({ id, result: params?.items?.map(() => null) ?? null });
      else waiting.get(id)?.(result);
    }
  });
  try {
    const textDocument = { uri };
    await ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
    send({ method: "initialized", params: {} });
    send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "typescript", version: 1, text } },
    });
    const shown: string[] = [];
    for (const word of words) {
      const before = text.slice(0, text.lastIndexOf(word)).split("\n");
      const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
      const hover = (await ask("textDocument/hover", { textDocument, position })) as { contents?: unknown } | null;
      const { value = "" } = (hover?.contents ?? {}) as { readonly value?: string };
      shown.push(/```\w*\n(.*?)\n?```/s.exec(value)?.[1] ?? value);
    }
    return shown;
  } finally {
    server.kill();
  }
}
