/** What an experiment is called on the report card, in words for somebody who has never seen hookline. */
export interface CardRow {
  readonly title: string;
  /** One sentence: what was done, then what must hold. */
  readonly tried: string;
  /** The trials that a full run must have at least. */
  readonly least: number;
}

/** The rows of the report card by the experiment's name, in their order. A new experiment adds its row here. */
export const ROWS: Readonly<Record<string, CardRow>> = {
  kept: {
    title: "killing the agent",
    tried: "It was killed at every write of a turn and at random moments; each message it had shown must be on disk.",
    least: 3000,
  },
  torn: {
    title: "torn session files",
    tried: "Files were cut at every byte, and writes cut short; no whole line may be lost or joined to another.",
    least: 4000,
  },
  damaged: {
    title: "damaged session files",
    tried: "Bytes were flipped, removed, swapped and inserted at random; every undamaged line must load.",
    least: 5000,
  },
  resumable: {
    title: "interrupted sessions",
    tried: "Sessions ended early or lost a line, at each entry; providers must accept the next request.",
    least: 4,
  },
  "power-cut": {
    title: "power cuts",
    tried:
      "Disks were rebuilt as a power cut at each write may leave them; what was synced must be there, in files that open.",
    least: 200,
  },
  storage: {
    title: "failing disks",
    tried:
      "The disk was full, read-only, gone, or failed at each write; the agent must go on, say so once and catch up.",
    least: 64,
  },
  writers: {
    title: "two agents on one session",
    tried: "Processes wrote to one session and competed for its lock; no line may be mixed, and one alone may hold it.",
    least: 30,
  },
  private: {
    title: "private files",
    tried:
      "Each file was made anew, found readable by others, or replaced by a link; nobody else may read or redirect it.",
    least: 45,
  },
  values: {
    title: "awkward answers",
    tried:
      "Each field of each answer was given 30 values that nobody plans for; the run must go on, and a refusal name its cause.",
    least: 20_000,
  },
  places: {
    title: "odd files",
    tried:
      "Broken links, pipes, devices and 10 other things lay in each of 64 places; starts must end, and other hooks run.",
    least: 500,
  },
  outlets: {
    title: "output that cannot be written",
    tried:
      "Streams and files were full, closed, slow or gone; nothing may hang, and whoever relies on one must be told.",
    least: 100,
  },
  processes: {
    title: "hooks that are programs",
    tried:
      "They ignored signals, forked, flooded, hung and printed nonsense; none may be left over, and no answer half used.",
    least: 300,
  },
  judged: {
    title: "getting round a guard",
    tried:
      "Hooks rewrote calls, guards failed, calls ran side by side; none may run unless every guard saw and allowed it.",
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
    tried: "Control sequences stood in every text that is shown; none may have an effect on the terminal.",
    least: 224,
  },
  trust: {
    title: "hostile projects",
    tried:
      "Random projects lay beside a user's hooks, approved ones were changed; none may run unasked or change the user's.",
    least: 20_000,
  },
  "stand-ins": {
    title: "hooks that are missing while others load",
    tried:
      "Hooks that must run failed, hung, left and were loaded anew at random moments; calls must be refused until they run.",
    least: 100_000,
  },
  "own-hooks": {
    title: "the model changing hooks",
    tried: "It tried with every tool to add, edit and remove hooks, with nobody there to ask; none may change.",
    least: 40,
  },
  canaries: {
    title: "leaking secrets",
    tried: "Marked texts stood where secrets are, error messages included; none may be in a log, trace or report.",
    least: 50,
  },
  silence: {
    title: "hooks that silently do nothing",
    tried: "Hooks were set up wrongly in every way we know; each must be reported, with what to do about it.",
    least: 60,
  },
  "in-process": {
    title: "hostile extensions",
    tried:
      "Modules exited, threw late, blocked, called themselves without end and changed what they share; the agent must go on and name them.",
    least: 40,
  },
  hanging: {
    title: "handlers that never answer",
    tried: "One hung at each event; the run must end by its limit or by the person, never as if all were well.",
    least: 60,
  },
  stale: {
    title: "extensions of a session that is over",
    tried: "They used everything they had kept of it; nothing may throw, and nothing be written.",
    least: 20,
  },
  data: {
    title: "hostile data",
    tried:
      "What hooks and models send had reserved names, endless nesting, slow patterns; no other data may change, nothing run out.",
    least: 5000,
  },
  fuzz: {
    title: "random answers of hooks",
    tried:
      "What reads the answers of hooks got random bytes and damaged ones; none may crash or let a wrong value through.",
    least: 10_000,
  },
  entries: {
    title: "one bad entry among good ones",
    tried: "Each kind of mistake stood at each place of a list of hooks; all others must run.",
    least: 800,
  },
  dispatch: {
    title: "hooks that do not match",
    tried: "Up to a thousand hooks did not match an event; no process may start, and no millisecond pass.",
    least: 10_000,
  },
  clock: {
    title: "a changing clock",
    tried: "The wall clock jumped by hours, days and years; no decision and no time limit may change.",
    least: 20,
  },
  retries: {
    title: "hooks that are never content",
    tried: "They sent every reply back, alone and taking turns; each prompt may cost five more requests at most.",
    least: 10,
  },
  judges: {
    title: "models that judge tool calls",
    tried: "They hung, failed, flooded and asked each other; each must be asked as often as configured, and no more.",
    least: 36,
  },
  http: {
    title: "hooks behind a URL",
    tried:
      "Servers hung, dripped, flooded, broke off and led elsewhere; each call must end in time, whole or not at all, and leave no connection.",
    least: 10_000,
  },
  prompts: {
    title: "prompts of models that judge",
    tried:
      "The conversation held the marks that prompts are filled in at; none may be filled in again, and no denial be lifted.",
    least: 500,
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
  sessions: {
    title: "a thousand sessions at once",
    tried: "Half of them were aborted, and hooks ran under load; none may mix, and no decision may change.",
    least: 1,
  },
  soak: {
    title: "fifty sessions for hours",
    tried:
      "One thing in a hundred went wrong: hooks, provider, disk, clock; the process must go on and lose nothing it told.",
    least: 1,
  },
  cells: {
    title: "each rule of each dialect, inverted",
    tried: "Each rule by which hooks of other agents are understood was turned round; a test case must fail each time.",
    least: 1,
  },
  "field-bugs": {
    title: "known mistakes, put back in",
    tried: "Mistakes that agents have shipped were put into the code one by one; a test must fail each time.",
    least: 20,
  },
};
