/** A path or name with one character for each byte, so that names in any encoding survive. */
export type ByteText = string;

/** Returns the bytes of a text. */
export function bytesOf(text: string): ByteText {
  return Buffer.from(text).toString("latin1");
}

/** Returns a path for Node's file functions. */
export function pathOf(bytes: ByteText): string | Buffer {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, "latin1");
}

/** Returns a path as text for a screen; control characters are escaped. */
export function shownPath(bytes: ByteText): string {
  const text = Buffer.from(bytes, "latin1").toString();
  return text.replaceAll(/[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, (one) => JSON.stringify(one).slice(1, -1));
}

/** Joins a folder and a name; an empty folder is the root. */
export function under(folder: ByteText, name: ByteText): ByteText {
  return folder === "" ? name : `${folder}/${name}`;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
