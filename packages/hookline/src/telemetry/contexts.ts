import { AsyncLocalStorage } from "node:async_hooks";
import type { Contexts } from "@hookline/runtime/otel";
import { type Context, ROOT_CONTEXT } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Contexts that follow asynchronous work, starting with the one of the process's start. They are not registered for the
 * whole process, because an extension may bring its own SDK.
 */
export function followedContexts(first: Context): Contexts {
  const store = new AsyncLocalStorage<Context>();
  return {
    active: () => store.getStore() ?? first,
    with: (context, work) => store.run(context, work),
  };
}

/**
 * The context in `TRACEPARENT` and `TRACESTATE` of the program that started this process; an invalid one counts as
 * none.
 */
export function contextOf(env: Env): Context {
  return new W3CTraceContextPropagator().extract(ROOT_CONTEXT, env, {
    get: (variables: Env, name) => variables[name.toUpperCase()],
    keys: (variables: Env) => Object.keys(variables),
  });
}
