import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, ApprovalQuestion, ApprovalsPlace } from "../../../hookline/src/inspect/api.ts";
import { Refused } from "../data/api.ts";
import { Note } from "../part/note.tsx";
import { Text } from "../part/text.tsx";
import { Value } from "../part/value.tsx";
import { answer, asked, followApprovals, inOrder, open } from "../state/approvals.ts";
import { approvedBy, cameTo, timeLeft } from "../text/approval.ts";
import { counted } from "../text/format.ts";
import { visible } from "../text/visible.ts";

const MOST_REASON = 2000;

/** What hooks of the fleet want people to decide, oldest first, with what an approver answers. */
export function ApprovalsView({ place }: { readonly place: ApprovalsPlace }) {
  useEffect(() => followApprovals(), [place.state]);
  return (
    <section class="approvals" aria-label="Approvals" id="view" tabIndex={-1}>
      {place.state === "elsewhere" ? <Note>{visible(place.because)}</Note> : <Questions place={place} />}
    </section>
  );
}

function Questions({ place }: { readonly place: Extract<ApprovalsPlace, { state: "here" }> }) {
  // What was open while somebody looks stays where it is: a button must not move away under the pointer.
  const [stays, setStays] = useState<ReadonlySet<string>>(new Set());
  const now = asked.value;
  const waiting = open.value;
  useEffect(() => {
    if (waiting.some(({ id }) => !stays.has(id))) setStays(new Set([...stays, ...waiting.map(({ id }) => id)]));
  }, [waiting, stays]);
  if (now === undefined) return <Note>…</Note>;
  const isShown = ({ id, state }: ApprovalQuestion): boolean => state === "open" || state === "sent" || stays.has(id);
  const all = inOrder([...now.questions.values()]);
  const shown = all.filter(isShown);
  const earlier = all.filter((one) => !isShown(one)).toReversed();
  const isAway = now.away !== undefined;
  return (
    <>
      <p class="count" role="status">
        {waiting.length === 0 ? "Nothing waits" : `${counted(waiting.length, "question waits", "questions wait")}`} for
        an answer of {place.approver} in the fleet {place.fleet}.
      </p>
      {now.away !== undefined && (
        <Note isBad>
          The fleet is away: {visible(now.away)}. Nothing can be answered until it is back; this page shows it then.
        </Note>
      )}
      {now.full && <Note>Machines ask more than is kept here. Answer these first: the others are repeated.</Note>}
      <QuestionList all={shown} isAway={isAway} />
      {shown.length > waiting.length && (
        <p class="tools">
          <button type="button" onClick={() => setStays(new Set(waiting.map(({ id }) => id)))}>
            Put away what is over
          </button>
        </p>
      )}
      {earlier.length > 0 && (
        <details>
          <summary>{counted(earlier.length, "question that is over", "questions that are over")}</summary>
          <QuestionList all={earlier} isAway={isAway} />
        </details>
      )}
    </>
  );
}

function QuestionList({ all, isAway }: { readonly all: readonly ApprovalQuestion[]; readonly isAway: boolean }) {
  return (
    <ol class="questions">
      {all.map((question) => (
        <li key={question.id}>
          <Question question={question} isAway={isAway} />
        </li>
      ))}
    </ol>
  );
}

function Question({ question, isAway }: { readonly question: ApprovalQuestion; readonly isAway: boolean }) {
  const { id, machine, tool, args, hooks, reason, call, state, approvals } = question;
  const box = useRef<HTMLElement>(null);
  return (
    <article class={`question ${state}`} aria-labelledby={`question-${id}`} tabIndex={-1} ref={box}>
      <header>
        <h2 id={`question-${id}`}>
          {visible(tool)} <span class="quiet">on {visible(machine)}</span>
        </h2>
        <Left expires={question.expires} />
      </header>
      <dl class="asked">
        <div>
          <dt>{hooks.length > 1 ? "hooks" : "hook"}</dt>
          <dd>
            {hooks.length === 0 && <span class="quiet">not known</span>}
            {hooks.map((hook) => (
              <div key={hook} class="where">
                {visible(hook)}
              </div>
            ))}
          </dd>
        </div>
        <div>
          <dt>reason</dt>
          <dd>{reason === undefined ? <span class="quiet">none was given</span> : <Text text={reason} />}</dd>
        </div>
        <div>
          <dt>arguments</dt>
          <dd>
            <Value value={args} />
          </dd>
        </div>
        <div>
          <dt>call</dt>
          <dd class="where">{call.slice(0, 16)}</dd>
        </div>
        {approvals !== undefined && (
          <div>
            <dt>approvals</dt>
            <dd>
              <span role="status">{visible(approvedBy(approvals))}</span>
            </dd>
          </div>
        )}
      </dl>
      <Answering question={question} isAway={isAway} box={box} />
    </article>
  );
}

function Answering({
  question,
  isAway,
  box,
}: {
  readonly question: ApprovalQuestion;
  readonly isAway: boolean;
  readonly box: RefObject<HTMLElement | null>;
}) {
  const { id, machine, tool, state } = question;
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isShut, setShut] = useState(false);
  // A second click may come before the buttons are drawn anew.
  const isBusy = useRef(false);
  const hasAnswered = useRef(false);
  const isOpen = state === "open" || state === "sent";
  const unconfirmed = `${machine} has not said that it has the answer. It is sent again when ${machine} asks again; until then you may answer differently.`;
  useEffect(() => {
    // The button that had the focus is gone, or shut; what somebody has gone on to keeps it.
    if (hasAnswered.current && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
    if (!isOpen) hasAnswered.current = false;
  }, [isOpen, isShut, box]);
  const give = async (given: ApprovalAnswer["answer"]): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    hasAnswered.current = true;
    setShut(true);
    setProblem(undefined);
    let isOver = false;
    try {
      const { taken, settled } = await answer(id, { answer: given, ...(reason.trim() !== "" && { reason }) });
      // The stream tells it too, a little later.
      isOver = settled !== undefined;
      if (settled === undefined) setProblem(taken ? undefined : unconfirmed);
      else if (!taken) setProblem("Your answer did not count: another one came first.");
    } catch (thrown) {
      setProblem(thrown instanceof Refused ? thrown.message : String(thrown));
    } finally {
      isBusy.current = isOver;
      setShut(isOver);
    }
  };
  const isOff = isShut || isAway || state !== "open";
  const what = `${visible(tool)} on ${visible(machine)}`;
  return (
    <div class="answering">
      {/* It keeps its room when it is over, so that the questions below stay where they are. */}
      <div class="form">
        <label>
          Your reason
          <input
            value={reason}
            maxLength={MOST_REASON}
            aria-label={`Your reason, for ${what}`}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        <button type="button" disabled={isOff} aria-label={`Approve ${what}`} onClick={() => void give("allow")}>
          Approve
        </button>
        <button type="button" disabled={isOff} aria-label={`Deny ${what}`} onClick={() => void give("deny")}>
          Deny
        </button>
      </div>
      {state !== "open" && (
        <p class={`outcome ${question.settled?.answer ?? "quiet"}`} role="status">
          {visible(cameTo(question))}
        </p>
      )}
      {problem !== undefined && (isOpen || problem !== unconfirmed) && (
        <p class="bad" role="alert">
          {visible(problem)}
        </p>
      )}
    </div>
  );
}

/** The time that is left, counted down. */
function Left({ expires }: { readonly expires: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span class="number">{timeLeft(expires - now)}</span>;
}
