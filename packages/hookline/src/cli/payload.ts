import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, parseJson } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { HooklineError } from "@hookline/runtime";
import { type Arguments, textFlag } from "../start/args.ts";

/**
 * Reads the event from the file of `--payload`, or from stdin if that is `-`; `undefined` without the flag. Throws if
 * it is not a JSON object.
 */
export async function readPayload(args: Arguments, io: Io): Promise<object | undefined> {
  const flag = textFlag(args, "payload");
  if (flag === undefined) return undefined;
  const path = flag === "-" ? "stdin" : resolve(io.cwd, flag);
  let text: string | Uint8Array;
  try {
    text =
      flag === "-"
        ? await io.readStdin({ isOptional: false, tell: (line) => io.err(`${line}\n`) })
        : readFileSync(path);
  } catch (thrown) {
    throw wrong(path, `could not be read: ${messageOf(thrown)}`, "Give the path of a file with the event as JSON.");
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (thrown) {
    throw wrong(
      path,
      `is not valid JSON: ${messageOf(thrown)}`,
      "Correct it; `hookline schema EVENT` prints its JSON Schema.",
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(path, "is not a JSON object", "Give the event as an object, as `hookline schema EVENT` shows it.");
  return value;
}

function wrong(path: string, problem: string, remedy: string): HooklineError {
  return new HooklineError("INVALID_OPTION", { option: `The payload ${path}`, problem, remedy });
}
