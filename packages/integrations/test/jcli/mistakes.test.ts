import { describe, expect, it } from "vitest";
import { Bench } from "./kit.ts";

/** Mistakes of one entry each, in flow style or lines of their own, with what must be said about them. */
const mistakes: readonly (readonly [event: string, entry: string, says: RegExp])[] = [
  ["stop", "{}", /has no command/],
  ["stop", "", /entry is empty/],
  ["stop", "just a text", /is a text, not a map/],
  ["stop", "[command, x]", /is a list, not a map/],
  ["stop", "{cmd: x}", /has no command|"cmd"/],
  ["stop", '{command: ""}', /command is empty/],
  ["stop", "{command: }", /has no command/],
  ["stop", "{command: [a, b]}", /command must be text, not a list/],
  ["stop", "{command: {run: a}}", /command must be text, not a map/],
  ["stop", '{command: "a\\0b"}', /NUL/],
  ["stop", "{type: Bash, command: x}", /type cannot be "Bash"/],
  ["stop", "{type: python, command: x}", /type cannot be "python"/],
  ["stop", "{type: [llm], prompt: x}", /type must be a word/],
  ["stop", "{type: llm}", /has no prompt/],
  ["stop", "{type: llm, command: x}", /has no prompt/],
  ["stop", "{prompt: judge it}", /has no command/],
  ["stop", '{type: llm, prompt: "  "}', /prompt is empty/],
  ["stop", "{type: llm, prompt: [x]}", /prompt must be text/],
  ["stop", "{type: llm, prompt: x, model: [m]}", /model must be text/],
  ["stop", "{command: x, timeout: 0}", /timeout is out of range/],
  ["stop", "{command: x, timeout: -1}", /timeout is not a whole number/],
  ["stop", "{command: x, timeout: 1.5}", /timeout is not a whole number/],
  ["stop", '{command: x, timeout: "5"}', /timeout is text, not a number/],
  ["stop", "{command: x, timeout: 5s}", /timeout is not a whole number/],
  ["stop", "{command: x, timeout: [5]}", /timeout must be a number, not a list/],
  ["stop", "{command: x, timeout: .inf}", /timeout is not a whole number/],
  ["stop", "{command: x, retry: -1}", /retry is not a whole number/],
  ["stop", "{command: x, retry: 99999999999}", /retry is out of range/],
  ["stop", "{command: x, retry: often}", /retry is not a whole number/],
  ["stop", '{command: x, retry: "1"}', /retry is text, not a number/],
  ["stop", "{command: x, on_error: Abort}", /on_error cannot be "Abort"/],
  ["stop", "{command: x, on_error: ignore}", /on_error cannot be "ignore"/],
  ["stop", "{command: x, on_error: {skip: true}}", /on_error must be a word/],
  ["pre_tool_execution", "{command: x, filter: Bash}", /filter/],
  ["pre_tool_execution", "{command: x, filter: [tool_name]}", /filter/],
  ["pre_tool_execution", "{command: x, filter: {tool_name: [Bash]}}", /tool_name must be text/],
  ["pre_tool_execution", "{command: x, filter: {tool_name: Bash, tool_name: Read}}", /"tool_name" twice/],
  ["stop", "{command: x, command: y}", /"command" twice/],
  ["stop", "{command: x, filter: {tool_name: Bash}}", /no tool_name|tool_name.*stop|stop.*tool/],
  ["pre_send_message", "{command: x, filter: {model_prefix: gpt}}", /model/],
  ["post_send_message", "{command: x, filter: {tool_matcher: Bash}}", /tool/],
];

/** A file in which a good entry stands before and behind each mistake; gives the lines of both. */
function fileOf(): { text: string; wrong: number[]; good: number } {
  const lines: string[] = [];
  const wrong: number[] = [];
  let good = 0;
  for (const event of new Set(mistakes.map(([name]) => name))) {
    lines.push(`${event}:`, `  - command: echo good ${good++}`);
    for (const [, entry] of mistakes.filter(([name]) => name === event)) {
      wrong[mistakes.findIndex(([name, one]) => name === event && one === entry)] = lines.push(
        `  - ${entry}`.trimEnd(),
      );
      lines.push(`  - {command: echo good ${good++}}`);
    }
  }
  return { text: `${lines.join("\n")}\n`, wrong, good };
}

describe("a configuration with one mistake in each entry", () => {
  it("has forty of them, each another", () => {
    expect(new Set(mistakes.map(([event, entry]) => `${event} ${entry}`)).size).toBeGreaterThanOrEqual(40);
  });

  it.each(["j-cli's", "hookline's"])(
    "in %s file: every mistake is named at its line, and every good entry runs",
    async (whose) => {
      const { text, wrong, good } = fileOf();
      const bench = new Bench();
      const path = whose === "hookline's" ? bench.write("home/.hookline/hooks.yaml", text) : bench.user(text);
      const session = await bench.open();
      const { sources } = session.report;
      expect(sources.filter(({ state }) => state === "runs")).toHaveLength(good);
      expect(session.hooks()).toHaveLength(good);
      for (const [at, [, entry, says]] of mistakes.entries()) {
        const source = sources.find((one) => one.path === path && one.line === wrong[at]);
        expect(source?.state, `${entry} at line ${wrong[at]}`).toMatch(/broken|unreachable/);
        expect(source?.reason, entry).toMatch(says);
        expect(source?.remedy, entry).toBeTruthy();
      }
      expect(session.report.summary.notRunning).toBe(mistakes.length);
    },
  );
});
