import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { showSession } from "../../src/cli/sessions.ts";
import { readArguments } from "../../src/start/args.ts";
import { Sitting } from "../support/sitting.ts";
import { LARGE } from "../support/terminal.ts";

const ONCE = (answer: object): string => `stop:
  - command: |
      cat > /dev/null; [ -e $HOME/once ] && echo "{}" || { touch $HOME/once; echo '${JSON.stringify(answer)}'; }
`;

const SENDER = `let sent = false;
export default function (pi) {
  pi.on("agent_end", () => {
    if (sent) return;
    sent = true;
    pi.sendUserMessage("And what of the docs?");
  });
}
`;

/** The only session of a home. */
function sessionIn(home: string): { readonly path: string; readonly text: string } {
  const folder = join(home, ".hookline/sessions");
  const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((one) => one.endsWith(".jsonl")) ?? "";
  return { path: join(folder, name), text: readFileSync(join(folder, name), "utf8") };
}

test("a hook's feedback is under the hook's name, in the chat, in /hooks, in `sessions show` and when the session is continued", async () => {
  const feedback = "Run the tests before you stop.";
  let session = "";
  {
    await using sitting = await Sitting.start({
      size: LARGE,
      files: { ".jcli/hooks.yaml": ONCE({ retry_feedback: feedback }) },
      args: ["--trust-project"],
      replies: [{ text: "Done." }, { text: "Now it is tested." }],
    });
    const { terminal } = sitting;
    sitting.say("work");
    expect(await terminal.until("Now it is tested.")).toMatch(/From the hook \.jcli\/hooks\.yaml:2:\s+Run the tests/);
    // Text that the person has typed is not attributed to a hook.
    expect(terminal.text().match(/From the hook/g)).toHaveLength(1);
    terminal.press("up");
    expect(
      await terminal.until((screen) => /^\s*work\s*$/m.test(screen.slice(screen.indexOf("tested.")))),
    ).toBeTruthy();
    terminal.press("ctrl+c");
    sitting.say("/hooks");
    await terminal.until("[Loaded]");
    terminal.press("tab");
    await terminal.until(`hooks.yaml:2 sent the model back: ${feedback.slice(0, 10)}`);
    terminal.press("escape");
    await terminal.until(/script\/script/);
    await sitting.leave();
    const { path, text } = sessionIn(sitting.home);
    session = text;
    let out = "";
    const io = { env: { HOME: sitting.home }, cwd: sitting.project, out: (said: string) => void (out += said) };
    await showSession(readArguments([path]), { ...io, err: io.out } as never);
    expect(out).toContain(`## user\n\nwork\n`);
    expect(out).toMatch(/## hook \S*\.jcli\/hooks\.yaml:2\n\nRun the tests before you stop\.\n/);
  }
  await using again = await Sitting.start({ files: { "~/s.jsonl": session }, session: "s.jsonl" });
  expect(await again.terminal.until("Now it is tested.")).toMatch(/From the hook \S*hooks\.yaml:2:\s+Run the tests/);
  again.terminal.press("up");
  expect(await again.terminal.until(/tested\.[\s\S]*\bwork\b/)).not.toMatch(/tested\.[\s\S]*Run the tests/);
});

test("what an extension sends in the person's place is shown under its name", async () => {
  await using sitting = await Sitting.start({
    files: { ".pi/extensions/docs.ts": SENDER },
    args: ["--trust-project"],
    replies: [{ text: "Done." }, { text: "They are written." }],
  });
  sitting.say("work");
  const shown = await sitting.terminal.until("They are written.");
  expect(shown).toMatch(/From the hook \.pi\/extensions\/docs\.ts:\s+And what of the docs\?/);
});
