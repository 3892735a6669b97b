import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const OUTSIDE = /\b(curl|wget|ssh|scp|npm publish|git push)\b/;

/** Asks a person before commands that reach other machines; refuses them if nobody can be asked. */
export default function askFirst(pi: ExtensionAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command ?? "");
    if (!OUTSIDE.test(command)) return undefined;
    if (ctx.hasUI && (await ctx.ui.confirm("Reach another machine?", command))) return undefined;
    return { block: true, reason: "Commands that reach other machines need a person's yes." };
  });
}
