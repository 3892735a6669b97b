import { expect, it } from "vitest";
import type { NativeAnswer } from "../../../bridge/src/client/native-answer.ts";
import { hasRecordings, type Recording, recordingsOf } from "./recordings.ts";

/** A recorded answer that we write character by character, and what came of it. */
export type Obeyed<Words> = readonly [recording: string, event: string, words: Words, showed: Showed];

/** The result of a recorded run. */
export interface Showed {
  /** Texts that the model was sent, and texts that it was not. */
  readonly model?: RegExp;
  readonly not?: RegExp;
  readonly requests?: number;
  readonly exit?: number;
  readonly stdout?: RegExp;
  /** How often the hooks were run. */
  readonly calls?: number;
}

/** The recordings of a host, by name. */
export function named(host: string): ReadonlyMap<string, Recording> {
  return new Map((hasRecordings ? recordingsOf(host) : []).map((one) => [one.name, one]));
}

/** Tests that our words are those that a host was recorded to obey. */
export function testObeyed<Words>(
  host: string,
  rows: readonly Obeyed<Words>[],
  inWords: (event: string, words: Words) => NativeAnswer,
): void {
  const all = named(host);
  it.each(rows)("%s: our words on %s are those that it obeyed", (name, event, words, showed) => {
    const answers = Object.values(all.get(name)?.hookAnswers ?? {}).map(({ stdout }) => textOf(stdout));
    expect(answers).toContainEqual(textOf(inWords(event, words).stdout));
    check(all.get(name) as Recording, showed);
  });
}

/** Tests what a host made of answers that are never written. */
export function testIgnored(host: string, rows: readonly (readonly [recording: string, showed: Showed])[]): void {
  const all = named(host);
  it.each(rows)("%s: what came of it", (name, showed) => check(all.get(name) as Recording, showed));
}

/** An answer as lines of JSON, whatever the recording keeps it as. */
function textOf(stdout: unknown): unknown[] {
  const lines = typeof stdout === "string" ? stdout.split("\n").filter((line) => line !== "") : [stdout];
  return lines.map((line) => {
    try {
      return typeof line === "string" ? JSON.parse(line) : line;
    } catch {
      return line;
    }
  });
}

function check(recording: Recording, { model, not, requests, exit, stdout, calls }: Showed): void {
  const { modelRequests = [], hookCalls = [] } = recording;
  const sent = JSON.stringify(modelRequests);
  if (model !== undefined) expect(sent).toMatch(model);
  if (not !== undefined) expect(sent).not.toMatch(not);
  if (requests !== undefined) expect(modelRequests).toHaveLength(requests);
  if (exit !== undefined) expect(recording.exit).toBe(exit);
  if (stdout !== undefined) expect(recording.stdout).toMatch(stdout);
  if (calls !== undefined) expect(hookCalls).toHaveLength(calls);
}
