import { describe, expect, test } from "vitest";
import type { EventName } from "../../../runtime/src/catalog/catalog.ts";
import { on, openExtensions, openHooks, openModules, settle, TestClock, user } from "./kit.ts";

const compacting = {
  trigger: "manual",
  messages: [user("hi")],
  systemPrompt: "",
  messageCount: 1,
  nonSystemCount: 1,
  summary: "",
} as const;
const entry = { type: "compaction", id: "e", parentId: null, timestamp: "" };
const signal = new AbortController().signal;
const tree = { preparation: { targetId: "t", userWantsSummary: true }, signal };
const compacted = {
  kind: "full",
  trigger: "manual",
  messages: [],
  compactionEntry: entry,
  fromExtension: true,
  messageCount: 1,
  messagesArchived: 0,
  summary: "s",
};

type Row = readonly [cites: string, name: string, of: EventName, payload: object, event: object];

const told: readonly Row[] = [
  ["omp.event.3", "session_start", "session.start", { reason: "startup" }, {}],
  [
    "omp.event.5",
    "session_switch",
    "session.switch",
    { reason: "new", previousSessionFile: "/s" },
    { reason: "new", previousSessionFile: "/s" },
  ],
  ["omp.event.7", "session_branch", "session.branch", { previousSessionFile: "/s" }, { previousSessionFile: "/s" }],
  [
    "omp.event.10",
    "session_compact",
    "compact.after",
    compacted,
    { compactionEntry: entry, fromExtension: true, fromHook: true },
  ],
  [
    "omp.event.12",
    "session_tree",
    "session.tree",
    { newLeafId: "n", oldLeafId: null, fromExtension: true },
    { newLeafId: "n", oldLeafId: null, fromExtension: true, fromHook: true },
  ],
  ["omp.event.13", "session_shutdown", "session.end", { reason: "quit" }, {}],
];

