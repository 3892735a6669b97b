/** A text that may try to control a terminal. A program that draws a screen never writes such text itself. */
export interface Vector {
  readonly what: string;
  readonly text: string;
}

const rows: readonly (readonly [what: string, text: string])[] = [
  ["window title", "\x1b]0;owned\x07"],
  ["window title, other end", "\x1b]2;owned\x1b\\"],
  ["window title, C1", "\x9d0;owned\x9c"],
  ["clipboard", "\x1b]52;c;b3duZWQ=\x07"],
  ["clipboard read", "\x1b]52;c;?\x07"],
  ["link", "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07"],
  ["notification", "\x1b]9;owned\x07"],
  ["colours of the terminal", "\x1b]4;1;#ff0000\x07\x1b]11;#ff0000\x07"],
  ["a picture from a file", "\x1b_Ga=T,f=100,t=f;L2V0Yy9wYXNzd2Q=\x1b\\"],
  ["a file to keep", "\x1b]1337;File=name=eA==;inline=0:eA==\x07"],
  ["clear screen", "\x1b[H\x1b[2J"],
  ["clear screen, C1", "\x9b2J\x9b3J"],
  ["cursor up and over", "\x1b[5A\x1b[1K\x1b[5F"],
  ["cursor to the corner", "\x1b[1;1Hthere"],
  ["scrolling region", "\x1b[1;3r\x1b[5S"],
  ["alternate screen", "\x1b[?1049h\x1b[?47h"],
  ["bracketed paste", "\x1b[?2004l\x1b[?2004s"],
  ["mouse", "\x1b[?1000h\x1b[?1006h"],
  ["report of the cursor", "\x1b[6n\x1b[c"],
  ["report of the title", "\x1b[21t\x1b]l\x1b\\"],
  ["reset", "\x1bc"],
  ["save and restore", "\x1b7\x1b[9;9H\x1b8"],
  ["character set", "\x1b(0lqk\x0e"],
  ["device string", '\x1bP$q"p\x1b\\\x1bP+q544e\x1b\\'],
  ["application and privacy strings", "\x1b_payload\x1b\\\x1b^payload\x1b\\\x1bXpayload\x1b\\"],
  ["bell, backspace, carriage return", "safe\x07\b\b\b\bevil\rover"],
  ["nested and unfinished", "\x1b\x1b[31\x1b]0;\x1b[?1049h"],
  ["bidi and tags", "file\u202etxt.exe\u2066x\u2069\u{e0041}"],
];

/** The 28 vectors. */
export const VECTORS: readonly Vector[] = rows.map(([what, text]) => ({ what, text }));
