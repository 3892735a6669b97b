import fc from "fast-check";
import type { SessionManager } from "../../src/session/session.ts";
import { assistant, result, user } from "./talk.ts";

/** One thing that is done to a session; numbers choose an entry among those that are there. */
export type Move =
  | { readonly do: "user" | "assistant" | "result" | "custom" | "note" | "name" | "thinking"; readonly text: string }
  | { readonly do: "label" | "compact" | "branch" | "summary" | "edit"; readonly at: number; readonly text: string }
  | { readonly do: "reset" | "model"; readonly text: string };

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom("\n\r\t", "\u2028\0", "é\ud83d\ude00", '{"type":"session"}'),
);

/** Random sessions: mostly talk, with every kind of entry and every move in the tree. */
export const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom("user" as const, "assistant" as const, "result" as const), text }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom("custom" as const, "note" as const, "name" as const, "thinking" as const),
        text,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom(
          "label" as const,
          "compact" as const,
          "branch" as const,
          "summary" as const,
          "edit" as const,
        ),
        at: fc.nat(1000),
        text,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("reset" as const, "model" as const), text }) },
  ),
  { maxLength: 60, size: "max" },
);

/** Does a move; `ids` are those of all entries, so that nothing has to be asked of the session itself. */
export function make(move: Move, session: SessionManager, ids: readonly string[]): void {
  const at = "at" in move ? ids[move.at % Math.max(1, ids.length)] : undefined;
  switch (move.do) {
    case "user":
      session.appendMessage(user(move.text));
      break;
    case "assistant":
      session.appendMessage(assistant(move.text, move.text.length % 3 === 0 ? [`c${move.text.length}`] : []));
      break;
    case "result":
      session.appendMessage(result(`c${move.text.length}`, move.text));
      break;
    case "custom":
      session.appendCustomEntry("state", { text: move.text });
      break;
    case "note":
      session.appendCustomMessageEntry("note", move.text, true, { n: 1 });
      break;
    case "name":
      session.appendSessionInfo(move.text);
      break;
    case "thinking":
      session.appendThinkingLevelChange(move.text.length % 2 === 0 ? "high" : "low");
      break;
    case "model":
      session.appendModelChange("p2", `m${move.text.length}`);
      break;
    case "reset":
      session.resetLeaf();
      break;
    case "label":
      if (at) session.appendLabelChange(at, move.text.length % 4 === 0 ? undefined : move.text);
      break;
    case "branch":
      if (at) session.branch(at);
      break;
    case "summary":
      session.branchWithSummary(at ?? null, move.text, { files: [] }, true);
      break;
    case "compact":
      session.appendCompaction(`summary ${move.text}`, move.at % 5 === 0 ? null : (at ?? null), 1000, { n: move.at });
      break;
    case "edit":
      edit(session, move);
      break;
  }
}

function edit(session: SessionManager, move: { at: number; text: string }): void {
  const talk = session.getBranch().filter((entry) => entry.type === "message");
  const target = talk[move.at % Math.max(1, talk.length)];
  if (target) session.appendContextEdit(target.id, move.at % 2 === 0 ? null : { content: move.text });
}
