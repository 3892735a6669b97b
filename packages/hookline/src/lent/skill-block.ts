interface SkillBlock {
  readonly name: string;
  readonly location: string;
  readonly content: string;
  readonly userMessage: string | undefined;
}

const BLOCK = /^<skill name="([^"]+)" location="([^"]+)">\n([\s\S]*?)\n<\/skill>(?:\n\n([\s\S]+))?$/;

/** Parses a prompt that was made from `/skill:name …`; null for any other text. */
export function parseSkillBlock(text: string): SkillBlock | null {
  const [, name, location, content, rest] = BLOCK.exec(text) ?? [];
  if (name === undefined || location === undefined || content === undefined) return null;
  return { name, location, content, userMessage: rest?.trim() || undefined };
}