describe.each([
  ["HookAPI", openHooks],
  ["ExtensionAPI", openExtensions],
])("a session's life in %s", (_, open) => {
  test.each(told)("[%s] %s tells and takes no answer", async (_cites, name, of, payload, event) => {
    const seen: unknown[] = [];
    await using opened = await open([
      on(name, (given) => {
        seen.push(given);
        return { cancel: true, messages: [] };
      }),
    ]);
    expect((await opened.session.emit(of, payload as never)).answer).toEqual({});
    expect(seen).toEqual([{ type: name, ...event }]);
  });

  test.each([
    ["session_start", "session.start", { reason: "new" }],
    ["session_start", "session.start", { reason: "reload" }],
    ["session_shutdown", "session.end", { reason: "reload" }],
    ["session_before_compact", "compact.before", { ...compacting, kind: "micro" }],
    ["session_compact", "compact.after", { ...compacted, kind: "micro" }],
  ] as const)("%s is not for %s with %o", async (name, of, payload) => {
    const asked: number[] = [];
    await using opened = await open([on(name, () => void asked.push(1))]);
    await opened.session.emit(of as EventName, payload as never);
    expect(asked).toEqual([]);
  });

  const gates: readonly Row[] = [
    [
      "omp.event.4",
      "session_before_switch",
      "session.before-switch",
      { reason: "resume", targetSessionFile: "/s" },
      { reason: "resume", targetSessionFile: "/s" },
    ],
    ["omp.event.6", "session_before_branch", "session.before-branch", { entryId: "e" }, { entryId: "e" }],
    [
      "omp.event.8",
      "session_before_compact",
      "compact.before",
      { ...compacting, kind: "full", preparation: { firstKeptEntryId: "k" }, branchEntries: [], signal },
      { preparation: { firstKeptEntryId: "k" }, branchEntries: [], signal },
    ],
    ["omp.event.11", "session_before_tree", "session.before-tree", tree, tree],
  ];

  test.each(gates)(
    "[%s, omp.conflict.5, omp.mutate.4] %s is cancelled by the first that says so",
    async (_c, name, of, payload, event) => {
      const seen: unknown[] = [];
      await using opened = await open([
        on(
          name,
          (given) => {
            seen.push(given);
            return { cancel: 1 };
          },
          (given) => void seen.push(given),
        ),
      ]);
      expect((await opened.session.emit(of, payload as never)).answer).toEqual({ cancel: true });
      expect(seen).toEqual([{ type: name, ...event }]);
    },
  );

  test("[omp.conflict.5] the last answer counts whole, an empty one too", async () => {
    const skip = () => ({ skipConversationRestore: true });
    await using opened = await open([on("session_before_branch", skip)]);
    const branch = { entryId: "e" };
    expect((await opened.session.emit("session.before-branch", branch)).answer).toEqual({
      skipConversationRestore: true,
    });
    await using erased = await open([on("session_before_branch", skip, () => ({}))]);
    expect((await erased.session.emit("session.before-branch", branch)).answer).toEqual({});
    await using kept = await open([on("session_before_branch", skip, () => undefined)]);
    expect((await kept.session.emit("session.before-branch", branch)).answer).toEqual({
      skipConversationRestore: true,
    });
  });

  test("[omp.event.8] a compaction is used as it was given", async () => {
    const compaction = { summary: "s", firstKeptEntryId: "k", tokensBefore: 999 };
    await using opened = await open([on("session_before_compact", () => ({ compaction }))]);
    const { answer } = await opened.session.emit("compact.before", { ...compacting, kind: "rolling" });
    expect(answer).toEqual({ compaction });
    await using erased = await open([
      on(
        "session_before_compact",
        () => ({ compaction }),
        () => ({ cancel: false }),
      ),
    ]);
    expect((await erased.session.emit("compact.before", { ...compacting, kind: "full" })).answer).toEqual({});
  });

  test("a host that prepares no compaction shows what it has", async () => {
    const seen: { preparation?: unknown }[] = [];
    await using opened = await open([on("session_before_compact", (event) => void seen.push(event))]);
    await opened.session.emit("compact.before", { ...compacting, kind: "full", summary: "before" });
    expect(seen[0]?.preparation).toMatchObject({ messagesToSummarize: [user("hi")], previousSummary: "before" });
  });

  test("[omp.event.11] a summary is used where the person wants one", async () => {
    const summary = { summary: "s", details: { n: 1 } };
    await using opened = await open([on("session_before_tree", () => ({ summary }))]);
    expect((await opened.session.emit("session.before-tree", tree)).answer).toEqual({ summary });
    const without = { preparation: { userWantsSummary: false }, signal };
    expect((await opened.session.emit("session.before-tree", without)).answer).toEqual({});
  });

  test("[omp.event.9, omp.conflict.6] the last answer of session.compacting counts whole, and all are asked", async () => {
    const seen: unknown[] = [];
    await using opened = await open([
      on(
        "session.compacting",
        () => ({ context: ["1"], prompt: "P", preserveData: { a: 1 } }),
        (event) => {
          seen.push(event);
          return { context: ["2"] };
        },
      ),
    ]);
    const { answer } = await opened.session.emit("compact.prompt", { sessionId: "s1", messages: [user("m")] });
    expect(answer).toEqual({ context: ["2"] });
    expect(seen).toEqual([{ type: "session.compacting", sessionId: "s1", messages: [user("m")] }]);
  });

  test("[omp.error.3] a gate that fails lets the session go on and is reported", async () => {
    await using opened = await open([
      on("session_before_switch", () => {
        throw new Error("x");
      }),
    ]);
    expect((await opened.session.emit("session.before-switch", { reason: "new" })).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_THREW", "FAILED_OPEN"]);
  });
});

test("at the end of a session hooks run one after the other, extensions at once and for two seconds", async () => {
  const clock = new TestClock();
  const asked: string[] = [];
  const slow = (name: string) => async () => {
    asked.push(`${name} begins`);
    await settle();
    asked.push(`${name} ends`);
  };
  await using opened = await openModules(
    [
      ["hook", on("session_shutdown", slow("h1"), slow("h2"))],
      ["extension", on("session_shutdown", slow("e1"), slow("e2"), () => new Promise(() => {}))],
    ],
    { clock, settings: { handlerTimeoutMs: 60_000 } },
  );
  const ended = opened.session.emit("session.end", { reason: "quit" });
  for (let i = 0; i < 4; i++) await settle();
  clock.advance(2_000);
  await ended;
  expect(asked).toEqual([
    "h1 begins",
    "h1 ends",
    "h2 begins",
    "h2 ends",
    "e1 begins",
    "e2 begins",
    "e1 ends",
    "e2 ends",
  ]);
  expect(opened.codes()).toEqual(["HOOK_TIMED_OUT"]);
});
