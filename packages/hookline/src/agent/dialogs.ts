import type { HostUi } from "@hookline/runtime";
import type { HookSession } from "@hookline/runtime/session";

type Kind = "select" | "confirm" | "input" | "editor" | "custom";

/** Wraps a user interface so that hooks are notified of each question. The questions do not wait for the hooks. */
export function announcing(ui: HostUi, hooks: () => HookSession | undefined): HostUi {
  const around = async <T>(kind: Kind, title: string | undefined, open: () => Promise<T>): Promise<T> => {
    const about = { kind, ...(title !== undefined && { title }) };
    const tell = (event: "ui.prompt-start" | "ui.prompt-end"): void =>
      queueMicrotask(() => void hooks()?.emit(event, about));
    tell("ui.prompt-start");
    try {
      return await open();
    } finally {
      tell("ui.prompt-end");
    }
  };
  const { select, confirm, approve, input, editor, custom } = ui;
  const announced: HostUi = {
    ...(select && {
      select: (title, options, dialog) => around("select", title, () => select.call(ui, title, options, dialog)),
    }),
    ...(confirm && {
      confirm: (title, message, dialog) => around("confirm", title, () => confirm.call(ui, title, message, dialog)),
    }),
    ...(approve && {
      approve: (title, ...about) => around("confirm", title, () => approve.call(ui, title, ...about)),
    }),
    ...(input && {
      input: (title, placeholder, dialog) => around("input", title, () => input.call(ui, title, placeholder, dialog)),
    }),
    ...(editor && {
      editor: (title, prefill, dialog) => around("editor", title, () => editor.call(ui, title, prefill, dialog)),
    }),
    ...(custom && {
      custom: (factory, options) => around("custom", undefined, () => custom.call(ui, factory, options)),
    }),
  };
  // All other members are inherited from the original object, including members that are unknown here.
  return Object.assign(Object.create(ui) as HostUi, announced);
}
