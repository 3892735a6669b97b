import { Answers } from "./answer.ts";
import type { ApiError, ExportedApi, InspectedSource } from "./api.ts";
import { BadRequest } from "./bad-request.ts";
import { type ParsedLine, RecordingFile } from "./moment-file.ts";
import { type Breathe, Reading } from "./reading.ts";
import type { Opened, SourceList } from "./sources.ts";

/** The id of the HTML element that holds the data in the page of an export. */
export const DATA_ID = "hookline-data";

/** The data that the page of an export contains: its source and the lines of the recording. */
export interface ExportedData {
  readonly v: 1;
  readonly hookline: string;
  readonly source: InspectedSource;
  /** The lines of a recording. */
  readonly text: string;
}

/** Answers requests as a server does, from the data of an export. Runs in the page. */
export function exportedApi({ hookline, source, text }: ExportedData, breathe: Breathe): ExportedApi {
  const all = new TextEncoder().encode(text);
  const bytes = {
    read(into: Uint8Array, from: number): number {
      const part = all.subarray(Math.min(from, all.length), Math.min(from + into.length, all.length));
      into.set(part);
      return part.length;
    },
  };
  const shown: InspectedSource = { ...source, bytes: all.length, live: false };
  const file = new WithoutLines(bytes, "the export");
  const opened: Opened = { source: () => shown, reading: new Reading(file, bytes, breathe) };
  const list: SourceList = {
    isExport: true,
    open: source.id,
    list: async () => [shown],
    find: async (id) => (id === source.id ? opened : undefined),
  };
  const answers = new Answers(list, { hookline, breathe });
  return {
    async answer(path) {
      const [address = "", query = ""] = path.split("?", 2);
      try {
        return await answers.answer(address, new URLSearchParams(query));
      } catch (thrown) {
        const { code, message } = thrown instanceof BadRequest ? thrown : { code: "failed", message: String(thrown) };
        throw { error: { code, message } } satisfies ApiError;
      }
    },
  };
}

/** A file of moments without line numbers: the lines of an export are not those of the original file. */
class WithoutLines extends RecordingFile {
  override *lines(): Generator<ParsedLine, void> {
    for (const passed of super.lines()) yield passed.kind === "moment" ? { ...passed, line: 0 } : passed;
  }
}
