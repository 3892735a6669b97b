import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasPiExamples, piExample } from "../support/pi-examples.ts";
import { Sitting, type SittingOptions } from "../support/sitting.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

/** pi's own example, as it was shipped, on the screen. */
function sitWith(example: string, options: SittingOptions = {}): Promise<Sitting> {
  return Sitting.start({ ...options, args: ["-e", piExample(example), ...(options.args ?? [])] });
}

describe.skipIf(!hasPiExamples)("pi's examples that ask and show", () => {
  test("qna puts the questions of the last reply into the editor", async () => {
    const replies = [{ text: "Which database? And TypeScript?" }, { text: "Q: Which database?\nA: ", delayMs: 150 }];
    await using sitting = await sitWith("qna.ts", { replies });
    sitting.say("/qna");
    await sitting.terminal.until("No assistant messages found");
    sitting.say("hello");
    await sitting.terminal.until("And TypeScript?");
    await sitting.idle();
    sitting.say("/qna");
    await sitting.terminal.until("Extracting questions using script...");
    await sitting.terminal.until("Questions loaded. Edit and submit when ready.");
    expect(await sitting.screen()).toMatch(/Q: Which database\?\n\s*A:/);
  });

  test("qna is cancelled with Esc while it works", async () => {
    await using sitting = await sitWith("qna.ts", { replies: [{ text: "Why?" }, { text: "never", delayMs: 60_000 }] });
    sitting.say("hello");
    await sitting.terminal.until("Why?");
    await sitting.idle();
    sitting.say("/qna");
    await sitting.terminal.until("Extracting questions");
    sitting.terminal.press("escape");
    await sitting.terminal.until("Cancelled");
  });

  const questions = [
    { id: "db", label: "Database", prompt: "Which database?", options: [{ value: "pg", label: "Postgres" }] },
    { id: "lang", label: "Language", prompt: "Which language?", options: [{ value: "ts", label: "TypeScript" }] },
  ];

  test.each([
    ["80×24", SMALL],
    ["120×40", LARGE],
  ])("questionnaire goes from question to question and tells the model the answers (%s)", async (_, size) => {
    const replies = [
      { toolCalls: [{ name: "questionnaire", arguments: { questions } }] },
      { text: "Thank you.", repeat: true },
    ];
    await using sitting = await sitWith("questionnaire.ts", { size, replies });
    sitting.say("ask me");
    await sitting.terminal.until("Which database?");
    expect(await sitting.screen()).toContain("□ Database");
    sitting.terminal.press("enter");
    await sitting.terminal.until("Which language?");
    sitting.terminal.press("down", "enter");
    await sitting.terminal.until("Your answer:");
    sitting.terminal.type("Rust");
    sitting.terminal.press("enter");
    await sitting.terminal.until("Ready to submit");
    expect(await sitting.screen()).toContain("Language: (wrote) Rust");
    sitting.terminal.press("enter");
    await sitting.terminal.until("Thank you.");
    expect(await sitting.screen()).toMatch(/✓ db: 1\. Postgres\n\s*✓ lang: \(wrote\) Rust/);
  });

  test("questionnaire is cancelled with Esc, and says so", async () => {
    const replies = [
      { toolCalls: [{ name: "questionnaire", arguments: { questions } }] },
      { text: "All right.", repeat: true },
    ];
    await using sitting = await sitWith("questionnaire.ts", { replies });
    sitting.say("ask me");
    await sitting.terminal.until("Which database?");
    sitting.terminal.press("escape");
    await sitting.terminal.until("All right.");
    expect(await sitting.screen()).toContain("Cancelled");
  });

  test("todo: the model's tool draws itself, and /todos lists what it keeps", async () => {
    const add = (text: string) => ({ name: "todo", arguments: { action: "add", text } });
    const replies = [
      { toolCalls: [add("Mend the month"), add("Write a test")] },
      { toolCalls: [{ name: "todo", arguments: { action: "toggle", id: 1 } }] },
      { text: "Noted.", repeat: true },
    ];
    await using sitting = await sitWith("todo.ts", { replies });
    sitting.say("plan it");
    await sitting.terminal.until("Noted.");
    await sitting.idle();
    sitting.say("/todos");
    await sitting.terminal.until("1/2 completed");
    expect(await sitting.screen()).toMatch(/✓ #1 Mend the month\n\s*○ #2 Write a test/);
    sitting.terminal.press("escape");
    expect(await sitting.screen()).not.toContain("1/2 completed");
  });

  test("tools: /tools switches one off, and the next request no longer offers it", async () => {
    await using sitting = await sitWith("tools.ts");
    sitting.say("/tools");
    await sitting.terminal.until("Tool Configuration");
    expect(await sitting.screen()).toMatch(/→ read +enabled/);
    sitting.terminal.press("enter");
    await sitting.terminal.until(/→ read +disabled/);
    sitting.terminal.press("escape");
    expect(await sitting.screen()).not.toContain("Tool Configuration");
    sitting.say("/tools");
    await sitting.terminal.until(/→ read +disabled/);
    sitting.terminal.press("escape");
  });

  test("preset: the list, the status in the footer, and back", async () => {
    const files = { "~/.pi/agent/presets.json": JSON.stringify({ plan: { tools: ["read"], instructions: "Plan." } }) };
    await using sitting = await sitWith("preset.ts", { files });
    sitting.say("/preset");
    await sitting.terminal.until("Select Preset");
    expect(await sitting.screen()).toContain("→ plan");
    sitting.terminal.press("enter");
    await sitting.terminal.until('Preset "plan" activated');
    expect(await sitting.screen()).toContain("preset:plan");
    sitting.say("/preset");
    await sitting.terminal.until("plan (active)");
    sitting.terminal.press("down", "enter");
    await sitting.terminal.until("Preset cleared, defaults restored");
    expect(await sitting.screen()).not.toContain("preset:plan");
    sitting.say("/preset nothing");
    await sitting.terminal.until('Unknown preset "nothing". Available: plan');
  });

  test("handoff: a loader, an editor, a new session with the edited prompt", async () => {
    const replies = [{ text: "We mended the month." }, { text: "Go on with the tests.", delayMs: 100 }];
    await using sitting = await sitWith("handoff.ts", { replies });
    sitting.say("/handoff");
    await sitting.terminal.until("Usage: /handoff <goal for new thread>");
    sitting.say("mend it");
    await sitting.terminal.until("We mended the month.");
    await sitting.idle();
    sitting.say("/handoff write the tests");
    await sitting.terminal.until("Generating handoff prompt...");
    await sitting.terminal.until("Edit handoff prompt");
    sitting.terminal.type(" Quickly.");
    sitting.terminal.press("enter");
    await sitting.terminal.until("Handoff ready. Submit when ready.");
    const screen = await sitting.screen();
    expect(screen).toContain("Go on with the tests. Quickly.");
  });
});

describe.skipIf(!hasPiExamples)("pi's examples that lie over the screen", () => {
  test("overlay-test takes text in its lines and closes", async () => {
    await using sitting = await sitWith("overlay-test.ts", { size: LARGE });
    sitting.say("/overlay-test");
    await sitting.terminal.until("Overlay Test");
    sitting.terminal.type("find me");
    const screen = await sitting.screen();
    expect(screen).toContain("Search: find me");
    const borders = screen.split("\n").flatMap((line) => (line.includes("╭") ? [line.indexOf("╭")] : []));
    expect(borders).toEqual([25]);
    sitting.terminal.press("enter");
    await sitting.terminal.until('Search: "find me"');
    expect(await sitting.screen()).not.toContain("╭");
  });

  test("each anchor puts the panel where it says", async () => {
    await using sitting = await sitWith("overlay-qa-tests.ts", { size: LARGE });
    sitting.say("/overlay-anchors");
    const corners: (readonly [string, number, number])[] = [];
    for (const anchor of ["top-left", "top-center", "top-right", "left-center", "center", "right-center"]) {
      const screen = await sitting.terminal.until(new RegExp(`Current: ${anchor}\\b`));
      const lines = screen.split("\n");
      const top = lines.findIndex((line) => line.includes("╭"));
      corners.push([anchor, top, lines[top]?.indexOf("╭") ?? -1]);
      sitting.terminal.press("space");
      await sitting.terminal.settled();
    }
    const [height] = corners.flatMap(([anchor, top]) => (anchor === "left-center" ? [top] : []));
    expect(corners).toEqual([
      ["top-left", 0, 0],
      ["top-center", 0, 40],
      ["top-right", 0, 80],
      ["left-center", height, 0],
      ["center", height, 40],
      ["right-center", height, 80],
    ]);
    expect(height).toBeGreaterThan(5);
    sitting.terminal.press("escape");
    await sitting.terminal.until((screen) => !screen.includes("╭"));
  });

  test("a panel over a stack: the front one has the keys, and each closes by itself", async () => {
    await using sitting = await sitWith("overlay-qa-tests.ts", { size: LARGE });
    sitting.say("/overlay-stack");
    await sitting.terminal.until("front (blue border)");
    sitting.terminal.press("escape");
    await sitting.terminal.until((screen) => !screen.includes("front (blue border)"));
    expect(await sitting.screen()).toContain("middle (green border)");
    sitting.terminal.press("escape");
    await sitting.terminal.until((screen) => !screen.includes("middle (green border)"));
    sitting.terminal.press("escape");
    await sitting.terminal.until((screen) => !screen.includes("back (red border)"));
  });

  test("a side panel is there only where the terminal is wide enough", async () => {
    await using sitting = await sitWith("overlay-qa-tests.ts", { size: LARGE });
    sitting.say("/overlay-sidepanel");
    await sitting.terminal.until("Responsive");
    sitting.terminal.resize({ columns: 90, rows: 40 });
    await sitting.terminal.until((screen) => !screen.includes("Responsive"));
    sitting.terminal.resize(LARGE);
    await sitting.terminal.until("Responsive");
    sitting.terminal.press("escape");
    await sitting.terminal.until((screen) => !screen.includes("Responsive"));
  });

  test.each(["overlay-maxheight", "overlay-edge", "overlay-percent", "overlay-margins", "overlay-toggle"])(
    "/%s opens and closes",
    async (command) => {
      await using sitting = await sitWith("overlay-qa-tests.ts", { size: LARGE });
      sitting.say(`/${command}`);
      await sitting.terminal.until("╭");
      sitting.terminal.press("escape");
      await sitting.terminal.until((screen) => !screen.includes("╭"));
      sitting.say("still here");
      await sitting.terminal.until("Fine.");
    },
  );

  test("an animated panel goes on while it is open, and stops with it", async () => {
    await using sitting = await sitWith("overlay-qa-tests.ts", { size: LARGE });
    sitting.say("/overlay-animation");
    await sitting.terminal.until(/Frame: \d/);
    const first = /Frame: (\d+)/.exec(sitting.terminal.text())?.[1];
    await sitting.terminal.until((screen) => !screen.includes(`Frame: ${first} `) && /Frame: \d/.test(screen));
    sitting.terminal.press("escape");
    await sitting.terminal.until((screen) => !/Frame: \d/.test(screen));
    const before = sitting.terminal.writes;
    await sitting.terminal.settled();
    expect(sitting.terminal.writes - before).toBeLessThan(5);
  });
});

test.skipIf(!hasPiExamples)("the examples are those of pi 0.87.1, unmodified", () => {
  expect(JSON.parse(readFileSync(join(piExample("."), "../../package.json"), "utf8")).version).toBe("0.87.1");
});
