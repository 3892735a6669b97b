import type { HooklineError } from "../error/error.ts";
import { wrongUse } from "./wrong-use.ts";

/** The maximum input, in bytes. Larger input belongs in a file that the agent can read. Source: ruling 71. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Time without a first byte, in ms, after which the user is told, and after which optional input is skipped. */
const TOLD_MS = 3000;
const GIVEN_UP_MS = 30_000;

/** Options for waiting for input. */
export interface InputWait {
  /** Called with a line for the user that says what is being waited for. */
  tell(line: string): void;
  /** Whether the command can run without this input. If not, it waits for the first byte without a limit. */
  readonly isOptional: boolean;
}

/** The limits of {@link readInput}. Defaults: 3 s, 30 s and 8 MiB (ruling 71). */
export interface InputLimits {
  readonly toldMs?: number;
  readonly givenUpMs?: number;
  readonly maxBytes?: number;
}

/**
 * Reads a stream to its end as text. If the first byte takes more than `toldMs`, the user is told; optional input that
 * takes more than `givenUpMs` counts as empty. Throws `WRONG_USE` for more than `maxBytes`.
 */
export async function readInput(
  stream: NodeJS.ReadableStream & { destroy?(): unknown },
  { tell, isOptional }: InputWait,
  { toldMs = TOLD_MS, givenUpMs = GIVEN_UP_MS, maxBytes = MAX_BYTES }: InputLimits = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const skip = isOptional ? "; --no-stdin (or </dev/null) skips it" : " as the prompt";
  const told = setTimeout(() => tell(`Waiting for stdin${skip}.`), toldMs);
  const { promise: silent, resolve: giveUp } = Promise.withResolvers<"silent">();
  const limit = isOptional
    ? setTimeout(() => {
        tell(`Nothing came on stdin within ${givenUpMs / 1000} s; going on without it.`);
        giveUp("silent");
      }, givenUpMs)
    : undefined;
  const calm = (): void => {
    clearTimeout(told);
    clearTimeout(limit);
  };
  const read = (async () => {
    for await (const chunk of stream) {
      calm();
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes) throw tooMuch(maxBytes);
      chunks.push(chunk as Buffer);
    }
    return "ended" as const;
  })();
  try {
    const how = await Promise.race([read, silent]);
    if (how === "silent") {
      read.catch(() => undefined);
      stream.destroy?.();
      return "";
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    calm();
  }
}

function tooMuch(maxBytes: number): HooklineError {
  return wrongUse(
    "stdin",
    `is larger than ${maxBytes / (1024 * 1024)} MiB`,
    "Put it into a file, and name the file in the prompt.",
  );
}
