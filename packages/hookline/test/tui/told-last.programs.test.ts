import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { freePort } from "../support/free-port.ts";
import { onTerminal, type Step } from "../support/on-terminal.ts";
import { has } from "../support/seeds.ts";

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.remove());

test.skipIf(!has("python3"))("errors at the very end stay on the screen", async () => {
  place.write(
    "~/.pi/agent/extensions/late.ts",
    `export default (pi) => pi.on("session_shutdown", () => { throw new Error("too late"); });`,
  );
  const script = place.write("~/script.json", JSON.stringify({ replies: [{ text: "It is done." }] }));
  const steps: readonly Step[] = [
    ["Model: script", "go\r"],
    ["It is done.", "\u0004"],
  ];
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
  const { status, out } = await onTerminal(place, steps, ["--script", script], env);
  expect(status).toBe(0);
  expect(out).toContain("(too late)");
  expect(out).toContain("Telemetry is not exported");
});
