/**
 * A text in the form in which edits are searched, with positions in the source. Character `i` of `text` begins at
 * `starts[i]` in the source, and character `i - 1` ends at `ends[i]`; `starts[i]` is greater if the view leaves out
 * text between the two. A position within a source character is -1.
 */
export interface View {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Makes a view of a text for exact searches: every line break becomes `\n`. */
export function lineView(source: string): View {
  const view = newView(source.length);
  for (const part of source.matchAll(/\r\n?|[^\r]+/g)) {
    if (part[0].startsWith("\r")) view.add("\n", part.index, part.index + part[0].length);
    else view.addPlain(part[0], part.index);
  }
  return view.done();
}

/**
 * Makes a view of a text for tolerant searches, without differences that models overlook. Spaces at line ends are left
 * out. Compatibility characters, curly quotes, dashes and unusual spaces become plain ones.
 */
export function tolerantView(source: string): View {
  const view = newView(source.length);
  for (const line of source.matchAll(/([^\r\n]*)(\r\n?|\n|$)/g)) {
    const content = (line[1] ?? "").trimEnd();
    addTolerant(view, content, line.index);
    const lineBreak = line[2] ?? "";
    const at = line.index + (line[1] ?? "").length;
    if (lineBreak !== "") view.add("\n", at, at + lineBreak.length);
  }
  return view.done();
}

/** Returns the source ranges of all places where a view contains `wanted`, including overlapping ones. */
export function findAll(view: View, wanted: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  if (wanted === "") return found;
  for (let at = view.text.indexOf(wanted); at !== -1; at = view.text.indexOf(wanted, at + 1)) {
    const start = view.starts[at] ?? -1;
    const end = view.ends[at + wanted.length] ?? -1;
    if (start >= 0 && end >= 0) found.push({ start, end });
  }
  return found;
}

// Matches a base character with its marks, so that composed and decomposed letters become the same.
const CLUSTERS = /\P{M}\p{M}*|\p{M}+/gsu;

function addTolerant(view: Builder, content: string, offset: number): void {
  if (/^[\x20-\x7e\t]*$/.test(content)) {
    view.addPlain(content, offset);
    return;
  }
  for (const cluster of content.matchAll(CLUSTERS)) {
    const start = offset + cluster.index;
    view.add(plain(cluster[0]), start, start + cluster[0].length);
  }
}

function plain(cluster: string): string {
  return cluster
    .normalize("NFKC")
    .replace(/[\u2018-\u201B]/g, "'")
    .replace(/[\u201C-\u201F]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ");
}

interface Builder {
  add(shown: string, start: number, end: number): void;
  addPlain(shown: string, start: number): void;
  done(): View;
}

function newView(sourceLength: number): Builder {
  const parts: string[] = [];
  let starts = new Int32Array(sourceLength + 1);
  let ends = new Int32Array(sourceLength + 1);
  let length = 0;
  // A compatibility character may become several plain ones, so a view can be longer than its source.
  const reserve = (more: number): void => {
    if (length + more < starts.length) return;
    starts = grown(starts, more);
    ends = grown(ends, more);
  };
  return {
    add(shown, start, end) {
      reserve(shown.length);
      parts.push(shown);
      for (let index = 0; index < shown.length; index++) {
        starts[length] = index === 0 ? start : -1;
        length++;
        ends[length] = index === shown.length - 1 ? end : -1;
      }
    },
    addPlain(shown, start) {
      reserve(shown.length);
      parts.push(shown);
      for (let index = 0; index < shown.length; index++) {
        starts[length] = start + index;
        length++;
        ends[length] = start + index + 1;
      }
    },
    done: () => ({ text: parts.join(""), starts: starts.subarray(0, length), ends: ends.subarray(0, length + 1) }),
  };
}

function grown(array: Int32Array<ArrayBuffer>, more: number): Int32Array<ArrayBuffer> {
  const next = new Int32Array(array.length * 2 + more);
  next.set(array);
  return next;
}
