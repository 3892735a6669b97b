import { Desk } from "../authors/desk.ts";

const GUARD = `export default function (pi) {
  pi.on("tool_call", async (event) => {
    if (event.toolName === "bash" && event.input.command.includes("rm ")) return { block: true, reason: "no rm here" };
    if (event.toolName === "bash") event.input.command = event.input.command + " -a";
  });
}
`;
const NOTES = `export default function (pi) {
  pi.on("tool_call", async () => {});
  pi.on("tool_result", async () => { throw new Error("the notes are full"); });
}
`;

/** An entry of j-cli's that needs consent. */
export const JCLI_HOOKS = `pre_send_message:
  - command: 'echo "{}"'
    label: greet
`;

/** A model that wants to remove a file, then lists them, then is done. */
export const GUARDED_REPLIES = `  - toolCalls: [{ name: bash, arguments: { command: "rm x" } }]
  - toolCalls: [{ name: bash, arguments: { command: "ls" } }]
  - text: "Done."
    repeat: true
`;

/** A project with an unapproved j-cli file; in the home folder a guard, a hook that fails and one that is broken. */
export function guardedProject(): Desk {
  const desk = new Desk();
  desk.write("~/.pi/agent/extensions/guard.ts", GUARD);
  desk.write("~/.pi/agent/extensions/notes.ts", NOTES);
  desk.write("~/.pi/agent/extensions/torn.ts", "export default function (");
  desk.write(".jcli/hooks.yaml", JCLI_HOOKS);
  return desk;
}
