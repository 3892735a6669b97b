import { HooklineError, messageOf } from "@hookline/runtime";
import { type Arguments, helpText, readArguments, textFlag } from "./args.ts";
import { EXIT, type Io } from "./io.ts";
import { VERSION } from "./version.ts";

type Command = (args: Arguments, io: Io) => Promise<number>;

/** Commands by their first word; everything else is a prompt. Loaded when they are called. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  hooks: async () => (await import("./hooks.ts")).hooksCommand,
};

/** Runs one command line; gives the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const args = readArguments(argv);
  if (args.flags["version"] === true) {
    io.out(`${VERSION}\n`);
    return EXIT.fine;
  }
  if (args.flags["help"] === true) {
    io.out(helpText());
    return EXIT.fine;
  }
  if (args.problems.length > 0) return usage(io, args.problems);
  try {
    const command = commands[args.words[0] ?? ""];
    if (command !== undefined) return await (await command())({ ...args, words: args.words.slice(1) }, io);
    return await prompt(args, argv, io);
  } catch (thrown) {
    io.err(`${describe(thrown)}\n`);
    return HooklineError.isInstance(thrown) && thrown.code === "INVALID_OPTION" && isFlag(thrown)
      ? EXIT.usage
      : EXIT.failed;
  }
}

async function prompt(args: Arguments, argv: readonly string[], io: Io): Promise<number> {
  const mode = textFlag(args, "mode") ?? "text";
  if (mode !== "text" && mode !== "json") return usage(io, [`--mode ${mode} is not one of text, json`]);
  const prompts = [...args.words];
  if (!io.stdinIsTerminal) {
    const piped = (await io.readStdin()).trim();
    if (piped !== "") prompts[0] = prompts[0] === undefined ? piped : `${piped}\n\n${prompts[0]}`;
  }
  if (prompts.length === 0)
    return usage(io, ['There is no prompt. Give one as an argument or on stdin: hookline -p "…"']);
  const { runPrompts } = await import("../mode/print.ts");
  return runPrompts({ args, argv, io, mode, prompts });
}

function usage(io: Io, problems: readonly string[]): number {
  for (const problem of problems) io.err(`${problem}\n`);
  io.err("`hookline --help` lists the options.\n");
  return EXIT.usage;
}

/** Flags that were given wrongly are wrong usage; a model or session that cannot be had is a failure. */
function isFlag(error: HooklineError): boolean {
  return error.message.startsWith("--dialects");
}

/** An error for a person: what happened, then what to do. */
export function describe(thrown: unknown): string {
  return HooklineError.isInstance(thrown) ? `${thrown.message}\n${thrown.hint}` : `hookline: ${messageOf(thrown)}`;
}
