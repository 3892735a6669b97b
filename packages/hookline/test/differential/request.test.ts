import { expect, test } from "vitest";
import { expectAlike } from "./compare.ts";
import { describeWithPeer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

const reply = [{ text: "done" }];

describeWithPeer("what a request is made of", () => {
  test("before_agent_start chains the system prompt and collects messages", async () => {
    const { hookline } = await expectAlike(
      {
        prompts: ["one", "two"],
        extensions: [
          (pi: any) => {
            pi.on("before_agent_start", ({ prompt, systemPrompt }: any, ctx: any) => {
              note(prompt, systemPrompt.includes("[[A]]"), ctx.getSystemPrompt() === systemPrompt);
              const message = { customType: "a", content: "msgA", display: true, details: { n: 1 } };
              return { systemPrompt: `${systemPrompt}\n[[A]]`, message };
            });
          },
          (pi: any) => {
            pi.on("before_agent_start", ({ systemPrompt }: any, ctx: any) => {
              note(systemPrompt.includes("[[A]]"), ctx.getSystemPrompt().includes("[[A]]"));
              const content = [{ type: "text", text: "msgB" }];
              return { systemPrompt: `${systemPrompt}[[B]]`, message: { customType: "b", content, display: false } };
            });
          },
        ],
        replies: [{ text: "1" }, { text: "2" }],
      },
      ["effectivePrompt"],
    );
    expect(JSON.stringify(hookline.requests[0])).toMatch(/\[\[A\]\]\[\[B\]\].*one.*msgA.*msgB/);
  });

  test("before_agent_start: one that fails leaves the others, an empty prompt is honoured", async () => {
    await expectAlike({
      prompts: ["one"],
      extensions: [
        (pi: any) =>
          pi.on("before_agent_start", () => {
            throw new Error("broken");
          }),
        (pi: any) => pi.on("before_agent_start", () => ({ systemPrompt: "" })),
        (pi: any) => pi.on("before_agent_start", ({ systemPrompt }: any) => note(systemPrompt)),
      ],
      replies: reply,
    });
  });

  test("context: returned lists and edits in place reach the model and never the session", async () => {
    const { hookline } = await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("context", ({ messages }: any) => ({
            messages: [...messages, { role: "user", content: "INJ", timestamp: 1 }],
          }));
        },
        (pi: any) => {
          pi.on("context", (event: any) => {
            note(event.messages.length);
            event.messages.push({ role: "user", content: [{ type: "text", text: "PUSHED" }], timestamp: 2 });
            event.messages[0].content[0].text = "CHANGED";
          });
        },
      ],
      replies: reply,
    });
    const sent = JSON.stringify(hookline.requests);
    for (const text of ["INJ", "PUSHED", "CHANGED"]) expect(sent).toContain(text);
    expect(JSON.stringify(hookline.entries)).not.toMatch(/INJ|PUSHED|CHANGED/);
  });

  test("context: an empty list is honoured, what is not a list is reported", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => pi.on("context", () => ({ messages: "no list" })),
        (pi: any) => pi.on("context", () => ({ messages: [] })),
      ],
      replies: reply,
    });
  });

  test("context_with_system is the whole, and its list is sent as it is", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("context_with_system", ({ messages }: any) => {
            note(messages.map(({ role }: any) => role));
            return { messages: [...messages, { role: "user", content: "LAST", timestamp: 1 }] };
          });
        },
      ],
      replies: reply,
    });
  });

  test("before_provider_request: bodies chain, one that fails is passed by", async () => {
    const { hookline } = await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => pi.on("before_provider_request", ({ payload }: any) => ({ ...payload, user: "A" })),
        (pi: any) =>
          pi.on("before_provider_request", () => {
            throw new Error("broken");
          }),
        (pi: any) => {
          pi.on("before_provider_request", ({ payload }: any) => {
            note(payload.user, payload.model);
            return { ...payload, user: `${payload.user}B` };
          });
        },
      ],
      replies: reply,
    });
    expect(hookline.requests[0].user).toBe("AB");
  });

  test("before_provider_headers and after_provider_response", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("before_provider_headers", ({ headers }: any) => {
            headers["x-added"] = "1";
            headers["x-gone"] = null;
          });
          pi.on("before_provider_headers", ({ headers }: any) => note(headers["x-added"]));
          pi.on("after_provider_response", ({ status, headers }: any) => note(status, headers["x-request-id"]));
        },
      ],
      replies: reply,
    });
  });

  test("handlers run in load order, then in the order of their registration, each waited for", async () => {
    const slow = (pi: any) => {
      for (const name of ["context", "turn_start", "turn_end", "agent_end"]) {
        pi.on(name, async () => {
          await new Promise((done) => setTimeout(done, 15));
          note(name, "slow");
        });
        pi.on(name, () => note(name, "quick"));
      }
    };
    await expectAlike({
      prompts: ["hello"],
      extensions: [slow, (pi: any) => pi.on("context", () => note("context", "other"))],
      replies: reply,
    });
  });

  test("a handler that is not a function fails when it is called; an unknown name never fires", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("agent_start", 5);
          pi.on("nothing_of_the_sort", () => note("no"));
          pi.on("agent_start", () => note("yes"));
        },
      ],
      replies: reply,
    });
  });

  test("a handler that was removed, and one that was added in between", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          const undo = pi.on("turn_start", () => note("once"));
          pi.on("turn_start", () => {
            undo();
            pi.on("turn_start", () => note("not in the same"));
            pi.on("turn_end", () => note("added"));
          });
        },
      ],
      replies: reply,
    });
  });

  test("what the system prompt is made of is looked at and changed", async () => {
    const { hookline } = await expectAlike(
      {
        prompts: ["hello", "again"],
        files: {
          "@/skills/sk/SKILL.md": "---\nname: sk\ndescription: a skill\n---\nBODY\n",
          "AGENTS.md": "[[file]]\n",
        },
        extensions: [
          (pi: any) => {
            let first = true;
            pi.on("before_agent_start", ({ systemPromptOptions: options }: any) => {
              // pi does not say later that a tool has been switched off.
              const names = ["read", "bash", "edit"];
              note(names.map((name) => [options.selectedTools.includes(name), Boolean(options.toolSnippets[name])]));
              note(options.skills.map(({ name, disableModelInvocation }: any) => [name, disableModelInvocation]));
              note(options.contextFiles.length, Object.keys(options.sections), options.appendSystemPrompt);
              if (!first) return;
              first = false;
              options.promptGuidelines.push("[[rule]]");
              options.sections.mine = "[[mine]]";
              options.selectedTools = options.selectedTools.filter((name: string) => name !== "write");
            });
          },
          (pi: any) =>
            pi.on("before_agent_start", (event: any, ctx: any) => {
              note(event.systemPrompt.includes("[[mine]]"), ctx.getSystemPrompt().includes("[[rule]]"));
            }),
        ],
        replies: [{ text: "1" }, { text: "2" }],
      },
      ["effectivePrompt", "toolsOfBranch"],
    );
    const [first, second] = hookline.requests;
    expect(first.messages[0].content).toContain("[[mine]]");
    expect(second.messages[0].content).not.toContain("[[mine]]");
    for (const { tools } of [first, second])
      expect(tools.map((tool: any) => tool.function.name)).not.toContain("write");
  });

  test("a prompt that is returned stands above what it was made of", async () => {
    await expectAlike(
      {
        prompts: ["hello"],
        extensions: [
          (pi: any) =>
            pi.on("before_agent_start", ({ systemPromptOptions }: any) => {
              systemPromptOptions.sections.mine = "[[mine]]";
            }),
          (pi: any) =>
            pi.on("before_agent_start", ({ systemPrompt }: any) => ({ systemPrompt: `${systemPrompt} [[more]]` })),
          (pi: any) =>
            pi.on("before_agent_start", ({ systemPrompt, systemPromptOptions }: any) => {
              note(systemPrompt.includes("[[mine]]"), systemPrompt.includes("[[more]]"));
              systemPromptOptions.sections.late = "[[late]]";
            }),
        ],
        replies: [{ text: "1" }],
      },
      ["effectivePrompt"],
    );
  });
});
