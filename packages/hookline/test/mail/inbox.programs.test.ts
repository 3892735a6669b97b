import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { appendLines } from "../../../ground/src/file/append.ts";
import { contextPaths } from "../../src/context/home.ts";
import { Inbox } from "../../src/mail/inbox.ts";
import { newLetter } from "../../src/mail/letter.ts";
import { has } from "../support/seeds.ts";
import { linesOf, scratchHome, start } from "./scratch.ts";

const letter = (content: string, from = "a") => newLetter({ from, to: "b", content });

function inboxOf(home: string, name = "b") {
  const paths = contextPaths(home, name);
  return { paths, inbox: new Inbox(paths) };
}

test("a letter is one line with id, time, sender, addressee and text, in a private file", async () => {
  const { paths, inbox } = inboxOf(scratchHome());
  await inbox.append(letter("two\nlines"));
  const [line = ""] = linesOf(paths.inbox);
  expect(JSON.parse(line)).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    timestamp: expect.any(Number),
    from: "a",
    to: "b",
    content: "two\nlines",
  });
  expect(statSync(paths.inbox).mode & 0o077).toBe(0);
});

test("letters are taken in order, once, and leave an empty inbox", async () => {
  const { paths, inbox } = inboxOf(scratchHome());
  for (const text of ["1", "2", "3"]) await inbox.append(letter(text));
  const { letters, bad } = await inbox.take();
  expect(letters.map(({ content }) => content)).toEqual(["1", "2", "3"]);
  expect(bad).toBe(0);
  expect(readFileSync(paths.inbox, "utf8")).toBe("");
  inbox.confirm(true);
  expect((await inbox.take()).letters).toEqual([]);
  expect(readdirSync(paths.folder).sort()).toEqual([".inbox.lock", "inbox.jsonl"]);
});

test("looking into an inbox that there is not makes nothing", async () => {
  const { paths, inbox } = inboxOf(scratchHome());
  expect(await inbox.take()).toEqual({ letters: [], bad: 0 });
  expect(existsSync(paths.folder)).toBe(false);
});

test("letters that nobody has confirmed come again, before newer ones", async () => {
  const { inbox } = inboxOf(scratchHome());
  await inbox.append(letter("old"));
  await inbox.take();
  await inbox.append(letter("new"));
  expect((await inbox.take()).letters.map(({ content }) => content)).toEqual(["old", "new"]);
});

test("letters that are read but not stored stay on disk until they are", async () => {
  const { paths, inbox } = inboxOf(scratchHome());
  await inbox.append(letter("x"));
  await inbox.take();
  inbox.confirm(false);
  const copies = () => readdirSync(paths.folder).filter((name) => name.includes(".taken."));
  expect(copies()).toHaveLength(1);
  expect((await inbox.take()).letters).toEqual([]);
  inbox.confirm(true);
  expect(copies()).toEqual([]);
});

test("letters of a process that was killed before it confirmed them are delivered to the next one", async () => {
  const home = scratchHome();
  const { inbox } = inboxOf(home);
  await inbox.append(letter("1"));
  await inbox.append(letter("2"));
  const program = start("take.ts", [home, "b"]);
  await program.spoke;
  expect((await inbox.take()).letters).toEqual([]);
  program.child.kill("SIGKILL");
  await program.ended.catch(() => {});
  await inbox.append(letter("3"));
  expect((await inbox.take()).letters.map(({ content }) => content)).toEqual(["1", "2", "3"]);
});

test("a line that was moved and not yet removed when its process was killed is delivered once", async () => {
  const { paths, inbox } = inboxOf(scratchHome());
  await inbox.append(letter("1"));
  const [line = ""] = linesOf(paths.inbox);
  writeFileSync(`${dirname(paths.inbox)}/.inbox.jsonl.taken.999999999.1.other-boot`, `${line}\n`);
  expect((await inbox.take()).letters).toHaveLength(1);
});

