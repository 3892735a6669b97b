import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { HOSTS } from "../../src/hosts.ts";
import { givenHooks } from "./given-hooks.ts";
import { hooksOf } from "./host-hooks.ts";
import { hasRecordings, type RecordedCall, type Recording, recordingsOf, wholeCalls } from "./recordings.ts";

const given = await givenHooks(tmpdir());
afterAll(() => given.close());

/** Written anew with `HOOKLINE_GOLDEN=write`; then every line is to be read against the host's rules again. */
const isWriting = process.env["HOOKLINE_GOLDEN"] === "write";

/** Claude Code itself was never recorded; Copilot CLI runs the entries of its files, with its payloads. */
function ofHost(name: string): readonly Recording[] {
  return name === "claude"
    ? recordingsOf("copilot").filter((one) => one.name.startsWith("claude-trusted"))
    : recordingsOf(name);
}

/** Known from public documentation only. */
const NEVER_RECORDED = ["cursor"];

describe.skipIf(!hasRecordings)("recorded calls, answered", () => {
  for (const [name, load] of Object.entries(HOSTS).filter(([name]) => !NEVER_RECORDED.includes(name)))
    it(`each call of ${name} gets the answer that the host obeys`, async () => {
      const host = await load();
      const recorded = ofHost(name);
      const calls = wholeCalls(recorded, ({ id, event, stdin }: RecordedCall) =>
        [stdin["hook_event_name"], event, id].find((event): event is string =>
          Object.hasOwn(host.events, String(event)),
        ),
      );
      expect(calls.length).toBeGreaterThan(0);
      const answers: Record<string, [string, unknown][]> = {};
      let hooks = hooksOf(given.session);
      let last = "";
      for (const { recording, event: called, payload } of calls) {
        // Each recording is a session of its own.
        if (recording !== last) hooks = hooksOf(given.session);
        last = recording;
        const event = host.events[called];
        const call = event?.read(payload, {});
        const answer = call === undefined ? "ignored" : await event?.ask(call, hooks);
        (answers[recording] ??= []).push([called, shown(answer)]);
      }
      const path = join(import.meta.dirname, "golden", `${name}.json`);
      const told = answered(answers);
      if (isWriting || !existsSync(path)) writeFileSync(path, `${JSON.stringify(told, null, 2)}\n`);
      expect(told).toEqual(JSON.parse(readFileSync(path, "utf8")));
    });
});

/** An answer as it stands in the golden file: its JSON where that is all that it is. */
function shown(answer: unknown): unknown {
  if (typeof answer === "string" || answer === undefined) return answer;
  const { exit, stdout, stderr } = answer as { exit: number; stdout: string; stderr: string };
  if (exit !== 0 || stderr !== "") return { exit, stdout, stderr };
  return stdout === "" ? "" : (JSON.parse(stdout) as unknown);
}

/** The answers by recording, without the events that never have one. */
function answered(answers: Readonly<Record<string, readonly (readonly [string, unknown])[]>>): object {
  const all = Object.values(answers).flat();
  const speaking = new Set(all.flatMap(([event, answer]) => (answer === "" ? [] : [event])));
  const silent = [...new Set(all.map(([event]) => event))].filter((event) => !speaking.has(event));
  const kept = Object.entries(answers).map(([recording, calls]) => [
    recording,
    calls.filter(([event]) => speaking.has(event)),
  ]);
  return { silent: silent.sort(), answers: Object.fromEntries(kept) };
}
