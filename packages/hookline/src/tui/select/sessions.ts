import { basename } from "node:path";
import type { SessionInfo } from "../../session/list.ts";
import { Choice, isKey } from "./choice.ts";
import { Deck } from "./deck.ts";
import { ago } from "./line.ts";
import type { Row } from "./list.ts";
import type { Dialog, Screen } from "./screen.ts";

/** A session in the list of sessions to resume. */
export type ListedSession = Omit<SessionInfo, "allMessagesText" | "created"> & { readonly allMessagesText?: string };

/** The source of sessions to resume. */
export interface SessionSource {
  /** The file of the open session. */
  readonly current: string | undefined;
  now(): number;
  /** Reads the sessions of this folder, or of all folders. */
  list(
    scope: "folder" | "all",
    options: { readonly onProgress: (done: number, total: number) => void; readonly signal: AbortSignal },
  ): Promise<readonly ListedSession[]>;
}

/** Lets the person choose a session to resume; returns its file. */
export function chooseSession(source: SessionSource): Dialog<string> {
  return (screen, done) => new SessionDialog(screen, source, done);
}

class SessionDialog extends Deck {
  readonly #screen: Screen;
  readonly #source: SessionSource;
  readonly #choice: Choice<string>;
  readonly #read = new Map<
    string,
    { readonly sessions: readonly ListedSession[]; readonly rows: readonly Row<string>[] }
  >();
  #scope: "folder" | "all" = "folder";
  #status = "";
  /** The words of the current full-text search; undefined while names are searched. */
  #said: string | undefined;
  #reading = new AbortController();

  constructor(screen: Screen, source: SessionSource, done: (path?: string) => void) {
    super();
    this.#screen = screen;
    this.#source = source;
    this.#choice = new Choice<string>(
      screen,
      {
        title: "Resume a session",
        rows: [],
        empty: "There is no session.",
        does: "open",
        hints: [
          ["tab", "this folder or all"],
          ["ctrl+f", "search what was said"],
        ],
        remark: () => this.#remark(),
        onMove: () => this.#leaveFinds(),
        onKey: (data) => {
          if (isKey(data, "ctrl+f")) void this.#search();
          else if (isKey(data, "tab")) {
            this.#scope = this.#scope === "folder" ? "all" : "folder";
            void this.#load();
          } else return false;
          return true;
        },
      },
      done,
    );
    this.show(this.#choice);
    void this.#load();
  }

  dispose(): void {
    this.#reading.abort();
  }

  #remark(): string {
    if (this.#status !== "") return this.#status;
    const count = this.#read.get(this.#scope)?.rows.length ?? 0;
    return `${count} in ${this.#scope === "folder" ? "this folder" : "all folders"}`;
  }

  async #load(): Promise<void> {
    this.#reading.abort();
    const reading = new AbortController();
    this.#reading = reading;
    const { signal } = reading;
    const scope = this.#scope;
    const known = this.#read.get(scope);
    this.#status = known === undefined ? "reading…" : "";
    this.#said = undefined;
    this.#choice.list.setRows(known?.rows ?? []);
    if (known !== undefined) return;
    try {
      const onProgress = (done: number, total: number): void => {
        if (signal.aborted) return;
        this.#status = `reading ${done} of ${total}`;
        if (done % 100 === 0) this.#screen.requestRender();
      };
      const sessions = await this.#source.list(scope, { onProgress, signal });
      if (signal.aborted) return;
      const rows = sessions.map((session) => this.#row(session, scope));
      this.#read.set(scope, { sessions, rows });
      this.#status = "";
      this.#choice.list.setRows(rows, (path) => path === this.#source.current);
    } catch (thrown) {
      if (signal.aborted) return;
      this.#status = thrown instanceof Error ? `not readable: ${thrown.message}` : "not readable";
    }
    this.#screen.requestRender();
  }

  /** Searches all messages for the typed words, one session at a time, so that keys are handled in between. */
  async #search(): Promise<void> {
    const { list } = this.#choice;
    const { query } = list;
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const known = this.#read.get(this.#scope);
    if (known === undefined || words.length === 0) {
      this.#status = known === undefined ? this.#status : "type what to look for first";
      return;
    }
    this.#reading.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.#said = query;
    const found: Row<string>[] = [];
    for (const [at, session] of known.sessions.entries()) {
      const text = (session.allMessagesText ?? "").toLowerCase();
      const row = known.rows[at];
      if (row !== undefined && words.every((word) => text.includes(word)))
        found.push({ ...row, search: `${row.search ?? ""} ${query}` });
      this.#status = `looked into ${at + 1} of ${known.sessions.length}`;
      if (at % 50 === 49) this.#screen.requestRender();
      await new Promise(setImmediate);
      if (reading.signal.aborted) return;
    }
    this.#status = `${found.length === 1 ? "1 session" : `${found.length} sessions`} in which it was said`;
    list.setRows(found);
    this.#screen.requestRender();
  }

  /** Ends a full-text search when the person types other words: from then on, names are searched again. */
  #leaveFinds(): void {
    if (this.#said === undefined || this.#said === this.#choice.list.query) return;
    this.#reading.abort();
    this.#said = undefined;
    this.#status = "";
    this.#choice.list.setRows(this.#read.get(this.#scope)?.rows ?? []);
  }

  #row({ path, id, cwd, name, modified, messageCount, firstMessage }: ListedSession, scope: string): Row<string> {
    const facts = [
      scope === "all" && cwd !== "" ? basename(cwd) : "",
      messageCount === 1 ? "1 message" : `${messageCount} messages`,
      ago(modified.getTime(), this.#source.now()),
    ];
    return {
      value: path,
      text: name ?? firstMessage,
      note: facts.filter(Boolean).join(" · "),
      search: `${firstMessage} ${id} ${cwd}`,
      isCurrent: path === this.#source.current,
      ...(name !== undefined && { colour: "warning" }),
    };
  }
}
