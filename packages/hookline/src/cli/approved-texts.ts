import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MOST_BYTES = 256 * 1024;

/** The texts of approved files, kept by their hash so that a later review can show what changed. Losing one loses only that. */
export class ApprovedTexts {
  readonly #folder: string;

  constructor(hooklineHome: string) {
    this.#folder = join(hooklineHome, "cache", "approved");
  }

  get(sha256: string): string | undefined {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    try {
      return readFileSync(join(this.#folder, sha256), "utf8");
    } catch {
      return undefined;
    }
  }

  /** Keeps those that are texts and not too long. */
  keep(files: readonly { readonly sha256: string; readonly bytes: Uint8Array | undefined }[]): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      for (const { sha256, bytes } of files) {
        const path = join(this.#folder, sha256);
        if (bytes === undefined || bytes.length > MOST_BYTES || bytes.includes(0) || existsSync(path)) continue;
        writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
      }
    } catch {
      // Without them the next review shows the files whole.
    }
  }
}
