import { GUARD_SETTINGS } from "@hookline/guards/settings";
import { abouts } from "@hookline/integrations/abouts";
import type { Completes } from "./flags.ts";

/** A word that a subcommand takes after its name. */
interface Word {
  /** The name of the word in the usage line. */
  readonly name: string;
  readonly says: string;
  /** The candidates that a shell offers for this word. */
  readonly completes?: Completes;
  /** Whether the word may be repeated. */
  readonly many?: true;
}

/** A subcommand and its part of `--help`. */
export interface CommandAbout {
  readonly name: string;
  readonly usage: string;
  readonly says: string;
  /** A command line that works, without the program's name. */
  readonly example: string;
  readonly words?: readonly Word[];
  /** Whether further words are allowed. Default: they are refused. */
  takesMore?(words: readonly string[]): boolean;
}

/** The shells that completion supports. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

const EVENT: Word = {
  name: "EVENT",
  says: "an event of hookline's, such as tool.before, or a dialect's, such as pi:tool_call",
  completes: "event",
};
const HOOK: Word = { name: "ID|PATH", says: "a hook's id, or a file with all of its hooks", completes: "hook" };
/** The argument of subcommands that names an agent which uses the bridge. */
const HOST: Word = { name: "HOST", says: "the agent, such as codex" };
const TRUSTED: Word = {
  name: "PATH",
  says: "a file or folder of the project; without it all of it",
  completes: "trust",
  many: true,
};
const SESSION: Word = { name: "ID", says: "the start of a session's id, or its file", completes: "session" };

/** The argument of subcommands that names a guard which comes with hookline. */
const GUARD: Word = { name: "NAME", says: "a guard", completes: Object.keys(GUARD_SETTINGS), many: true };

