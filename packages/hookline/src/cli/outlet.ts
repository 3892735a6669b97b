import { fstatSync, statSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";

/** The process's stdout, with whether its reader is gone and why writing failed. */
export interface Outlet {
  write(text: string): void;
  /** Aborted when nobody reads the output any more, as in `hookline … | head -1`. That is no error. */
  readonly readerGone: AbortSignal;
  /** Why output could not be written; a reader that has closed the pipe is no failure. */
  readonly failure: Error | undefined;
}

/** Returns a way to write to stdout. It works even while `stream.write` is replaced to catch what hooks print. */
export function openOutlet(stream: NodeJS.WriteStream): Outlet {
  const gone = new AbortController();
  let failure: Error | undefined;
  const failed = (error: NodeJS.ErrnoException): void => {
    if (error.code === "EPIPE" || error.code === "ECONNRESET") gone.abort();
    else failure ??= error;
  };
  stream.on("error", failed);
  const { fd } = stream as NodeJS.WriteStream & { readonly fd: number };
  const write = takesAtOnce(stream, fd)
    ? (text: string) => writeFileSync(fd, Buffer.from(text))
    : stream.write.bind(stream);
  return {
    readerGone: gone.signal,
    get failure() {
      return failure;
    },
    write(text) {
      try {
        write(text);
      } catch (thrown) {
        failed(thrown as NodeJS.ErrnoException);
      }
    },
  };
}

/** Resolves when all output has left this process, or cannot. Waits for slow readers, at most `mostMs` if given. */
export async function flushed(stream: NodeJS.WriteStream, mostMs?: number): Promise<void> {
  if (stream.writableLength > 0 && !stream.destroyed) {
    await new Promise<void>((resolve) => {
      stream.write("", () => resolve());
      stream.once("error", () => resolve());
      if (mostMs !== undefined) setTimeout(resolve, mostMs);
    });
  }
  // Some errors are reported only after the write.
  await new Promise((resolve) => setImmediate(resolve));
}

/** Whether a stream accepts all data at once. Files and devices do; pipes, sockets and terminals may be slow. */
function takesAtOnce(stream: NodeJS.WriteStream, fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return stream.isTTY !== true && (found.isFile() || found.isCharacterDevice());
  } catch {
    return false;
  }
}

/** Returns whether a descriptor is `/dev/null`, which has no input. */
export function isNullDevice(fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return found.isCharacterDevice() && found.rdev === statSync(devNull).rdev;
  } catch {
    return false;
  }
}

/** Whether a descriptor is a regular file, which has no slow reader. */
export function isRegularFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
