import type { Fields } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import { digestBy } from "../run/trace.ts";
import { fieldsOf } from "./fields.ts";
import type { MomentEdit, MomentHook } from "./line.ts";
import type { Told } from "./redacted.ts";

/** Makes a keyed digest of a text. It reveals nothing without the key, which is in the person's hookline home. */
export type Digest = (text: string) => string;

/**
 * Returns a moment as level `log` records it: decisions as words, other values as size and digest. The payload keeps
 * only the value that matchers are compared with, such as the tool's name.
 */
export function withDigests(row: CatalogRow, told: Told, digest: Digest): Told {
  const { payload, outcome, hooks, edits, redacted } = told;
  const subject = row.subject === undefined ? undefined : (payload as Fields)[row.subject];
  const plain = fieldsOf(row.answer(), isWord);
  return {
    ...(typeof subject === "string" && { payload: { [row.subject as string]: subject } }),
    outcome: Object.fromEntries(
      Object.entries(outcome as Fields).map(([name, value]) => [
        name,
        plain.has(name) ? value : digestBy(value, digest),
      ]),
    ),
    hooks: hooks.map((hook) => withDigest(hook, digest)),
    edits: edits.map((edit) => digestedEdit(edit, digest)),
    ...(redacted !== undefined && { redacted }),
  };
}

/** Returns a hook's entry for the log of decisions: its answer and stderr are replaced by digests. */
export function withDigest<T extends Pick<MomentHook, "answer" | "problem" | "status" | "stderr">>(
  { answer, problem, stderr, ...hook }: T,
  digest: Digest,
): Omit<T, "answer" | "problem" | "stderr"> & Pick<MomentHook, "answer" | "problem" | "stderr"> {
  return {
    ...hook,
    // The text of a failure may quote what the hook was shown.
    ...(problem !== undefined && hook.status !== "failed" && { problem }),
    ...(answer !== undefined && { answer: digestBy(answer, digest) }),
    ...(stderr !== undefined && { stderr: digestBy(stderr, digest) }),
  };
}

function digestedEdit(edit: MomentEdit, digest: Digest): MomentEdit {
  return {
    ...edit,
    ...("from" in edit && { from: digestBy(edit.from, digest) }),
    ...("to" in edit && { to: digestBy(edit.to, digest) }),
  };
}

function isWord(type: string): boolean {
  return type === "picklist" || type === "literal";
}
