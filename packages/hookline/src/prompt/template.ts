import { basename } from "node:path";
import { diagnose, type Tier } from "@hookline/ground";
import type { Diagnostic } from "@hookline/runtime";
import { fillArguments, splitArguments } from "./arguments.ts";
import { markdownIn, type ResourcePlace, readMarkdown } from "./markdown-files.ts";

/** A prompt that a person calls as `/name argument …`. */
export interface PromptTemplate {
  /** The file name without its extension. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly content: string;
  readonly path: string;
  readonly tier: Tier;
}

const DESCRIPTION_CHARACTERS = 60;

/** Reads the templates in folders and files. Of two with one name, the first is used and the other is reported. */
export async function findTemplates(
  places: readonly ResourcePlace[],
  report: (diagnostic: Diagnostic) => void,
): Promise<PromptTemplate[]> {
  const found = new Map<string, PromptTemplate>();
  for (const place of places) {
    for (const path of markdownIn(place, report)) {
      const file = await readMarkdown({ ...place, path }, report);
      if (file === undefined) continue;
      const name = basename(path, ".md");
      const other = found.get(name);
      if (other !== undefined) {
        if (other.path !== path) report(diagnose("DUPLICATE", { kind: "prompt", key: name, path, other: other.path }));
        continue;
      }
      const hint = file.fields["argument-hint"];
      found.set(name, {
        name,
        description: descriptionOf(file.fields["description"], file.body),
        ...(typeof hint === "string" && { argumentHint: hint }),
        content: file.body,
        path,
        tier: place.tier,
      });
    }
  }
  return [...found.values()];
}

/** A template with the arguments of a call. */
export interface CalledTemplate {
  readonly template: PromptTemplate;
  readonly args: string;
}

/** Finds the template that a typed `/name …` calls; undefined if none has the name. */
export function calledTemplate(text: string, templates: readonly PromptTemplate[]): CalledTemplate | undefined {
  const [, name, args = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const template = templates.find((one) => one.name === name);
  return template && { template, args };
}

/** Fills a template with its arguments; returns the text that is sent instead of the typed `/name …`. */
export function templateText({ template, args }: CalledTemplate): string {
  return fillArguments(template.content, splitArguments(args));
}

function descriptionOf(given: unknown, body: string): string {
  if (typeof given === "string" && given !== "") return given;
  const first = body.split("\n").find((line) => line.trim() !== "") ?? "";
  return first.length > DESCRIPTION_CHARACTERS ? `${first.slice(0, DESCRIPTION_CHARACTERS)}...` : first;
}
