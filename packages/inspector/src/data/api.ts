import type { ApiError, ExportedApi } from "../../../hookline/src/inspect/api.ts";

/** An error that says why something cannot be shown, in words for the user. */
export class Refused extends Error {
  /** The server's error code; `unreachable` if there was no answer. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "Refused";
    this.code = code;
  }
}

/** The source of the page's data: a server or an export. */
export interface Api {
  /** Requests a path below `/api/`. Rejects with `Refused`, or like an aborted `fetch`. */
  ask<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** Yields the lines of a live stream; absent in an export. */
  live?<T>(path: string, signal: AbortSignal): AsyncIterable<T>;
}

const NO_TOKEN = "This address has no token. Open the one that hookline inspect printed, up to its last character.";

/** Makes the API of the server that the page was loaded from. */
export function serverApi(token: string | undefined): Api {
  const get = async (path: string, signal?: AbortSignal): Promise<Response> => {
    if (token === undefined) throw new Refused("unauthorized", NO_TOKEN);
    const response = await fetch(`api/${path}`, {
      headers: { authorization: `Bearer ${token}` },
      cache: "no-store",
      credentials: "omit",
      ...(signal !== undefined && { signal }),
    }).catch((thrown: unknown) => {
      if (signal?.aborted === true) throw thrown;
      throw new Refused("unreachable", "hookline inspect does not answer. Start it again and open its new address.");
    });
    if (!response.ok) throw refusal(await response.json().catch(() => undefined), response.status);
    return response;
  };
  return {
    ask: async <T>(path: string, signal?: AbortSignal) => (await (await get(path, signal)).json()) as T,
    async *live<T>(path: string, signal: AbortSignal) {
      const { body } = await get(path, signal);
      if (body !== null) yield* linesOf<T>(body);
    },
  };
}

/** Makes the API of an exported page. */
export function exportApi(exported: ExportedApi): Api {
  return {
    async ask<T>(path: string) {
      try {
        return (await exported.answer(path)) as T;
      } catch (thrown) {
        throw refusal(thrown, 0);
      }
    },
  };
}

function refusal(body: unknown, status: number): Refused {
  const { error } = (body ?? {}) as Partial<ApiError>;
  if (error !== undefined) return new Refused(error.code, error.message);
  return new Refused("failed", body instanceof Error ? body.message : `The server answered ${status}.`);
}

async function* linesOf<T>(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<T, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as T;
  }
}
