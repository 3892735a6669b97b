import type { AgentTools } from "@hookline/runtime/engine";
import { chibiTools } from "./chibi/tools.ts";
import { claudeTools } from "./claude/tools.ts";
import { codexTools } from "./codex/tools.ts";
import { copilotTools } from "./copilot/tools.ts";
import { cursorTools } from "./cursor/tools.ts";
import { geminiTools } from "./gemini/tools.ts";
import { jcliTools } from "./jcli/tools.ts";
import { ompTools } from "./omp/tools.ts";
import { opencodeTools } from "./opencode/tools.ts";
import { piTools } from "./pi/tools.ts";
import { qwenTools } from "./qwen/tools.ts";

export { claudeNamesOf } from "./claude/tools.ts";

/** The table of each agent's tools, by the name of its folder. */
export const tools = {
  chibi: chibiTools,
  claude: claudeTools,
  codex: codexTools,
  copilot: copilotTools,
  cursor: cursorTools,
  gemini: geminiTools,
  jcli: jcliTools,
  omp: ompTools,
  opencode: opencodeTools,
  pi: piTools,
  qwen: qwenTools,
} as const satisfies Readonly<Record<string, AgentTools>>;
