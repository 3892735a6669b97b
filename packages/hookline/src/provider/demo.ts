import type { HooklineError } from "@hookline/runtime";
import type { Model, Provider } from "./provider.ts";
import type { Script } from "./reply.ts";
import { createScriptProvider, scriptModel } from "./script.ts";

/** The word that a person types to see the demo. */
export const DEMO_PROMPT = "demo";

/** Returns a replacement for a missing model: it says that the model is missing, and plays a short demo. */
export function demoModel(missing: HooklineError): { readonly model: Model; readonly script: Provider } {
  const script: Script = {
    model: { id: "demo" },
    replies: [
      {
        when: { lastUserMatches: `^${DEMO_PROMPT}$` },
        text: "This is a script, not a model. It makes two calls; your hooks are asked about both.",
        toolCalls: [
          { name: "bash", arguments: { command: "ls" } },
          { name: "bash", arguments: { command: "rm -rf ./hookline-demo" } },
        ],
      },
      {
        when: { lastUserMatches: `^${DEMO_PROMPT}$` },
        text: "That was the demo. `/hooks` shows under Activity which hooks were asked, and what they said.",
        repeat: true,
      },
      { text: `Nothing was done. ${missing.message}. ${missing.hint}`, repeat: true },
    ],
  };
  return { model: scriptModel(script, "demo"), script: createScriptProvider(script, "demo") };
}

/** Returns the text that tells a person on the screen that a model is missing. */
export function missingModelText({ message, hint }: HooklineError): string {
  return `${message}.\n${hint}\nHooks need no model: /hooks shows yours. Type ${DEMO_PROMPT} to see a script make two calls that they are asked about.`;
}
