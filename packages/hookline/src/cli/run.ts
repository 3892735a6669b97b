import { HooklineError } from "@hookline/runtime";
import { cleanText, messageOf, nearest } from "@hookline/runtime/internal";
import { EXIT, type Io } from "../io/io.ts";
import { VERSION } from "../io/version.ts";
import { type Arguments, COMMANDS, helpText, misplacedFlags, readArguments, textFlag } from "../start/args.ts";

type Command = (args: Arguments, io: Io) => Promise<number>;

/** Commands by their names; everything else is a prompt. Loaded when they are called. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  "hooks list": async () => (await import("./hooks.ts")).listHooks,
  "hooks explain": async () => (await import("./explain.ts")).explainEvent,
  "hooks fire": async () => (await import("./fire.ts")).fireEvent,
  "hooks stats": async () => (await import("./stats.ts")).showStats,
  "hooks init": async () => (await import("./init.ts")).initHook,
  "hooks import": async () => (await import("./import.ts")).importHooks,
  "trust list": async () => (await import("./trust.ts")).listTrust,
  "trust approve": async () => (await import("./trust-approve.ts")).approveTrust,
  "trust revoke": async () => (await import("./trust.ts")).revokeTrust,
  "packages fetch": async () => (await import("./packages.ts")).fetchPackages,
  doctor: async () => (await import("./doctor.ts")).runDoctor,
  schema: async () => (await import("./schema.ts")).showSchema,
  "sessions list": async () => (await import("./sessions.ts")).listOfSessions,
  "sessions show": async () => (await import("./sessions.ts")).showSession,
  "sessions export": async () => (await import("./sessions.ts")).exportSession,
};

/** Runs one command line; gives the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const all = readArguments(argv, undefined, "subcommands");
  const isPrompt = all.flags["print"] === true || !isGroup(all.words[0]);
  const args = isPrompt ? readArguments(argv) : all;
  if (args.flags["version"] === true) {
    io.out(`${VERSION}\n`);
    return EXIT.fine;
  }
  if (isPrompt && args.flags["help"] === true) {
    io.out(helpText());
    return EXIT.fine;
  }
  if (args.problems.length > 0) return usage(io, args.problems);
  try {
    return isPrompt ? await prompt(args, io) : await subcommand(args, io);
  } catch (thrown) {
    io.err(`${harmless(describe(thrown))}\n`);
    return isWrongUsage(thrown) ? EXIT.usage : EXIT.failed;
  }
}

/** Whether a word begins the name of a subcommand. */
function isGroup(word: string | undefined): boolean {
  return word !== undefined && COMMANDS.some(({ name }) => name.split(" ")[0] === word);
}

async function subcommand(args: Arguments, io: Io): Promise<number> {
  const [group = "", second] = args.words;
  const actions = COMMANDS.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
  const given = second === undefined || (group === "trust" && /[./\\]/.test(second)) ? undefined : second;
  const action = actions.length === 0 ? undefined : (given ?? "list");
  const name = action === undefined ? group : `${group} ${action}`;
  const command = commands[name];
  if (args.flags["help"] === true) {
    io.out(helpOf(given === undefined ? group : name));
    return EXIT.fine;
  }
  if (command === undefined) {
    const near = nearest(second ?? "", actions);
    const hint =
      near === undefined ? `There are: ${actions.join(", ")}.` : `Did you mean \`hookline ${group} ${near}\`?`;
    return usage(io, [`There is no \`hookline ${name}\`. ${hint}`]);
  }
  const problems = misplacedFlags(args, name);
  if (problems.length > 0) return usage(io, problems);
  const words = args.words.slice(action === undefined || given === undefined ? 1 : 2);
  return (await command())({ ...args, words }, io);
}

/** The help of one subcommand, or of all that begin with a word. */
function helpOf(name: string): string {
  const exact = COMMANDS.filter((one) => one.name === name);
  const about = exact.length > 0 ? exact : COMMANDS.filter((one) => one.name.startsWith(`${name.split(" ")[0]} `));
  return helpText({ name, usage: about.map(({ usage }) => usage), says: about.map(({ says }) => says).join("\n") });
}

async function prompt(args: Arguments, io: Io): Promise<number> {
  const mode = textFlag(args, "mode") ?? "text";
  if (mode === "rpc") return (await import("../mode/rpc/rpc.ts")).runRpc({ args, io });
  if (mode !== "text" && mode !== "json") return usage(io, [`--mode ${mode} is not one of text, json, rpc`]);
  const isPrint = args.flags["print"] === true || args.flags["mode"] !== undefined;
  if (!isPrint && io.stdinIsTerminal && io.stdoutIsTerminal)
    return (await import("../mode/interactive/interactive.ts")).runInteractive({ args, io });
  const piped = await pipedText(args, io);
  const { NO_PROMPT, runPrompts } = await import("../mode/print.ts");
  const running = runPrompts({ args, io, mode, piped });
  if (args.words.length > 0 || piped !== "") return running;
  // Where no hook could be asked for a prompt, that there is none is the first thing to mend.
  return running.catch((thrown: unknown) => usage(io, [NO_PROMPT, describe(thrown)]));
}

/** What comes in on stdin, where it is no terminal and not declined. */
async function pipedText({ flags, words }: Arguments, io: Io): Promise<string> {
  if (io.stdinIsTerminal || flags["no-stdin"] === true) return "";
  const isOptional = words.length > 0;
  return (await io.readStdin({ isOptional, tell: (line) => io.err(`${line}\n`) })).trim();
}

function usage(io: Io, problems: readonly string[]): number {
  for (const problem of problems) io.err(`${harmless(problem)}\n`);
  io.err("`hookline --help` lists the options.\n");
  return EXIT.usage;
}

/** Flags and names that were given wrongly are wrong usage; a model or session that cannot be had is a failure. */
function isWrongUsage(thrown: unknown): boolean {
  if (!HooklineError.isInstance(thrown)) return false;
  return (
    thrown.code === "UNKNOWN_EVENT" ||
    (thrown.code === "INVALID_OPTION" &&
      /^(--(cwd|dialects|times|context|transient-context|thinking|base-url|api)|stdin)\b/.test(thrown.message))
  );
}

/** What is told may hold what was typed or what a file is called; on a terminal it must do nothing. */
function harmless(text: string): string {
  return cleanText(text, { controls: "show" });
}

/** An error for a person: what happened, then what to do. */
export function describe(thrown: unknown): string {
  return HooklineError.isInstance(thrown) ? `${thrown.message}\n${thrown.hint}` : `hookline: ${messageOf(thrown)}`;
}
