import type { Model } from "../../provider/provider.ts";
import { choose } from "./choice.ts";
import type { Dialog } from "./screen.ts";

/** A message before which a session can be forked. */
export interface ForkPoint {
  readonly entryId: string;
  readonly text: string;
}

/** Lets the person choose the message before which a new session starts; returns its entry's id. */
export function chooseFork(points: readonly ForkPoint[]): Dialog<string> {
  return choose({
    title: "Fork before a message",
    rows: points.map(({ entryId, text }, at) => ({
      value: entryId,
      text: text.trim() === "" ? "(no text)" : text,
      note: `${at + 1}`,
      isCurrent: false,
    })),
    empty: "There is no message to fork before.",
    does: "fork",
  });
}

/** Lets the person choose a model; models of providers without an API key are not listed. */
export function chooseModel(models: readonly Model[], current: Pick<Model, "provider" | "id">): Dialog<Model> {
  return choose({
    title: "Choose a model",
    rows: models.map((model) => ({
      value: model,
      text: `${model.provider}/${model.id}`,
      note: modelNote(model),
      search: model.name,
      isCurrent: model.provider === current.provider && model.id === current.id,
    })),
    empty: "No model can be asked. Set a provider's key, or add one to models.json.",
    does: "use",
    remark: () => (models.length === 1 ? "1 model" : `${models.length} models`),
  });
}

function modelNote({ contextWindow, reasoning, input }: Model): string {
  const facts = [
    contextWindow > 0 ? `${Math.round(contextWindow / 1000)}k` : "",
    reasoning ? "thinks" : "",
    input.includes("image") ? "images" : "",
  ];
  return facts.filter(Boolean).join(" · ");
}

const LEVEL_TEXTS: Readonly<Record<string, string>> = {
  off: "answers at once",
  minimal: "a moment",
  low: "a little",
  medium: "some",
  high: "much",
  xhigh: "as much as it can",
};

/** Lets the person choose how much the model thinks. */
export function chooseThinking<L extends string>(levels: readonly L[], current: L): Dialog<L> {
  return choose({
    title: "Thinking",
    rows: levels.map((level) => ({
      value: level,
      text: level,
      note: LEVEL_TEXTS[level] ?? "",
      isCurrent: level === current,
    })),
    empty: "The model has no levels of thinking.",
    search: false,
    does: "use",
  });
}

/** Lets the person choose a theme. Moving shows a theme at once, and cancelling restores the old one. */
export function chooseTheme(names: readonly string[], current: string, tryOn: (name: string) => void): Dialog<string> {
  const dialog = choose<string>({
    title: "Theme",
    rows: names.map((name) => ({ value: name, text: name, isCurrent: name === current })),
    empty: "There is no theme.",
    does: "use",
    onMove: (name) => name !== undefined && tryOn(name),
  });
  return (screen, done) =>
    dialog(screen, (name) => {
      if (name === undefined) tryOn(current);
      done(name);
    });
}

/** A person's choice among chibi's named contexts: one to switch to, or a new one. */
export type ContextChoice = { readonly kind: "switch"; readonly name: string } | { readonly kind: "new" };

/** Lets the person choose one of chibi's named contexts to continue in, or a new one. */
export function chooseContext(names: readonly string[], current: string): Dialog<ContextChoice> {
  return choose<ContextChoice>({
    title: "Contexts",
    rows: [
      ...names.map((name) => ({
        value: { kind: "switch" as const, name },
        text: name,
        isCurrent: name === current,
      })),
      { value: { kind: "new" as const }, text: "+ a new context", colour: "muted" },
    ],
    empty: "",
    does: "continue in it",
  });
}
