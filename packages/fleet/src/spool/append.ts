import { closeSync, constants, fdatasync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";

const sync = promisify(fdatasync);

/** A private file that is only appended to. Each addition is written completely or not at all. */
export class Appended {
  readonly path: string;
  readonly #fd: number;
  #size = 0;
  #isSynced = true;
  /** The reason why nothing can be added any more. */
  #broken: Error | undefined;

  /** Creates the file; throws if it exists already. */
  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600);
  }

  get size(): number {
    return this.#size;
  }

  /** Appends all of the bytes or none; throws as the file system does. */
  add(bytes: Uint8Array): void {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      writeFileSync(this.#fd, bytes);
    } catch (thrown) {
      this.#cut(thrown as Error);
      throw thrown;
    }
    this.#size += bytes.length;
    this.#isSynced = false;
  }

  /** Resolves when everything that was added survives a power cut. */
  async keep(): Promise<void> {
    if (this.#isSynced) return;
    const size = this.#size;
    await sync(this.#fd);
    if (size === this.#size) this.#isSynced = true;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Cuts off the end of the file if an addition was only partly written. */
  #cut(cause: Error): void {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      this.#broken = cause;
    }
  }
}
