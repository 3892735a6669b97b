/** Splits the text after a command into arguments. Blanks within single or double quotes do not split. */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  let current: string | undefined;
  let quote: string | undefined;
  for (const character of text) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else current += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      current ??= "";
    } else if (/\s/.test(character)) {
      if (current) found.push(current);
      current = undefined;
    } else current = (current ?? "") + character;
  }
  if (current) found.push(current);
  return found;
}

const PLACEHOLDER = /\$\{(\d+|ARGUMENTS|@):-([^}]*)\}|\$\{@:(\d+)(?::(\d+))?\}|\$(ARGUMENTS|@|\d+)/g;

/**
 * Fills arguments into a template: `$1`, `$@` or `$ARGUMENTS`, `${1:-default}`, `${@:2}`, `${@:2:3}`. Placeholders in
 * the arguments themselves are not expanded. Source: spec/pi.md 1.2, "input".
 */
export function fillArguments(template: string, args: readonly string[]): string {
  const all = args.join(" ");
  const named = (name: string): string => (/^\d+$/.test(name) ? (args[Number(name) - 1] ?? "") : all);
  return template.replace(
    PLACEHOLDER,
    (_, withDefault?: string, otherwise?: string, from?: string, count?: string, simple?: string) => {
      if (withDefault !== undefined) return named(withDefault) || (otherwise ?? "");
      if (from === undefined) return named(simple ?? "");
      const start = Math.max(0, Number(from) - 1);
      return args.slice(start, count === undefined ? undefined : start + Number(count)).join(" ");
    },
  );
}
