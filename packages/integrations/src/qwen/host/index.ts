import { type BridgeHost, isPrinting } from "@hookline/bridge/kit";
import { qwenTools } from "../tools.ts";
import { events } from "./events.ts";

/** Describes Qwen Code as a host of the bridge. Source: spec/hosts/qwen. */
export const host: BridgeHost = {
  name: "qwen",
  label: "Qwen Code",
  recorded: "0.24.4",
  places: ["~/.qwen/settings.json", "~/.qwen/trustedFolders.json", "./.qwen/settings.json"],
  movedBy: { QWEN_HOME: "~/.qwen" },
  process: { names: ["qwen", "@qwen-code/qwen-code"], marks: ["QWEN_CODE", "QWEN_PROJECT_DIR"] },
  environment: ["QWEN_HOME", "QWEN_PROJECT_DIR", "QWEN_CODE_PROJECT_DIR", "QWEN_CODE_SESSION_ID", "GEMINI_PROJECT_DIR"],
  tools: qwenTools,
  asks: (_, words) => !isPrinting(words, /^(?:-p|--prompt)(?:=|$)/),
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
  names: async () => (await import("./names.ts")).names,
};
