import { allowedUrl, type FilledHeaders, fillHeaders } from "@hookline/ground";
import type { Call, Surroundings } from "@hookline/runtime/dialect";
import { HookFailure } from "@hookline/runtime/dialect";
import type { HttpReply } from "./answer.ts";
import type { Definition } from "./definition.ts";
import type { OwnerTier } from "./places.ts";
import type { ClaudeEvent } from "./views.ts";

/**
 * Posts the event to a URL and returns the response. Throws a `HookFailure` if there is none. Source: spec/claude.md 2,
 * C10; guarantees R56.
 */
export async function runRequest(
  { url = "", headers = {}, allowedEnvVars = [], http = {}, timeoutMs }: Definition,
  event: ClaudeEvent,
  call: Pick<Call, "signal" | "pass" | "trace">,
  { around, label, tier }: { readonly around: Surroundings; readonly label: string; readonly tier: OwnerTier },
): Promise<HttpReply> {
  if (!(http.urls ?? []).every((patterns) => allowedUrl(patterns, url)))
    throw new HookFailure("threw", "its URL is not among allowedHttpHookUrls");
  const names = (http.variables ?? []).reduce(
    (left, list) => left.filter((name) => list.includes(name)),
    [...allowedEnvVars],
  );
  const filled = fillHeaders(headers, names, around.scan.env);
  const report = await around.transports.http.ask({
    url,
    headers: {
      ...filled.headers,
      ...(call.pass === 2 && { "hookline-recheck": "1" }),
    },
    trace: call.trace,
    body: JSON.stringify(event),
    tier,
    timeoutMs,
    signal: call.signal,
    label,
  });
  switch (report.status) {
    case "answered":
      if (!report.bodyValid) throw new HookFailure("bad", "the server's answer is not valid UTF-8");
      return { status: report.httpStatus ?? 0, body: report.body, ...lackOf(filled, allowedEnvVars) };
    case "timed-out":
      throw new HookFailure("timeout", `no answer within ${timeoutMs} ms`);
    case "aborted":
      throw new HookFailure("aborted", "aborted");
    case "over-limit":
      throw new HookFailure("engine", report.problem ?? "the server's answer is too large", "OUTPUT_LIMIT");
    default:
      throw new HookFailure(report.isOurs ? "engine" : "exited", report.problem ?? "the server gave no answer");
  }
}

/**
 * Names the header variables that were sent empty. Variables that the entry's own `allowedEnvVars` lacks are left out:
 * they are reported when the entry is loaded.
 */
function lackOf({ unlisted, unset }: FilledHeaders, allowed: readonly string[]): { readonly lack?: string } {
  const closed = unlisted.filter((name) => allowed.includes(name));
  const lack = [
    ...unset.map((name) => `$${name} of its headers is not set`),
    ...closed.map((name) => `$${name} of its headers is not among httpHookAllowedEnvVars`),
  ];
  return lack.length === 0 ? {} : { lack: lack.join(", ") };
}
