import { CODES, cleanText, messageOf, nearest, VERSION } from "@hookline/ground";
import { EXIT, type Io } from "@hookline/ground/system";
import { HooklineError } from "@hookline/runtime";
import {
  type Arguments,
  commandHelp,
  helpText,
  misplacedFlags,
  needlessWords,
  optionsHelp,
  readArguments,
  textFlag,
} from "../start/args.ts";
import { COMMANDS } from "../start/commands.ts";
import { promptProblem } from "./prompt-problem.ts";

// `main.ts` imports `personHome` from here: the runtime's own module would load another twenty files at each launch.
export { personHome } from "@hookline/runtime/session";

type Command = (args: Arguments, io: Io) => Promise<number>;

/** The commands by name; everything else is a prompt. Each command is loaded when it is called. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  ...Object.fromEntries(
    COMMANDS.filter(({ name }) => name.startsWith("fleet ")).map(({ name }) => [
      name,
      async () => (await import("./fleet.ts")).fleetCommand(name.slice("fleet ".length)),
    ]),
  ),
  "hooks list": async () => (await import("./hooks.ts")).listHooks,
  "hooks explain": async () => (await import("./explain.ts")).explainEvent,
  "hooks fire": async () => (await import("./fire.ts")).fireEvent,
  "hooks test": async () => (await import("./test.ts")).testCases,
  "hooks stats": async () => (await import("./stats.ts")).showStats,
  "hooks shadow": async () => (await import("./shadow.ts")).shadowHooks,
  "hooks enforce": async () => (await import("./shadow.ts")).enforceHooks,
  "hooks init": async () => (await import("./init.ts")).initHook,
  "hooks export": async () => (await import("./export.ts")).exportGuards,
  "hooks answer": async () => (await import("./export.ts")).answerFor,
  "hooks import": async () => (await import("./import.ts")).importHooks,
  "guards list": async () => (await import("./guards/list.ts")).listGuards,
  "guards add": async () => (await import("./guards/files.ts")).addGuards,
  "guards remove": async () => (await import("./guards/files.ts")).removeGuards,
  "guards explain": async () => (await import("./guards/explain.ts")).explainCommand,
  "guards try": async () => (await import("./guards/try.ts")).tryGuard,
  "trust list": async () => (await import("./trust.ts")).listTrust,
  "trust approve": async () => (await import("./trust-approve.ts")).approveTrust,
  "trust revoke": async () => (await import("./trust.ts")).revokeTrust,
  "packages list": async () => (await import("./package-list.ts")).listPackages,
  "packages add": async () => (await import("./package-list.ts")).addPackage,
  "packages remove": async () => (await import("./package-list.ts")).removePackage,
  "packages fetch": async () => (await import("./packages.ts")).fetchPackages,
  undo: async () => (await import("./undo.ts")).undoCalls,
  replay: async () => (await import("./replay.ts")).replaySources,
  inspect: async () => (await import("./inspect.ts")).inspectSources,
  doctor: async () => (await import("./doctor.ts")).runDoctor,
  completion: async () => (await import("./completion.ts")).printCompletion,
  schema: async () => (await import("./schema.ts")).showSchema,
  "mcp list": async () => (await import("./mcp.ts")).listServers,
  "bridge call": async () => (await import("./bridge.ts")).callBridge,
  "bridge daemon": async () => (await import("./bridge.ts")).runDaemon,
  "bridge restart": async () => (await import("./bridge.ts")).restartDaemons,
  "bridge stop": async () => (await import("./bridge.ts")).stopDaemons,
  "bridge pause": async () => (await import("./bridge/pause.ts")).pauseGuards,
  "bridge resume": async () => (await import("./bridge/pause.ts")).resumeGuards,
  "bridge install": async () => (await import("./bridge/install.ts")).installBridge,
  "bridge remove": async () => (await import("./bridge/remove.ts")).removeBridge,
  "bridge status": async () => (await import("./bridge/status.ts")).bridgeStatus,
  "bridge report": async () => (await import("./bridge/report.ts")).bridgeReport,
  "sessions list": async () => (await import("./sessions.ts")).listOfSessions,
  "sessions show": async () => (await import("./sessions.ts")).showSession,
  "sessions export": async () => (await import("./sessions.ts")).exportSession,
};

/** Runs one command line; returns the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const all = readArguments(argv, undefined, "subcommands");
  const isPrompt = all.flags["print"] === true || !isGroup(all.words[0]);
  const args = isPrompt ? readArguments(argv) : all;
  if (args.flags["version"] === true) {
    io.out(`${VERSION}\n`);
    return EXIT.fine;
  }
  if (isPrompt) {
    const help = helpAsked(all);
    const problem = help === undefined ? await promptProblem(all, io) : undefined;
    if (problem !== undefined) return usage(io, [...all.again(new Map()).problems, problem]);
    if (help !== undefined || args.flags["help"] === true) {
      io.out(help ?? helpText());
      return EXIT.fine;
    }
  }
  if (args.problems.length > 0) return usage(io, args.problems);
  try {
    return isPrompt ? await prompt(args, io) : await subcommand(args, io);
  } catch (thrown) {
    // An unknown flag may belong to an extension. If the run fails, it may be a mistake after all, so it is reported.
    const unknown = isPrompt ? args.again(new Map()).problems : [];
    for (const problem of unknown) io.err(`${harmless(problem)}\n`);
    io.err(`${harmless(describe(thrown))}\n`);
    return HooklineError.isInstance(thrown) && CODES[thrown.code].usage ? EXIT.usage : EXIT.failed;
  }
}

/** Returns the help that `hookline help` or `hookline ?` asks for: the overview, all options, a group or a command. */
function helpAsked({ words, flags }: Arguments): string | undefined {
  const [first, ...topic] = words;
  if (flags["print"] === true || (first !== "help" && first !== "?")) return undefined;
  const name = topic.join(" ");
  if (name === "") return helpText();
  if (name === "options") return optionsHelp();
  return isGroup(name) || COMMANDS.some((one) => one.name === name) ? commandHelp(name) : undefined;
}

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
    io.out(commandHelp(given === undefined ? group : name));
    return EXIT.fine;
  }
  if (command === undefined) {
    const all = `There are: ${actions.join(", ")}.`;
    if (given === undefined) return usage(io, [`\`hookline ${group}\` needs a subcommand. ${all}`]);
    const near = nearest(given, actions);
    const hint = near === undefined ? all : `Did you mean \`hookline ${group} ${near}\`?`;
    return usage(io, [`There is no \`hookline ${name}\`. ${hint}`]);
  }
  const words = args.words.slice(action === undefined || given === undefined ? 1 : 2);
  const problems = [...misplacedFlags(args, name), ...needlessWords(words, name)];
  if (problems.length > 0) return usage(io, problems);
  return (await command())({ ...args, words }, io);
}

