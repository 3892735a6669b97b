import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { peerFolder } from "../bench/peer.ts";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";

const SERVER = { name: "yaml-language-server", version: "2.0.0", file: "bin/yaml-language-server" };

/** Files with a mistake, each with the line (1-based) and a part of the message that the editor must show. */
const WRONG = [
  ["cases:\n  - tool: bash\n    expect: refuse\n", 4, /accepted/],
  ["cases:\n  - tol: bash\n    expect: deny\n", 3, /tol is not allowed/],
  ["case: []\n", 2, /cases/],
] as const;
const RIGHT = "cases:\n  - tool: bash\n    args: { command: ls }\n    expect: none\n";

commandLine({
  name: "editors",
  says: "Opens a file of cases in the YAML language server, from npm, by the comment that names its schema.",
  options: {},
});
const folder = mkdtempSync(join(tmpdir(), "hookline-editors-"));
const schema = pathToFileURL(join(root, "packages/hookline/schemas/hooks-test.schema.json")).href;
const comment = `# yaml-language-server: $schema=${schema}\n`;
const path = join(peerFolder(SERVER.name, SERVER.version), SERVER.file);
const server = spawn(process.execPath, [path, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly uri?: string; readonly diagnostics?: readonly Marked[]; readonly items?: unknown[] };
  readonly result?: unknown;
}
interface Marked {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

const answers = new Map<number, (result: unknown) => void>();
const marks = new Map<string, (found: readonly Marked[]) => void>();
let bytes = Buffer.alloc(0);
server.stdout.on("data", (chunk: Buffer) => {
  bytes = Buffer.concat([bytes, chunk]);
  for (;;) {
    const at = bytes.indexOf("\r\n\r\n");
    const length = Number(/Content-Length: (\d+)/i.exec(bytes.subarray(0, Math.max(0, at)).toString())?.[1]);
    if (at < 0 || bytes.length < at + 4 + length) return;
    take(JSON.parse(bytes.subarray(at + 4, at + 4 + length).toString()) as Message);
    bytes = bytes.subarray(at + 4 + length);
  }
});

function take({ id, method, params, result }: Message): void {
  if (method === "textDocument/publishDiagnostics") marks.get(params?.uri ?? "")?.(params?.diagnostics ?? []);
  // The server asks for its settings, and for what it may register.
  else if (method !== undefined && id !== undefined) send({ id, result: (params?.items ?? []).map(() => null) });
  else if (id !== undefined) answers.get(id)?.(result);
}

function send(message: object): void {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

let asked = 0;
function ask(method: string, params: object): Promise<unknown> {
  const id = ++asked;
  send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
}

/** Opens a text in the language server; resolves to the marked problems. */
function open(uri: string, text: string): Promise<readonly Marked[]> {
  const found = new Promise<readonly Marked[]>((resolve) => marks.set(uri, resolve));
  send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "yaml", version: 1, text } } });
  return found;
}

const problems: string[] = [];
try {
  await ask("initialize", { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {} });
  send({ method: "initialized", params: {} });
  const uri = (at: number): string => pathToFileURL(join(folder, `${at}.hooks-test.yaml`)).href;
  for (const [at, [text, line, says]] of WRONG.entries()) {
    writeFileSync(join(folder, `${at}.hooks-test.yaml`), comment + text);
    const found = await open(uri(at), comment + text);
    const isMarked = found.some(({ message, range }) => says.test(message) && range.start.line + 1 === line);
    if (!isMarked) problems.push(`${text} is not marked at line ${line}: ${JSON.stringify(found)}`);
  }
  const right = await open(uri(WRONG.length), comment + RIGHT);
  if (right.length > 0) problems.push(`${RIGHT} is marked: ${JSON.stringify(right)}`);
  const half = `${comment}cases:\n  - tool: bash\n    expect: \n`;
  await open(uri(WRONG.length + 1), half);
  const where = { textDocument: { uri: uri(WRONG.length + 1) }, position: { line: 3, character: 12 } };
  const { items = [] } = (await ask("textDocument/completion", where)) as { items?: readonly { label: string }[] };
  for (const word of ["allow", "deny", "none"])
    if (!items.some(({ label }) => label === word)) problems.push(`${word} is not offered: ${JSON.stringify(items)}`);
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(
  `${WRONG.length + 2} files opened in ${SERVER.name} ${SERVER.version}, ${problems.length} problems\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
