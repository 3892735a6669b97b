import type { HostServices, HostUi } from "@hookline/runtime";
import type { Call, Instance } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import type { DialogOptions } from "@hookline/runtime/engine";
import { joinedSignal } from "@hookline/runtime/engine";

/** A dialog's options, from foreign code. */
export type AskOptions = (DialogOptions & { readonly promptStyle?: boolean }) | undefined;

/**
 * One handler's dialogs with the person. While a dialog is open the handler's clock is stopped. A dialog with the same
 * kind and text within one dispatch is answered from memory (architecture, law 3). A dialog closes when the handler is
 * aborted or the module is unloaded; dialogs of a disposed instance do nothing and are reported once.
 *
 * Without a screen: no selection, no text, not confirmed.
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

  /** The user interface for output without an answer; `undefined` without one, or after the instance is disposed. */
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
    // Throws if the hook's signal is not a signal, so it comes before the clock is stopped.
    const { signal, leave } = joinedSignal(dialog?.signal, this.#call?.signal, this.#instance.signal);
    const resume = this.#call?.pause();
    try {
      const given = await open(ui, { ...dialog, signal });
      // A component may answer with null, which is not the same as no answer.
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

/** Whether an instance may still act; the first use after its end is reported. */
export function alive(instance: Instance, what: string): boolean {
  if (!instance.disposed) return true;
  if (!told.has(instance)) {
    told.add(instance);
    instance.report(diagnose("STALE_CONTEXT", { path: instance.source.path, what }, { source: instance.source }));
  }
  return false;
}
