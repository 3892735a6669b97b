/** The longest line that is accepted, in characters; no command is longer. */
const MAX_LINE = 64 * 1024 * 1024;

/** Splits bytes into lines at LF only, as the protocol requires; a last line without LF counts too. */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.slice(0, end).replace(/\r$/, "");
      rest = rest.slice(end + 1);
    }
    if (rest.length > MAX_LINE) throw new Error(`A line on stdin is longer than ${MAX_LINE} characters.`);
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
