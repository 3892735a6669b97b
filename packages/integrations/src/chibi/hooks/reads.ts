import { field, isArray, isString } from "@hookline/runtime/dialect";
import { type Read, type ReadResult, wrongType } from "@hookline/runtime/engine";

/** The key for the plugin's tool name, which `pluginHook` adds to an answer. A symbol, so no plugin can set it. */
export const answeredBy: unique symbol = Symbol("answered by");

/** Returns whether a value is a boolean. */
export const isBoolean = (value: unknown): boolean => typeof value === "boolean";

/** An answer to `pre_api_tools`: the tools that the model is offered, or those that it is not offered. */
export interface ToolFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Returns a reader for `include` and `exclude`. It drops and reports the items of these lists that are not strings. */
export function toolFilter(): Read<ToolFilter> {
  const lists = field<Record<string, readonly unknown[]>>({ include: isArray, exclude: isArray });
  return fieldwise((raw) => {
    const read = lists(raw);
    if (!read.ok || read.answer === undefined) return read as ReadResult<ToolFilter>;
    const odd = [...(read.odd ?? [])];
    const answer: Record<string, readonly string[]> = {};
    for (const [name, items] of Object.entries(read.answer)) {
      answer[name] = items.filter((item) => typeof item === "string");
      const wrong = items.findIndex((item) => typeof item !== "string");
      if (wrong >= 0) odd.push(wrongType(`${name}[${wrong}]`, items[wrong]));
    }
    return { ok: true, answer, ...(odd.length > 0 && { odd }) };
  });
}

/** An answer to `pre_send_message`: the plugin claims to have delivered the message. */
export interface Claim {
  readonly delivered?: boolean;
  readonly via?: string;
}

/** Returns a reader for claims. A claim without `via` gets the name of the plugin's tool. */
export function claim(): Read<Claim> {
  const fields = field<Claim>({ delivered: isBoolean, via: isString });
  return fieldwise((raw) => {
    const read = fields(raw);
    if (!read.ok || read.answer?.delivered !== true || read.answer.via !== undefined) return read;
    const tool = (raw as { readonly [answeredBy]?: string })[answeredBy];
    return tool === undefined ? read : { ...read, answer: { ...read.answer, via: tool } };
  });
}

function fieldwise<A>(read: (raw: unknown) => ReadResult<A>): Read<A> {
  // A reader's `name` says how it reads: `field` checks each field. `Function.name` is read-only, so it is redefined.
  return Object.defineProperty(read, "name", { value: "field" }) as Read<A>;
}
