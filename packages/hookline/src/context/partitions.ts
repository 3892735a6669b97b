import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { appendLines, makePrivateDirectory, readText, replaceText } from "@hookline/ground/system";
import { acquireLock } from "../session/lock.ts";
import type { LogLine } from "./log-line.ts";

/** The limits above which the active part of a transcript is archived. Names and figures are chibi's. */
const POLICY = { max_entries: 1000, max_age_seconds: 30 * 24 * 60 * 60, max_tokens: 100_000 };
const ACTIVE = "active.jsonl";
/** The number of bytes that chibi counts as one token. */
const TOKEN_BYTES = 3;

/** An archived part of a transcript. */
interface Part {
  readonly file: string;
  readonly start_ts: number;
  readonly end_ts: number;
  readonly entry_count: number;
  readonly token_count: number;
}

/** The parts of a transcript, as `manifest.json` lists them. Fields that hookline does not know are kept. */
interface Manifest {
  readonly active_partition: string;
  readonly partitions: readonly unknown[];
}

/** The size and time span of a transcript's active part. */
interface Filling {
  count: number;
  tokens: number;
  start: number;
  end: number;
}

/**
 * Appends to a context's `transcript/`. A full or old `active.jsonl` is moved to `partitions/`. Throws file system
 * errors. Source: spec/chibi.md 3.
 */
export class Partitions {
  readonly #folder: string;
  readonly #filling: Filling = { count: 0, tokens: 0, start: 0, end: 0 };

  constructor(folder: string) {
    this.#folder = folder;
    for (const line of readText(this.#active()).split("\n")) this.#count(parsed(line));
  }

  append(lines: readonly LogLine[], now: number): void {
    if (lines.length === 0) return;
    makePrivateDirectory(this.#folder);
    if (!existsSync(join(this.#folder, "manifest.json"))) this.#write(this.#manifest());
    if (this.#isFull(now)) this.#rotate();
    appendLines(
      this.#active(),
      lines.map((line) => JSON.stringify(line)),
    );
    for (const line of lines) this.#count(line);
  }

  #isFull(now: number): boolean {
    const { count, tokens, start } = this.#filling;
    if (count === 0) return false;
    return count >= POLICY.max_entries || tokens >= POLICY.max_tokens || now / 1000 - start > POLICY.max_age_seconds;
  }

  /**
   * Archives the active part by renaming its file. Other processes open the active file by name for each append, so
   * their lines go to the old file or the new one.
   */
  #rotate(): void {
    const taken = acquireLock(join(this.#folder, "manifest.json"));
    if (taken.state !== "locked") return;
    try {
      const { count, tokens, start, end } = this.#filling;
      const file = `partitions/${start}-${end}.jsonl`;
      const target = join(this.#folder, file);
      if (existsSync(target) || !existsSync(this.#active())) return;
      makePrivateDirectory(join(this.#folder, "partitions"));
      renameSync(this.#active(), target);
      const part: Part = { file, start_ts: start, end_ts: end, entry_count: count, token_count: tokens };
      const manifest = this.#manifest();
      this.#write({ ...manifest, active_partition: ACTIVE, partitions: [...manifest.partitions, part] });
      Object.assign(this.#filling, { count: 0, tokens: 0, start: 0, end: 0 });
    } finally {
      taken.lock.release();
    }
  }

  #active(): string {
    return join(this.#folder, this.#manifest().active_partition);
  }

  #manifest(): Manifest {
    const read = parsed(readText(join(this.#folder, "manifest.json")));
    const { active_partition: active, partitions } = read;
    return {
      version: 1,
      rotation_policy: POLICY,
      ...read,
      // Any other name could lead out of the folder.
      active_partition: typeof active === "string" && /^[\w.-]+\.jsonl$/.test(active) ? active : ACTIVE,
      partitions: Array.isArray(partitions) ? partitions : [],
    } as Manifest;
  }

  #write(manifest: Manifest): void {
    replaceText(join(this.#folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  }

  #count({ timestamp, content }: { readonly timestamp?: unknown; readonly content?: unknown }): void {
    if (typeof timestamp !== "number" || typeof content !== "string") return;
    const filling = this.#filling;
    if (filling.count === 0) filling.start = timestamp;
    filling.end = timestamp;
    filling.count += 1;
    filling.tokens += Math.ceil(Buffer.byteLength(content) / TOKEN_BYTES);
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
