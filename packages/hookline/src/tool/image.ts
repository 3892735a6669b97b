/** Formats that every provider accepts inline. */
export type ImageMimeType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

const PNG_SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Detects the image format from the first bytes of a file; undefined for animated PNG, which is no still image. */
export function imageTypeOf(bytes: Buffer): ImageMimeType | undefined {
  // FF D8 FF F7 begins JPEG-LS, which providers reject.
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return bytes[3] === 0xf7 ? undefined : "image/jpeg";
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return isStillPng(bytes) ? "image/png" : undefined;
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.endsWith("WEBP")) return "image/webp";
  return undefined;
}

function isStillPng(bytes: Buffer): boolean {
  if (bytes.toString("latin1", 12, 16) !== "IHDR") return false;
  for (let offset = 8; offset + 8 <= bytes.length; ) {
    const kind = bytes.toString("latin1", offset + 4, offset + 8);
    if (kind === "acTL") return false;
    if (kind === "IDAT") return true;
    offset += 12 + bytes.readUInt32BE(offset);
  }
  return true;
}
