import { randomUUID } from "node:crypto";
import { isFields } from "@hookline/ground";
import type { HostUi } from "@hookline/runtime";
import type { CallAnswer, DialogOptions } from "@hookline/runtime/engine";
import type { Send } from "./wire.ts";

type Response = Readonly<Record<string, unknown>>;

/** Reads a client's decision on a tool call: `{"confirmed": true}`, optionally with edited `args`, or a `reason`. */
function approvalIn({ confirmed, args, reason }: Response = {}): CallAnswer {
  // Invalid arguments count as a refusal, because the person wanted another call than the proposed one.
  if (confirmed !== true || (args !== undefined && !isFields(args)))
    return { approved: false, ...(typeof reason === "string" && reason !== "" && { reason }) };
  return { approved: true, args };
}

/** The user interface of a client: questions are sent as requests, answers arrive by id. Source: spec/pi.md 2.4. */
export class RpcUi {
  readonly ui: HostUi;
  readonly #send: Send;
  readonly #waiting = new Map<string, (response: Response | undefined) => void>();
  #closed = false;

  constructor(send: Send) {
    this.#send = send;
    const tell = (method: string, fields: object): void =>
      this.#send({ type: "extension_ui_request", id: randomUUID(), method, ...fields });
    const value = async (method: string, fields: object, dialog?: DialogOptions): Promise<string | undefined> => {
      const response = await this.#ask({ method, ...fields }, dialog);
      return typeof response?.["value"] === "string" ? response["value"] : undefined;
    };
    this.ui = {
      select: (title, options, dialog) => value("select", { title, options }, dialog),
      confirm: async (title, message, dialog) =>
        (await this.#ask({ method: "confirm", title, message }, dialog))?.["confirmed"] === true,
      approve: async (title, message, args, dialog) =>
        approvalIn(await this.#ask({ method: "confirm", title, message, args }, dialog)),
      input: (title, placeholder, dialog) => value("input", { title, placeholder }, dialog),
      editor: (title, prefill, dialog) => value("editor", { title, prefill }, { signal: dialog?.signal }),
      notify: (message, notifyType) => tell("notify", { message, notifyType }),
      setStatus: (statusKey, statusText) => tell("setStatus", { statusKey, statusText }),
      setWidget(widgetKey, content, options) {
        // A widget that draws itself needs a terminal, so only widgets made of text lines are sent.
        if (content !== undefined && !Array.isArray(content)) return;
        const { placement } = (options ?? {}) as { readonly placement?: unknown };
        tell("setWidget", { widgetKey, widgetLines: content, widgetPlacement: placement });
      },
      setTitle: (title) => tell("setTitle", { title }),
      setEditorText: (text) => tell("set_editor_text", { text }),
      pasteToEditor: (text) => tell("set_editor_text", { text }),
      getEditorText: () => "",
    };
  }

  /** Resolves the question that an answer of the client belongs to; ignores answers to unknown questions. */
  answered(response: Response): void {
    const { id } = response;
    if (typeof id === "string") this.#waiting.get(id)?.(response);
  }

  /** Dismisses every open question and all later ones. */
  close(): void {
    this.#closed = true;
    for (const settle of [...this.#waiting.values()]) settle(undefined);
  }

  #ask(request: object, { signal, timeout }: DialogOptions = {}): Promise<Response | undefined> {
    if (this.#closed || signal?.aborted) return Promise.resolve(undefined);
    const id = randomUUID();
    return new Promise((resolve) => {
      const settle = (response: Response | undefined): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#waiting.delete(id);
        resolve(response?.["cancelled"] === true ? undefined : response);
      };
      const onAbort = (): void => settle(undefined);
      const timer = timeout ? setTimeout(onAbort, timeout) : undefined;
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(id, settle);
      this.#send({ type: "extension_ui_request", id, ...request, ...(timeout !== undefined && { timeout }) });
    });
  }
}
