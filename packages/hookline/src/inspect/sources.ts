import type { InspectedSource } from "./api.ts";
import type { Reading } from "./reading.ts";
import type { ReplayFile } from "./replay-file.ts";

/** A source that has been opened: a file with moments, or the result of a replay. */
export interface Opened {
  /** Returns the source's current state, such as its size and whether it is being written. */
  source(): InspectedSource;
  /** The source's moments and their index; absent if the source is the result of a replay. */
  readonly reading?: Reading;
  readonly replay?: ReplayFile;
  /** Returns the id of the source with the session to which the terminal switched after this one. */
  goneOn?(): string | undefined;
}

/** The sources of the API: a server's list, or the one source of an export. */
export interface SourceList {
  /** Lists the sources, newest first. */
  list(): Promise<readonly InspectedSource[]>;
  /** The name of the fleet whose stream contains these sources. */
  readonly fleet?: string | undefined;
  /** The id of the source to open first. */
  readonly open?: string | undefined;
  /** Opens a source by its id; undefined if there is none. */
  find(id: string): Promise<Opened | undefined>;
  readonly isExport?: boolean;
}
