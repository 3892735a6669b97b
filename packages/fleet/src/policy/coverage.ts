import type { HookRule, May } from "./manifest.ts";

/** All remote hooks of one event, combined. */
export interface Coverage {
  readonly event: string;
  readonly rules: readonly HookRule[];
  /** The tools whose calls at least one hook is asked about, in lower case; absent if one is asked about all. */
  readonly tools?: ReadonlySet<string>;
  /** The effects that at least one hook's answers may have. */
  readonly may: ReadonlySet<May>;
  /** The fields that leave the machine because at least one hook needs them. */
  readonly needs: ReadonlySet<string>;
  readonly isClosed: boolean;
  readonly isIdempotent: boolean;
}

/** Combines a manifest's remote hooks by event, in the order of its rules. */
export function coverageOf({ hooks }: { readonly hooks: readonly HookRule[] }): readonly Coverage[] {
  const remote = hooks.filter(({ where }) => where === "worker");
  return [...new Set(remote.flatMap(({ events }) => events))].map((event) => {
    const rules = remote.filter(({ events }) => events.includes(event));
    const isAll = rules.some(({ tools }) => tools === undefined);
    return {
      event,
      rules,
      ...(!isAll && { tools: new Set(rules.flatMap(({ tools = [] }) => tools.map((tool) => tool.toLowerCase()))) }),
      may: new Set(rules.flatMap(({ may }) => may)),
      needs: new Set(rules.flatMap(({ needs }) => needs)),
      isClosed: rules.some(({ onFailure }) => onFailure === "closed"),
      isIdempotent: rules.every(({ idempotent }) => idempotent),
    };
  });
}

/** Whether an event is about one of these tools. Always true without a list, or for events without a tool. */
export function isAboutTool(tools: Iterable<string> | undefined, { tool }: Readonly<Record<string, unknown>>): boolean {
  if (tools === undefined || typeof tool !== "string") return true;
  const called = tool.toLowerCase();
  return [...tools].some((one) => one.toLowerCase() === called);
}
