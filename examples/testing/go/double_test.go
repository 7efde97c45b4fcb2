package skins

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A double of the service for the tests of this package, which fail if a client was impolite.
// The environment variable SKINSMITH names the program; "npx skinsmith" unless set.
var double struct{ URL, Key string }

func TestMain(m *testing.M) {
	status, err := withDouble("calm", m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func withDouble(scenario string, run func() int) (int, error) {
	program := os.Getenv("SKINSMITH")
	if program == "" {
		program = "npx skinsmith"
	}
	// With --parent-stdin it also ends when this process is killed.
	words := append(strings.Fields(program), "serve", "--double", "--polite", "--parent-stdin", "--scenario", scenario)
	process := exec.Command(words[0], words[1:]...)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		return 1, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := process.Start(); err != nil {
		return 1, err
	}
	defer process.Wait() // its exit status says what the violations say
	defer stdin.Close()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return 1, fmt.Errorf("the double did not start: %w", err)
	}
	if err := json.Unmarshal(line, &double); err != nil {
		return 1, err
	}
	status := run()
	answer, err := http.Post(double.URL+"/_double/stop", "application/json", strings.NewReader("{}"))
	if err != nil {
		return 1, err
	}
	defer answer.Body.Close()
	var report struct{ Violations []json.RawMessage }
	if err := json.NewDecoder(answer.Body).Decode(&report); err != nil {
		return 1, err
	}
	if len(report.Violations) > 0 {
		return 1, fmt.Errorf("a client did not meet the double's expectations: %s", report.Violations)
	}
	return status, nil
}
