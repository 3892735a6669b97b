import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fingerprint } from "@hookline/runtime/session";

const MOST_BYTES = 256 * 1024;

/**
 * Stores the contents of approved files by hash, so that a later review can show what has changed. Also stores which
 * definitions a file contained when one of them was approved. If a stored text is lost, the review shows the whole
 * file.
 */
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

  /** Returns all definitions that the approved file contained at the approval; undefined if they are not stored. */
  entries(approval: Fingerprint): readonly string[] | undefined {
    try {
      const listed: unknown = JSON.parse(this.get(entriesKey(approval)) ?? "");
      return Array.isArray(listed) ? listed.filter((one) => typeof one === "string") : undefined;
    } catch {
      return undefined;
    }
  }

  /** Stores the bytes of files, except files that are too long. */
  keep(files: readonly { readonly sha256: string; readonly bytes: Uint8Array | undefined }[]): void {
    for (const { sha256, bytes } of files) if (bytes !== undefined) this.#write(sha256, bytes);
  }

  /** Stores which definitions each file has. `prints` must list them all, or one may later pass for approved. */
  keepEntries(prints: readonly Fingerprint[]): void {
    for (const there of Map.groupBy(prints, entriesKey)) {
      const [key, entries] = there;
      this.#write(key, new TextEncoder().encode(JSON.stringify(entries.map(({ definition }) => definition))));
    }
  }

  #write(name: string, bytes: Uint8Array): void {
    const path = join(this.#folder, name);
    if (bytes.length > MOST_BYTES || existsSync(path)) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
    } catch {
      // If storing fails, the next review shows the whole file.
    }
  }
}

/** Returns the name under which the definitions in one version of a file are stored. */
function entriesKey({ lane, path, files }: Fingerprint): string {
  const own = files.find((file) => file.path === path)?.sha256 ?? "";
  return createHash("sha256").update(`entries\0${lane}\0${path}\0${own}`).digest("hex");
}
