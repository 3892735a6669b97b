import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contextPaths } from "../../src/context/home.ts";
import { ContextPlace } from "../../src/context/place.ts";
import { MailDesk } from "../../src/mail/desk.ts";
import { newLetter } from "../../src/mail/letter.ts";
import { SessionManager } from "../../src/session/session.ts";
import { scratchHome } from "./scratch.ts";

const BLOCK = "--- INBOX MESSAGES ---\n[From: a] hi\n--- END INBOX ---\n\n";

async function deskWithMail() {
  const home = scratchHome();
  const desk = new MailDesk((name) => new ContextPlace(home).inbox(name));
  await desk.deliver(newLetter({ from: "a", to: "b", content: "hi" }));
  const copies = () => readdirSync(contextPaths(home, "b").folder).filter((name) => name.includes(".taken."));
  return { home, desk, copies };
}

test("mail stands before the prompt once, and is gone when the prompt has been answered", async () => {
  const { desk, copies } = await deskWithMail();
  expect(await desk.receive("b", "go")).toEqual({ prompt: `${BLOCK}go`, bad: 0 });
  expect(copies()).toHaveLength(1);
  await desk.settle(SessionManager.inMemory(), true);
  expect(copies()).toEqual([]);
  expect((await desk.receive("b", "again")).prompt).toBe("again");
});

test("mail before a prompt that never reached the conversation comes again", async () => {
  const { desk } = await deskWithMail();
  await desk.receive("b", "go");
  await desk.settle(SessionManager.inMemory(), false);
  expect((await desk.receive("b", "again")).prompt).toBe(`${BLOCK}again`);
});

test("mail before a prompt that was stopped later does not come again", async () => {
  const { desk } = await deskWithMail();
  const { prompt } = await desk.receive("b", "go");
  const store = SessionManager.inMemory();
  store.appendMessage({ role: "user", content: [{ type: "text", text: prompt }], timestamp: 1 });
  await desk.settle(store, false);
  expect((await desk.receive("b", "again")).prompt).toBe("again");
});

test("mail is kept on disk until the session that holds it is", async () => {
  for (const isKept of [true, false]) {
    const { home, desk, copies } = await deskWithMail();
    const { prompt } = await desk.receive("b", "go");
    // A file in the place of the folder makes the session exist only in memory.
    if (isKept) writeFileSync(join(home, "sessions"), "");
    const store = SessionManager.create(home, join(home, "sessions"));
    store.appendMessage({ role: "user", content: prompt, timestamp: 1 });
    await desk.settle(store, false);
    expect(copies()).toHaveLength(isKept ? 1 : 0);
    store.close();
  }
});

test("a name that could leave the folder of contexts is no address", async () => {
  const { desk } = await deskWithMail();
  await expect(desk.deliver(newLetter({ from: "a", to: "../x", content: "hi" }))).rejects.toThrow(
    '"../x" cannot name a context. Use letters, digits, "-" and "_".',
  );
});
