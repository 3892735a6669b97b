"""Drives a program on a pseudo-terminal and times how it responds to a person.

screen-latency.py FILE   FILE is JSON: {"argv": [...], "env": {...}, "cwd": "...", "port": 0, "ready": "text"}
Then one request per line on stdin: `keys N`, `tokens N` or `long N`; the answer is the total time for all N, in nanoseconds.
For `idle N` it is how often the program and its children were woken up within N seconds.

keys:    from a key press until its echo comes out of the terminal.
tokens:  from the moment the model's endpoint writes a piece of a reply until it comes out of the terminal.
long:    the same after 40 KB of the reply.
"""
import fcntl, json, os, pty, re, select, signal, struct, sys, termios, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

with open(sys.argv[1]) as file:
    setup = json.load(file)

CONTROL = re.compile(rb"\x1b(?:\[[0-9;?<>=:]*[ -/]*[@-~]|[\]_P^X][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
SETTLE_SECONDS = 25
pieces = threading.Condition()
wanted = []          # pieces for the endpoint to write
written_at = {}      # when it wrote each
asked = 0            # number of requests


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        global asked
        self.rfile.read(int(self.headers.get("content-length", "0")))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.say({"role": "assistant", "content": ""})
        with pieces:
            asked += 1
            pieces.notify_all()
        while True:
            with pieces:
                while not wanted:
                    pieces.wait()
                piece = wanted.pop(0)
            if piece is None:
                break
            written_at[piece] = time.perf_counter_ns()
            self.say({"content": piece + " "})
        self.say({}, "stop")
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")

    def say(self, delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        self.chunk(b"data: " + json.dumps(body).encode() + b"\n\n")

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


server = ThreadingHTTPServer(("127.0.0.1", setup["port"]), Endpoint)
threading.Thread(target=server.serve_forever, daemon=True).start()

pid, fd = pty.fork()
if pid == 0:
    os.chdir(setup["cwd"])
    os.execve(setup["argv"][0], setup["argv"], setup["env"])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
seen = b""


def read(seconds):
    """Adds the output of the terminal within some seconds; answers the queries that every terminal gets."""
    global seen
    if not select.select([fd], [], [], seconds)[0]:
        return False
    data = os.read(fd, 65536)
    if b"\x1b[c" in data:
        os.write(fd, b"\x1b[?62c")
    # Only the last few screens are needed.
    seen = (seen + data)[-32768:]
    return True


def until(text, seconds=30.0):
    end = time.monotonic() + seconds
    while text not in CONTROL.sub(b"", seen):
        if time.monotonic() > end:
            raise SystemExit("%s never showed %r; it shows %r" % (setup["argv"][1], text, CONTROL.sub(b"", seen)[-2000:]))
        read(0.05)


def forget():
    global seen
    while read(0.03):
        pass
    seen = b""


def keys(n):
    total = 0
    for i in range(n):
        forget()
        key = b"%c" % (97 + i % 26)
        start = time.perf_counter_ns()
        os.write(fd, key)
        until(key)
        total += time.perf_counter_ns() - start
        if i % 40 == 39:
            os.write(fd, b"\x15")
    os.write(fd, b"\x15")
    forget()
    return total


def say(piece):
    with pieces:
        wanted.append(piece)
        pieces.notify_all()


# 40 KB of what a model writes.
LONG = "".join("## Part %d\n\nA paragraph with **bold** words and `code`.\n\n- an item\n- another\n\n" % i for i in range(520))


def long(n):
    return tokens(n, LONG)


def tokens(n, long=""):
    before = asked
    os.write(fd, b"go")
    forget()
    os.write(fd, b"\r")
    end = time.monotonic() + 10
    while asked == before:
        if time.monotonic() > end:
            raise SystemExit("%s asked nothing; it shows %r" % (setup["argv"][1], CONTROL.sub(b"", seen)[-2000:]))
        read(0.05)
    if long:
        say(long + "begun")
        until(b"begun")
    total = 0
    for i in range(n):
        forget()
        piece = "tok%05dq" % (int(time.time() * 1000) % 100000)
        say(piece)
        until(piece.encode())
        total += time.perf_counter_ns() - written_at[piece]
    say(None)
    time.sleep(1.0)
    forget()
    return total


def wakeups(of):
    """How often the threads of a process and of its children have been woken up."""
    total = 0
    for task in os.listdir("/proc/%d/task" % of):
        path = "/proc/%d/task/%s/" % (of, task)
        with open(path + "status") as status:
            total += int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", status.read())[1])
        with open(path + "children") as children:
            total += sum(wakeups(int(child)) for child in children.read().split())
    return total


def idle(n):
    # By then the remaining work of the start is done, including garbage collection.
    settled = max(0.0, started + SETTLE_SECONDS - time.monotonic())
    rest(settled)
    before = wakeups(pid)
    rest(n)
    return wakeups(pid) - before


def rest(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        read(max(0.0, min(1.0, end - time.monotonic())))


until(setup["ready"].encode())
started = time.monotonic()
# The program draws before it accepts keys.
time.sleep(2.0)
forget()
print("ready", flush=True)
try:
    for line in sys.stdin:
        what, n = line.split()
        print({"keys": keys, "tokens": tokens, "long": long, "idle": idle}[what](int(n)), flush=True)
finally:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
