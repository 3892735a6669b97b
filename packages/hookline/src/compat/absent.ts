/** Member names, and what to do instead. */
export type Instead = Readonly<Record<string, string>>;

/** Adds members to a class that pi has and hookline lacks; each throws its name and what to do instead when called. */
export function defineAbsent(
  { name: owner, prototype }: { readonly name: string; readonly prototype: object },
  table: Instead,
): void {
  for (const [instead, names] of Object.entries(table))
    for (const name of names.trim().split(/\s+/))
      Object.defineProperty(prototype, name, {
        value: (): never => {
          throw new Error(`${owner}.${name} is not here: ${instead}.`);
        },
        configurable: true,
        writable: true,
      });
}
