/** The text about an experiment on the report card, for readers who do not know hookline. */
export interface CardRow {
  readonly title: string;
  /** One sentence: what was done, then what must hold. */
  readonly tried: string;
  /** The smallest number of trials in a full run. */
  readonly least: number;
}

/** The rows of the report card by experiment name, in order. A new experiment adds its row here. */
export const ROWS: Readonly<Record<string, CardRow>> = {
  kept: {
    title: "killing the agent",
    tried:
      "We killed it at every write and sync of a turn, before tool calls and at random moments; every message that it had shown had to be on disk.",
    least: 3000,
  },
  torn: {
    title: "torn session files",
    tried: "Files were cut at every byte, and writes cut short; no whole line may be lost or joined to another.",
    least: 4000,
  },
  resumable: {
    title: "interrupted sessions",
    tried:
      "Sessions ended early or lost a line, at each entry, or were killed while sub-agents worked; providers must accept the next request.",
    least: 4,
  },
  "power-cut": {
    title: "power cuts",
    tried:
      "Disks were rebuilt as a power cut at each write, during syncs and before tool calls may leave them; what was synced must be there, in files that open.",
    least: 200,
  },
  storage: {
    title: "failing disks",
    tried:
      "The disk was full, read-only, gone, or failed at each write; the agent must continue, say so once and catch up.",
    least: 64,
  },
  writers: {
    title: "two agents on one session",
    tried:
      "Processes wrote to one session and competed for its lock; no lines may mix, and only one process may hold it.",
    least: 30,
  },
  private: {
    title: "private files",
    tried: "Each file was new, already readable by others, or replaced by a link; nobody else may read or redirect it.",
    least: 45,
  },
  values: {
    title: "awkward answers",
    tried:
      "Each field of each answer got 30 values that nobody plans for; the run must continue, and refusals must name the cause.",
    least: 20_000,
  },
  places: {
    title: "odd files",
    tried:
      "Broken links, pipes, devices and 10 other things were put in each of 76 places; starts must end, and other hooks run.",
    least: 500,
  },
  outlets: {
    title: "output that cannot be written",
    tried:
      "Streams and files were full, closed, slow or gone; nothing may hang, and anyone who relies on one must be told.",
    least: 100,
  },
  judged: {
    title: "bypassing a guard",
    tried:
      "Hooks rewrote calls, guards failed, calls ran in parallel; none may run unless every guard saw and allowed it.",
    least: 3000,
  },
  sticky: {
    title: "lifting a denial",
    tried:
      "Four hooks blocked, allowed, failed, edited or called the result a success, in every order; a denial must stay.",
    least: 1,
  },
  screen: {
    title: "hostile text on the screen",
    tried: "Every text on the screen contained control sequences; none may have an effect on the terminal.",
    least: 224,
  },
  trust: {
    title: "hostile projects",
    tried: "Random projects were opened beside a user's hooks; none may run unasked or affect the user's.",
    least: 20_000,
  },
  "fleet-policy": {
    title: "policy that nobody signed",
    tried:
      "Machines of a fleet were offered altered, cut, unsigned, foreign, doubled and older policy, their files changed and disks filled; none may take it or lose its own.",
    least: 9000,
  },
  "fleet-ask": {
    title: "calls that a fleet judges",
    tried:
      "The server and the workers of a fleet were killed, stopped and started again, and one of them answered wrongly, while calls were judged; none may run unjudged.",
    least: 200,
  },
  "fleet-audit": {
    title: "decisions on their way to the fleet",
    tried:
      "Agents and servers were killed, disks full, answers lost, connections cut, senders late; each decision must arrive once.",
    least: 201,
  },
  "fleet-liars": {
    title: "workers that lie",
    tried:
      "A fleet's worker answered with edits, texts, ends of the run, foreign and earlier answers; only what the policy lists may have an effect.",
    least: 1000,
  },
  "fleet-approvals": {
    title: "approvals from elsewhere",
    tried:
      "Answers to a fleet's questions were forged, altered, replayed, late and about other calls, and machines impersonated; none may count.",
    least: 600,
  },
  "fleet-roles": {
    title: "rights in a fleet",
    tried:
      "Each role wrote to, listened to and read every kind of subject, its own and others', also by replies and consumers; only what the role is allowed may happen.",
    least: 200,
  },
  "fleet-away": {
    title: "a fleet that goes away",
    tried:
      "A fleet's server was away when an agent started, killed in and between turns, and back; calls must be judged or refused with the reason, and each decision arrive once.",
    least: 200,
  },
  "own-hooks": {
    title: "the model changing hooks",
    tried: "It tried with every tool to add, edit and remove hooks, while nobody could be asked; none may change.",
    least: 40,
  },
  canaries: {
    title: "leaking secrets",
    tried:
      "Marked texts were put wherever secrets are, including error messages; none may be in a log, trace or report.",
    least: 50,
  },
  telemetry: {
    title: "a collector in trouble",
    tried:
      "Telemetry collectors were down, refused, hung, disconnected and answered garbage; no run may change, and no secret be sent.",
    least: 1400,
  },
  replay: {
    title: "replaying the past",
    tried:
      "Every case of the dialects was recorded and replayed, with its hooks and with others; each change must be found and named.",
    least: 2000,
  },
  recordings: {
    title: "the record of what was decided",
    tried:
      "It was cut at every byte, its writer killed, its disk filled, and secrets removed; it must contain each call that ran, and no secret.",
    least: 4000,
  },
  hanging: {
    title: "handlers that never answer",
    tried: "One hung at each event; the run must end by its limit or by the person, never as if it had succeeded.",
    least: 60,
  },
  stale: {
    title: "extensions of an ended session",
    tried: "They used everything they had kept from it; nothing may throw, and nothing be written.",
    least: 20,
  },
  dispatch: {
    title: "hooks that do not match",
    tried:
      "Up to a thousand hooks did not match an event; no process may start, and each event may take less than a millisecond.",
    least: 10_000,
  },
  clock: {
    title: "a changing clock",
    tried: "The wall clock jumped by hours, days and years; no decision and no time limit may change.",
    least: 20,
  },
  retries: {
    title: "hooks that always ask for another try",
    tried: "They sent every reply back, alone and taking turns; each prompt may cost five more requests at most.",
    least: 10,
  },
  judges: {
    title: "models that judge tool calls",
    tried: "They hung, failed, flooded and asked each other; each must be asked as often as configured, and no more.",
    least: 36,
  },
  mcp: {
    title: "MCP servers that misbehave",
    tried:
      "They hung, died, flooded, lied and swapped their tools; each call must pass the guard, the run end in time, and no process remain.",
    least: 300,
  },
  taint: {
    title: "secrets that rules deny",
    tried:
      "Each tool and a grammar of commands went for files that Read rules deny, by links, globs and folders; their text may not come out.",
    least: 4000,
  },
  exit: {
    title: "ending the agent",
    tried: "It got signals while its hooks hung; it must be gone in eight seconds, or one after a second signal.",
    least: 120,
  },
  "start-up": {
    title: "starting with many hooks",
    tried: "It started with a thousand hooks; they may cost 0.3 s as commands and 1.5 s as modules.",
    least: 30,
  },
  memory: {
    title: "memory that an event leaves",
    tried:
      "A million events went to ten handlers; they may leave less than half a byte each, and a planted leak must show.",
    least: 3,
  },
  soak: {
    title: "fifty sessions for hours",
    tried:
      "One operation in a hundred failed: hooks, provider, disk, clock; the process must continue and lose nothing it reported.",
    least: 1,
  },
  cells: {
    title: "each rule of each dialect, inverted",
    tried: "Each rule for understanding hooks of other agents was inverted; a test case must fail each time.",
    least: 1,
  },
  bridge: {
    title: "hooks in other agents",
    tried:
      "The daemon behind the bridge was killed, hung, replaced, impersonated or out of disk while it was asked; no call may run unjudged, and observers may cost nothing.",
    least: 120,
  },
  commands: {
    title: "what a shell text runs",
    tried:
      "Generated texts ran in a real bash with stubs for programs: each command that hookline's reader calls certain must run, and none may run that it calls neither certain nor possible; rules about four programs may stop only few everyday commands.",
    least: 20_000,
  },
  consent: {
    title: "what an approval does not say",
    tried:
      "Generated hooks in eight languages, and published ones, ran under strace; each file that they opened and that proved to be code had to be covered by the approval or called open, and few lines may call open what is not.",
    least: 2000,
  },
  "field-bugs": {
    title: "known mistakes, put back in",
    tried: "Mistakes that agents have shipped were put into the code one by one; a test must fail each time.",
    least: 20,
  },
};