async function prompt(args: Arguments, io: Io): Promise<number> {
  const asksJson = args.flags["json"] === true;
  const mode = textFlag(args, "mode") ?? (asksJson ? "json" : "text");
  if (mode === "rpc") return (await import("../mode/rpc/rpc.ts")).runRpc({ args, io });
  if (mode !== "text" && mode !== "json") return usage(io, [`--mode ${mode} is not one of text, json, rpc`]);
  const isPrint = args.flags["print"] === true || args.flags["mode"] !== undefined || asksJson;
  if (!isPrint && io.stdinIsTerminal && io.stdoutIsTerminal)
    return (await import("../mode/interactive/interactive.ts")).runInteractive({ args, io });
  const piped = await pipedText(args, io);
  const { NO_PROMPT, runPrompts } = await import("../mode/print.ts");
  const running = runPrompts({ args, io, mode, piped });
  if (args.words.length > 0 || piped !== "") return running;
  // If the run fails, reports the unknown flags. If all flags are known, asks for a prompt and reports the failure.
  return running.catch((thrown: unknown) => {
    const unknown = args.again(new Map()).problems;
    return usage(io, unknown.length > 0 ? unknown : [NO_PROMPT, describe(thrown)]);
  });
}

/** Reads the text from stdin; empty if stdin is a terminal, or with `--no-stdin`. */
async function pipedText({ flags, words }: Arguments, io: Io): Promise<string> {
  if (io.stdinIsTerminal || flags["no-stdin"] === true) return "";
  const isOptional = words.length > 0;
  return (await io.readStdin({ isOptional, tell: (line) => io.err(`${line}\n`) })).trim();
}

function usage(io: Io, problems: readonly string[]): number {
  for (const problem of problems) io.err(`${harmless(problem)}\n`);
  io.err("`hookline help` shows what there is.\n");
  return EXIT.usage;
}

/** Makes a message harmless for a terminal, since it may contain typed text or file names. */
function harmless(text: string): string {
  return cleanText(text, { controls: "show" });
}

/** Why the system refuses to write, by error code, and what to do. */
const REFUSED: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full. Free some space",
  EDQUOT: "the disk quota is used up. Free some space",
  EROFS: "the disk is read-only. Make it writable, or set HOOKLINE_HOME to a folder that is",
  EACCES: "permission is denied. Check who owns it, or set HOOKLINE_HOME to a folder of yours",
  EPERM: "permission is denied. Check who owns it, or set HOOKLINE_HOME to a folder of yours",
  // Node reports this for a new folder on a read-only disk, too.
  "ENOENT mkdir":
    "a folder above it is missing, or the disk is read-only. Make it writable, or set HOOKLINE_HOME to a folder that is",
};

/** Returns an error as text for a person: what happened, then what to do. */
export function describe(thrown: unknown): string {
  if (HooklineError.isInstance(thrown)) return `${thrown.message}\n${thrown.hint}`;
  const { code = "", syscall, path } = (thrown ?? {}) as NodeJS.ErrnoException;
  const refused = REFUSED[code] ?? REFUSED[`${code} ${syscall}`];
  if (path === undefined || refused === undefined) return `hookline: ${messageOf(thrown)}`;
  return `hookline: ${path} cannot be used: ${refused}.`;
}
