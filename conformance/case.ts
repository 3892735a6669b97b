import * as v from "valibot";

const text = (says: string) => v.pipe(v.string(), v.description(says));
const count = (says: string) => v.pipe(v.number(), v.integer(), v.minValue(0), v.description(says));
const anything = (says: string) => v.pipe(v.unknown(), v.description(says));
const fields = (says: string) => v.pipe(v.record(v.string(), v.unknown()), v.description(says));
const list = <S extends v.GenericSchema>(of: S, says: string) => v.pipe(v.array(of), v.description(says));
const yes = (says: string) => v.pipe(v.literal(true), v.description(says));

const hookSchema = v.strictObject({
  event: text("The event in the dialect's own spelling."),
  lane: v.exactOptional(text("The lane, where the dialect has several. Default: the dialect's id.")),
  answer: v.exactOptional(anything("The raw answer. Absent: none.")),
  answers: v.exactOptional(list(v.unknown(), "The raw answers of successive calls; the last one repeats.")),
  edit: v.exactOptional(
    fields(
      "Changes the event in place before answering: path in dots to value. Only where handlers share the agent's process.",
    ),
  ),
  push: v.exactOptional(fields("Adds a value to a list of the event in place: path in dots to value.")),
  throws: v.exactOptional(anything("Throws an error with this message, or any other value as it is.")),
  fails: v.exactOptional(
    v.pipe(
      v.strictObject({ cause: v.picklist(["timeout", "exited", "bad", "engine"]), message: v.string() }),
      v.description(
        "Fails as a program can: it was ended at its limit, exited with an error, printed what cannot be read, or could not be run at all.",
      ),
    ),
  ),
  takesMs: v.exactOptional(count("Milliseconds of the case's own clock after which it answers. Others run meanwhile.")),
  hangs: v.exactOptional(yes("It never answers.")),
  async: v.exactOptional(yes("It answers with a promise that is settled at once.")),
  by: v.exactOptional(count("The index of the hook that registers this one, while it runs for the first time.")),
  retry: v.exactOptional(count("How often it is asked again after a failure.")),
  onError: v.exactOptional(
    v.pipe(v.picklist(["skip", "abort"]), v.description("What its failure means, where a hook may say so.")),
  ),
  shadow: v.exactOptional(
    yes("It is in shadow: asked by itself once the others have decided, and what it says counts for nothing."),
  ),
  timeoutMs: v.exactOptional(count("Its own time limit, where a hook may have one.")),
});

const expectSchema = v.strictObject({
  answer: anything("What the host gets, whole."),
  saw: v.exactOptional(
    list(v.unknown(), "The event that was shown, whole, for each asking in order. Absent: not compared."),
  ),
  asked: v.exactOptional(
    list(count("An index."), "The hooks that were asked, in order. Default: each once, as they are listed."),
  ),
  diagnostics: v.exactOptional(list(v.string(), "The codes of all that was reported, in order. Default: none.")),
  edited: v.exactOptional(
    list(
      v.string(),
      "What was edited by which hook, `field by index`, or `field by lane` in place. Absent: not compared.",
    ),
  ),
  tookMs: v.exactOptional(
    count("Milliseconds of the case's clock from event to answer, or up to 100 more. Absent: not compared."),
  ),
});

const caseSchema = v.strictObject({
  id: v.pipe(
    v.string(),
    v.regex(/^[a-z-]+(\.[a-zA-Z0-9_-]+){2,4}$/),
    v.description("dialect.event.what; unique in all files."),
  ),
  says: text("The behaviour, as a sentence."),
  cites: list(v.string(), "Ids of the requirements that it proves."),
  source: v.exactOptional(text("Where it is from, beside its requirements, such as `spec/pi.md 1.1`.")),
  dialect: text("Whose tables are meant."),
  event: text("The event of the host, in hookline's spelling."),
  payload: fields("What the host tells."),
  scene: v.exactOptional(fields("What the host knows of the session; see the README.")),
  hooks: list(hookSchema, "The hooks, in the order of their registration."),
  times: v.exactOptional(count("How often the event is emitted, one after the other. Default: once.")),
  abortAtMs: v.exactOptional(count("When the host gives up, in milliseconds of the case's clock.")),
  expect: expectSchema,
});

const foundedCase = v.pipe(
  caseSchema,
  v.check(({ cites, source }) => cites.length > 0 || source !== undefined, "cites no requirement and names no source"),
);

/** A file of cases: hooks, one event of the host each, and what must come of it. */
export const caseFileSchema = v.strictObject({
  $schema: v.exactOptional(v.string()),
  cases: v.array(foundedCase),
});

/** What one hook of a case does when it is asked; everything is data, so that other runtimes can read it. */
export type CaseHook = v.InferOutput<typeof hookSchema>;

/** One case: hooks, one event of the host, and what must come of it. */
export type Case = v.InferOutput<typeof caseSchema>;
