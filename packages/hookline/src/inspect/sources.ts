import type { Source } from "./api.ts";
import type { Reading } from "./reading.ts";
import type { ReplayFile } from "./replay-file.ts";

/** A source with what can be read of it. */
export interface Opened {
  /** As of now: whether somebody writes it, how large it is. */
  source(): Source;
  /** Absent for the result of a replay. */
  readonly reading?: Reading;
  readonly replay?: ReplayFile;
  /** The source that the terminal has gone on with, where it has left this one. */
  goneOn?(): string | undefined;
}

/** Where the API gets sources from: a server's own list, or the one that an export holds. */
export interface SourceList {
  /** Newest first. */
  list(): Promise<readonly Source[]>;
  /** The one to open at once. */
  readonly open?: string | undefined;
  /** Opens a source by its id; nothing where there is none of that id. */
  find(id: string): Promise<Opened | undefined>;
  readonly isExport?: boolean;
}
