import type { Schema } from "../catalog/row.ts";

interface Entry {
  readonly type: string;
  /** The schema that an optional field's schema contains. */
  readonly wrapped?: Entry;
}

/** Returns the fields of an object's schema whose own type passes a test. */
export function fieldsOf(schema: Schema, test: (type: string) => boolean): ReadonlySet<string> {
  const { entries = {} } = schema as { readonly entries?: Readonly<Record<string, Entry>> };
  return new Set(Object.keys(entries).filter((name) => test(innermost(entries[name] as Entry).type)));
}

function innermost({ type, wrapped }: Entry): Entry {
  return wrapped === undefined ? { type } : innermost(wrapped);
}
