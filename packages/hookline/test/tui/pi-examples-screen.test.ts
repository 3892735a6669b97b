import { describe, expect, test } from "vitest";
import { hasPiExamples, piExample } from "../support/pi-examples.ts";
import { Sitting, type SittingOptions } from "../support/sitting.ts";
import { LARGE } from "../support/terminal.ts";

/** pi's own example, as it was shipped, on the screen. */
function sitWith(example: string, options: SittingOptions = {}): Promise<Sitting> {
  return Sitting.start({ size: LARGE, ...options, args: ["-e", piExample(example), ...(options.args ?? [])] });
}

describe.skipIf(!hasPiExamples)("pi's examples that draw", () => {
  test("snake moves where the keys say, is saved with Esc and continues from there", async () => {
    await using sitting = await sitWith("snake.ts");
    const { terminal } = sitting;
    sitting.say("/snake");
    const first = await terminal.until("SNAKE");
    await terminal.until((screen) => screen !== first && screen.includes("SNAKE"));
    terminal.press("down");
    const heads = new Set<string>();
    const rowOf = (screen: string): string => String(screen.split("\n").findIndex((line) => /██/.test(line)));
    await terminal.until((screen) => heads.add(rowOf(screen)).size > 1);
    terminal.press("escape");
    await terminal.until((screen) => !screen.includes("SNAKE"));
    sitting.say("/snake");
    await terminal.until(/PAUSED/i);
    terminal.type("q");
    await terminal.until((screen) => !screen.includes("SNAKE"));
    terminal.type("typing works again");
    await terminal.until("typing works again");
  });

  test("space invaders shoots, and ends with q", async () => {
    await using sitting = await sitWith("space-invaders.ts");
    const { terminal } = sitting;
    sitting.say("/invaders");
    await terminal.until(/INVADERS/i);
    const shots = setInterval(() => terminal.feed(" "), 40);
    try {
      await terminal.until(/Score: *[1-9]/i, 120_000);
    } finally {
      clearInterval(shots);
    }
    terminal.type("q");
    await terminal.until((screen) => !/INVADERS/i.test(screen));
  });

  test("the modal editor edits in two modes", async () => {
    await using sitting = await sitWith("modal-editor.ts");
    const { terminal } = sitting;
    await terminal.until("INSERT");
    terminal.type("abc");
    terminal.press("escape");
    await terminal.until("NORMAL");
    terminal.type("0xa");
    await terminal.until("INSERT");
    terminal.type("X");
    await terminal.until(/^bXc/m);
    terminal.press("enter");
    await terminal.until("Fine.");
  });

  test("the footer is another one and comes back", async () => {
    await using sitting = await sitWith("custom-footer.ts", { files: { ".git/HEAD": "ref: refs/heads/topic\n" } });
    const { terminal } = sitting;
    sitting.say("/footer");
    await terminal.until(/^↑0 ↓0 \$0\.000 +script \(topic\)$/m);
    sitting.say("/footer");
    await terminal.until("script/script • medium");
  });

  test("the header is another one and the usual comes back", async () => {
    await using sitting = await sitWith("custom-header.ts", { isEarly: true });
    const { terminal } = sitting;
    await terminal.until("█");
    expect(await sitting.screen()).not.toContain("Model: script");
    sitting.say("/builtin-header");
    await terminal.until("Model: script");
  });

  test("widgets are above and below the editor", async () => {
    await using sitting = await sitWith("widget-placement.ts");
    await sitting.terminal.until(/Above editor widget\s+─+\s+─+\s+Below editor widget/);
  });

  test("a message is drawn by its renderer", async () => {
    await using sitting = await sitWith("message-renderer.ts");
    sitting.say("/status warn careful now");
    await sitting.terminal.until("careful now");
    expect(await sitting.screen()).toMatch(/WARN.*careful now/);
  });

  test("an entry is drawn by its renderer, at once and after a resume, in part and in full", async () => {
    await using sitting = await sitWith("entry-renderer.ts");
    const { terminal } = sitting;
    sitting.say("/status-card deployed");
    const card = await terminal.until("deployed");
    terminal.press("ctrl+o");
    await terminal.until((screen) => screen.includes("deployed") && screen !== card);
  });

  test("an editor that draws its text in moving colours", async () => {
    await using sitting = await sitWith("rainbow-editor.ts");
    sitting.terminal.type("please ultrathink now");
    await sitting.terminal.until("ultrathink");
    const first = sitting.terminal.text({ styles: true });
    await sitting.terminal.until(() => sitting.terminal.text({ styles: true }) !== first);
    expect(sitting.terminal.text()).toContain("please ultrathink now");
  });

  test("the overlay takes keys, and gives the screen back", async () => {
    await using sitting = await sitWith("overlay-test.ts");
    const { terminal } = sitting;
    sitting.say("/overlay-test");
    await terminal.until("Search");
    terminal.type("needle");
    await terminal.until("needle");
    terminal.press("enter");
    await terminal.until(/needle"/);
    expect(await sitting.screen()).toContain("Model: script");
  });

  test("tools are drawn by renderers that take the built-in ones' place", async () => {
    const replies = [{ toolCalls: [{ name: "bash", arguments: { command: "echo drawn" } }] }, { text: "Done." }];
    await using sitting = await sitWith("minimal-mode.ts", { replies });
    sitting.say("go");
    await sitting.terminal.until("Done.");
    const screen = await sitting.screen();
    expect(screen).toContain("$ echo drawn");
    expect(screen).not.toMatch(/^ drawn/m);
  });

  test("the working line has other frames", async () => {
    await using sitting = await sitWith("working-indicator.ts", { replies: [{ text: "late", delayMs: 60_000 }] });
    sitting.say("/working-indicator dot");
    sitting.say("go");
    await sitting.terminal.until(/● Working/);
  });
});
