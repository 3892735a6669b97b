/** Longest line that is taken, in characters; a longer one can be no command. */
const MAX_LINE = 64 * 1024 * 1024;

/** Splits bytes into lines at LF and nothing else, as the protocol wants; a last line without one counts as well. */
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
