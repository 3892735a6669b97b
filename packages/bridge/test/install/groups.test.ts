import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { removeJson } from "../../../ground/src/file/json-remove.ts";
import { groupsFormat } from "../../src/install/groups.ts";

describe("the entries in a file", () => {
  const format = groupsFormat();
  const entry = (event: string) => ({
    event,
    command: `[ -x /h/bin/hookline-hook ] && exec /h/bin/hookline-hook codex ${event} --origin codex-user --deadline 58000; exit 0`,
    timeout: 60,
  });
  const theirs = fc.record({
    hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { maxLength: 3 }),
  });
  const settings = fc.record(
    {
      hooks: fc.dictionary(fc.constantFrom("PreToolUse", "Stop", "Other"), fc.array(theirs, { maxLength: 3 }), {
        minKeys: 1,
      }),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );

  it("come and go without changing anything else", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(undefined, 1, 4, "\t"), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const written = format.write(text, [entry("PreToolUse"), entry("Stop")]);
        expect(format.find(written).entries).toHaveLength(2);
        expect(format.write(written, [entry("PreToolUse"), entry("Stop")])).toBe(written);
        const left = JSON.parse(format.strip(written) ?? "{}");
        // Lists that were empty, and an object that held nothing, are not kept apart from none.
        expect(withoutEmpty(left)).toEqual(withoutEmpty(JSON.parse(text)));
      }),
    );
  });

  it("are taken out of a text at any place", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }), fc.nat(), (items, at) => {
        const index = at % items.length;
        const text = JSON.stringify({ list: items }, undefined, 2);
        const left = JSON.parse(removeJson(text, ["list"], index)) as { list: unknown[] };
        expect(left.list).toEqual(JSON.parse(JSON.stringify(items.toSpliced(index, 1))));
      }),
    );
  });
});

function withoutEmpty(settings: { hooks?: Record<string, unknown[]> }): object {
  const { hooks = {}, ...others } = settings;
  const kept = Object.entries(hooks).filter(([, groups]) => groups.length > 0);
  return kept.length === 0 ? others : { ...others, hooks: Object.fromEntries(kept) };
}
