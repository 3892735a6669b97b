type Fields = Readonly<Record<string, unknown>>;

/** What builders of schemas agree on, as far as a tool needs it. Source: standardschema.dev, JSON Schema part. */
interface Standard {
  readonly validate?: (value: unknown) => Result | Promise<Result>;
  readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => Fields };
}

type Result =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/**
 * A tool whose parameters were made with `pi.zod` or `pi.arktype`, in the form that hosts know: JSON Schema, with
 * defaults and conversions done before `execute` is called. Other definitions are given back as they are.
 */
export function inJsonSchema(definition: unknown): unknown {
  const given = (definition ?? {}) as Fields;
  const standard = (given["parameters"] as { readonly "~standard"?: Standard } | undefined)?.["~standard"];
  const { validate, jsonSchema } = standard ?? {};
  if (typeof jsonSchema?.input !== "function" || typeof given["execute"] !== "function") return definition;
  const { $schema: _, ...parameters } = jsonSchema.input({ target: "draft-2020-12" });
  const execute = (given["execute"] as (...args: unknown[]) => unknown).bind(definition);
  const checked = async (id: unknown, params: unknown, ...rest: unknown[]): Promise<unknown> =>
    execute(id, validate === undefined ? params : fitting(String(given["name"]), await validate(params)), ...rest);
  return Object.assign(Object.create(Object.getPrototypeOf(given)) as object, given, { parameters, execute: checked });
}

function fitting(name: string, result: Result): unknown {
  if (result.issues === undefined) return result.value;
  const said = result.issues.map(({ message, path = [] }) => [path.map(keyOf).join("."), message].filter(Boolean));
  throw new Error(`The arguments of "${name}" do not fit: ${said.map((parts) => parts.join(": ")).join("; ")}`);
}

function keyOf(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}
