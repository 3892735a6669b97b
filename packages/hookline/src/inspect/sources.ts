import type { InspectedSource } from "./api.ts";
import type { Reading } from "./reading.ts";
import type { ReplayFile } from "./replay-file.ts";

/** A source with what can be read of it. */
export interface Opened {
  /** The source at this time: whether it is being written, how large it is. */
  source(): InspectedSource;
  /** Absent for the result of a replay. */
  readonly reading?: Reading;
  readonly replay?: ReplayFile;
  /** The source with which the terminal went on when it left this one. */
  goneOn?(): string | undefined;
}

/** Where the API gets its sources: a server's own list, or the one source of an export. */
export interface SourceList {
  /** Newest first. */
  list(): Promise<readonly InspectedSource[]>;
  /** The fleet whose stream they are of. */
  readonly fleet?: string | undefined;
  /** The one to open immediately. */
  readonly open?: string | undefined;
  /** Opens a source by its id; undefined if there is none. */
  find(id: string): Promise<Opened | undefined>;
  readonly isExport?: boolean;
}
