import { join } from "node:path";
import { peerFolder } from "../../bench/peer.ts";

/** A real program that uses the bridge: how to fetch, set up and start it with a scripted model. */
export interface RealHost {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Its own files, relative to the home folder; `url` is the scripted model's. */
  files(url: string): Readonly<Record<string, string>>;
  /** A call of its shell tool. */
  shell(command: string): { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  /** The program that runs its script; Node where there is none. */
  engine?(folder: string): string;
  /** The command line for a prompt. */
  argv(folder: string, prompt: string): readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that name the scripted model. */
  at?(url: string): Readonly<Record<string, string>>;
  /** It cannot change a call, so a rewritten one is refused, and the model makes it again with the new arguments. */
  readonly asksAgain?: true;
  /** The name of the program that hookline looks for in the PATH, and its script. */
  readonly program?: { readonly name: string; script(folder: string): string };
  /** Further arguments of `bridge install`. */
  readonly install: readonly string[];
}

/** Sends all traffic except loopback to a dead port. */
export const NO_NET: Readonly<Record<string, string>> = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  http_proxy: "http://127.0.0.1:9",
  https_proxy: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
};

/** What a network needs here, for what an installation fetches. */
export const NET: Readonly<Record<string, string>> = Object.fromEntries(
  ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HTTP_PROXY", "HTTPS_PROXY", "https_proxy", "NO_PROXY"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  }),
);

/** The folder of a host's package; throws if it can be neither found nor fetched. */
export function folderOf({ package: name, version }: RealHost): string {
  return peerFolder(name, version);
}

const codexScript = (folder: string): string => join(folder, "bin/codex.js");

/** Bun, which oh-my-pi needs. */
function bun(): string {
  const name = `@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : "x64"}`;
  return join(peerFolder(name, "1.4.5"), "bin/bun");
}

/** The hosts that are run. */
export const REAL: readonly RealHost[] = [
  {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    files: () => ({
      ".qwen/settings.json": JSON.stringify({
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        model: { name: "m1" },
      }),
    }),
    shell: (command) => ({ name: "run_shell_command", arguments: { command, is_background: false } }),
    argv: (folder, prompt) => [join(folder, "cli.js"), "--approval-mode", "yolo", "-p", prompt],
    env: { OPENAI_API_KEY: "k", OPENAI_MODEL: "m1" },
    at: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    asksAgain: true,
    install: [],
  },
  {
    name: "copilot",
    package: "@github/copilot",
    version: "1.0.102",
    files: () => ({}),
    shell: (command) => ({ name: "bash", arguments: { command, description: "a step" } }),
    argv: (folder, prompt) => [join(folder, "npm-loader.js"), "--allow-all-tools", "--no-auto-update", "-p", prompt],
    env: {
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_API_KEY: "k",
      COPILOT_MODEL: "m1",
      COPILOT_AUTO_UPDATE: "false",
    },
    at: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1` }),
    install: [],
  },
  {
    name: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    files: (url) => ({
      ".codex/config.toml": [
        'model = "m1"',
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
        "",
      ].join("\n"),
    }),
    shell: (cmd) => ({ name: "exec_command", arguments: { cmd } }),
    // Without --dangerously-bypass-hook-trust: --grant has recorded the trust.
    argv: (folder, prompt) => [
      codexScript(folder),
      "exec",
      "--skip-git-repo-check",
      "--sandbox",
      "danger-full-access",
      prompt,
    ],
    env: { LOOP_KEY: "k" },
    program: { name: "codex", script: codexScript },
    install: ["--grant"],
  },
  {
    name: "pi",
    package: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    files: (url) => ({
      ".pi/agent/settings.json": "{}\n",
      ".pi/agent/models.json": JSON.stringify({
        providers: {
          loop: {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            apiKey: "k",
            models: [
              {
                id: "m1",
                name: "m1",
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
    shell: (command) => ({ name: "bash", arguments: { command } }),
    argv: (folder, prompt) => [join(folder, "dist/cli.js"), "--provider", "loop", "--model", "m1", "-p", prompt],
    env: {},
    install: [],
  },
  {
    name: "omp",
    package: "@oh-my-pi/pi-coding-agent",
    version: "18.2.3",
    files: (url) => ({
      ".omp/agent/models.yml": [
        "providers:",
        "  loop:",
        `    baseUrl: ${url}/v1`,
        "    api: openai-completions",
        "    apiKey: k",
        "    models:",
        "      - id: m1",
        "        name: m1",
        "        contextWindow: 128000",
        "        maxTokens: 4096",
        "",
      ].join("\n"),
    }),
    shell: (command) => ({ name: "bash", arguments: { command } }),
    engine: bun,
    argv: (folder, prompt) => [join(folder, "dist/cli.js"), "--model", "loop/m1", "-p", prompt],
    env: { OMP_OFFLINE: "1", PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" },
    install: [],
  },
  {
    name: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    files: () => ({
      ".gemini/settings.json": JSON.stringify({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      }),
    }),
    shell: (command) => ({ name: "run_shell_command", arguments: { command } }),
    argv: (folder, prompt) => [
      join(folder, "bundle/gemini.js"),
      "--approval-mode",
      "yolo",
      "-m",
      "gemini-2.5-flash",
      "-p",
      prompt,
    ],
    env: { GEMINI_API_KEY: "k" },
    at: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    install: [],
  },
  {
    name: "opencode",
    package: `opencode-linux-${process.arch}`,
    version: "1.18.33",
    files: (url) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        autoupdate: false,
        share: "disabled",
        permission: "allow",
        model: "loop/m1",
        provider: {
          loop: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "k" },
            models: { m1: { name: "m1" } },
          },
        },
      }),
    }),
    shell: (command) => ({ name: "bash", arguments: { command, description: "a step" } }),
    engine: (folder) => join(folder, "bin/opencode"),
    // A title of our own, or the model would be asked for one.
    argv: (_, prompt) => ["run", "--title", "hooks", prompt],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    install: [],
  },
];
