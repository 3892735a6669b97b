import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

const OUTSIDE = /\b(curl|wget|ssh|scp|npm publish|git push)\b/;

/** Commands that reach other machines need a person's yes; where nobody can be asked they are refused. */
export default function askFirst(pi: ExtensionAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command ?? "");
    if (!OUTSIDE.test(command)) return undefined;
    if (ctx.hasUI && (await ctx.ui.confirm("Reach another machine?", command))) return undefined;
    return { block: true, reason: "Commands that reach other machines need a person's yes." };
  });
}
