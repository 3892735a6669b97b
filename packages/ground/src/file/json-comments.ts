/** Replaces comments in a JSON text, which some programs allow, by spaces. Other characters keep their positions. */
export function withoutComments(text: string): string {
  const plain = text.replace(/^\ufeff/, "");
  if (!plain.includes("//") && !plain.includes("/*")) return plain;
  const blank = (comment: string): string => comment.replaceAll(/[^\n]/g, " ");
  let [out, at] = ["", 0];
  const mark = /"|\/\/|\/\*/g;
  for (let found = mark.exec(plain); found !== null; found = mark.exec(plain)) {
    const start = found.index;
    const end = found[0] === '"' ? stringEnd(plain, start) : commentEnd(plain, start, found[0]);
    const part = plain.slice(start, end);
    out += plain.slice(at, start) + (found[0] === '"' ? part : blank(part));
    at = end;
    mark.lastIndex = end;
  }
  return out + plain.slice(at);
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function commentEnd(text: string, start: number, mark: string): number {
  const end = mark === "//" ? text.indexOf("\n", start) : text.indexOf("*/", start + 2);
  return end === -1 ? text.length : mark === "//" ? end : end + 2;
}
