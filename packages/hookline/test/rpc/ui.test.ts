import { expect, test } from "vitest";
import { RpcUi } from "../../src/mode/rpc/ui.ts";

function client() {
  const sent: any[] = [];
  const rpc = new RpcUi((line) => sent.push(line));
  const { ui } = rpc;
  return {
    rpc,
    ui,
    sent,
    reply: (fields: object) => rpc.answered({ type: "extension_ui_response", id: sent.at(-1).id, ...fields }),
  };
}

test("questions go out in pi's shape and their answers come back", async () => {
  const { ui, sent, reply } = client();
  const selected = ui.select?.("Which?", ["a", "b"], { timeout: 60_000 });
  expect(sent.at(-1)).toMatchObject({
    type: "extension_ui_request",
    method: "select",
    title: "Which?",
    options: ["a", "b"],
    timeout: 60_000,
  });
  reply({ value: "b" });
  expect(await selected).toBe("b");
  const confirmed = ui.confirm?.("Sure?", "really");
  expect(sent.at(-1)).toMatchObject({ method: "confirm", title: "Sure?", message: "really" });
  reply({ confirmed: true });
  expect(await confirmed).toBe(true);
  const typed = ui.input?.("Name?", "a name");
  expect(sent.at(-1)).toMatchObject({ method: "input", placeholder: "a name" });
  reply({ value: "" });
  expect(await typed).toBe("");
  const edited = ui.editor?.("Edit", "text");
  expect(sent.at(-1)).toMatchObject({ method: "editor", prefill: "text" });
  reply({ value: "new" });
  expect(await edited).toBe("new");
});

test.each([
  ["select", { cancelled: true }, undefined],
  ["select", { value: 7 }, undefined],
  ["confirm", { cancelled: true }, false],
  ["confirm", { confirmed: "yes" }, false],
  ["input", { cancelled: true }, undefined],
] as const)("%s that is answered with %j gives %j", async (method, response, expected) => {
  const { ui, reply } = client();
  const asked =
    method === "select" ? ui.select?.("?", []) : method === "confirm" ? ui.confirm?.("?", "") : ui.input?.("?");
  reply(response);
  expect(await asked).toBe(expected);
});

test.each([
  [{ confirmed: true }, { approved: true, args: undefined }],
  [
    { confirmed: true, args: { command: "ls" } },
    { approved: true, args: { command: "ls" } },
  ],
  [{ confirmed: true, args: "ls" }, { approved: false }],
  [{ confirmed: "yes" }, { approved: false }],
  [
    { confirmed: false, reason: "not today" },
    { approved: false, reason: "not today" },
  ],
  [{ cancelled: true }, { approved: false }],
])("a question about a call that is answered with %j gives %j", async (response, expected) => {
  const { ui, sent, reply } = client();
  const asked = ui.approve?.("Run bash?", "sure?", { command: "rm -r build" });
  expect(sent.at(-1)).toMatchObject({ method: "confirm", title: "Run bash?", args: { command: "rm -r build" } });
  reply(response);
  expect(await asked).toEqual(expected);
});

test("an abort, a time limit and the end of the client dismiss a question", async () => {
  const { rpc, ui } = client();
  const abort = new AbortController();
  const aborted = ui.select?.("?", ["a"], { signal: abort.signal });
  abort.abort();
  expect(await aborted).toBeUndefined();
  expect(await ui.confirm?.("?", "", { signal: abort.signal })).toBe(false);
  expect(await ui.confirm?.("?", "", { timeout: 1 })).toBe(false);
  const open = ui.editor?.("?");
  rpc.close();
  expect(await open).toBeUndefined();
  expect(await ui.input?.("?")).toBeUndefined();
});

test("what needs no answer is told at once; what draws itself is not", () => {
  const { ui, sent } = client();
  ui.notify?.("hello", "warning");
  ui.setStatus?.("key", undefined);
  ui.setWidget?.("w", ["line"], { placement: "belowEditor" });
  ui.setWidget?.("w", () => ({}));
  ui.setTitle?.("title");
  ui.setEditorText?.("text");
  expect(sent.map(({ type, id, ...rest }) => rest)).toEqual([
    { method: "notify", message: "hello", notifyType: "warning" },
    { method: "setStatus", statusKey: "key", statusText: undefined },
    { method: "setWidget", widgetKey: "w", widgetLines: ["line"], widgetPlacement: "belowEditor" },
    { method: "setTitle", title: "title" },
    { method: "set_editor_text", text: "text" },
  ]);
});
