import { expect, test } from "vitest";
import { Answered } from "../../src/daemon/answered.ts";

test.each([
  ["user", "project"],
  ["project", "user"],
])("one answer serves the origins %s and %s, and either that asks again gets a new one", async (first, second) => {
  for (const again of [first, second]) {
    const answered = new Answered();
    let asked = 0;
    const of = (origin: string) =>
      answered.of({ event: "Before", call: "call_1", origin }, async () => ({ stdout: String(++asked) }) as never);
    expect(await Promise.all([of(first), of(second)])).toEqual([{ stdout: "1" }, { stdout: "1" }]);
    expect(await of(again)).toEqual({ stdout: "2" });
  }
});