/** The subcommands. */
export const COMMANDS: readonly CommandAbout[] = [
  {
    name: "hooks list",
    usage: "hookline hooks [list] [--strict] [--verbose] [--json]",
    says: "Shows which of your hooks run here, which can never run, and why.",
    example: "hooks",
  },
  {
    name: "hooks explain",
    usage: "hookline hooks explain EVENT [--tool NAME] [--model ID] [--payload FILE|-] [--all] [--json]",
    says: "Shows which hooks would be asked about an event, in order, and why others would not.",
    example: "hooks explain claude:PreToolUse --tool Bash",
    words: [EVENT],
  },
  {
    name: "hooks fire",
    usage:
      "hookline hooks fire [DIALECT:]EVENT [--tool NAME] [--payload FILE|-] [--expect allow|deny|ask|edit|none] [--dry-run] [--times N] [--json]",
    says: "Asks your hooks about one event by hand, and shows each answer, its time, and what they decide together.",
    example: "hooks fire pi:tool_call --tool bash --expect deny",
    words: [EVENT],
  },
  {
    name: "hooks test",
    usage: "hookline hooks test [FILE…] [--watch] [--coverage] [--reporter text|tap|junit] [--json]",
    says: "Tests hooks against the cases that guards carry and those in *.hooks-test.yaml files, without a model.",
    example: "hooks test .hookline/guards/no-deleting.ts --coverage",
    words: [
      {
        name: "FILE",
        says: "a file of guards or of cases; without it this folder's guards and the cases below it",
        completes: "file",
        many: true,
      },
    ],
  },
  {
    name: "hooks stats",
    usage: "hookline hooks stats [--project] [--host HOST] [--since 7d|DATE] [--until DATE] [--reset] [--json]",
    says: "Shows each hook's runs, failures and times, over all sessions of this machine or this folder.",
    example: "hooks stats --since 7d",
  },
  {
    name: "hooks shadow",
    usage: "hookline hooks shadow ID|PATH [--project] [--json]",
    says: "Puts a hook, or all hooks of a file, in shadow: asked after each decision, without any effect on it.",
    example: "hooks shadow .claude/settings.json --project",
    words: [HOOK],
  },
  {
    name: "hooks enforce",
    usage: "hookline hooks enforce ID|PATH [--project] [--json]",
    says: "Puts a hook, or all hooks of a file, in force again.",
    example: "hooks enforce .claude/settings.json --project",
    words: [HOOK],
  },
  {
    name: "hooks init",
    usage: "hookline hooks init [DIALECT] [--package NAME]",
    says: `Writes a commented, working example: a guard with its cases, or one for ${Object.keys(abouts).join(", ")}.`,
    example: "hooks init",
    words: [
      { name: "DIALECT", says: "whose hooks they are; without it hookline's own", completes: Object.keys(abouts) },
    ],
  },
  {
    name: "hooks export",
    usage: "hookline hooks export claude NAME…",
    says: "Prints settings of Claude Code that ask guards of yours by a command.",
    example: "hooks export claude no-deleting",
    words: [
      { name: "AGENT", says: "whose settings they are", completes: ["claude"] },
      { name: "NAME", says: "a guard's name", many: true },
    ],
  },
  {
    name: "hooks answer",
    usage: "hookline hooks answer claude FILE NAME",
    says: "Asks a guard of a file about the event on stdin; exported settings run this.",
    example: "hooks answer claude .hookline/guards/no-deleting.ts no-deleting",
    words: [
      { name: "AGENT", says: "whose event it is", completes: ["claude"] },
      { name: "FILE", says: "the guard's file", completes: "file" },
      { name: "NAME", says: "the guard's name" },
    ],
  },
  {
    name: "hooks import",
    usage: "hookline hooks import [--write] [--to FILE] [--adapted] [--json]",
    says: "Lists the hooks that you have for other agents: which run as they are, and how the others translate into settings hooks.",
    example: "hooks import --write",
  },
  {
    name: "guards list",
    usage: "hookline guards [list] [--json]",
    says: "Shows the guards that come with hookline and your own: which are added, whether they work, and what they did lately.",
    example: "guards",
  },
  {
    name: "guards add",
    usage: "hookline guards add NAME… [--shadow] [--json]",
    says: "Adds guards to your hooks: a file of two lines for each.",
    example: "guards add commands --shadow",
    words: [GUARD],
  },
  {
    name: "guards remove",
    usage: "hookline guards remove NAME… [--json]",
    says: "Removes guards, unless you have changed their files.",
    example: "guards remove commands",
    words: [GUARD],
  },
  {
    name: "guards explain",
    usage: "hookline guards explain COMMAND [--json]",
    says: "Shows what a shell command would lose in this folder, and what the guard says. Runs nothing.",
    example: 'guards explain "git reset --hard"',
    words: [{ name: "COMMAND", says: "a shell command, in quotes" }],
  },
  {
    name: "guards try",
    usage: "hookline guards try [NAME] [--agents LIST] [--since 30d|DATE] [--json]",
    says: "Asks a guard about the calls of this folder's past sessions, before it is on: what it would have stopped.",
    example: "guards try commands",
    words: [{ name: "NAME", says: "a guard; default: commands", completes: Object.keys(GUARD_SETTINGS) }],
  },
  {
    name: "trust list",
    usage: "hookline trust [list] [PATH] [--all] [--json]",
    says: "Shows which of this project's hooks are approved, changed since, or pending.",
    example: "trust",
    words: [TRUSTED],
  },
  {
    name: "trust approve",
    usage: "hookline trust approve [PATH] [--lock] [--bind FOLDER] [--yes]",
    says: "Shows exactly what a project's hooks run, and what changed, and approves it.",
    example: "trust approve .claude/settings.json",
    words: [TRUSTED],
  },
  {
    name: "trust revoke",
    usage: "hookline trust revoke [PATH]",
    says: "Takes approvals back.",
    example: "trust revoke .claude/settings.json",
    words: [TRUSTED],
  },
  {
    name: "packages list",
    usage: "hookline packages [list] [--json]",
    says: "Shows the packages that your settings, this project's and pi's name: whether they are there, and what of them runs.",
    example: "packages",
  },
  {
    name: "packages add",
    usage: "hookline packages add SOURCE [--project] [--yes] [--json]",
    says: "Fetches a package of guards or extensions and adds it to your list, or with --project to this project's. Before it replaces another version it shows what changes, and asks. Runs nothing of it.",
    example: "packages add npm:my-guard@1.0.0",
    words: [{ name: "SOURCE", says: "npm:NAME[@VERSION], git:HOST/PATH[@REF], or a folder" }],
  },
  {
    name: "packages remove",
    usage: "hookline packages remove SOURCE [--project] [--json]",
    says: "Takes a package out of the list, and deletes what was fetched of it.",
    example: "packages remove my-guard",
    words: [{ name: "SOURCE", says: "the package as the list has it, or its name" }],
  },
  {
    name: "packages fetch",
    usage: "hookline packages fetch [SOURCE…] [--yes] [--json]",
    says: "Fetches packages (npm:NAME@VERSION, git:HOST/PATH@REF) without adding them to a list, or all that lists name; those of a project only after you agree.",
    example: "packages fetch npm:my-guard@1.0.0",
    words: [
      {
        name: "SOURCE",
        says: "npm:NAME@VERSION or git:HOST/PATH@REF; without it, what hookline's settings and pi's name",
        many: true,
      },
    ],
  },
  {
    name: "undo",
    usage: "hookline undo [NUMBER] [--list] [--diff] [--file PATH] [--delete-new] [--yes]",
    says: "Brings files and git's state back to before the last call that changed something, or to a checkpoint; shows first what it will do. On the screen, /undo does the same.",
    example: "undo --list",
    words: [{ name: "NUMBER", says: "the checkpoint; without it the last one that differs from what is there" }],
  },
  {
    name: "replay",
    usage: "hookline replay [SOURCE…|-|--fleet] [--with PATH] [--without ID] [--fail-on LIST] [options] [--json]",
    says: "Asks today's hooks about past sessions, and shows what they would have decided differently.",
    example: "replay --agents claude --since 7d",
    words: [
      {
        name: "SOURCE",
        says: "a recording or session, or `-` for stdin; default: those of this folder, with --fleet those of the fleet",
        completes: "file",
        many: true,
      },
    ],
  },
  {
    name: "inspect",
    usage:
      "hookline inspect [SESSION|FILE | --fleet [SESSION] [--machine NAME]] [--port N] [--no-open] [--export FILE [--from N --to N]] [--json]",
    says: "Opens a page in your browser that shows what hooks did: in a recording, trace or session, while it runs or afterwards.",
    example: "inspect 01",
    words: [
      {
        name: "SESSION|FILE",
        says: "the start of a session's id, or a recording, trace, session or replay's result",
        completes: "file",
      },
    ],
  },
  {
    name: "doctor",
    usage: "hookline doctor [--json]",
    says: "Looks for problems, finds the agents on this machine, and says what to try next.",
    example: "doctor",
  },
  {
    name: "schema",
    usage: "hookline schema [EVENT|FILE|trace]",
    says: "Prints the JSON Schema of an event and of the answers to it, of a file (settings, mcp, models, lock, hooks-test), or of a line of --trace.",
    example: "schema claude:PreToolUse",
    words: [EVENT],
  },
  {
    name: "mcp list",
    usage: "hookline mcp [list] [--json]",
    says: "Starts the MCP servers configured here, and shows which work, what they offer, and why others do not work.",
    example: "mcp",
  },
  {
    name: "bridge call",
    usage: "hookline bridge call HOST EVENT [--origin ID] [--deadline MS] [--one-shot [--trace FILE]]",
    says: "Answers one hook call of another agent: reads its payload from stdin, and prints the answer in that agent's format. `ahp` instead of HOST EVENT answers one message of the Agent Hooks Protocol.",
    example: "bridge call codex PreToolUse --deadline 5000",
    words: [
      { name: "HOST", says: "the agent that calls" },
      { name: "EVENT", says: "the agent's own name for the event" },
    ],
    // An agent may append words of its own to the command.
    takesMore: () => true,
  },
  {
    name: "bridge daemon",
    usage: "hookline bridge daemon",
    says: "Serves the hook calls of this folder until it is idle. The first call starts it by itself.",
    example: "bridge daemon",
  },
  {
    name: "bridge restart",
    usage: "hookline bridge restart [--all]",
    says: "Restarts this folder's daemon, or all of them.",
    example: "bridge restart --all",
  },
  {
    name: "bridge stop",
    usage: "hookline bridge stop [--all]",
    says: "Stops this folder's daemon, or all of them; the next hook call starts it again.",
    example: "bridge stop",
  },
  {
    name: "bridge pause",
    usage: "hookline bridge pause MINUTES",
    says: "Lets other agents act without your guards for 1 to 60 minutes; only a person at a terminal may.",
    example: "bridge pause 10",
    words: [{ name: "MINUTES", says: "for how long, from 1 to 60" }],
  },
  {
    name: "bridge resume",
    usage: "hookline bridge resume",
    says: "Ends such a pause before its time.",
    example: "bridge resume",
  },
  {
    name: "bridge install",
    usage: "hookline bridge install HOST [--scope user|project] [--guards-only] [--grant] [--dry-run] [--yes] [--json]",
    says: "Makes another agent ask your hooks: shows the exact text that goes into its file, and asks before it writes.",
    example: "bridge install codex --dry-run",
    words: [HOST],
  },
  {
    name: "bridge remove",
    usage: "hookline bridge remove HOST [--scope user|project] [--dry-run] [--yes] [--json]",
    says: "Takes out of another agent's file exactly what was installed.",
    example: "bridge remove codex",
    words: [HOST],
  },
  {
    name: "bridge status",
    usage: "hookline bridge status [HOST] [--json]",
    says: "Shows what is installed in other agents, whether it is intact and trusted there, and how many guards are alive.",
    example: "bridge status",
    words: [HOST],
  },
  {
    name: "bridge report",
    usage: "hookline bridge report HOST [--all] [--json]",
    says: "Shows which of your hooks work in another agent, which are lost or lack something there, and why.",
    example: "bridge report codex",
    words: [HOST],
  },
  {
    name: "fleet dev",
    usage: "hookline fleet dev [--port N] [--json]",
    says: "Starts a whole fleet on this machine, to try it: a NATS server on loopback, a worker, and a guard that it asks.",
    example: "fleet dev",
  },
  {
    name: "fleet init",
    usage: "hookline fleet init DIR --name NAME [--json]",
    says: "Makes the keys of a new fleet, and the configuration of its servers.",
    example: "fleet init ./fleet --name acme",
    words: [{ name: "DIR", says: "a folder that is not there yet", completes: "folder" }],
  },
  {
    name: "fleet enroll",
    usage: "hookline fleet enroll NAME --role agent|worker|publisher|auditor|approver [--dir DIR] [--json]",
    says: "Prints the creds file of one machine, which may do what its role may and nothing else.",
    example: "fleet enroll laptop-1 --role agent --dir ./fleet",
    words: [{ name: "NAME", says: "the machine: 1 to 40 of a-z, 0-9 and -" }],
  },
  {
    name: "fleet revoke",
    usage: "hookline fleet revoke NAME [--dir DIR] [--json]",
    says: "Takes a machine's creds out of force, once the servers have read their configuration again.",
    example: "fleet revoke laptop-1 --dir ./fleet",
    words: [{ name: "NAME", says: "the machine" }],
  },
  {
    name: "fleet join",
    usage: "hookline fleet join URL --creds FILE --root FILE [--channel NAME] [--json]",
    says: "Makes this machine follow a fleet's policy, and shows what leaves the machine.",
    example: "fleet join tls://fleet.example.com:4222 --creds laptop-1.creds --root root.json",
    words: [{ name: "URL", says: "the server: tls://HOST:PORT, on this machine also nats://127.0.0.1:PORT" }],
  },
  {
    name: "fleet leave",
    usage: "hookline fleet leave [--json]",
    says: "Takes this machine out of its fleet.",
    example: "fleet leave",
  },
  {
    name: "fleet status",
    usage: "hookline fleet status [--all] [--json]",
    says: "Shows whether the fleet can be reached, which hooks it asks, and whether a worker answers.",
    example: "fleet status --all",
  },
  {
    name: "fleet approvals",
    usage: "hookline fleet approvals [list|approve|deny] [ID] [--reason TEXT] [--json]",
    says: "Shows the questions that hooks of the fleet's machines ask a person, or answers one, once and for exactly that call.",
    example: 'fleet approvals approve 7f3a --reason "reviewed"',
    words: [
      { name: "ACTION", says: "list, approve or deny; default: list", completes: ["list", "approve", "deny"] },
      { name: "ID", says: "the question to answer" },
    ],
  },
  {
    name: "fleet audit",
    usage:
      "hookline fleet audit [list|tail|stats|verify] [--machine NAME] [--since 30d] [--event LIST] [options] [--json]",
    says: "Lists, follows or counts what the fleet's agents decide, or checks that none of it is missing or forged.",
    example: "fleet audit tail --machine laptop-1",
    words: [
      {
        name: "ACTION",
        says: "list, tail, stats or verify; default: list",
        completes: ["list", "tail", "stats", "verify"],
      },
    ],
  },
  {
    name: "fleet root",
    usage: "hookline fleet root rotate|approvers|publish DIR [NAME…|URL] [--threshold N] [--any] [--days N] [--json]",
    says: "Makes new keys for the fleet's policy, names who may approve calls, or puts the roots that list them on the server.",
    example: "fleet root approvers ./fleet alice bob --threshold 2",
    words: [
      { name: "ACTION", says: "rotate, approvers or publish", completes: ["rotate", "approvers", "publish"] },
      { name: "DIR", says: "the folder that `hookline fleet init` made", completes: "folder" },
      {
        name: "NAME|URL",
        says: "approvers: names whose answers count, or none to show them; publish: the server",
        many: true,
      },
    ],
  },
  {
    name: "fleet publish",
    usage:
      "hookline fleet publish FOLDER --key FILE [--channel NAME] [--days N] [--wait N] [--dry-run] [--rollback] [--json]",
    says: "Signs the hooks in a folder as the next version of a channel, and puts them on the server.",
    example: "fleet publish ./policy --key publisher.key --channel stable",
    words: [
      {
        name: "FOLDER",
        says: "the folder with manifest.json and the hooks; none with --rollback",
        completes: "folder",
      },
    ],
  },
  {
    name: "fleet verify",
    usage: "hookline fleet verify [FOLDER] [--channel NAME] [--json]",
    says: "Checks whether machines would accept a folder, or what the server has for a channel.",
    example: "fleet verify ./policy",
    words: [{ name: "FOLDER", says: "a folder to publish; by default, the server is asked", completes: "folder" }],
  },
  {
    name: "fleet serve",
    usage: "hookline fleet serve [--channel NAME] [--concurrency N] [--verbose] [--json]",
    says: "Asks the fleet's hooks on behalf of its agents, until it is interrupted.",
    example: "fleet serve --concurrency 4",
  },
  {
    name: "sessions list",
    usage: "hookline sessions [list] [--all] [--json]",
    says: "Lists the sessions of this folder.",
    example: "sessions --all",
  },
  {
    name: "sessions show",
    usage: "hookline sessions show ID [--json]",
    says: "Prints a session's conversation.",
    example: "sessions show 01",
    words: [SESSION],
  },
  {
    name: "sessions export",
    usage: "hookline sessions export ID [FILE]",
    says: "Writes a session as Markdown, as a page if FILE ends in .html, or as its own lines if it ends in .jsonl.",
    example: "sessions export 01 session.html",
    words: [SESSION, { name: "FILE", says: "where to write it; without it, to stdout", completes: "file" }],
  },
  {
    name: "completion",
    usage: `hookline completion ${SHELLS.join("|")}`,
    says: "Prints a script with which a shell completes commands, options and names; source it in the shell's start file.",
    example: "completion bash",
    words: [{ name: "SHELL", says: "the shell", completes: SHELLS }],
    // After a first word that is no shell, further words are allowed: shells call `completion words -- WORD…`.
    takesMore: ([first = ""]) => !SHELLS.some((shell) => shell === first),
  },
];
