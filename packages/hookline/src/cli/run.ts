import { HooklineError } from "@hookline/runtime";
import { cleanText, messageOf, nearest } from "@hookline/runtime/internal";
import { EXIT, type Io } from "../io/io.ts";
import { VERSION } from "../io/version.ts";
import { type Arguments, commandHelp, helpText, misplacedFlags, readArguments, textFlag } from "../start/args.ts";
import { COMMANDS } from "../start/commands.ts";

// Passed on to `main.ts`: to import the runtime's own module there would cost each launch another twenty files.
export { personHome } from "@hookline/runtime/internal";

type Command = (args: Arguments, io: Io) => Promise<number>;

/** Commands by name; everything else is a prompt. Each is loaded when it is called. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  "hooks list": async () => (await import("./hooks.ts")).listHooks,
  "hooks explain": async () => (await import("./explain.ts")).explainEvent,
  "hooks fire": async () => (await import("./fire.ts")).fireEvent,
  "hooks test": async () => (await import("./test.ts")).testCases,
  "hooks stats": async () => (await import("./stats.ts")).showStats,
  "hooks shadow": async () => (await import("./shadow.ts")).shadowHooks,
  "hooks enforce": async () => (await import("./shadow.ts")).enforceHooks,
  "hooks init": async () => (await import("./init.ts")).initHook,
  "hooks import": async () => (await import("./import.ts")).importHooks,
  "trust list": async () => (await import("./trust.ts")).listTrust,
  "trust approve": async () => (await import("./trust-approve.ts")).approveTrust,
  "trust revoke": async () => (await import("./trust.ts")).revokeTrust,
  "packages fetch": async () => (await import("./packages.ts")).fetchPackages,
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
  "bridge install": async () => (await import("./bridge/install.ts")).installBridge,
  "bridge remove": async () => (await import("./bridge/remove.ts")).removeBridge,
  "bridge status": async () => (await import("./bridge/status.ts")).bridgeStatus,
  "bridge report": async () => (await import("./bridge/report.ts")).bridgeReport,
  "fleet dev": async () => (await import("./fleet.ts")).fleetCommand("dev"),
  "fleet init": async () => (await import("./fleet.ts")).fleetCommand("init"),
  "fleet enroll": async () => (await import("./fleet.ts")).fleetCommand("enroll"),
  "fleet revoke": async () => (await import("./fleet.ts")).fleetCommand("revoke"),
  "fleet join": async () => (await import("./fleet.ts")).fleetCommand("join"),
  "fleet leave": async () => (await import("./fleet.ts")).fleetCommand("leave"),
  "fleet status": async () => (await import("./fleet.ts")).fleetCommand("status"),
  "fleet approvals": async () => (await import("./fleet.ts")).fleetCommand("approvals"),
  "fleet audit": async () => (await import("./fleet.ts")).fleetCommand("audit"),
  "fleet root": async () => (await import("./fleet.ts")).fleetCommand("root"),
  "fleet publish": async () => (await import("./fleet.ts")).fleetCommand("publish"),
  "fleet verify": async () => (await import("./fleet.ts")).fleetCommand("verify"),
  "fleet serve": async () => (await import("./fleet.ts")).fleetCommand("serve"),
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
  if (isPrompt && (args.flags["help"] === true || asksForHelp(all))) {
    const [, group] = all.words;
    io.out(isGroup(group) ? commandHelp(group ?? "") : helpText());
    return EXIT.fine;
  }
  const meant = isPrompt ? mistyped(all) : undefined;
  if (meant !== undefined) {
    const [word = ""] = all.words;
    return usage(io, [
      `There is no \`hookline ${word}\`. Did you mean \`hookline ${meant}\`? As a prompt: hookline -p "${word}"`,
    ]);
  }
  if (args.problems.length > 0) return usage(io, args.problems);
  try {
    return isPrompt ? await prompt(args, io) : await subcommand(args, io);
  } catch (thrown) {
    // No extension with such a flag was loaded, so the flag itself may be the mistake.
    const unknown = isPrompt ? args.again(new Map()).problems : [];
    for (const problem of unknown) io.err(`${harmless(problem)}\n`);
    io.err(`${harmless(describe(thrown))}\n`);
    return isWrongUsage(thrown) ? EXIT.usage : EXIT.failed;
  }
}

/** `hookline help` and `hookline ?`, with or without the name of a subcommand. */
function asksForHelp({ words, flags }: Arguments): boolean {
  const [word, group] = words;
  if (flags["print"] === true || (word !== "help" && word !== "?")) return false;
  return words.length === 1 || (words.length === 2 && isGroup(group));
}

/**
 * The subcommand that was probably meant by an unknown word which stands alone or before the name of an action. With
 * `-p`, it is always a prompt.
 */
function mistyped({ words, flags }: Arguments): string | undefined {
  const [word = "", action] = words;
  const names = COMMANDS.map(({ name }) => name);
  if (flags["print"] === true || flags["mode"] !== undefined || words.length > 2 || !/^[a-z]{3,}$/.test(word))
    return undefined;
  const near = nearest(word, new Set(names.map((name) => name.split(" ")[0] as string)));
  if (near === undefined || action === undefined) return near;
  return names.includes(`${near} ${action}`) ? `${near} ${action}` : undefined;
}

/** Whether a word is the first word of a subcommand. */
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
  const problems = misplacedFlags(args, name);
  if (problems.length > 0) return usage(io, problems);
  const words = args.words.slice(action === undefined || given === undefined ? 1 : 2);
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
  // If no hook could be asked for a prompt, the missing prompt is reported first.
  return running.catch((thrown: unknown) => usage(io, [NO_PROMPT, describe(thrown)]));
}

/** Text from stdin, unless that is a terminal or declined. */
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

/** Invalid flags and names are usage errors; a model or session that is not available is a failure. */
function isWrongUsage(thrown: unknown): boolean {
  if (!HooklineError.isInstance(thrown)) return false;
  return (
    thrown.code === "UNKNOWN_EVENT" ||
    (thrown.code === "INVALID_OPTION" &&
      /^(--(cwd|dialects|times|reporter|expect|since|event|agents|baseline|jobs|slower|fail-on|show|fleet|machine|with|without|only|observers|context|transient-context|thinking|base-url|api|since|until|reset|deadline|port|export|from|to)|HOST|EVENT|stdin|The source)\b/.test(
        thrown.message,
      ))
  );
}

/** Messages may contain typed text or file names, which must have no effect on a terminal. */
function harmless(text: string): string {
  return cleanText(text, { controls: "show" });
}

/** An error for a person: what happened, then what to do. */
export function describe(thrown: unknown): string {
  return HooklineError.isInstance(thrown) ? `${thrown.message}\n${thrown.hint}` : `hookline: ${messageOf(thrown)}`;
}
