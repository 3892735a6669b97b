import { abouts } from "@hookline/runtime/internal";
import type { Completes } from "./flags.ts";

/** A word that a subcommand takes after its name. */
interface Word {
  /** Its name in the usage line. */
  readonly name: string;
  readonly says: string;
  /** How a shell completes it. */
  readonly completes?: Completes;
  /** It may be repeated. */
  readonly many?: true;
}

/** A subcommand, with its part of `--help`. */
export interface CommandAbout {
  readonly name: string;
  readonly usage: string;
  readonly says: string;
  readonly words?: readonly Word[];
}

/** The shells that completion supports. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

const EVENT: Word = {
  name: "EVENT",
  says: "an event of hookline's, such as tool.before, or a dialect's, such as pi:tool_call",
  completes: "event",
};
const HOOK: Word = { name: "ID|PATH", says: "a hook's id, or a file with all of its hooks", completes: "hook" };
/** An agent that uses the bridge. */
const HOST: Word = { name: "HOST", says: "the agent, such as codex" };
const TRUSTED: Word = {
  name: "PATH",
  says: "a file or folder of the project; without it all of it",
  completes: "trust",
};
const SESSION: Word = { name: "ID", says: "the start of a session's id, or its file", completes: "session" };

/** The subcommands. */
export const COMMANDS: readonly CommandAbout[] = [
  {
    name: "hooks list",
    usage: "hookline hooks [list] [--json] [--strict]",
    says: "Shows what was searched, found, loaded and skipped, and why.",
  },
  {
    name: "hooks explain",
    usage: "hookline hooks explain EVENT [--tool NAME] [--model ID] [--json]",
    says: "Shows which hooks would run for an event, in order, and why the others would not.",
    words: [EVENT],
  },
  {
    name: "hooks fire",
    usage:
      "hookline hooks fire [DIALECT:]EVENT [--payload FILE|-] [--expect allow|deny|ask|edit|none] [--dry-run] [--times N] [--json]",
    says: "Dispatches one event by hand: each answer, its time, the fold, the outcome.",
    words: [EVENT],
  },
  {
    name: "hooks test",
    usage: "hookline hooks test [FILE…] [--watch] [--coverage] [--reporter text|tap|junit] [--json]",
    says: "Asks hooks about the cases in *.hooks-test.yaml files, and reports those with another outcome.",
    words: [
      {
        name: "FILE",
        says: "a file of cases; without it those below this folder",
        completes: "file",
        many: true,
      },
    ],
  },
  {
    name: "hooks stats",
    usage: "hookline hooks stats [--project] [--host HOST] [--since 7d|DATE] [--until DATE] [--reset] [--json]",
    says: "Shows each hook's runs, failures and times, over all sessions of this machine or this folder.",
  },
  {
    name: "hooks shadow",
    usage: "hookline hooks shadow ID|PATH [--project] [--json]",
    says: "Puts a hook, or all hooks of a file, in shadow: asked after each decision, without any effect on it.",
    words: [HOOK],
  },
  {
    name: "hooks enforce",
    usage: "hookline hooks enforce ID|PATH [--project] [--json]",
    says: "Puts a hook, or all hooks of a file, in force again.",
    words: [HOOK],
  },
  {
    name: "hooks init",
    usage: "hookline hooks init DIALECT",
    says: `Writes a commented, working example: a guard for one of ${Object.keys(abouts).join(", ")}.`,
    words: [{ name: "DIALECT", says: "whose hooks they are", completes: Object.keys(abouts) }],
  },
  {
    name: "hooks import",
    usage: "hookline hooks import [--write] [--to FILE] [--adapted] [--json]",
    says: "Lists hooks for Claude Code, Codex, Gemini CLI, Cursor, Copilot and Qwen Code: which run as they are, and how the others translate into settings hooks.",
  },
  {
    name: "trust list",
    usage: "hookline trust [list] [PATH] [--all] [--json]",
    says: "Shows which of this project's hooks are approved, changed since, or pending.",
    words: [TRUSTED],
  },
  {
    name: "trust approve",
    usage: "hookline trust approve [PATH] [--lock] [--bind FOLDER] [--yes]",
    says: "Shows exactly what would run, and what changed, and approves it.",
    words: [TRUSTED],
  },
  { name: "trust revoke", usage: "hookline trust revoke [PATH]", says: "Takes approvals back.", words: [TRUSTED] },
  {
    name: "packages fetch",
    usage: "hookline packages fetch [SOURCE…] [--yes] [--json]",
    says: "Fetches packages of extensions (npm:NAME@VERSION, git:HOST/PATH@REF), or all that pi's settings name; those of a project only after you agree.",
    words: [
      {
        name: "SOURCE",
        says: "npm:NAME@VERSION or git:HOST/PATH@REF; without it, what pi's settings name",
        many: true,
      },
    ],
  },
  {
    name: "replay",
    usage: "hookline replay [SOURCE…|-|--fleet] [--with PATH] [--without ID] [--fail-on LIST] [--json]",
    says: "Asks today's hooks about the moments of recordings and sessions, and shows what they would have done differently.",
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
    says: "Looks for problems: environment, providers, hooks, permissions.",
  },
  {
    name: "schema",
    usage: "hookline schema [EVENT|trace]",
    says: "Prints the JSON Schema of an event and of the answers to it, or of a line of --trace.",
    words: [EVENT],
  },
  {
    name: "mcp list",
    usage: "hookline mcp [list] [--json]",
    says: "Starts the MCP servers configured here, and shows which work, what they offer, and why others do not work.",
  },
  {
    name: "bridge call",
    usage: "hookline bridge call HOST EVENT [--origin ID] [--deadline MS] [--one-shot [--trace FILE]]",
    says: "Answers one hook call of another agent: reads its payload from stdin, and prints the answer in that agent's format.",
    words: [
      { name: "HOST", says: "the agent that calls" },
      { name: "EVENT", says: "the agent's own name for the event" },
    ],
  },
  {
    name: "bridge daemon",
    usage: "hookline bridge daemon",
    says: "Serves the hook calls of this folder until it is idle. The first call starts it by itself.",
  },
  {
    name: "bridge restart",
    usage: "hookline bridge restart [--all]",
    says: "Restarts this folder's daemon, or all of them.",
  },
  {
    name: "bridge stop",
    usage: "hookline bridge stop [--all]",
    says: "Stops this folder's daemon, or all of them; the next hook call starts it again.",
  },
  {
    name: "bridge install",
    usage: "hookline bridge install HOST [--scope user|project] [--guards-only] [--grant] [--dry-run] [--yes] [--json]",
    says: "Makes another agent ask your hooks: shows the exact text that goes into its file, and asks before it writes.",
    words: [HOST],
  },
  {
    name: "bridge remove",
    usage: "hookline bridge remove HOST [--scope user|project] [--dry-run] [--yes] [--json]",
    says: "Takes out of another agent's file exactly what was installed.",
    words: [HOST],
  },
  {
    name: "bridge status",
    usage: "hookline bridge status [HOST] [--json]",
    says: "Shows what is installed in other agents, and whether it is intact and trusted there.",
    words: [HOST],
  },
  {
    name: "bridge report",
    usage: "hookline bridge report HOST [--json]",
    says: "Shows which of your hooks run in another agent, which lose something there, and why.",
    words: [HOST],
  },
  {
    name: "fleet dev",
    usage: "hookline fleet dev [--port N] [--json]",
    says: "Starts a whole fleet on this machine, to try it: a NATS server on loopback, a worker, and a guard that it asks.",
  },
  {
    name: "fleet init",
    usage: "hookline fleet init DIR --name NAME [--json]",
    says: "Makes the keys of a new fleet, and the configuration of its servers.",
    words: [{ name: "DIR", says: "a folder that is not there yet", completes: "folder" }],
  },
  {
    name: "fleet enroll",
    usage: "hookline fleet enroll NAME --role agent|worker|publisher|auditor|approver [--dir DIR] [--json]",
    says: "Prints the creds file of one machine, which may do what its role may and nothing else.",
    words: [{ name: "NAME", says: "the machine: 1 to 40 of a-z, 0-9 and -" }],
  },
  {
    name: "fleet revoke",
    usage: "hookline fleet revoke NAME [--dir DIR] [--json]",
    says: "Takes a machine's creds out of force, once the servers have read their configuration again.",
    words: [{ name: "NAME", says: "the machine" }],
  },
  {
    name: "fleet join",
    usage: "hookline fleet join URL --creds FILE --root SHA256 [--channel NAME] [--json]",
    says: "Makes this machine follow a fleet's policy, and shows what leaves the machine.",
    words: [{ name: "URL", says: "the server: tls://HOST:PORT, on this machine also nats://127.0.0.1:PORT" }],
  },
  {
    name: "fleet leave",
    usage: "hookline fleet leave [--json]",
    says: "Takes this machine out of its fleet.",
  },
  {
    name: "fleet status",
    usage: "hookline fleet status [--all] [--json]",
    says: "Shows whether the fleet can be reached, which hooks it asks, and whether a worker answers.",
  },
  {
    name: "fleet approvals",
    usage: "hookline fleet approvals [list|approve|deny] [ID] [--reason TEXT] [--json]",
    says: "Shows the questions that hooks of the fleet's machines ask a person, or answers one, once and for exactly that call.",
    words: [
      { name: "ACTION", says: "list, approve or deny; default: list", completes: ["list", "approve", "deny"] },
      { name: "ID", says: "the question to answer" },
    ],
  },
  {
    name: "fleet audit",
    usage: "hookline fleet audit [list|tail|stats|verify] [--machine NAME] [--since 30d] [--event LIST] [--json]",
    says: "Lists, follows or counts what the fleet's agents decide, or checks that none of it is missing or forged.",
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
    words: [{ name: "FOLDER", says: "a folder to publish; by default, the server is asked", completes: "folder" }],
  },
  {
    name: "fleet serve",
    usage: "hookline fleet serve [--channel NAME] [--concurrency N] [--verbose] [--json]",
    says: "Asks the fleet's hooks on behalf of its agents, until it is interrupted.",
  },
  {
    name: "sessions list",
    usage: "hookline sessions [list] [--all] [--json]",
    says: "Lists the sessions of this folder.",
  },
  {
    name: "sessions show",
    usage: "hookline sessions show ID [--json]",
    says: "Prints a session's conversation.",
    words: [SESSION],
  },
  {
    name: "sessions export",
    usage: "hookline sessions export ID [FILE]",
    says: "Writes a session as Markdown, as a page if FILE ends in .html, or as its own lines if it ends in .jsonl.",
    words: [SESSION, { name: "FILE", says: "where to write it; without it, to stdout", completes: "file" }],
  },
  {
    name: "completion",
    usage: `hookline completion ${SHELLS.join("|")}`,
    says: "Prints a script with which a shell completes commands, options and names; source it in the shell's start file.",
    words: [{ name: "SHELL", says: "the shell", completes: SHELLS }],
  },
];
