import { LONGEST_MS, type SettingRow } from "@hookline/runtime/engine";
import { SETTINGS } from "../settings/rows.ts";
import { WORDS } from "./testing/verdict.ts";

/** A JSON Schema, or a part of one. */
export type FileSchema = Readonly<Record<string, unknown>>;

const DRAFT = "http://json-schema.org/draft-07/schema#";

const TEXT = { type: "string" };
const FILLED = { type: "string", minLength: 1 };
const TEXTS = { type: "array", items: TEXT };
const TEXT_MAP = { type: "object", additionalProperties: TEXT };
const ANYTHING = { type: "object" };
const FLAG = { type: "boolean" };
const HASH = { type: "string", pattern: "^[0-9a-f]{64}$" };
const MS = { type: "integer", minimum: 1 };

/** hookline's own files, by the names under which `hookline schema` prints their schemas. */
export const FILE_SCHEMAS: Readonly<Record<string, () => FileSchema>> = {
  settings: () => file("settings", "settings.json of hookline: yours, or a project's in .hookline", settingsFields()),
  mcp: () => file("mcp", "mcp.json of hookline: the MCP servers of a person", MCP, ["mcpServers"]),
  models: () => file("models", "models.json of hookline: providers and models of a person", MODELS, ["providers"]),
  lock: () => file("lock", "hookline.lock: what of a project may run", LOCK, ["version", "hooks"], true),
  "hooks-test": () => file("hooks-test", "*.hooks-test.yaml: cases of hooks", CASES, ["cases"]),
};

/** Makes the schema of a file. Its `$id` is relative, so that it is the same in every version and on every machine. */
function file(
  name: string,
  title: string,
  properties: FileSchema,
  required: readonly string[] = [],
  isOpen = false,
): FileSchema {
  return {
    $schema: DRAFT,
    $id: `${name}.schema.json`,
    title,
    type: "object",
    properties: { $schema: { ...TEXT, description: "where this schema is, for an editor" }, ...properties },
    ...(required.length > 0 && { required }),
    additionalProperties: isOpen,
  };
}

/** Returns the schemas of all settings. The setting `a.b` may be written as `{"a": {"b": …}}` or as `{"a.b": …}`. */
function settingsFields(): FileSchema {
  const fields: Record<string, unknown> = {};
  for (const [path, row] of Object.entries(SETTINGS)) {
    const names = path.split(".");
    put(fields, names, settingSchema(row));
    // `doNotSuggest` makes editors offer only the nested form, `{"a": {"b": …}}`.
    if (names.length > 1) fields[path] = { ...settingSchema(row), doNotSuggest: true };
  }
  return fields;
}

function put(fields: Record<string, unknown>, [name = "", ...rest]: readonly string[], schema: FileSchema): void {
  if (rest.length === 0) {
    fields[name] = schema;
    return;
  }
  fields[name] ??= { type: "object", properties: {}, additionalProperties: false };
  put((fields[name] as { properties: Record<string, unknown> }).properties, rest, schema);
}

function settingSchema({ type, says, isTime, default: usual, project }: SettingRow): FileSchema {
  const kind =
    typeof type !== "string"
      ? { enum: type }
      : type === "integer"
        ? { type, minimum: isTime ? 1 : 0, ...(isTime && { maximum: LONGEST_MS }) }
        : type === "strings"
          ? TEXTS
          : { type };
  const where = project === undefined ? "Not for a project." : `A project may set ${project.adds}.`;
  return { ...kind, description: `${says}. ${where}`, ...(usual !== undefined && { default: usual }) };
}

const SERVER = {
  type: "object",
  properties: {
    type: { enum: ["stdio", "http", "streamable-http"], description: "follows from command or url" },
    command: { ...FILLED, description: "a program that is used over stdin and stdout" },
    args: { ...TEXTS, description: "its arguments" },
    env: { ...TEXT_MAP, description: "variables of the program; $NAME is filled in" },
    cwd: { ...FILLED, description: "its folder, from that of the session" },
    url: { ...FILLED, description: "a server that is reached over Streamable HTTP" },
    headers: { ...TEXT_MAP, description: "headers of each request; $NAME is filled in" },
    timeout: { ...MS, description: "limit of one call, in ms" },
    startTimeout: { ...MS, description: "limit of the start, in ms" },
  },
  oneOf: [{ required: ["command"] }, { required: ["url"] }],
  additionalProperties: false,
};
const MCP = {
  mcpServers: { type: "object", description: "servers by name", additionalProperties: SERVER },
};

