import type { HostServices } from "../../port/host.ts";
import { createUi } from "../inprocess/screen.ts";
import type { Asking, AskOptions } from "../ui.ts";

type Ui = Record<string, unknown>;
type Factory = (tui: unknown, theme: unknown, keys: unknown, done: unknown) => unknown;
type Choice = string | { readonly label?: unknown };

/**
 * omp's `ExtensionUIContext`. Its editor takes `{ promptStyle }` as a fourth argument, choices may be objects with a
 * label, and components whose factory has three parameters get `done` as the third (decision 23).
 */
export function extensionUi(asking: Asking, services: HostServices): Ui {
  const ui = createUi(asking, services);
  return Object.defineProperties(ui, {
    select: member((title: string, choices: readonly Choice[], dialog?: AskOptions) =>
      asking.select(title, choices.map(labelOf), dialog),
    ),
    editor: member((title: string, prefill?: string, dialog?: AskOptions, style?: AskOptions) =>
      asking.editor(title, prefill, { ...dialog, ...style }),
    ),
    custom: member((factory: unknown, options?: unknown) => asking.custom(fourParameters(factory), options)),
    setStatus: member((key: string, text: string | undefined) =>
      asking.screen("ui.setStatus")?.setStatus?.(key, text === undefined ? undefined : oneLine(text)),
    ),
  });
}

function member(value: (...args: never[]) => unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true };
}

function labelOf(choice: Choice): string {
  return typeof choice === "string" ? choice : String(choice.label ?? "");
}

/** The host calls with four arguments; the number of parameters is what tells omp's older factories from its newer. */
function fourParameters(factory: unknown): unknown {
  if (typeof factory !== "function" || factory.length !== 3) return factory;
  const older = factory as (tui: unknown, theme: unknown, done: unknown) => unknown;
  const newer: Factory = (tui, theme, _keys, done) => older(tui, theme, done);
  return newer;
}

/** A status text on one line: line breaks and tabs are spaces, several spaces are one. Source: seed 002. */
export function oneLine(text: string): string {
  return String(text)
    .replace(/[\r\n\t]/g, " ")
    .replace(/ +/g, " ")
    .trim();
}
