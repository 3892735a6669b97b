/**
 * The number of characters that every expression must cope with. An expression is refused if a text of this length
 * could take more than `MOST_STEPS` steps.
 */
const SHORTEST = 128;
const LONGEST = 1_024;
const MOST_STEPS = 100_000_000;

/** A regular expression with bounded running time. */
export interface Expression {
  /** The length of the longest text that is tested within the step limit. Callers must not test longer ones. */
  readonly longest: number;
  test(subject: string): boolean;
}

/** Compiles an expression, or says why it cannot be used. */
export function readExpression(source: string): Expression | { readonly problem: string; readonly remedy: string } {
  let expression: RegExp;
  try {
    expression = new RegExp(source);
  } catch (error) {
    return {
      problem: `is no regular expression (${(error as Error).message.replace(/^.*\/: /s, "")})`,
      remedy:
        'Write names with "|" between them, or a valid JavaScript regular expression; "*" alone matches everything.',
    };
  }
  const ways = waysOf(source);
  if (ways === undefined)
    return {
      problem: "is a regular expression that can take for ever, because it repeats a group in which there is a choice",
      remedy: 'Repeat single characters instead, as in ".*" or "[a-z_]+", and refer back to no group.',
    };
  const longest = [LONGEST, 512, 256, SHORTEST].find((length) => stepsOf(ways, length, source) <= MOST_STEPS);
  if (longest === undefined)
    return {
      problem: "is a regular expression that takes too long on a long name",
      remedy: 'Use fewer "*", "+", "?" and choices in a row, and begin it with "^".',
    };
  return { longest, test: (subject) => expression.test(subject) };
}

/**
 * An upper bound on the ways in which an expression can be tried at one position of a text of n characters: `choices`
 * times n to the power of `loops`.
 */
interface Ways {
  readonly choices: number;
  readonly loops: number;
  /** Whether the expression always matches in exactly one way. */
  readonly isFixed: boolean;
}

const FIXED: Ways = { choices: 1, loops: 0, isFixed: true };

function stepsOf({ choices, loops }: Ways, length: number, source: string): number {
  const starts = source.startsWith("^") && !source.includes("|") ? 1 : length;
  let steps = starts * choices;
  for (let loop = 1; loop <= loops; loop++) steps *= length / loop;
  return steps;
}

/** Analyses a valid expression. Returns `undefined` if its time may grow exponentially with the subject's length. */
function waysOf(source: string): Ways | undefined {
  let at = 0;
  return choice();

  function choice(): Ways | undefined {
    let all = sequence();
    while (all !== undefined && source[at] === "|") {
      at += 1;
      const next = sequence();
      all = next && {
        choices: all.choices + next.choices,
        loops: Math.max(all.loops, next.loops),
        isFixed: false,
      };
    }
    return all;
  }

  function sequence(): Ways | undefined {
    let all: Ways | undefined = FIXED;
    while (all !== undefined && at < source.length && source[at] !== "|" && source[at] !== ")") {
      const one = repeated(atom());
      all = one && {
        choices: Math.min(all.choices * one.choices, Number.MAX_SAFE_INTEGER),
        loops: all.loops + one.loops,
        isFixed: all.isFixed && one.isFixed,
      };
    }
    return all;
  }

  function atom(): Ways | undefined {
    const char = source[at];
    if (char === "(") {
      at += /^\((?:\?(?:<?[=!]|:|<[^>]*>|[a-z-]*:))?/.exec(source.slice(at))?.[0].length ?? 1;
      const inner = choice();
      at += 1;
      return inner;
    }
    if (char === "[") {
      at += /^\[(?:\\.|[^\]\\])*\]/s.exec(source.slice(at))?.[0].length ?? 1;
      return FIXED;
    }
    if (char === "\\") {
      if (/^\\(?:[1-9]|k<)/.test(source.slice(at))) return undefined;
      at += /^\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|c[a-zA-Z]|.)/s.exec(source.slice(at))?.[0].length ?? 1;
      return FIXED;
    }
    at += 1;
    return FIXED;
  }

  function repeated(one: Ways | undefined): Ways | undefined {
    const [text, least = "", most] = /^(?:[*+?]|\{(\d+)(,\d*)?\})\??/.exec(source.slice(at)) ?? [""];
    at += text.length;
    if (text === "" || one === undefined) return one;
    if (text.startsWith("?")) return { choices: one.choices + 1, loops: one.loops, isFixed: false };
    if (!one.isFixed) return undefined;
    // An exact count such as `{3}`, after a part that matches in only one way, just makes the match longer.
    if (text.startsWith("{") && most === undefined) return Number(least) > LONGEST ? undefined : one;
    return { choices: one.choices, loops: one.loops + 1, isFixed: false };
  }
}
