import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ran, Workplace } from "../support/cli.ts";

describe("several prompts of one command line", () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });

  afterEach(() => place.remove());

  const ask = (replies: string, ...prompts: readonly string[]): Promise<Ran> => {
    place.write("script.yaml", `replies:\n${replies}`);
    place.write("~/.hookline/settings.json", '{ "retry": { "maxRetries": 0 } }');
    return place.run(["--script", "script.yaml", "--trust-project", "-p", ...prompts]);
  };
  const FAILS = '  - error: { status: 400, message: "bad request" }\n';
  const ANSWERS = '  - text: "the second reply"\n';

  test("the second is sent although the first failed; the code is 1, and stderr says which one failed", async () => {
    const ran = await ask(FAILS + ANSWERS, "one", "two");
    expect(ran.code).toBe(1);
    expect(ran.out).toBe("the second reply\n");
    expect(ran.err).toMatch(/^Prompt 1 of 2: .*bad request/m);
    expect(ran.err).not.toContain("Prompt 2 of 2");
  });

  test("a reply of a prompt before the one that failed is not shown as the last one's", async () => {
    const ran = await ask(ANSWERS + FAILS, "one", "two");
    expect([ran.code, ran.out]).toEqual([1, ""]);
    expect(ran.err).toMatch(/^Prompt 2 of 2: .*bad request/m);
  });

  test("one that a hook stopped exits with 3, and with another that failed with 1", async () => {
    place.write(
      ".hookline/hooks.yaml",
      'pre_send_message:\n  - command: "grep -q forbidden && echo \'{\\"action\\":\\"stop\\"}\' || true"\n',
    );
    const stopped = await ask(ANSWERS, "forbidden", "two");
    expect(stopped.err).toMatch(/^Prompt 1 of 2: A hook stopped the prompt\./m);
    expect([stopped.code, stopped.out]).toEqual([3, "the second reply\n"]);
    const both = await ask(FAILS, "forbidden", "two");
    expect(both.code).toBe(1);
  });

  test("a single prompt's failure shows only its error", async () => {
    const ran = await ask(FAILS, "one");
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/^400 bad request/m);
  });
});
