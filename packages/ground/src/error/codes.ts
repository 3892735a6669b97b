/** A diagnostic's severity. */
export type Severity = "error" | "warning" | "info";

/**
 * The kind of a code. `caller` codes are thrown, all others are returned as diagnostics. `engine` codes are failures
 * that are not the hook's fault. If one keeps a guard from judging a call, the call is refused in every dialect.
 */
export type CodeKind = "caller" | "config" | "hook" | "engine" | "policy";

interface CodeRow {
  readonly kind: CodeKind;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
  readonly since: string;
  /** Whether the command line itself is wrong. A command then exits with 2 instead of 1. */
  readonly usage?: true;
}

const rows = {
  // ---- codes of a caller's mistakes, which are thrown
  UNKNOWN_EVENT: usage('There is no event "{event}"', "{guess}`hookline schema` lists the events."),
  WRONG_USE: usage("{option} {problem}", "{remedy}"),
  INVALID_OPTION: caller("{option} {problem}", "{remedy}"),
  NO_MODEL: caller(
    "No model can be used: no provider's key is set, {file}, and neither --base-url nor --script is given",
    "{remedy}",
  ),
  SESSION_CLOSED: caller("Session {session} is closed", "Open a new session; a closed one runs nothing."),
  REENTRANT_EMIT: caller(
    '"{event}" was emitted {depth} levels deep from inside its own hooks',
    "Postpone the work until the dispatch has ended.",
  ),

  RECORDING_VERSION: caller(
    "{path}:{line} has version {version} of the recording format, and this hookline reads version {own}",
    "Read it with the hookline that wrote it, or update hookline.",
  ),
  NOT_ADMITTED: caller("{what}:\n{problem}", "{remedy}"),

  // ---- codes of faults in configuration
  UNREADABLE: config(
    "{path} could not be read: {problem}",
    "Check that the path is right, and that you may read the file.",
  ),
  FILE_UNUSABLE: config(
    "{path} is not used: {problem}",
    "Correct the file; until then none of its hooks and rules run.",
  ),
  SYNTAX: config("{path}:{line}: {problem}", "Correct the line; other definitions are not affected."),
  SETTINGS_SYNTAX: config(
    "{path}:{line}: {problem}",
    "Correct the file; until then none of its settings are in force.",
  ),
  SETTINGS_UNREADABLE: config(
    "{path} could not be read: {problem}",
    "Make the file readable for you, or remove it; until then none of its settings are in force.",
  ),
  SETTINGS_IGNORED: config(
    "{path} is not used: {problem}",
    "Make the file and its folder writable by root alone; until then settings for all users of this machine are not used.",
  ),
  REQUIRED_MISSING: config(
    "{name} must run, but does not: {problem}",
    "Fix it, or remove its name from `required` or `failClosed` in the settings, or from hookline.lock; until then no tool runs.",
  ),
  FLEET_PACKAGE: config(
    "{needs}; install @hookline/fleet@{version} ({problem})",
    "Install it where hookline is installed: `npm install -g @hookline/fleet@{version}`, or without -g in the folder that has hookline. If you want to take this machine out of its fleet, install it first and run `hookline fleet leave`.",
  ),
  FLEET_POLICY: config(
    "Fleet {fleet}: {problem}",
    "`hookline fleet status` says which version is in use; that one stays in use until a newer one is accepted.",
    "warning",
  ),
  BAD_ENTRY: config("{path}:{line}: {problem}", "{remedy}"),
  UNKNOWN_KEY: config('{path}:{line}: unknown key "{key}"', "{guess}The key is ignored.", "warning"),
  UNKNOWN_HOOK_EVENT: config(
    '{path}:{line}: there is no event "{event}" in {dialect}',
    "{guess}Hooks under this name never run.",
  ),
  NEVER_FIRES: config(
    '{path}: {dialect} has "{event}", but hookline never fires it',
    "Move the hook to an event that fires here; the dialect's README lists them.",
    "warning",
  ),
  UNREACHABLE: config("{path}:{line}: {problem}", "{remedy}", "warning"),
  SHADOWED: config("{path} gives way to {other}, which has the same name, {key}", "Rename one of the two.", "warning"),
  UNSUPPORTED: config("{path} is not run: {problem}", "{remedy}", "warning"),
  DUPLICATE: config(
    '{kind} "{key}" of {path} is not used: {other} already has the name',
    "Rename one of the two.",
    "warning",
  ),
  UNTRUSTED: config(
    "{path} is not run: this project's hooks have not been approved",
    "Review it, then run `hookline trust approve {path}`, or pass --trust-project for this run.",
    "warning",
  ),
  TRUST_CHANGED: config(
    "{path} is not run: {changed} {how} after it was approved",
    "See what changed and approve it with `hookline trust approve {path}`, or pass --trust-project for this run.",
    "warning",
  ),
  LOCK_NOT_MET: config(
    "The project does not meet {path}: {problem}",
    "If the project is right, write the lock again with `hookline trust approve --lock`; --frozen ends a run that does not meet it.{remedy}",
    "warning",
  ),
  LOCK_FORMER: config(
    "{path} was written by an older hookline; this release still reads it, the next one will not",
    "Write it again with `hookline trust approve --lock`.",
    "warning",
  ),
  NO_TERMINAL: config(
    "{path} mentions /dev/tty, but its hooks ({events}) run without a terminal and cannot ask there",
    "Let the hook decide without asking. The plugin's tools do get the terminal in an interactive session.",
    "warning",
  ),
  NOBODY_LISTENS: config(
    'No hook of {lane} listens to "{event}"',
    "`hookline hooks` lists what was found, and why it does not run.",
    "warning",
  ),
  FAIL_CLOSED_VAIN: config(
    'failClosed names "{name}", which {problem}',
    "Name a hook's file, or a hook by the id that `hookline hooks explain` shows.",
  ),
  SHADOW_VAIN: config(
    'shadow names "{name}", which {problem}',
    "Name a hook's file, or a hook by the id that `hookline hooks explain` shows; or remove the name from shadow.",
    "warning",
  ),
  SHADOW_BY_PROJECT: config(
    "This project has put {name} in shadow: it is asked, but it decides nothing",
    "`hookline hooks enforce {name} --project` puts it in force.",
    "warning",
  ),
  LOAD_FAILED: config("{path} could not be loaded: {problem}", "Correct the file; other hooks are not affected."),
  MISSING_EXPORT: config(
    '{path} imports {names} from "{specifier}", which has no such export',
    "The name is undefined there; remove the import or see the dialect's README for what is provided.",
    "warning",
  ),
  LACKING_EXPORT: config(
    '{path} imports {names} from "{specifier}", which only the real program has',
    "The file loads, but code that uses the name fails: {instead}",
    "warning",
  ),
  AMBIENT_CHANGED: config(
    "{path} changed something that everything in this process shares: {what}",
    "It affects other hooks and the agent; make such changes in a child process only.",
    "warning",
  ),
  LINT: config("{path}:{line}: {problem}", "{remedy}", "warning"),

  TOOL_UNKNOWN: config('No hook knows a tool by the name "{tool}": {problem}', "{remedy}", "warning"),

  // ---- codes of a hook's own failures
  GUARD_NOT_ALIVE: hook(
    'Guard "{hook}" ({place}) refuses {event} because {problem}',
    "Correct the guard or its case; `hookline hooks test` runs its cases.",
  ),
  GUARD_CASE_CLAIMED: hook(
    "A call on {event} used the id of a test call that this session had made to try a guard ({id}); it was judged like any other call",
    "Only hookline and the tested guard knew that id. Find out what made the call: it may pose as a test to get past the guard.",
  ),
  HOOK_THREW: hook('Hook "{hook}" ({place}) failed on {event}: {problem}'),
  HOOK_TIMED_OUT: hook(
    'Hook "{hook}" ({place}) timed out on {event} after {timeoutMs} ms',
    "Raise its timeout or make it answer faster.",
  ),
  HOOK_BAD_ANSWER: hook('Hook "{hook}" ({place}) returned an invalid answer to {event}: {problem}'),
  HOOK_EXITED: hook('Hook "{hook}" ({place}) ended with {status} on {event}'),
  HOOK_ENDED: hook(
    'A person ended hook "{hook}" ({place}), which was running on {event}',
    "It counts as a hook that timed out.",
  ),
  HOOK_LATE: hook(
    'Hook "{hook}" ({place}) answered {event} after its deadline; the answer was dropped',
    "Make it answer faster.",
  ),
  HOOK_LATE_ERROR: hook(
    "{path} failed after its handler had returned: {problem}",
    "Await the work, or catch its errors.",
  ),
  HOOK_SLOW: hook(
    'Hook "{hook}" ({place}) has been running on {event} for {seconds} s',
    "Still waiting; press Esc to abort.",
    "info",
  ),
  HOOK_BLOCKED: hook(
    'Hook "{hook}" ({place}) kept this process busy for {ms} ms on {event}',
    "Nothing else could run meanwhile; do the work in a child process, or in steps with a wait between them.",
  ),
  HOOK_ODD_ANSWER: hook(
    'Hook "{hook}" ({place}) returned {field} on {event}, which has no effect there: {problem}',
    "Remove the field, or see the dialect's reference.",
  ),
  HOOK_RAW_KEY: hook(
    'Hook "{hook}" ({place}) set {field} on {event}: {problem}',
    "If the model's provider refuses the request, do not set {field} for this model.",
  ),
  HOOK_LOST_EDIT: hook(
    'The {field} of hook "{hook}" ({place}) was discarded on {event}: a later answer replaced all of it',
    "{remedy}",
  ),
  REENTRANT_CALL: hook(
    'Hook "{hook}" ({place}) was skipped on {event}: it was called from inside itself',
    "Do not emit an event from its own hook.",
  ),
  NOT_ON_RECORD: {
    kind: "engine",
    severity: "error",
    message: "The call was refused, because the decision about it cannot be recorded: {problem}",
    hint: "Fix what keeps the log from being written, such as a full disk; or remove decisionLog from the settings, where no fleet requires the log.",
    since: "0.1.0",
  },
  LISTENER_THREW: hook("A listener for {what} failed: {problem}", "The result is unchanged; correct the listener."),
  STALE_CONTEXT: hook(
    "{path} used the context of a session that has ended ({what})",
    "The call was dropped. Take the context of the running handler instead of keeping an old one.",
  ),
  CHAIN_LIMIT: hook(
    'Hook "{hook}" ({place}) was not started on {event}: the hooks before it used up the {limitMs} ms that all hooks of the event share',
    "Make earlier hooks faster.",
  ),

  // ---- codes of failures of the engine, which are not the hook's fault
  START_FAILED: engine('Hook "{hook}" ({place}) could not be started on {event}: {problem}'),
  TOO_LARGE: engine(
    'Hook "{hook}" ({place}) could not be handed the data of {event}: {problem}',
    "Make the data smaller, for example by splitting the call; a guard that cannot read it refuses.",
  ),
  OUTPUT_LIMIT: engine(
    'The output of hook "{hook}" ({place}) could not be read on {event}: {problem}',
    "Make the hook print less; a guard whose output cannot be read refuses.",
  ),
  STATS_LOST: config(
    "The figures of this session for `hookline hooks stats` could not be written to {path}: {problem}",
    "Make the folder writable for you.",
    "warning",
  ),
  INSTALLATION_INCOMPLETE: engine(
    "hookline's installation is incomplete: its package {package} cannot be used: {problem}",
    "Install hookline again, with all of its dependencies (not with --omit=optional). The hook's file is not at fault.",
  ),
  FILE_GONE: engine(
    'The file of hook "{hook}" ({place}) has been removed since it was loaded; the hook was not run on {event}',
    "Put the file back, or load the hooks again with /reload or a new session; a guard that cannot run refuses.",
  ),
  SURVIVORS: engine("Processes of {label} could not be ended, and are still running: {pids}", "End them by hand."),

  // ---- codes that say what hookline itself did: let pass, refused, withheld, cut or ended
  RULE_PASSED: policy(
    'The rule "{rule}" of {path} let a command pass that it might forbid: the command {problem}',
    "Write that part of the command out, or run where a person can be asked.",
  ),
  FAILED_OPEN: policy(
    '"{event}" continued although hook "{hook}" ({place}) failed',
    "This is its dialect's rule. To make it refuse, name the hook under failClosed in settings.json; for j-cli set on_error, for all chibi guards chibi.guardFailure.",
  ),
  FAILED_CLOSED: policy(
    '"{event}" was refused because hook "{hook}" ({place}) could not judge it: {problem}',
    "Correct the hook; a guard that fails refuses.",
  ),
  TOO_MANY_HANDLERS: policy(
    "{path} has {count} handlers for {event}; further ones are ignored",
    "Register handlers once, when the module is loaded; a handler that registers another one at each event never stops.",
  ),
  REWRITE_REFUSED: policy(
    '"{event}" was refused: hook "{hook}" ({place}) changed the call, and the changed call cannot run: {problem}',
    "Make the hook return a call that can run. The original call was not run, because the hook wanted another one.",
  ),
  WITHHELD: policy(
    'What hook "{hook}" ({place}) should have redacted or judged on "{event}" was withheld: the hook failed',
    "Correct the hook; the withheld text is in no record.",
  ),
  RECHECK_REFUSED: policy(
    '"{event}" was refused: hook "{hook}" ({place}) did not agree to the final call',
    "A later hook changed the call after this one had judged it; correct one of the two.",
  ),
  BACKGROUND_ENDED: policy(
    "The {label} was still running in the background, and was ended",
    "Its answer is lost; remove `async` from a hook that must run to its end.",
  ),
  PROGRAM_ENDED: policy(
    "Programs that {label} started, and that were still running at the end, were ended: {programs}",
    "Start a program that must live on with `env -u HOOKLINE_RUN_ID setsid`, or as a service of the system.",
  ),
  TEXT_CUT: policy(
    'Hook "{hook}" ({place}) returned {field} with {length} characters on {event}: its beginning is used, {where}',
    "Have the hook print less; docs/reference/limits.md lists the limits.",
  ),
  FEEDBACK_CAP: policy(
    "Hooks asked for {count} retries in this turn; the limit is {limit}, so no more are granted",
    "Raise feedbackCap in settings.json, or make the hook accept.",
  ),
  LIMIT_CLAMPED: policy("{what} was {given} and is now {used}", "{remedy}", "warning"),
} as const satisfies Record<string, CodeRow>;

/** Every code that hookline throws or reports. Stable: a code is never renamed, only added. */
export const CODES: { readonly [K in keyof typeof rows]: CodeRow } = rows;

/** The name of a code. */
export type Code = keyof typeof rows;

function caller(message: string, hint: string): CodeRow {
  return { kind: "caller", severity: "error", message, hint, since: "0.1.0" };
}
function usage(message: string, hint: string): CodeRow {
  return { ...caller(message, hint), usage: true };
}
function config(message: string, hint: string, severity: Severity = "error"): CodeRow {
  return { kind: "config", severity, message, hint, since: "0.1.0" };
}
function hook(
  message: string,
  hint = "Correct the hook; `hookline hooks explain` shows how its failures are treated.",
  severity: Severity = "warning",
): CodeRow {
  return { kind: "hook", severity, message, hint, since: "0.1.0" };
}
function engine(message: string, hint = "Correct the cause and try again; a guard that cannot run refuses."): CodeRow {
  return { kind: "engine", severity: "error", message, hint, since: "0.1.0" };
}
function policy(message: string, hint: string, severity: Severity = "warning"): CodeRow {
  return { kind: "policy", severity, message, hint, since: "0.1.0" };
}
