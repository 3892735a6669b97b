import type { HookRule, May } from "./manifest.ts";

/** What all remote hooks of one event come to. */
export interface Coverage {
  readonly event: string;
  readonly rules: readonly HookRule[];
  /** What any of them may do. */
  readonly may: ReadonlySet<May>;
  /** The fields that leave the machine for any of them. */
  readonly needs: ReadonlySet<string>;
  readonly isClosed: boolean;
  readonly isIdempotent: boolean;
}

/** The events that a manifest has remote hooks for, in the order of its rules. */
export function coverageOf({ hooks }: { readonly hooks: readonly HookRule[] }): readonly Coverage[] {
  const remote = hooks.filter(({ where }) => where === "worker");
  return [...new Set(remote.flatMap(({ events }) => events))].map((event) => {
    const rules = remote.filter(({ events }) => events.includes(event));
    return {
      event,
      rules,
      may: new Set(rules.flatMap(({ may }) => may)),
      needs: new Set(rules.flatMap(({ needs }) => needs)),
      isClosed: rules.some(({ onFailure }) => onFailure === "closed"),
      isIdempotent: rules.every(({ idempotent }) => idempotent),
    };
  });
}
