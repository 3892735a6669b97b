import { join } from "node:path";
import { peerFolder } from "../../bench/peer.ts";
import { root } from "../step.ts";
import type { Call, Target, Ways } from "./acts.ts";
import * as ways from "./ways.ts";

/** A real program that uses the bridge: how to fetch, set up and start it with a scripted model. */
export interface RealHost {
  readonly name: string;
  readonly package: string;
  readonly versions: readonly string[];
  /** Further models besides `MODELS`; the host may choose its tools by the model's name. */
  readonly models?: readonly string[];
  /** Returns the host's own files, relative to the home folder; `url` is that of the scripted model. */
  files(url: string, model: string): Readonly<Record<string, string>>;
  /** The calls that the model makes for each act. */
  readonly ways: Ways;
  /** Set if the host expects absolute paths. */
  readonly wholePaths?: true;
  /** Wraps a call in a script for code mode, if that is the only tool that the model is offered. */
  nested?(call: Call, target: Target): Call;
  /** Returns the program that runs the host's script; Node by default. */
  engine?(folder: string): string;
  /** Returns the command line for a prompt. */
  argv(folder: string, prompt: string, model: string): readonly string[];
  /** Returns environment variables, some of which name the scripted model. */
  env(url: string, model: string): Readonly<Record<string, string>>;
  /**
   * Set if the host cannot change a call: it refuses the call, and the model repeats it with the rewritten arguments.
   */
  readonly asksAgain?: true;
  /** The name of the program that hookline looks for in the PATH, and its script. */
  readonly program?: { readonly name: string; script(folder: string): string };
  /** Further arguments of `bridge install`. */
  readonly install: readonly string[];
}

/** Variables that send all traffic except loopback to a port on which nothing listens. */
export const NO_NET: Readonly<Record<string, string>> = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  http_proxy: "http://127.0.0.1:9",
  https_proxy: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
};

/** Variables of this environment that an installation needs to reach the network. */
export const NET: Readonly<Record<string, string>> = Object.fromEntries(
  ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HTTP_PROXY", "HTTPS_PROXY", "https_proxy", "NO_PROXY"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  }),
);

/** The models with which every host is run: an unknown one, and one of each of three families. */
export const MODELS: readonly string[] = ["m1", "gpt-5.4", "claude-sonnet-4-5", "gemini-3-pro"];

/** An MCP server with one tool, `echo`. */
const SERVER = { command: process.execPath, args: [join(root, "scripts/hosts/echo-server.mjs")] };

const codexScript = (folder: string): string => join(folder, "bin/codex.js");

/** Returns the path of Bun, which oh-my-pi needs. */
function bun(): string {
  const name = `@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : "x64"}`;
  return join(peerFolder(name, "1.4.5"), "bin/bun");
}

