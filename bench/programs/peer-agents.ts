import { join } from "node:path";
import { peerFolder } from "../peer.ts";
import type { ToolCall } from "./wires.ts";

/** Another agent, and how to point it at a model on this machine. */
export interface PeerAgent {
  /** Name with version. */
  readonly name: string;
  /** Returns the command that the agent's npm package starts, without arguments. */
  command(): readonly string[];
  /** Arguments that come before the prompt. */
  readonly args: readonly string[];
  /** Returns the agent's settings files, by path in the otherwise empty home folder. */
  files(provider: string): Readonly<Record<string, string>>;
  env(provider: string): Readonly<Record<string, string>>;
  /** The agent's call to read a small file. */
  readonly call: ToolCall;
}

const FILE = "small.txt";

/** codex has no tool for reading files, so it runs a shell. Its sandbox is off, because the other agents have none. */
const codex: PeerAgent = {
  name: "codex 0.169.0",
  command: () => [process.execPath, join(peerFolder("@openai/codex", "0.169.0"), "bin/codex.js")],
  args: ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"],
  files: (url) => ({
    ".codex/config.toml": [
      'model = "m1"',
      'model_provider = "loop"',
      "check_for_update_on_startup = false",
      "[model_providers.loop]",
      'name = "loop"',
      `base_url = "${url}"`,
      'wire_api = "responses"',
      'env_key = "LOOP_KEY"',
      "[analytics]",
      "enabled = false",
      "",
    ].join("\n"),
  }),
  env: () => ({ LOOP_KEY: "k" }),
  call: { tool: "exec_command", args: { cmd: `cat ${FILE}` } },
};

/** Gemini CLI would ask its user, and finally the model, about a repeated call; a setting turns that off. */
const gemini: PeerAgent = {
  name: "gemini-cli 0.61.0",
  command: () => [process.execPath, join(peerFolder("@google/gemini-cli", "0.61.0"), "bundle/gemini.js")],
  args: ["--approval-mode", "yolo", "-m", "gemini-2.5-flash", "-p"],
  files: () => ({
    ".gemini/settings.json": JSON.stringify({
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      model: { disableLoopDetection: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
    }),
  }),
  env: (url) => ({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: new URL(url).origin }),
  call: { tool: "read_file", args: { file_path: FILE } },
};

/** OpenCode's package is a stub; its install script adds the platform's program, which is started directly here. */
const opencode: PeerAgent = {
  name: "opencode 1.18.33",
  command: () => {
    const stub = peerFolder("opencode-ai", "1.18.33");
    return [join(stub, `../opencode-${process.platform}-${process.arch}/bin/opencode`)];
  },
  // With a title, OpenCode does not ask the model for one before the first request.
  args: ["run", "--title", "bench"],
  files: (baseURL) => ({
    ".config/opencode/opencode.json": JSON.stringify({
      autoupdate: false,
      share: "disabled",
      permission: "allow",
      model: "loop/m1",
      provider: {
        loop: { npm: "@ai-sdk/openai-compatible", options: { baseURL, apiKey: "k" }, models: { m1: { name: "m1" } } },
      },
    }),
  }),
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  }),
  call: { tool: "read", args: { filePath: FILE } },
};

/** The agents besides pi. */
export const PEER_AGENTS: readonly PeerAgent[] = [codex, gemini, opencode];

/** Variables that send an agent's other traffic to a port of this machine on which nothing listens. */
export const NO_NETWORK: Readonly<Record<string, string>> = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1",
};
