import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { TextCache } from "../../../runtime/src/port/cache.ts";
import { READER_VERSION, remembered } from "../../src/jcli/hooks/config.ts";
import { readHookFolder, readHooks } from "../../src/jcli/hooks/hooks-file.ts";
import { Bench } from "./kit.ts";

class MemoryCache implements TextCache {
  readonly texts = new Map<string, string>();
  get(key: string): string | undefined {
    return this.texts.get(key);
  }
  put(key: string, text: string): void {
    this.texts.set(key, text);
  }
}

const YAML = `pre_tool_execution:
  - command: guard
    timeout: 99999999
    filter: { tool_name: Bash }
  - comand: misspelt
no_such_event:
  - command: x
`;
const LENIENT = { own: false, lossy: false };

it("a file that was read before means the same and is not parsed again", async () => {
  const bench = new Bench();
  bench.user(YAML);
  const cache = new MemoryCache();
  const first = await bench.discover({ cache });
  const kept = new Map(cache.texts);
  expect(kept.size).toBe(1);
  expect(await bench.discover({ cache })).toEqual(first);
  expect(first).toEqual(await bench.discover());
  expect(cache.texts).toEqual(kept);
});

it("another text, and the same text of another owner or kind, are read again", async () => {
  const cache = new MemoryCache();
  let reads = 0;
  const read = async () => {
    reads += 1;
    return readHooks(YAML, LENIENT);
  };
  const of = { kind: "list", text: YAML, rules: LENIENT } as const;
  const others = [
    of,
    { ...of, text: `${YAML}\n` },
    { ...of, rules: { own: true, lossy: false } },
    { ...of, rules: { own: false, lossy: true } },
    { ...of, kind: "folder" as const },
  ];
  for (const one of [...others, ...others]) await remembered(cache, one, read);
  expect(reads).toBe(others.length);
});

it.each(["", "{", "null", "[]", '{"hooks":{},"findings":[]}'])("an invalid reading is read again: %j", async (text) => {
  const cache = new MemoryCache();
  const of = { kind: "list", text: YAML, rules: LENIENT } as const;
  const fresh = await remembered(cache, of, () => readHooks(YAML, LENIENT));
  for (const key of cache.texts.keys()) cache.put(key, text);
  expect(await remembered(cache, of, () => readHooks(YAML, LENIENT))).toEqual(fresh);
});

it("the reader's version changes when a file is read differently", async () => {
  const folder = join(import.meta.dirname, "fixtures");
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const texts = [
    YAML,
    "",
    "a: [",
    "- x",
    "stop:\n\t- command: x",
    ...names.sort().map((name) => readFileSync(join(folder, name), "utf8")),
  ];
  const readings = [];
  for (const text of texts) {
    for (const own of [false, true]) {
      const rules = { own, lossy: false };
      readings.push(await readHooks(text, rules), await readHookFolder(text, rules));
    }
  }
  // A change that needs another digest here must also raise the version.
  expect([READER_VERSION, hash("sha256", JSON.stringify(readings)).slice(0, 16)]).toEqual([5, "5e5e22b19577128e"]);
});
