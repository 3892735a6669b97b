import { closeSync, openSync, writeSync } from "node:fs";
import { messageOf } from "@hookline/runtime/internal";
import type { Judgement, ReplayResult } from "@hookline/runtime/replay";
import { plainJson } from "../../io/plain-json.ts";
import { wrongFlag } from "./wrong-flag.ts";

/** A file of results: a header line, a line for each judged moment, and finally the whole result. */
export interface OutFile {
  write(judgement: Judgement): void;
  end(result: ReplayResult): void;
}

/** Opens the file with access for its owner only; throws if it cannot be written. */
export function openOut(path: string): OutFile {
  let fd: number;
  try {
    fd = openSync(path, "w", 0o600);
  } catch (thrown) {
    throw wrongFlag(
      "--out",
      `cannot be written: ${messageOf(thrown)}`,
      "Name a file in a folder that you may write to.",
    );
  }
  const put = (line: object): void => {
    const bytes = Buffer.from(`${JSON.stringify(plainJson(line))}\n`);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  };
  put({ v: 1, kind: "replay" });
  return {
    write({ judged, before, after }) {
      put({
        ...judged,
        hooks: { before: before.hooks, after: after.hooks },
        edits: { before: before.edits, after: after.edits },
      });
    },
    end(result) {
      put({ v: 1, end: true, result });
      closeSync(fd);
    },
  };
}
