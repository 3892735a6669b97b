// Asks hookline's hooks about a tool call, by the bridge's protocol (docs/reference/bridge-protocol.md).
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func hash(text string, length int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:length]
}

func real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return path
}

func place() (socket, cwd string) {
	home := os.Getenv("HOOKLINE_HOME")
	if home == "" {
		home = filepath.Join(os.Getenv("HOME"), ".hookline")
	}
	home = real(home)
	folder := home + "/run/bridge"
	if login := os.Getenv("XDG_RUNTIME_DIR"); strings.HasPrefix(login, "/") {
		folder = login + "/hookline"
	}
	if len(folder)+22 > 103 { // too long for a socket
		folder = fmt.Sprintf("/tmp/hookline-%d-%s", os.Getuid(), hash(home, 8))
	}
	cwd, _ = os.Getwd()
	cwd = real(cwd)
	return folder + "/" + hash(strings.Join([]string{home, cwd, "1"}, "\x00"), 16) + ".sock", cwd
}

func connected(socket string) (net.Conn, error) {
	for look := 0; look < 600; look++ {
		for path, others := range map[string]os.FileMode{filepath.Dir(socket): 0o077, socket: 0o022} {
			found, err := os.Lstat(path)
			if err == nil && (int(found.Sys().(*syscall.Stat_t).Uid) != os.Getuid() || found.Mode().Perm()&others != 0) {
				return nil, errors.New("other users can use the socket")
			}
		}
		if _, err := os.Lstat(socket); err == nil {
			if link, err := net.Dial("unix", socket); err == nil {
				return link, nil
			}
		}
		if look == 0 {
			daemon := exec.Command("hookline", "bridge", "daemon")
			daemon.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := daemon.Start(); err != nil {
				return nil, err
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.New("no daemon could be reached in time")
}

func frame(data []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
}

type answer struct{ Decision, Reason string }

// ask gives the hooks' answer to an event of the catalog.
func ask(event, session string, payload any) (said answer, err error) {
	socket, cwd := place()
	link, err := connected(socket)
	if err != nil {
		return said, err
	}
	defer link.Close()
	header := []string{"hookline/1", "generic", event, "", cwd, "58000", ""}
	for _, name := range []string{"HOME", "PATH", "LANG", "HOOKLINE_HOME"} {
		if value, has := os.LookupEnv(name); has {
			header = append(header, name+"="+value)
		}
	}
	input, _ := json.Marshal(map[string]any{"session": session, "payload": payload})
	if _, err = link.Write(append(frame([]byte(strings.Join(header, "\x00"))), frame(input)...)); err != nil {
		return said, err
	}
	var parts [3]string // exit code, stdout, stderr
	for at := range parts {
		var length uint32
		if err = binary.Read(link, binary.BigEndian, &length); err != nil {
			return said, err
		}
		part := make([]byte, length)
		if _, err = io.ReadFull(link, part); err != nil {
			return said, err
		}
		parts[at] = string(part)
	}
	if parts[0] != "0" {
		return said, errors.New(strings.TrimSpace(parts[2]))
	}
	out := struct{ Answer answer }{}
	err = json.Unmarshal([]byte(parts[1]), &out)
	return out.Answer, err
}

func main() {
	for number, command := range os.Args[1:] {
		call := map[string]any{"toolCallId": fmt.Sprint(number), "tool": "bash", "args": map[string]string{"command": command}}
		said, err := ask("tool.before", fmt.Sprintf("example-%d", os.Getpid()), call)
		if err != nil { // whoever cannot ask must not act
			said = answer{"deny", fmt.Sprintf("hookline is not reachable (%v)", err)}
		}
		if said.Decision == "" {
			said.Decision = "allow"
		}
		fmt.Println(strings.TrimSpace(fmt.Sprintf("%s: %s %s", command, said.Decision, said.Reason)))
	}
}
