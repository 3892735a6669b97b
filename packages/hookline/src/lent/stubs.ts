import { type Lacking, namesOf, stubsOf } from "@hookline/integrations/lending";
import type { Exports } from "./part.ts";

const SPECIFIER = "@earendil-works/pi-coding-agent";

const DRAW = "draw with the components of pi-tui in ctx.ui.custom instead.";
const ASK = "ask with ctx.ui.select, ctx.ui.input or ctx.ui.editor instead.";
const CHOOSE = "ask with ctx.ui.select and set it with pi.setModel or pi.setThinkingLevel instead.";
const SESSION = "go through sessions with ctx.switchSession, ctx.fork and ctx.navigateTree instead.";
const RUN = "start `hookline` with `--mode rpc` or `-p` as a program of its own instead.";
const LOAD = "hookline loads hooks itself; `hookline hooks` says which. Load others with `-e`.";
const SIGN_IN = "put a key into models.json or the environment instead; `hookline doctor` says which is missing.";

/** Names of pi's exports that hookline lacks, separated by spaces. The key is the advice that using one throws. */
const INSTEAD: Lacking = {
  [DRAW]: `ArminComponent BashExecutionComponent BranchSummaryMessageComponent CompactionSummaryMessageComponent
    FooterComponent SkillInvocationMessageComponent ToolExecutionComponent`,
  [ASK]: "ExtensionEditorComponent ExtensionInputComponent ExtensionSelectorComponent",
  [CHOOSE]: `ModelSelectorComponent SettingsSelectorComponent ShowImagesSelectorComponent ThemeSelectorComponent
    ThinkingSelectorComponent`,
  [SESSION]: "SessionSelectorComponent TreeSelectorComponent UserMessageSelectorComponent",
  [RUN]: `AgentSession AgentSessionRuntime createAgentSession createAgentSessionFromServices
    createAgentSessionRuntime createAgentSessionServices InteractiveMode RpcClient main parseArgs runPrintMode
    runRpcMode`,
  [LOAD]: "DefaultPackageManager ExtensionRunner discoverAndLoadExtensions",
  [SIGN_IN]: "LoginDialogComponent OAuthSelectorComponent",
  "hookline offers no code mode, and its own MCP client serves the servers of .mcp.json.":
    "createCodemodeExtension createMcpExtension createToolSearchExtension",
  "ask ctx.isProjectTrusted instead; `hookline trust` changes it.": "ProjectTrustStore",
  "use createBashTool, or getPowerShellConfig with pi.exec instead.":
    "createLocalPowerShellOperations createPowerShellTool createPowerShellToolDefinition",
};

/** The names of exports that can be imported but throw when they are used. */
export const STUB_NAMES: readonly string[] = Object.values(INSTEAD).flatMap(namesOf);

/** Returns the exports that throw when they are used. */
export function stubs(): Exports {
  return stubsOf(INSTEAD, SPECIFIER);
}