describe("what others have written", () => {
  test("a line without an end and a letter after it are both read", async () => {
    const { paths, inbox } = inboxOf(scratchHome());
    mkdirSync(paths.folder, { recursive: true });
    writeFileSync(paths.inbox, '{"from":"x","content":"open"}');
    await inbox.append(letter("closed"));
    expect((await inbox.take()).letters.map(({ content }) => content)).toEqual(["open", "closed"]);
  });

  test.each([1, 10, 30, 60])("an end that was torn after %i bytes costs itself only", async (bytes) => {
    const { paths, inbox } = inboxOf(scratchHome());
    await inbox.append(letter("whole"));
    const torn = JSON.stringify(letter("torn")).slice(0, bytes);
    writeFileSync(paths.inbox, readFileSync(paths.inbox, "utf8") + torn);
    await inbox.append(letter("later"));
    const { letters, bad } = await inbox.take();
    expect(letters.map(({ content }) => content)).toEqual(["whole", "later"]);
    expect(bad).toBe(1);
    expect(linesOf(`${paths.inbox}.bad`)).toEqual([torn]);
  });

  test("lines that are no letters are set aside and not asked about again", async () => {
    const { paths, inbox } = inboxOf(scratchHome());
    mkdirSync(paths.folder, { recursive: true });
    writeFileSync(paths.inbox, 'text\n[1]\n{"from":1,"content":"x"}\n{"from":"x"}\n\n');
    expect(await inbox.take()).toEqual({ letters: [], bad: 4 });
    expect(await inbox.take()).toEqual({ letters: [], bad: 0 });
    expect(linesOf(`${paths.inbox}.bad`)).toHaveLength(4);
  });
});

test("lines are added whole behind what is there", () => {
  const path = `${scratchHome()}/file`;
  appendLines(path, []);
  expect(existsSync(path)).toBe(false);
  appendLines(path, ["a", "b"]);
  appendLines(path, ["c"]);
  expect(readFileSync(path, "utf8")).toBe("a\nb\nc\n");
});

const numbers = (count: number): string[] => Array.from({ length: count }, (_, number) => String(number));

test.each([
  ["1,000 letters at the same time", "500", "flock"],
  ["400 letters where no program can hold the lock", "200", "alone"],
])("two processes exchange %s; none is lost, none comes twice", async (_, count, how) => {
  const home = scratchHome();
  const programs = {
    a: start("talk.ts", [home, "a", "b", count, how]),
    b: start("talk.ts", [home, "b", "a", count, how]),
  };
  for (const { spoke } of Object.values(programs)) await spoke;
  for (const { child } of Object.values(programs)) child.stdin.write("go\n");
  const got: Record<string, string[]> = { a: [], b: [] };
  for (const [name, { ended }] of Object.entries(programs)) {
    const lines = (await ended).trim().split("\n").slice(1);
    got[name]?.push(...lines.map((line) => JSON.parse(line).content));
  }
  // Messages sent after the other's last look are still in the inbox.
  for (const name of ["a", "b"]) {
    const { letters } = await inboxOf(home, name).inbox.take();
    got[name]?.push(...letters.map(({ content }) => content));
  }
  expect(got["a"]).toEqual(numbers(Number(count)));
  expect(got["b"]).toEqual(numbers(Number(count)));
});

test.skipIf(!has("python3"))("a Python plugin that writes under flock meanwhile loses nothing", async () => {
  const home = scratchHome();
  const { paths, inbox } = inboxOf(home);
  await inbox.append(letter("first"));
  const programs = ["p", "q"].map((tag) => start("write.py", [paths.folder, tag, "300"]));
  let done = false;
  void Promise.allSettled(programs.map(({ ended }) => ended)).then(() => {
    done = true;
  });
  const got: string[] = [];
  let sent = 0;
  let bad = 0;
  for (let last = false; !last; ) {
    last = done;
    await inbox.append(letter(String(sent++), "own"));
    const taken = await inbox.take();
    inbox.confirm(true);
    bad += taken.bad;
    got.push(...taken.letters.map(({ from, content }) => `${from}:${content}`));
    await breathe();
  }
  await Promise.all(programs.map(({ ended }) => ended));
  expect(bad).toBe(0);
  const expected = ["a:first", ...["p", "q"].flatMap((tag) => numbers(300).map((number) => `${tag}:${number}`))];
  expect(got.toSorted()).toEqual([...expected, ...numbers(sent).map((number) => `own:${number}`)].sort());
});
