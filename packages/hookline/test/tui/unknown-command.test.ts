import { expect, test } from "vitest";
import { Sitting } from "../support/sitting.ts";

const COMMANDS = `export default function (pi) {
  pi.registerCommand("deploy", { handler: async (args, ctx) => ctx.ui.notify("deploying " + args) });
  pi.on("input", ({ text }) => {
    if (text.startsWith("/hand")) return { action: "handled" };
    if (text.startsWith("/turn")) return { action: "transform", text: "a prompt about turns" };
  });
}
`;

test("an unknown command asks before it goes to the model, names the nearest one, and comes back into the editor", async () => {
  await using sitting = await Sitting.start({ replies: [{ text: "The model has read it." }] });
  const { terminal } = sitting;
  sitting.say("/modle foo");
  const asked = await terminal.until("Send it to the model?");
  expect(asked).toContain("/modle is not a command.");
  expect(asked).toContain("Did you mean /model?");
  terminal.type("n");
  await terminal.until((screen) => !screen.includes("Send it") && screen.includes("/modle foo"));
  terminal.press("enter");
  await terminal.until("Send it to the model?");
  terminal.type("y");
  await terminal.until("The model has read it.");
});

test("Escape keeps it back, and a word that is near to no command is a prompt", async () => {
  await using sitting = await Sitting.start({ replies: [{ text: "Never heard of it." }] });
  const { terminal } = sitting;
  sitting.say("/hlep");
  expect(await terminal.until("Send it to the model?")).toContain("Did you mean /help?");
  terminal.press("escape");
  await terminal.until((screen) => !screen.includes("Send it") && screen.includes("/hlep"));
  terminal.press("ctrl+c");
  sitting.say("/qqqqqqqq");
  await terminal.until("Never heard of it.");
});

test("two slashes are no command, and a question mark alone is help", async () => {
  await using sitting = await Sitting.start({ replies: [{ text: "A comment." }] });
  const { terminal } = sitting;
  sitting.say("//help me");
  expect(await terminal.until("A comment.")).toMatch(/^ *\/\/help me/m);
  sitting.say("?");
  expect(await terminal.until("!command and !!command run a shell command")).toMatch(/Esc interrupts, Ctrl\+P/);
});

test("commands of extensions, what input hooks take or change, and paths do not ask", async () => {
  await using sitting = await Sitting.start({
    files: { ".pi/extensions/c.ts": COMMANDS },
    args: ["--trust-project"],
    replies: [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }],
  });
  const { terminal } = sitting;
  sitting.say("/deploy now");
  await terminal.until("deploying now");
  await sitting.idle();
  sitting.say("/handed over");
  sitting.say("/turn it");
  expect(await terminal.until(/^ *one/m)).toContain("a prompt about turns");
  sitting.say("/etc/hosts is a file");
  await terminal.until(/^ *two/m);
  sitting.say("/tmp is a folder");
  await terminal.until(/^ *three/m);
  sitting.say("/ is the root");
  expect(await terminal.until(/^ *four/m)).not.toContain("Send it to the model?");
});
