import { createHash } from "node:crypto";
import { appendLines, replaceText } from "@hookline/ground/system";
import { entryMessages } from "../session/context.ts";
import type { SessionEntry } from "../session/entry.ts";
import type { SessionManager } from "../session/session.ts";
import type { ContextPaths } from "./home.ts";
import { type LogLine, type LogPlace, messageLines, type Speakers, systemLine } from "./log-line.ts";
import { Partitions } from "./partitions.ts";

/** A context with its session, as `ContextLog` writes them. */
export interface Logged {
  readonly paths: ContextPaths;
  readonly store: SessionManager;
  readonly speakers: Speakers;
  /** The context's own text for the beginning of the system prompt. */
  readonly opening: string | undefined;
}

/** The last write of `context.jsonl`. Entries that continue from it are appended; others cause a new file. */
interface Window {
  readonly file: string;
  readonly opening: string | undefined;
  readonly leaf: string;
}

/**
 * Writes the conversation of a context into its folder, for plugins; hookline never reads these files.
 *
 * `transcript/` gets the whole conversation. `context.jsonl` gets only what the model is sent, after a line that marks
 * the start or the last compaction (the anchor). Both are written after the session file. Entries that were in the
 * session when it was opened are skipped: the process that made them has written them. Source: spec/chibi.md 3.
 */
export class ContextLog {
  readonly #now: () => number;
  /** Session entries that have been written to the context's folder. */
  readonly #done = new WeakSet<SessionEntry>();
  readonly #transcripts = new Map<string, Partitions>();
  #window: Window | undefined;
  #prompt: string | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Writes the session's entries that were added since the last call. Throws file system errors. */
  follow(logged: Logged): void {
    const fresh = this.#fresh(logged.store);
    if (fresh.length === 0) return;
    this.#extendTranscript(fresh, logged);
    this.#extendWindow(fresh, logged);
    for (const entry of fresh) this.#done.add(entry);
  }

  #fresh(store: SessionManager): SessionEntry[] {
    const fresh: SessionEntry[] = [];
    let entry = store.getLeafEntry();
    while (entry !== undefined && store.isAdded(entry) && !this.#done.has(entry)) {
      fresh.push(entry);
      entry = entry.parentId === null ? undefined : store.getEntry(entry.parentId);
    }
    return fresh.reverse();
  }

  #extendTranscript(fresh: readonly SessionEntry[], { paths, store, speakers, opening }: Logged): void {
    const { logFolder } = paths;
    const transcript = this.#transcripts.get(logFolder) ?? new Partitions(logFolder);
    this.#transcripts.set(logFolder, transcript);
    const lines: LogLine[] = [];
    for (const entry of fresh) {
      const place = placeOf(entry, store);
      if (entry.parentId === null) lines.push(rootAnchor(entry, store, speakers));
      if (entry.type === "compaction") lines.push(compactionAnchor(place, speakers, entry.summary));
      else for (const message of entryMessages(entry)) lines.push(...messageLines(message, speakers, place));
    }
    const prompt = opening === undefined ? undefined : `${logFolder} ${hash(opening)}`;
    if (opening !== undefined && prompt !== this.#prompt && fresh[0] !== undefined) {
      const place = placeOf(fresh[0], store);
      const metadata = { hash: hash(opening) };
      lines.splice(
        fresh[0].parentId === null ? 1 : 0,
        0,
        systemLine(place, speakers.context, "system_prompt_changed", opening, metadata),
      );
    }
    this.#prompt = prompt;
    transcript.append(lines, this.#now());
  }

  #extendWindow(fresh: readonly SessionEntry[], logged: Logged): void {
    const { paths, store, speakers, opening } = logged;
    const file = paths.window;
    const last = fresh.at(-1) as SessionEntry;
    const known = this.#window;
    const goesOn =
      known?.file === file && known.opening === opening && known.leaf === fresh[0]?.parentId && fresh.every(onlyAdds);
    if (goesOn) {
      const lines = fresh.flatMap((entry) =>
        entryMessages(entry).flatMap((message) => messageLines(message, speakers, placeOf(entry, store))),
      );
      appendLines(
        file,
        lines.map((line) => JSON.stringify(line)),
      );
    } else
      replaceText(
        file,
        windowLines(logged)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(""),
      );
    this.#window = { file, opening, leaf: last.id };
  }
}

/** Whether `context.jsonl` can be extended by an entry; after any other entry, it must be written anew. */
function onlyAdds({ type }: SessionEntry): boolean {
  return type !== "compaction" && type !== "context_edit";
}

/** Makes the lines of `context.jsonl`: the anchor that marks its start, the context's system prompt, the messages. */
function windowLines({ store, speakers, opening }: Logged): LogLine[] {
  const { entries } = store.buildSessionProjection();
  const [head] = entries;
  if (head === undefined) return [];
  const first = head.sourceEntry;
  const anchor =
    first.type === "compaction"
      ? compactionAnchor(placeOf(first, store), speakers, first.summary)
      : rootAnchor(first, store, speakers);
  const lines: LogLine[] = [{ ...anchor, metadata: { ...anchor.metadata, transcript_anchor_id: anchor.id } }];
  if (opening !== undefined) {
    const metadata = { hash: hash(opening) };
    lines.push(systemLine(placeOf(first, store), speakers.context, "system_prompt", opening, metadata));
  }
  for (const { sourceEntry, messages } of entries)
    for (const message of messages) lines.push(...messageLines(message, speakers, placeOf(sourceEntry, store)));
  return lines;
}

/** Makes the first line of a conversation, which says whether the session starts or the context was cleared. */
function rootAnchor(root: SessionEntry, store: SessionManager, { context }: Speakers): LogLine {
  const place = placeOf(root, store);
  return store.getEntries()[0]?.id === root.id
    ? systemLine(place, context, "context_created", "Context created")
    : systemLine(place, context, "archival", "Context archived/cleared");
}

function compactionAnchor(place: LogPlace, { context }: Speakers, summary: string): LogLine {
  return systemLine(place, context, "compaction", "Context compacted", { summary });
}

function placeOf({ id, timestamp }: SessionEntry, store: SessionManager): LogPlace {
  return { session: store.getSessionId(), entry: id, timestamp: Math.floor(Date.parse(timestamp) / 1000) };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
