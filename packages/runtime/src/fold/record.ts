import type { Fold } from "./fold.ts";

type Fields = Readonly<Record<string, Fold<never, unknown>>>;
type States = Record<string, unknown>;

const rest = Symbol("rest");

/**
 * Folds each field of the answer with its own fold. `others` folds the unlisted fields as one object; without it they
 * are dropped. A field that no answer has is absent from the result.
 */
export function record<A, O = A>(fields: Fields, others?: Fold<never, unknown>): Fold<A, O> {
  const names = Object.keys(fields);
  const folds = names.map((name) => fields[name] as Fold);
  const inner = names.map((name, i) => `${name}: ${(folds[i] as Fold).name}`);
  if (others !== undefined) inner.push(`…: ${others.name}`);
  return {
    name: `record(${inner.join(", ")})`,
    empty: undefined,
    step(state, answer) {
      const next: States & { [rest]?: unknown } = { ...(state as States | undefined) };
      const given = answer as States;
      for (let i = 0; i < names.length; i++) {
        const name = names[i] as string;
        const value = given[name];
        if (value === undefined) continue;
        const fold = folds[i] as Fold;
        next[name] = fold.step(Object.hasOwn(next, name) ? next[name] : fold.empty, value);
      }
      if (others !== undefined) {
        const left: States = {};
        for (const name of Object.keys(given)) if (!names.includes(name)) left[name] = given[name];
        next[rest] = (others as Fold).step(rest in next ? next[rest] : others.empty, left);
      }
      return next;
    },
    settled: () => false,
    result(state) {
      const out: States = {};
      if (state === undefined) return out as O;
      if (others !== undefined && rest in (state as object))
        Object.assign(out, others.result((state as { [rest]: unknown })[rest]));
      for (let i = 0; i < names.length; i++) {
        const name = names[i] as string;
        if (!Object.hasOwn(state as States, name)) continue;
        const value = (folds[i] as Fold).result((state as States)[name]);
        if (value !== undefined) out[name] = value;
      }
      return out as O;
    },
  };
}
