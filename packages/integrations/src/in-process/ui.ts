import type { HostServices, HostUi } from "@hookline/runtime";
import type { Call, Instance } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import type { DialogOptions } from "@hookline/runtime/engine";
import { joinedSignal } from "@hookline/runtime/engine";

/** The options of a dialog, as a module passes them. */
export type AskOptions = (DialogOptions & { readonly promptStyle?: boolean }) | undefined;

/**
 * Shows one handler's dialogs to the user. The handler's time limit is paused while a dialog is open. A dialog of the
 * same kind and text within one dispatch is answered from memory (architecture, law 3). A dialog closes when the
 * handler is aborted or its module is unloaded. After that, the module's dialogs do nothing and are reported once.
 *
 * Without a screen nothing is selected, entered or confirmed.
 */
export class Asking {
  readonly #services: HostServices;
  readonly #instance: Instance;
  readonly #call: Call | undefined;

  constructor(services: HostServices, instance: Instance, call: Call | undefined) {
    this.#services = services;
    this.#instance = instance;
    this.#call = call;
  }

  select(title: string, options: readonly string[], dialog?: AskOptions): Promise<string | undefined> {
    return this.#ask("select", [title, ...options], undefined, dialog, (ui, open) => ui.select?.(title, options, open));
  }

  async confirm(title: string, message: string, dialog?: AskOptions): Promise<boolean> {
    return (
      (await this.#ask("confirm", [title, message], false, dialog, (ui, open) => ui.confirm?.(title, message, open))) ??
      false
    );
  }

  input(title: string, placeholder?: string, dialog?: AskOptions): Promise<string | undefined> {
    return this.#ask("input", [title, placeholder ?? ""], undefined, dialog, (ui, open) =>
      ui.input?.(title, placeholder, open),
    );
  }

  editor(title: string, prefill?: string, dialog?: AskOptions): Promise<string | undefined> {
    return this.#ask("editor", [title, prefill ?? ""], undefined, dialog, (ui, open) =>
      ui.editor?.(title, prefill, open),
    );
  }

  custom(factory: unknown, options?: unknown): Promise<unknown> {
    return this.#ask("custom", undefined, undefined, undefined, (ui) => ui.custom?.(factory, options));
  }

  /**
   * Returns the host's user interface for output that needs no answer; `undefined` if the host has none or the module
   * is unloaded.
   */
  screen(what: string): HostUi | undefined {
    if (!this.#alive(what)) return undefined;
    return this.#services.ui;
  }

  async #ask<T>(
    kind: string,
    texts: readonly string[] | undefined,
    otherwise: T,
    dialog: AskOptions,
    open: (ui: HostUi, dialog: NonNullable<AskOptions>) => Promise<T> | undefined,
  ): Promise<T> {
    const ui = this.screen(`ui.${kind}`);
    if (ui === undefined) return otherwise;
    const memory = this.#call?.dialogs;
    const key = texts === undefined ? undefined : JSON.stringify([kind, ...texts]);
    if (memory !== undefined && key !== undefined && memory.has(key)) return memory.get(key) as T;
    // Comes before the pause: this throws if `dialog.signal` is invalid, and then nothing would resume the clock.
    const { signal, leave } = joinedSignal(dialog?.signal, this.#call?.signal, this.#instance.signal);
    const resume = this.#call?.pause();
    try {
      const given = await open(ui, { ...dialog, signal });
      // A component may answer with null, which counts as an answer.
      const answer = given === undefined ? otherwise : given;
      if (memory !== undefined && key !== undefined) memory.set(key, answer);
      return answer;
    } finally {
      leave();
      resume?.();
    }
  }

  #alive(what: string): boolean {
    return alive(this.#instance, what);
  }
}

const told = new WeakSet<Instance>();

/** Whether a module is still loaded. If it is not, its first use of a member (`what`) is reported. */
export function alive(instance: Instance, what: string): boolean {
  if (!instance.disposed) return true;
  if (!told.has(instance)) {
    told.add(instance);
    instance.report(diagnose("STALE_CONTEXT", { path: instance.source.path, what }, { source: instance.source }));
  }
  return false;
}