const COST = Object.fromEntries(
  ["input", "output", "cacheRead", "cacheWrite"].map((name) => [name, { type: "number" }]),
);
const METADATA = {
  name: { ...FILLED, description: "the name that is shown" },
  reasoning: { ...FLAG, description: "whether it can think" },
  thinkingLevelMap: ANYTHING,
  input: { type: "array", items: { enum: ["text", "image"] } },
  inputLimits: ANYTHING,
  cost: {
    type: "object",
    description: "dollars for a million tokens",
    properties: { ...COST, tiers: { type: "array" } },
    additionalProperties: false,
  },
  promptCache: ANYTHING,
  contextWindow: { type: "number", minimum: 1, description: "in tokens" },
  maxTokens: { type: "number", minimum: 1, description: "of one reply" },
  samplingParams: ANYTHING,
  headers: TEXT_MAP,
  compat: ANYTHING,
};
const PROVIDER = {
  type: "object",
  properties: {
    name: FILLED,
    baseUrl: { ...FILLED, description: "the address of its API" },
    api: { ...FILLED, description: "its protocol, such as openai-completions" },
    apiKey: { ...FILLED, description: "the key, or the variable that has it" },
    headers: TEXT_MAP,
    authHeader: { ...FLAG, description: "also send the key as Authorization: Bearer" },
    compat: ANYTHING,
    models: {
      type: "array",
      items: {
        type: "object",
        properties: { ...METADATA, id: FILLED, api: FILLED, baseUrl: FILLED },
        required: ["id"],
        additionalProperties: false,
      },
    },
    modelOverrides: {
      type: "object",
      description: "changes to models that the provider has, by id",
      additionalProperties: { type: "object", properties: METADATA, additionalProperties: false },
    },
  },
  additionalProperties: false,
};
const MODELS = {
  providers: { type: "object", description: "providers by name", additionalProperties: PROVIDER },
};

/** Unknown fields are allowed, because later versions may add some; known fields must be valid. */
const LOCK = {
  version: { enum: [1, 2, 3], description: "3 now; `hookline trust approve --lock` writes it" },
  dialects: { ...TEXTS, description: "the dialects for which the lock speaks" },
  hooks: {
    type: "array",
    items: {
      type: "object",
      properties: {
        kind: TEXT,
        path: { ...FILLED, description: "the definition, from the folder of the lock" },
        line: { type: "integer", minimum: 1 },
        pointer: TEXT,
        dialect: FILLED,
        lane: FILLED,
        definition: TEXT,
        rule: { description: "the rule by which its files were found" },
        files: {
          type: "array",
          items: { type: "object", properties: { path: FILLED, sha256: HASH }, required: ["path", "sha256"] },
        },
        hash: FILLED,
      },
      required: ["path", "dialect", "lane", "definition", "files", "hash"],
    },
  },
};

const EXPECT = {
  anyOf: [
    { enum: WORDS },
    {
      type: "object",
      properties: {
        decision: { enum: WORDS },
        text: { ...TEXT, description: "a part of the reason, or /a pattern/" },
        edit: { ...ANYTHING, description: "arguments or fields that are changed" },
        answer: { ...ANYTHING, description: "fields of the whole answer" },
        by: { ...TEXT, description: "the hook that decides" },
        fails: { ...FLAG, description: "whether a hook fails" },
      },
      minProperties: 1,
      additionalProperties: false,
    },
  ],
};
const CASES = {
  hooks: { ...TEXTS, description: "hook files to load in an empty home; without them those of the folder are asked" },
  fixtures: { ...TEXT_MAP, description: "files that the hooks read, by name" },
  event: { ...TEXT, description: "the event of cases that name none", default: "tool.before" },
  cases: {
    type: "array",
    minItems: 1,
    items: {
      type: "object",
      properties: {
        name: TEXT,
        event: { ...TEXT, description: "EVENT or DIALECT:EVENT" },
        tool: { ...TEXT, description: "the tool, in the words of the event" },
        args: { ...ANYTHING, description: "its arguments, in hookline's words" },
        payload: { ...ANYTHING, description: "fields in place of the sample's" },
        expect: EXPECT,
        table: {
          type: "array",
          minItems: 2,
          items: { type: "array" },
          description: "a case for each row; the first row names the columns, such as args.command and expect",
        },
        probe: { ...FLAG, description: "sessions ask this case at their start, to see that the guard works" },
      },
      anyOf: [{ required: ["expect"] }, { required: ["table"] }],
      additionalProperties: false,
    },
  },
};
