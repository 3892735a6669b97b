import { expect, test } from "vitest";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { opened } from "./support/opened.ts";

const GUARD = `import { guard } from "@hookline/runtime/guard";
export default guard({
  name: "replies",
  on: "reply.before",
  run({ text }) {
    if (text.includes("broken")) throw new Error("cannot read it");
    if (text.includes("stop")) return { stop: true };
    return text.includes("key") ? { text: text.replace("key", "[key]") } : undefined;
  },
});
`;

const reply = (text: string, ...calls: readonly object[]): object => ({
  session: "s",
  event: {
    type: "message_end",
    message: { role: "assistant", content: [{ type: "text", text }, ...calls], stopReason: "stop", timestamp: 0 },
  },
});

test.skipIf(HOSTS["pi"] === undefined)("a reply without calls is judged as it is handed over, in pi too", async () => {
  const pi = await HOSTS["pi"]?.();
  if (pi === undefined) throw new Error("there is no host pi");
  const at = opened(pi);
  at.write("~/.hookline/guards/replies.ts", GUARD);
  const textOf = async (sent: object): Promise<unknown> => {
    const said = (await at.ask("message_end", sent)) as { returns?: { message?: { content: { text?: string }[] } } };
    return said?.returns?.message?.content[0]?.text;
  };
  expect(await textOf(reply("fine"))).toBeUndefined();
  expect(await textOf(reply("the key"))).toBe("the [key]");
  expect(await textOf(reply("stop"))).toBe("");
  expect(await textOf(reply("broken"))).toContain("was withheld");
  expect(await textOf(reply("the key", { type: "toolCall", id: "1", name: "ls", arguments: {} }))).toBeUndefined();
});
