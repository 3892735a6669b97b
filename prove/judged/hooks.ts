import type { Dice } from "../stage/dice.ts";
import type { Placed } from "../stage/functions.ts";
import type { Program, Said } from "../stage/programs.ts";
import { anEdit, EVIL, fits } from "./words.ts";

/** A guard, and what it last saw. */
export interface Judge {
  readonly name: string;
  last: Args | undefined;
  /** Whether the guard failed to answer when it was last asked. */
  failed: boolean;
  /** Whether the guard was ever asked about a call that does not fit the tool's schema. */
  unfit: boolean;
}

/** A guard or an editor: a program, or a function. */
export interface Hook {
  readonly judge?: Judge;
  readonly program?: Program;
  readonly placed?: Placed;
}

type Lane = "jcli" | "chibi" | "omp" | "omp-hooks" | "pi";
const LANES: readonly Lane[] = ["jcli", "chibi", "omp", "omp-hooks", "pi"];

/** Makes a random hook. */
export function aHook(chance: Dice): Hook {
  const lane = chance.pick(LANES);
  return chance.chance(0.5) ? guard(lane, chance) : editor(lane, chance);
}

/** Makes a guard that refuses dangerous commands, ignores the rest, and sometimes fails. */
function guard(lane: Lane, chance: Dice): Hook {
  const judge: Judge = { name: `a guard of ${lane}`, last: undefined, failed: false, unfit: false };
  const breaks = chance.chance(0.1);
  const look = (args: Args): boolean => {
    // A copy, because later in-place edits do not change what this guard saw.
    judge.last = structuredClone(args);
    judge.failed = breaks;
    judge.unfit ||= !fits(args);
    return EVIL.test(String(args["command"]));
  };
  const broken: Said = chance.chance(0.5)
    ? { status: "not-started", startError: { code: "EMFILE", message: "no descriptors" } }
    : { status: "over-limit" };
  const said = (refuses: boolean, refusal: object): Said => (breaks ? broken : refuses ? JSON.stringify(refusal) : "");
  switch (lane) {
    case "jcli":
      return {
        judge,
        program: {
          ...JCLI,
          run: (event) => said(look(argumentsOf(event)), { action: "stop" }),
        },
      };
    case "chibi":
      return {
        judge,
        program: {
          ...CHIBI,
          run: ({ arguments: args }) => said(look(args as Args), { block: true }),
        },
      };
    default:
      return {
        judge,
        placed: {
          lane,
          event: "tool_call",
          run: ({ input }) => {
            const refuses = look(input as Args);
            if (breaks) throw new Error("broken");
            return refuses ? { block: true, reason: "no" } : undefined;
          },
        },
      };
  }
}

type Args = Readonly<Record<string, unknown>>;

const JCLI = { dialect: "jcli", event: "pre_tool_execution" } as const;
const CHIBI = { dialect: "chibi", event: "pre_tool" } as const;

function argumentsOf({ tool_arguments: text }: Readonly<Record<string, unknown>>): Args {
  return JSON.parse(String(text)) as Args;
}

/**
 * Makes a hook that changes the command in one of its lane's ways, including invalid ones, each time that it is asked.
 */
function editor(lane: Lane, chance: Dice): Hook {
  const edit = anEdit(chance);
  const way = chance.below(5);
  const args = JSON.stringify(edit);
  switch (lane) {
    case "jcli": {
      const twice = `{"command":"ls",${args.slice(1)}`;
      const answers = [args, args, twice, "not json", `[${args}]`].map((tool_arguments) =>
        JSON.stringify({ tool_arguments }),
      );
      // Sometimes the answer has the same field twice.
      const said = chance.chance(0.1) ? `{"tool_arguments":"{}",${(answers[0] as string).slice(1)}` : answers[way];
      return { program: { ...JCLI, run: () => said as string } };
    }
    case "chibi": {
      const answers = [
        { arguments: edit },
        { arguments: edit },
        { arguments: 3 },
        { arguments: [args] },
        { arguments: { command: 7 } },
      ];
      return { program: { ...CHIBI, run: () => JSON.stringify(answers[way]) } };
    }
    default:
      return {
        placed: {
          lane,
          event: "tool_call",
          run: async (event) => {
            if (way === 4) await Promise.resolve();
            if (way === 3) event.input = edit;
            else Object.assign(event.input, structuredClone(edit));
            // In some lanes, a handler may return the edit instead of making it in place; a text is not a valid call.
            return lane !== "pi" && way === 2 ? { input: args } : undefined;
          },
        },
      };
  }
}
