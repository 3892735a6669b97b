import type { Failure } from "../../src/catalog/row.ts";
import type { Call } from "../../src/hook/call.ts";

/** The actions of a handler when it is asked: first in place, then with its answer. */
export interface Script {
  /** Edits in place: the event's field, and what is done with it. */
  readonly touch: readonly Touch[];
  readonly say: Say;
  /** Another answer for an event with this command. */
  readonly on?: { readonly command: string; readonly say: Say } | undefined;
  /** How the answer comes. */
  readonly mode: "sync" | "async" | "thenable" | "twice";
  /** Microtasks until it comes, where it does not come at once. */
  readonly ticks: number;
}

export type Touch =
  | { readonly how: "edit"; readonly field: string; readonly to: string }
  | { readonly how: "assign"; readonly field: string; readonly to: string };

export type Say =
  | { readonly what: "nothing" }
  | { readonly what: "answer"; readonly answer: Readonly<Record<string, unknown>> }
  | { readonly what: "echo" }
  | { readonly what: "throw"; readonly message: string }
  | { readonly what: "bad" }
  /** Never answers; when its time is over it goes on editing, and then answers after all. */
  | { readonly what: "hang" };

export interface Said {
  readonly raw?: unknown;
  readonly failure?: Failure;
  readonly timedOut?: boolean;
}

export const TIMEOUT_MS = 100;
const THEN = "then";

/** Does in place what the script says, and gives what comes of asking. */
export function act(script: Script, event: any): Said {
  const say = script.on !== undefined && event.input?.command === script.on.command ? script.on.say : script.say;
  for (const touch of script.touch) {
    if (touch.how === "assign") event[touch.field] = { command: touch.to };
    else if (typeof event[touch.field] === "object" && event[touch.field] !== null)
      event[touch.field].command = touch.to;
  }
  switch (say.what) {
    case "nothing":
      return {};
    case "answer":
      return { raw: structuredClone(say.answer) };
    case "echo":
      return { raw: { ...event } };
    case "bad":
      return { raw: "no object" };
    case "throw":
      return { failure: { cause: "threw", message: say.message } };
    case "hang":
      return { failure: { cause: "timeout", message: `no answer within ${TIMEOUT_MS} ms` }, timedOut: true };
  }
}

/** The script as a handler; one in this process goes on editing when its time is over. */
export function handlerOf(script: Script, inProcess: boolean): (event: any, call: Call) => unknown {
  return (event, call) => {
    const said = act(script, event);
    if (said.timedOut) return late(event, call, inProcess);
    if (script.mode === "sync") {
      if (said.failure !== undefined) throw new Error(said.failure.message);
      return said.raw;
    }
    if (script.mode === "async") return after(script.ticks, said);
    return { [THEN]: (resolve: any, reject: any) => settle(script, said, resolve, reject) };
  };
}

function settle(script: Script, said: Said, resolve: (raw: unknown) => void, reject: (error: unknown) => void): void {
  const end = (): void => {
    if (said.failure === undefined) resolve(said.raw);
    else reject(new Error(said.failure.message));
    if (script.mode !== "twice") return;
    reject(new Error("twice"));
    resolve({ block: true, reason: "twice" });
  };
  if (script.ticks === 0) end();
  else void after(script.ticks, {}).then(end);
}

async function after(ticks: number, said: Said): Promise<unknown> {
  for (let i = 0; i < ticks; i++) await undefined;
  if (said.failure !== undefined) throw new Error(said.failure.message);
  return said.raw;
}

function late(event: any, call: Call, inProcess: boolean): Promise<unknown> {
  return new Promise((resolve) => {
    call.signal.addEventListener("abort", () => {
      for (const field of inProcess ? Object.values(event) : []) {
        if (typeof field === "object" && field !== null) (field as any).command = "late";
      }
      call.notice("late");
      call.note("late");
      resolve({ block: true, reason: "late", input: { command: "late" } });
    });
  });
}
