import { open } from "node:fs/promises";
import { imageTypeOf } from "../tool/image.ts";

interface Resized {
  readonly data: string;
  readonly mimeType: string;
  readonly originalWidth: number;
  readonly originalHeight: number;
  readonly width: number;
  readonly height: number;
  readonly wasResized: boolean;
}

interface Limits {
  readonly maxWidth?: number;
  readonly maxHeight?: number;
  readonly maxBytes?: number;
}

const HEAD_BYTES = 4096;
const LIMITS = { maxWidth: 2000, maxHeight: 2000, maxBytes: 4.5 * 1024 * 1024 };

/** Detects the image type of a file from its first bytes; null for files that a model cannot see as an image. */
export async function detectSupportedImageMimeTypeFromFile(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return imageTypeOf(buffer.subarray(0, bytesRead)) ?? null;
  } finally {
    await file.close();
  }
}

/**
 * Returns an image unchanged if it is within the limits, otherwise null. There is no image library to scale it with. pi
 * also returns null if its library fails.
 */
export async function resizeImage(bytes: Uint8Array, mimeType: string, limits: Limits = {}): Promise<Resized | null> {
  const { maxWidth, maxHeight, maxBytes } = { ...LIMITS, ...limits };
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = sizeOf(image);
  const data = image.toString("base64");
  if (size === undefined || size.width > maxWidth || size.height > maxHeight || data.length > maxBytes) return null;
  const { width, height } = size;
  return { data, mimeType, originalWidth: width, originalHeight: height, width, height, wasResized: false };
}

/** Returns a PNG unchanged, and null for all other types, because there is no image library here. */
export async function convertToPng(data: string, mimeType: string): Promise<{ data: string; mimeType: string } | null> {
  return mimeType === "image/png" ? { data, mimeType } : null;
}

/** Describes to the model how an image was scaled, so that it can convert coordinates. */
export function formatDimensionNote(image: Resized): string | undefined {
  if (!image.wasResized) return undefined;
  const { originalWidth, originalHeight, width, height } = image;
  const factor = (originalWidth / width).toFixed(2);
  return `[This image is shown at ${width}x${height}, the original is ${originalWidth}x${originalHeight}: multiply a place in it by ${factor}.]`;
}

/** Reads width and height from the file's header. Source: the specifications of the formats. */
function sizeOf(image: Buffer): { width: number; height: number } | undefined {
  switch (imageTypeOf(image)) {
    case "image/png":
      return { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
    case "image/gif":
      return { width: image.readUInt16LE(6), height: image.readUInt16LE(8) };
    case "image/webp":
      return sizeOfWebp(image);
    case "image/jpeg":
      return sizeOfJpeg(image);
    default:
      return undefined;
  }
}

function sizeOfWebp(image: Buffer): { width: number; height: number } | undefined {
  const kind = image.toString("latin1", 12, 16);
  if (kind === "VP8X") return { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
  if (kind === "VP8 ") return { width: image.readUInt16LE(26) & 0x3fff, height: image.readUInt16LE(28) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = image.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

function sizeOfJpeg(image: Buffer): { width: number; height: number } | undefined {
  for (let at = 2; at + 9 < image.length; ) {
    if (image[at] !== 0xff) return undefined;
    const marker = image[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: image.readUInt16BE(at + 7), height: image.readUInt16BE(at + 5) };
    at += 2 + image.readUInt16BE(at + 2);
  }
  return undefined;
}
