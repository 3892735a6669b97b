import { expect, test } from "vitest";
import { expectAlike, runApart, runBoth } from "./compare.ts";
import { describeWithPeer } from "./peer.ts";
import { NOTE } from "./record.ts";

declare const note: (...values: unknown[]) => void;

const reply = [{ text: "done" }];

/** An extension that says its name when it is loaded and when a session starts. */
const named = (name: string): string =>
  `${NOTE}\nexport default (pi) => {\n  note("load", "${name}");\n  pi.on("session_start", ({ reason }) => note("start", "${name}", reason));\n};\n`;

describeWithPeer("loading", () => {
  const places = {
    ".pi/extensions/project.ts": named("project"),
    ".pi/extensions/folder/index.ts": named("project folder"),
    ".pi/extensions/package/package.json": JSON.stringify({ pi: { extensions: ["./main.ts", "./gone.ts"] } }),
    ".pi/extensions/package/main.ts": named("project package"),
    ".pi/extensions/package/index.ts": named("not this one"),
    ".pi/extensions/deep/er/index.ts": named("too deep"),
    ".pi/settings.json": JSON.stringify({ extensions: ["../configured/project.ts"] }),
    "configured/project.ts": named("project settings"),
    "~/.pi/agent/extensions/global.ts": named("global"),
  };

  test("by default the order is the seed's: project, global, settings, then what was given", async () => {
    const given = { prompts: ["hello"], files: places, extensions: [named("given")], replies: reply };
    const { hookline, pi } = await runApart(given, "loadOrder");
    const loaded = (notes: readonly any[]): string[] =>
      notes.filter(([what]) => what === "load").map(([, name]) => name);
    expect(loaded(pi.notes)[0]).toBe("given");
    expect(loaded(hookline.notes)).toEqual([
      "project folder",
      "project package",
      "project",
      "global",
      "project settings",
      "given",
    ]);
    expect(loaded(hookline.notes).toSorted()).toEqual(loaded(pi.notes).toSorted());
  });

  test("with extensionOrder cli the order is that of the real command line", async () => {
    await expectAlike({
      prompts: ["hello"],
      files: { ...places, "~/.hookline/settings.json": JSON.stringify({ extensionOrder: "cli" }) },
      extensions: [named("given"), named("given second")],
      replies: reply,
    });
  });

  test("of two tools with one name the person's is used here, and the real program ends", async () => {
    const owned = (who: string): string =>
      `${NOTE}\nexport default (pi) => pi.registerTool({ name: "owned", label: "o", description: "o", parameters: { type: "object", properties: {} }, execute: async () => { note("${who}"); return { content: [], details: {} }; } });\n`;
    const given = {
      prompts: ["hello"],
      files: { ".pi/extensions/p.ts": owned("project"), "~/.pi/agent/extensions/u.ts": owned("person") },
      extensions: [],
      replies: [{ toolCalls: [{ id: "c1", name: "owned", arguments: {} }] }, ...reply],
    };
    const { hookline, pi } = await runApart(given, "personsName");
    expect(hookline.notes).toEqual([["person"]]);
    expect(pi.notes).toEqual([]);
  });

  test("an asynchronous factory is waited for", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        async (pi: any) => {
          await new Promise((done) => setTimeout(done, 30));
          pi.on("agent_start", () => note("there"));
        },
      ],
      replies: reply,
    });
  });

  test("a module is found beside the extension, in its own node_modules and among Node's", async () => {
    await expectAlike({
      prompts: ["hello"],
      files: {
        "ext/index.ts": `${NOTE}\nimport { near } from "./near";\nimport far from "far";\nimport { basename } from "node:path";\nexport default () => note(near, far, basename("/a/b"));\n`,
        "ext/near.ts": "export enum Kind { A = 'a' }\nexport const near: string = Kind.A;\n",
        "ext/node_modules/far/package.json": JSON.stringify({ name: "far", main: "main.js" }),
        "ext/node_modules/far/main.js": "module.exports = 'far';\n",
      },
      extensions: ["ext/index.ts"],
      replies: reply,
    });
  });

  test("an action while the factory runs is refused with the same words", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          for (const [member, ...args] of [
            ["sendMessage", { customType: "a", content: "b", display: true }],
            ["sendUserMessage", "a"],
            ["appendEntry", "a"],
            ["setSessionName", "a"],
            ["getSessionName"],
            ["setLabel", "a", "b"],
            ["getActiveTools"],
            ["getAllTools"],
            ["setActiveTools", []],
            ["getCommands"],
            ["getThinkingLevel"],
            ["setThinkingLevel", "low"],
          ]) {
            try {
              note(member, pi[member as string](...args));
            } catch (error) {
              note(member, (error as Error).message);
            }
          }
        },
      ],
      replies: reply,
    });
  });

  test("one extension that cannot be loaded: the run is not started in either", async () => {
    const { pi, hookline } = await runBoth({
      prompts: ["hello"],
      extensions: ["export default 5;\n", named("good")],
      replies: reply,
    });
    expect(pi.code).toBe(1);
    expect(pi.err).toContain("Extension does not export a valid factory function");
    expect(hookline.code).toBe(1);
    expect(hookline.err).toContain("Extension does not export a valid factory function");
    for (const { notes } of [pi, hookline]) expect(notes.filter(([what]) => what !== "load")).toEqual([]);
  });

  test("an unknown option of the command line is wrong usage in both", async () => {
    const { pi, hookline } = await runBoth({ prompts: ["hello"], args: ["--nothing"], replies: reply });
    expect(pi.err).toContain("--nothing");
    expect(hookline.err).toContain("--nothing");
    expect(pi.code).not.toBe(0);
    expect(hookline.code).not.toBe(0);
  });

  test("flags: boolean, text, default, another's, and with dashes", async () => {
    await expectAlike({
      prompts: ["hello"],
      args: ["--plan", "--level", "high"],
      extensions: [
        (pi: any) => {
          pi.registerFlag("plan", { type: "boolean", description: "plan" });
          pi.registerFlag("level", { type: "string" });
          pi.registerFlag("kept", { type: "string", default: "d" });
          note("load", pi.getFlag("kept"));
          pi.on("session_start", () =>
            note(["plan", "level", "kept", "--plan", "theirs"].map((name) => pi.getFlag(name) ?? "none")),
          );
        },
        (pi: any) => {
          pi.registerFlag("theirs", { type: "boolean", default: true });
          pi.on("session_start", () => note(pi.getFlag("plan") ?? "none", pi.getFlag("theirs")));
        },
      ],
      replies: reply,
    });
  });

  test("the bus: in order, at once, a listener that fails does not stop the others", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          const undo = pi.events.on("ch", (data: any) => note("a", data));
          pi.events.on("ch", () => {
            throw new Error("listener");
          });
          pi.events.on("ch", async (data: any) => {
            await null;
            note("late", data);
          });
          pi.on("agent_start", () => {
            undo();
            pi.events.emit("ch", 2);
            note("emitted");
          });
        },
        (pi: any) => {
          pi.events.on("ch", (data: any) => note("b", data));
          pi.on("session_start", () => {
            pi.events.emit("ch", { n: 1 });
            note("emitted");
          });
        },
      ],
      replies: reply,
    });
  });
});
