import type { Collected, followDecisions, Heard, leftOutText } from "@hookline/fleet";
import { messageOf } from "@hookline/ground";
import { wrong } from "./place-files.ts";
import { type FoundFile, recogniseFile } from "./recognise.ts";

/** The parameters for following a fleet's stream. */
export interface FollowedFleet {
  /** The functions that read the stream. */
  readonly code: { readonly followDecisions: typeof followDecisions; readonly leftOutText: typeof leftOutText };
  readonly auditor: Parameters<typeof followDecisions>[0];
  /** The only machine whose decisions are read. Default: all machines. */
  readonly machine?: string | undefined;
  /** Stops following the stream. */
  readonly signal: AbortSignal;
  /** Shows a line to the person. */
  tell(line: string): void;
}

/** The recordings that a fleet's machines have sent, as files for the inspector; more come as the stream grows. */
export class FleetFiles {
  readonly #known = new Map<string, FoundFile>();
  #recordings: readonly Collected[] = [];
  #following: Promise<void> = Promise.resolve();

  /**
   * Reads the whole stream, then follows it until the signal is aborted. Rejects if the server cannot be reached at
   * first; later, waits for it.
   */
  static async open(fleet: FollowedFleet): Promise<FleetFiles> {
    const files = new FleetFiles();
    const heard = fleet.code.followDecisions(fleet.auditor, fleet);
    const first = await heard.next();
    if (first.done !== true) files.#take(first.value, fleet);
    files.#following = files.#follow(heard, fleet);
    return files;
  }

  /** Lists the files that exist now. */
  find(): FoundFile[] {
    return this.#recordings.map((recording) => ({ ...this.#fileOf(recording), changed: recording.to }));
  }

  /**
   * Returns the newest recording of the session whose id begins with a word. Throws if no session, or more than one,
   * has such an id.
   */
  named(word: string): FoundFile {
    const [newest, ...older] = this.find()
      .filter(({ id }) => id.startsWith(word))
      .sort((a, b) => (b.changed ?? 0) - (a.changed ?? 0));
    if (newest === undefined)
      throw wrong(
        word,
        "is not the beginning of a session's id in the fleet's stream",
        "`hookline inspect --fleet` without a name lists all sessions.",
      );
    const { size } = new Set([newest, ...older].map(({ id }) => id));
    if (size > 1) throw wrong(word, `begins ${size} sessions' ids`, "Write more of the id.");
    return newest;
  }

  /** Resolves when the stream is no longer followed, because of the signal or an error; its files are then removed. */
  async closed(): Promise<void> {
    await this.#following;
  }

  async #follow(heard: AsyncGenerator<Heard, void>, fleet: FollowedFleet): Promise<void> {
    try {
      for await (const round of heard) this.#take(round, fleet);
    } catch (thrown) {
      // The reader of the stream has removed its files.
      this.#recordings = [];
      fleet.tell(`The fleet's stream cannot be read any more: ${messageOf(thrown)}. Start hookline inspect again.`);
    }
  }

  #take({ recordings, faults, problems }: Heard, { code, tell }: FollowedFleet): void {
    this.#recordings = recordings;
    for (const problem of problems) tell(`The fleet: ${problem}.`);
    if (faults.length > 0) tell(code.leftOutText(faults));
  }

  #fileOf({ path, machine, writer }: Collected): FoundFile {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    // Without its first batch, which the fleet may have deleted, a recording has no header and is not recognised.
    const found = recogniseFile(path) ?? ({ path, kind: "recording", id: writer } as const);
    // The session's own file is on the machine that sent the recording, so it is left out.
    const { sessionFile: _there, ...here } = found;
    const file: FoundFile = { ...here, machine };
    this.#known.set(path, file);
    return file;
  }
}
