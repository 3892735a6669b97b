import { loadReader } from "@hookline/runtime/command";
import { type Guard, guard } from "@hookline/runtime/guard";
import { openSecrets } from "../secrets/project.ts";
import { type GuardSession, settingsIn } from "../session.ts";
import type { SettingsOf } from "../settings.ts";
import { readOnly } from "../undo/read-only.ts";
import { runCheck } from "./check.ts";
import { Verifier } from "./verifier.ts";

/** Tools that change files. Tools that run a command are recognised by the command. */
const CHANGES = /write|edit|patch|replace|insert|create|delete|move|rename/i;

/**
 * Makes the guards that send the model back while its changes make a check of the project fail. They listen to
 * `prompt.before`, `tool.before` and `agent.stop`, whose answer is `feedback` for the model. Only the commands in `run`
 * are started, in that order, since a project's checks are its own code; if there are none, the person is told which
 * checks were found. `given` overrides the settings of `session`. Throws an `Error` that names the setting for a wrong
 * value.
 */
export function verify(given: Partial<SettingsOf<"verify">> = {}, session: GuardSession = {}): readonly Guard[] {
  const settings = settingsIn("verify", given, session);
  const root = session.project ?? session.cwd ?? process.cwd();
  const own = settingsIn("secrets", {}, session);
  const waiting: string[] = [];
  let tell = (text: string): void => void waiting.push(text);
  const timeoutMs = settings.timeout * 1000;
  const verifier = new Verifier({
    root,
    settings,
    run: (check, signal) => runCheck(check, root, timeoutMs, signal),
    redact: async (text) => (await openSecrets(own, root)).secrets.redact(text).text,
    tell: (text) => tell(text),
  });
  const hears = (call: { notice(text: string): void }): void => {
    tell = (text) => call.notice(text);
    for (const text of waiting.splice(0)) tell(text);
  };
  // Each check may take its whole timeout, and git some more time.
  const whole = { timeoutMs: settings.run.length * timeoutMs + 60_000 };
  return [
    guard({ name: "verify: prompt", on: "prompt.before", run: () => verifier.prompt() }),
    guard({
      name: "verify: before the first change",
      on: "tool.before",
      ...whole,
      async run({ tool, args }, call) {
        hears(call);
        const { command } = args;
        const isChange = typeof command === "string" ? !readOnly(command, await loadReader()) : CHANGES.test(tool);
        if (isChange) await verifier.change(call.signal);
      },
    }),
    guard({
      name: "verify: stop",
      on: "agent.stop",
      ...whole,
      async run(_, call) {
        hears(call);
        const feedback = await verifier.stop(call.signal);
        return feedback === undefined ? undefined : { feedback };
      },
    }),
  ];
}
