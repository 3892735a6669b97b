import { expect, test } from "vitest";
import { expectAlike } from "./compare.ts";
import { describeWithPeer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

const reply = [{ text: "done" }];

describeWithPeer("input", () => {
  test("transforms chain in load order", async () => {
    const { hookline } = await expectAlike({
      prompts: ["hi"],
      extensions: [
        (pi: any) => {
          pi.on("input", ({ text, source }: any) => {
            note("first", text, source);
            return { action: "transform", text: `${text}-A` };
          });
          pi.on("input", ({ text }: any) => note("second", text));
        },
        (pi: any) => pi.on("input", ({ text }: any) => ({ action: "transform", text: `${text}-B` })),
      ],
      replies: reply,
    });
    expect(JSON.stringify(hookline.requests)).toContain("hi-A-B");
  });

  test("handled ends it: no other hook is asked and no request is made", async () => {
    const { hookline } = await expectAlike({
      prompts: ["ping"],
      extensions: [
        (pi: any) => pi.on("input", () => ({ action: "handled" })),
        (pi: any) => pi.on("input", () => note("not reached")),
      ],
      replies: [],
    });
    expect([hookline.code, hookline.requests]).toEqual([0, []]);
  });

  test("a handler that fails, one that continues and an unknown action change nothing", async () => {
    await expectAlike({
      prompts: ["hi"],
      extensions: [
        (pi: any) => {
          pi.on("input", () => {
            throw new Error("broken");
          });
          pi.on("input", () => ({ action: "continue" }));
          pi.on("input", () => ({ action: "nothing", text: "no" }));
          pi.on("input", (event: any) => {
            event.text = "no";
          });
          pi.on("input", ({ text }: any) => note(text));
        },
      ],
      replies: reply,
    });
  });

  test("a command gets its arguments untrimmed and no input event", async () => {
    await expectAlike({
      prompts: ["/mycmd a  b ", "/mycmd"],
      extensions: [
        (pi: any) => {
          pi.registerCommand("mycmd", {
            description: "mine",
            handler: async (args: string, ctx: any) => note(args, typeof ctx.newSession, ctx.isIdle(), ctx.hasUI),
          });
        },
      ],
      replies: [],
    });
  });

  test("a command that fails is reported and counts as done", async () => {
    const { hookline, pi } = await expectAlike({
      prompts: ["/broken x", "hello"],
      extensions: [
        (api: any) => {
          api.registerCommand("broken", {
            handler: async () => {
              throw new Error("command broke");
            },
          });
        },
      ],
      replies: reply,
    });
    for (const { err } of [hookline, pi]) expect(err).toContain("command broke");
  });

  test("an unknown command goes to the model as it is", async () => {
    const { hookline } = await expectAlike({ prompts: ["/nothing here"], replies: reply });
    expect(JSON.stringify(hookline.requests)).toContain("/nothing here");
  });

  test("a transform to an extension's command is sent to the model, not run", async () => {
    await expectAlike({
      prompts: ["hi"],
      extensions: [
        (pi: any) => {
          pi.registerCommand("mycmd", { handler: async () => note("run") });
          pi.on("input", () => ({ action: "transform", text: "/mycmd x" }));
        },
      ],
      replies: reply,
    });
  });

  test("skills and prompt templates are expanded after the hooks have seen the text", async () => {
    await expectAlike({
      prompts: ["/skill:sk do", "/tmpl arg1 arg2"],
      files: {
        "@/skills/sk/SKILL.md": "---\nname: sk\ndescription: a skill\n---\nBODY\n",
        "@/prompts/tmpl.md": "TEMPLATE $1 and $@\n",
      },
      extensions: [(pi: any) => pi.on("input", ({ text }: any) => note(text))],
      replies: [{ text: "1" }, { text: "2" }],
    });
  });

  test("resources that a hook discovers are there for the first prompt", async () => {
    await expectAlike({
      prompts: ["/found x"],
      files: {
        "more/found.md": "FOUND $1\n",
        "more/sk/SKILL.md": "---\nname: sk\ndescription: of a hook\n---\nBODY\n",
      },
      extensions: [
        (pi: any) => {
          pi.on("resources_discover", ({ cwd, reason }: any) => {
            note(reason);
            return { promptPaths: [`${cwd}/more/found.md`], skillPaths: [`${cwd}/more/sk`] };
          });
          const found = () => pi.getCommands().filter(({ source }: any) => source !== "extension");
          pi.on("session_start", () => note(found().length));
          pi.on("agent_start", () => note(found().map(({ name, source }: any) => [name, source])));
        },
      ],
      replies: reply,
    });
  });
});
