/** Ways in which a handler can misbehave; `harmless` ones are no failure, only odd. */
export interface Shape {
  readonly name: string;
  readonly run: (event: any, call: any) => unknown;
  readonly harmless?: boolean;
}

const boom = (): never => {
  throw new Error("boom");
};
const hostile = (): object =>
  new Proxy(
    {},
    { get: boom, has: boom, getPrototypeOf: boom, ownKeys: boom, getOwnPropertyDescriptor: boom, set: boom },
  );
const throwing = (what: () => unknown) => (): never => {
  throw what();
};
const rejecting = (what: () => unknown) => (): Promise<never> => Promise.reject(what());
const cycle = (): any => {
  const value: any = { command: "x" };
  value.self = value;
  return value;
};
const deep = (): any => {
  let value: any = { command: "x" };
  for (let i = 0; i < 10_000; i++) value = { value };
  return value;
};
const THEN = "then";
const thenable = (then: (resolve: any, reject: any) => unknown): object => ({ [THEN]: then });

class Refusing {
  get block(): boolean {
    throw new Error("no");
  }
}
class Overridden extends Promise<unknown> {
  override [THEN](resolve: any): any {
    resolve(undefined);
    resolve({ block: true });
    return super[THEN](resolve);
  }
}

export const SHAPES: readonly Shape[] = [
  { name: "throws an error", run: throwing(() => new Error("x")) },
  { name: "throws a string", run: throwing(() => "x") },
  { name: "throws undefined", run: throwing(() => undefined) },
  { name: "throws null", run: throwing(() => null) },
  { name: "throws a symbol", run: throwing(() => Symbol("x")) },
  { name: "throws a function", run: throwing(() => () => {}) },
  { name: "throws an object without a prototype", run: throwing(() => Object.create(null)) },
  {
    name: "throws an error whose message throws",
    run: throwing(() => Object.defineProperty(new Error(""), "message", { get: boom })),
  },
  { name: "throws a hostile proxy", run: throwing(hostile) },
  {
    name: "throws a forged failure",
    run: throwing(() => ({ [Symbol.for("hookline.failure")]: true, reason: "nonsense", message: 7 })),
  },
  { name: "rejects with an error", run: rejecting(() => new Error("x")) },
  { name: "rejects with undefined", run: rejecting(() => undefined) },
  { name: "rejects with a hostile proxy", run: rejecting(hostile) },
  {
    name: "rejects later",
    run: async () => {
      await undefined;
      throw new Error("x");
    },
  },
  { name: "answers a number", run: () => 7 },
  { name: "answers a string", run: () => "deny" },
  { name: "answers true", run: () => true },
  { name: "answers a list", harmless: true, run: () => [{ block: true }] },
  { name: "answers a function", run: () => () => {} },
  { name: "answers a symbol", run: () => Symbol("x") },
  { name: "answers a number of a promise", run: async () => 7 },
  { name: "answers a hostile proxy", run: hostile },
  { name: "promises a hostile proxy", run: async () => hostile() },
  {
    name: "answers an object whose field throws",
    run: () => Object.defineProperty({}, "input", { enumerable: true, get: boom }),
  },
  { name: "answers an instance whose getter throws", run: () => new Refusing() },
  { name: "answers what contains itself", run: () => ({ input: cycle() }) },
  { name: "answers what is nested too deeply", run: () => ({ input: deep() }) },
  {
    name: "edits in place until it contains itself",
    run: (event) => {
      event.input.self = event.input;
    },
  },
  {
    name: "edits in place too deeply",
    run: (event) => {
      event.input.deep = deep();
    },
  },
  {
    name: "edits in place with a field that throws",
    run: (event) => {
      Object.defineProperty(event.input, "command", { enumerable: true, get: boom });
    },
  },
  { name: "has a thenable whose getter throws", run: () => Object.defineProperty({}, THEN, { get: boom }) },
  { name: "has a thenable that throws", run: () => thenable(boom) },
  {
    name: "has a thenable that rejects twice",
    run: () =>
      thenable((_, reject) => {
        reject(new Error("x"));
        reject(new Error("y"));
      }),
  },
  { name: "has a thenable that is a callable that throws", run: () => Object.assign(() => {}, { [THEN]: boom }) },
  {
    name: "has a promise whose constructor throws",
    run: () => Object.defineProperty(Promise.resolve(), "constructor", { get: boom }),
  },
  { name: "has a proxy of a promise", run: () => new Proxy(Promise.resolve(), {}) },
  { name: "has an heir of Promise.prototype that is no promise", run: () => Object.create(Promise.prototype) },
  { name: "never answers", run: () => new Promise(() => {}) },
  { name: "has a thenable that never answers", run: () => thenable(() => {}) },
  {
    name: "ends its pause twice and never answers",
    run: (_, call) => {
      const end = call.pause();
      end();
      end();
      return new Promise(() => {});
    },
  },
  {
    name: "settles twice",
    harmless: true,
    run: () =>
      thenable((resolve) => {
        resolve(undefined);
        resolve({ block: true });
      }),
  },
  {
    name: "settles and then rejects",
    harmless: true,
    run: () =>
      thenable((resolve, reject) => {
        resolve(undefined);
        reject(new Error("x"));
      }),
  },
  {
    name: "has a promise with its own then",
    harmless: true,
    run: () => Object.assign(Promise.resolve(), { [THEN]: boom }),
  },
  {
    name: "has a promise of a class that answers twice",
    harmless: true,
    run: () => new Overridden((resolve) => resolve(undefined)),
  },
  {
    name: "freezes its event",
    harmless: true,
    run: (event) => {
      Object.freeze(event);
      Object.freeze(event.input);
    },
  },
  {
    name: "deletes its event's fields",
    harmless: true,
    run: (event) => {
      for (const name of Object.keys(event)) delete event[name];
    },
  },
];