/** The hosts to run. */
export const REAL: readonly RealHost[] = [
  {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    versions: ["0.24.4"],
    files: (_, model) => ({
      ".qwen/settings.json": JSON.stringify({
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        model: { name: model },
        mcpServers: { rig: SERVER },
      }),
    }),
    ways: ways.qwen,
    wholePaths: true,
    argv: (folder, prompt) => [join(folder, "cli.js"), "--approval-mode", "yolo", "-p", prompt],
    env: (url, model) => ({ OPENAI_API_KEY: "k", OPENAI_MODEL: model, OPENAI_BASE_URL: `${url}/v1` }),
    asksAgain: true,
    install: [],
  },
  {
    name: "copilot",
    package: "@github/copilot",
    versions: ["1.0.102"],
    files: () => ({
      ".copilot/mcp-config.json": JSON.stringify({ mcpServers: { rig: { type: "local", tools: ["*"], ...SERVER } } }),
    }),
    ways: ways.copilot,
    wholePaths: true,
    argv: (folder, prompt) => [join(folder, "npm-loader.js"), "--allow-all-tools", "--no-auto-update", "-p", prompt],
    env: (url, model) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_API_KEY: "k",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_MODEL: model,
      COPILOT_AUTO_UPDATE: "false",
    }),
    install: [],
  },
  {
    name: "codex",
    package: "@openai/codex",
    versions: ["0.169.0", "0.171.0"],
    // Codex knows models by name, and gives all others the tools for unknown models.
    models: ["gpt-5.5", "gpt-5.6-luna", "gpt-6.1-sol", "gpt-6.2-sol"],
    files: (url, model) => ({
      ".codex/config.toml": [
        `model = "${model}"`,
        'model_provider = "loop"',
        "check_for_update_on_startup = false",
        "[model_providers.loop]",
        'name = "loop"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "LOOP_KEY"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
        "[analytics]",
        "enabled = false",
        "[mcp_servers.rig]",
        `command = ${JSON.stringify(SERVER.command)}`,
        `args = ${JSON.stringify(SERVER.args)}`,
        "",
      ].join("\n"),
    }),
    ways: ways.codex,
    nested: ways.nestedInCodex,
    // Without --dangerously-bypass-hook-trust, since --grant has recorded the trust.
    argv: (folder, prompt) => [
      codexScript(folder),
      "exec",
      "--skip-git-repo-check",
      "--sandbox",
      "danger-full-access",
      prompt,
    ],
    env: () => ({ LOOP_KEY: "k" }),
    program: { name: "codex", script: codexScript },
    install: ["--grant"],
  },
  {
    name: "pi",
    package: "@earendil-works/pi-coding-agent",
    versions: ["0.87.1", "1.6.0"],
    files: (url, model) => ({
      ".pi/agent/settings.json": "{}\n",
      ".pi/agent/mcp.json": JSON.stringify({ mcpServers: { rig: SERVER } }),
      ".pi/agent/models.json": JSON.stringify({
        providers: {
          loop: {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            apiKey: "k",
            models: [
              {
                id: model,
                name: model,
                reasoning: false,
                input: ["text"],
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                contextWindow: 100_000,
                maxTokens: 1000,
              },
            ],
          },
        },
      }),
    }),
    ways: ways.pi,
    argv: (folder, prompt, model) => [
      join(folder, "dist/cli.js"),
      "--provider",
      "loop",
      "--model",
      model,
      "-p",
      prompt,
    ],
    env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" }),
    install: [],
  },
  {
    name: "omp",
    package: "@oh-my-pi/pi-coding-agent",
    versions: ["18.2.3"],
    files: (url, model) => ({
      ".omp/agent/mcp.json": JSON.stringify({ mcpServers: { rig: { type: "stdio", ...SERVER } } }),
      ".omp/agent/models.yml": [
        "providers:",
        "  loop:",
        `    baseUrl: ${url}/v1`,
        "    api: openai-completions",
        "    apiKey: k",
        "    models:",
        `      - id: ${model}`,
        `        name: ${model}`,
        "        contextWindow: 128000",
        "        maxTokens: 4096",
        "",
      ].join("\n"),
    }),
    ways: ways.omp,
    engine: bun,
    argv: (folder, prompt, model) => [join(folder, "dist/cli.js"), "--model", `loop/${model}`, "-p", prompt],
    env: () => ({ OMP_OFFLINE: "1", PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" }),
    install: [],
  },
  {
    name: "gemini",
    package: "@google/gemini-cli",
    versions: ["0.61.0"],
    models: ["gemini-2.5-flash"],
    files: () => ({
      ".gemini/settings.json": JSON.stringify({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // The test repeats the same call on purpose.
        model: { disableLoopDetection: true },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        mcpServers: { rig: SERVER },
      }),
    }),
    ways: ways.gemini,
    argv: (folder, prompt, model) => [
      join(folder, "bundle/gemini.js"),
      "--approval-mode",
      "yolo",
      "-m",
      model,
      "-p",
      prompt,
    ],
    env: (url) => ({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: url }),
    install: [],
  },
  {
    name: "opencode",
    package: `opencode-linux-${process.arch}`,
    versions: ["1.18.33"],
    files: (url, model) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        autoupdate: false,
        share: "disabled",
        permission: "allow",
        model: `loop/${model}`,
        mcp: { rig: { type: "local", command: [SERVER.command, ...SERVER.args] } },
        provider: {
          loop: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "k" },
            models: { [model]: { name: model } },
          },
        },
      }),
    }),
    ways: ways.opencode,
    wholePaths: true,
    engine: (folder) => join(folder, "bin/opencode"),
    // Without a title, the model would be asked for one.
    argv: (_, prompt) => ["run", "--title", "hooks", prompt],
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    }),
    install: [],
  },
];
