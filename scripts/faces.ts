import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Comment, parseSync, type Statement } from "oxc-parser";
import { root } from "./step.ts";

/** A name that an entry of a published package exports. */
export interface PublicName {
  readonly name: string;
  readonly kind: "function" | "class" | "const" | "interface" | "type" | "namespace";
  /** The declaration without bodies and comments: a line for itself, and one for each public member. */
  readonly signature: readonly string[];
  /** The first sentence of the docstring; empty if there is none. */
  readonly says: string;
}

/** An entry of a published package, and the names that it exports. */
export interface Face {
  /** The specifier by which the entry is imported. */
  readonly specifier: string;
  /** The entry's source file, relative to the root. */
  readonly file: string;
  readonly names: readonly PublicName[];
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/**
 * Returns the published entries with exported names. An entry that only has the condition `hookline-source` is not
 * published.
 */
export function publicFaces(packages: readonly string[] = ["runtime", "hookline", "guards", "fleet"]): Face[] {
  return packages.flatMap((folder) => {
    const manifest = manifestOf(folder);
    if (manifest.private === true) return [];
    return Object.entries(manifest.exports ?? {}).flatMap(([entry, to]): Face[] => {
      if (typeof to === "string" || to["types"] === undefined || to["hookline-source"] === undefined) return [];
      const file = join("packages", folder, to["hookline-source"]);
      return [{ specifier: join(manifest.name, entry), file, names: namesOf(file) }];
    });
  });
}

/** Returns a page for each published entry, by path. Throws for public names without a docstring. */
export function facePages(faces: readonly Face[] = publicFaces()): ReadonlyMap<string, string> {
  const silent = faces.flatMap(({ specifier, names }) =>
    names.filter(({ says }) => says === "").map(({ name }) => `${name} of ${specifier}`),
  );
  if (silent.length > 0) throw new Error(`These public names have no docstring: ${silent.join(", ")}.`);
  return new Map(
    faces.map(({ specifier, names }) => {
      const sections = names.map(
        ({ name, kind, signature, says }) =>
          `## \`${name}\`\n\n${kind}. ${says}\n\n\`\`\`ts skip\n${signature.join("\n")}\n\`\`\`\n`,
      );
      const intro = `# ${specifier}\n\n${names.length} names. Generated from the sources by \`npm run dev -- gen\`.\n`;
      return [`api/${specifier.split("/").slice(1).join("-")}.md`, [intro, ...sections].join("\n")];
    }),
  );
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Manifest;
}

/** Returns the names that a file exports, in alphabetical order. */
export function namesOf(file: string): readonly PublicName[] {
  const { body } = read(file);
  const found = new Map<string, PublicName>();
  const add = (names: readonly PublicName[]): void => {
    for (const one of names) found.set(one.name, one);
  };
  for (const one of body) {
    if (one.type === "ExportAllDeclaration") {
      const from = fileOf(file, one.source.value);
      if (from === undefined) continue;
      const names = one.exported === null ? namesOf(from) : declared(file, nameIn(one.exported), nameIn(one.exported));
      add(names);
    } else if (one.type === "ExportNamedDeclaration") {
      if (one.declaration !== null)
        for (const name of declaredBy(one.declaration as Statement)) add(declared(file, name, name));
      for (const { local, exported, ...rest } of one.specifiers) {
        const name = nameIn(exported);
        const from = one.source === null ? file : fileOf(file, one.source.value);
        if (from !== undefined) add(given(declared(from, nameIn(local), name), isTypeOnly(one) || isTypeOnly(rest)));
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isTypeOnly(one: object): boolean {
  return "exportKind" in one && one.exportKind === "type";
}

/** Turns classes that are exported only as types into types, since they cannot be constructed. */
function given(names: readonly PublicName[], isType: boolean): readonly PublicName[] {
  return isType ? names.map((one) => (one.kind === "class" ? { ...one, kind: "type" } : one)) : names;
}

/** Returns a namespace and its members, each by its full name. */
function namespace(name: string, file: string, at: Statement, from: string): PublicName[] {
  const inside = namesOf(from).map((one) => ({ ...one, name: `${name}.${one.name}` }));
  const own: PublicName = { name, kind: "namespace", signature: [`namespace ${name}`], says: docOf(read(file), at) };
  return [own, ...inside];
}

interface Source {
  /** The text with all comments replaced by blanks. */
  readonly bare: string;
  readonly text: string;
  readonly body: readonly Statement[];
  readonly comments: readonly Comment[];
}

const sources = new Map<string, Source>();

function read(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, file), "utf8");
  const { program, comments, errors } = parseSync(file, text, { sourceType: "module" });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  let bare = text;
  for (const { start, end } of comments)
    bare = bare.slice(0, start) + bare.slice(start, end).replaceAll(/\S/g, " ") + bare.slice(end);
  const source = { text, bare, comments, body: program.body as Statement[] };
  sources.set(file, source);
  return source;
}

/** Returns the file of an import specifier; `undefined` for a third-party package. */
function fileOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  const [, folder, entry = ""] = /^@hookline\/([^/]+)(.*)$/.exec(specifier) ?? [];
  if (folder === undefined || !existsSync(join(root, "packages", folder))) return undefined;
  const to = manifestOf(folder).exports?.[`.${entry}`];
  const path = typeof to === "string" ? to : to?.["hookline-source"];
  return path === undefined ? undefined : join("packages", folder, path);
}

/**
 * Returns the declaration of a name in a file, or in the file from which it is re-exported or imported. A namespace
 * includes its members.
 */
function declared(file: string, name: string, as: string): readonly PublicName[] {
  const source = read(file);
  const statements: Statement[] = [];
  for (const one of source.body) {
    const from = "source" in one && one.source ? fileOf(file, one.source.value) : undefined;
    if (from !== undefined && one.type === "ExportAllDeclaration" && one.exported && nameIn(one.exported) === name)
      return namespace(as, file, one, from);
    if (from !== undefined && "specifiers" in one)
      for (const specifier of one.specifiers) {
        if (specifier.type === "ExportSpecifier" && nameIn(specifier.exported) === name)
          return given(declared(from, nameIn(specifier.local), as), isTypeOnly(one) || isTypeOnly(specifier));
        if (specifier.type === "ImportSpecifier" && specifier.local.name === name)
          return declared(from, nameIn(specifier.imported), as);
      }
    const inner = (one.type === "ExportNamedDeclaration" ? one.declaration : one) as Statement | null;
    if (inner !== null && declaredBy(inner).includes(name)) statements.push(one);
  }
  // The implementation of an overloaded function is not part of its signature.
  const inner = statements.map((one) => ("declaration" in one && one.declaration ? one.declaration : one) as Statement);
  const overloads = inner.filter(({ type }) => type === "TSDeclareFunction");
  const shown = overloads.length > 0 ? overloads : inner;
  const [first] = shown;
  if (first === undefined) throw new Error(`${file} declares no ${name}.`);
  const signature = shown.flatMap((one) => signatureOf(source, one, name));
  return [{ name: as, kind: kindOf(first), signature, says: docOf(source, statements[0] as Statement) }];
}

function declaredBy(one: Statement): string[] {
  if (one.type === "VariableDeclaration")
    return one.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  return "id" in one && one.id?.type === "Identifier" ? [one.id.name] : [];
}

const KINDS: Readonly<Record<string, PublicName["kind"]>> = {
  FunctionDeclaration: "function",
  TSDeclareFunction: "function",
  ClassDeclaration: "class",
  VariableDeclaration: "const",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
};

function kindOf({ type }: Statement): PublicName["kind"] {
  const kind = KINDS[type];
  if (kind === undefined) throw new Error(`A public name is declared by a ${type}, for which there is no kind.`);
  return kind;
}

/** The longest value that is shown in place of a type, in characters. */
const LONGEST_VALUE = 200;

function signatureOf(source: Source, one: Statement, name: string): string[] {
  const line = (start: number, end: number): string => {
    const text = source.bare
      .slice(start, end)
      .replaceAll(/\s+/g, " ")
      .replaceAll(/,? ([)}\]])/g, " $1");
    return text
      .replaceAll(/([([]) | (?=[)\]])/g, "$1")
      .replace(/[;,\s]+$/, "")
      .replaceAll(/([=(:]) \| /g, "$1 ");
  };
  if (one.type === "VariableDeclaration") {
    const [it] = one.declarations.filter(({ id }) => id.type === "Identifier" && id.name === name);
    if (it === undefined) return [];
    if (it.id.type === "Identifier" && it.id.typeAnnotation) return [`const ${line(it.id.start, it.id.end)}`];
    const value = it.init;
    const end = value?.type === "ArrowFunctionExpression" ? value.body.start : it.end;
    const text = line(it.start, end).replace(/ =>$/, "");
    return [`const ${text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)} …` : text}`];
  }
  if (one.type === "ClassDeclaration" || one.type === "TSInterfaceDeclaration") {
    const members = one.body.body.flatMap((member) => {
      if ("key" in member && member.key.type === "PrivateIdentifier") return [];
      if ("accessibility" in member && member.accessibility === "private") return [];
      if (member.type === "StaticBlock") return [];
      const value = "value" in member ? member.value : undefined;
      const body = value && "body" in value ? value.body : undefined;
      const isTyped = "typeAnnotation" in member && member.typeAnnotation;
      const end = body ? body.start : member.type === "PropertyDefinition" && isTyped ? isTyped.end : member.end;
      return [`  ${line(member.start, end)};`];
    });
    return [`${line(one.start, one.body.start)} {`, ...members, "}"];
  }
  return [line(one.start, "body" in one && one.body ? (one.body as { start: number }).start : one.end)];
}

/** Returns the first sentence of the docstring that ends right before a statement. */
function docOf({ text, comments }: Source, { start }: { readonly start: number }): string {
  const doc = comments.findLast(({ type, value, end }) => {
    return type === "Block" && value.startsWith("*") && end <= start && text.slice(end, start).trim() === "";
  });
  const whole = (doc?.value ?? "")
    .replaceAll(/^\s*\*+ ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return /^.*?[.:](?= |$)/.exec(whole)?.[0].replace(/:$/, ".") ?? whole;
}

function nameIn(one: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return one.name ?? String(one.value);
}
