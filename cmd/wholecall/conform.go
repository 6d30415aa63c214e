package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/wholecall/wholecall/mock"
)

func conformUsage() string {
	return `usage: wholecall conform --client 'COMMAND' [flags] [SCENARIO|FILE ...]

Conform runs a client against a mock provider, once a scenario, and says what it lost. The client needs no
code of this project: it asks the provider at its base URL, runs the one tool, which returns a constant,
sends the results back, and goes on until the model has no more calls. It ends with a status other than 0
where something went wrong. What it understood is read from what it sends.

The command is run by a shell, with these in its environment:

  WHOLECALL_BASE_URL       where the provider is
  ANTHROPIC_BASE_URL       the same, as the SDKs want it; likewise OPENAI_BASE_URL (with /v1),
                           GOOGLE_GEMINI_BASE_URL, AWS_ENDPOINT_URL_BEDROCK_RUNTIME, COHERE_BASE_URL,
                           MISTRAL_BASE_URL, OLLAMA_HOST; and keys that mean nothing
  WHOLECALL_PROMPT         what the user says first; with several conversations, what stands behind it is
                           the number of the conversation
  WHOLECALL_CONVERSATIONS  how many conversations to hold at once
  WHOLECALL_TOOL           the tool, as JSON: name, description, schema

flags:
  --client COMMAND    the client
  --timeout DURATION  how long it may take for a scenario, 20s unless said otherwise
  --chunks HOW        event, whole, byte or random: how the bytes are written
  --seed N            makes ids and cuts the same again
  --json              one JSON object a scenario, a line each
  --junit FILE        write a report for a build server as well
  -v, --verbose       show what the client prints

exit status:
  0  every verdict is right
  1  the client lost a call without a word, or gave another verdict than it should
  2  it could not do what was asked

verdicts:
  kept  failed loudly  lost  merged  altered  ran a call that never was  hung  not run

example:
  wholecall conform --client 'node client.mjs' two-calls-interleaved fragment-dropped
`
}

// conformer is one run of conform.
type conformer struct {
	*tool
	client        string
	timeout       time.Duration
	json, verbose bool
	junit         string
	config        mock.Config
	server        *mock.Server
	base          string
	results       []conformed
}

// conformed is what a client did with a scenario.
type conformed struct {
	Scenario string       `json:"scenario"`
	About    string       `json:"about"`
	Verdict  mock.Verdict `json:"verdict"`
	// OK says whether the verdict is right.
	OK       bool     `json:"ok"`
	Findings []string `json:"findings"`
	Requests int      `json:"requests"`
	Status   int      `json:"exit_status"`
	Problem  string   `json:"problem,omitempty"`
	Seconds  float64  `json:"seconds"`
}

func conform(t *tool, args []string) int {
	c := &conformer{tool: t}
	fs := flag.NewFlagSet("conform", flag.ContinueOnError)
	fs.StringVar(&c.client, "client", "", "")
	fs.DurationVar(&c.timeout, "timeout", 20*time.Second, "")
	fs.BoolVar(&c.json, "json", false, "")
	fs.BoolVar(&c.verbose, "verbose", false, "")
	fs.BoolVar(&c.verbose, "v", false, "")
	fs.StringVar(&c.junit, "junit", "", "")
	m := &mocking{tool: t}
	fs.StringVar(&m.chunks, "chunks", "event", "")
	fs.Uint64Var(&m.config.Seed, "seed", 0, "")
	operands, status, ok := c.parse(fs, conformUsage(), args)
	if !ok {
		return status
	}
	if status, ok = m.chunking(); !ok {
		return status
	}
	c.config = m.config
	if c.client == "" {
		return c.misuse("wholecall conform --client 'node client.mjs'", "conform: no client is given")
	}
	list, err := chosen(operands)
	if err != nil {
		return c.noScenario("conform --client COMMAND", operands, err)
	}
	return c.run(list)
}

func (c *conformer) run(list []mock.Scenario) int {
	c.server = mock.New(c.config)
	srv, base, err := listen(c.ctx, "127.0.0.1:0", c.server)
	if err != nil {
		c.errorf("%v", err)
		return statusFailed
	}
	defer srv.Close()
	c.base = base
	h := newHuman(c.out, c.colour(c.out), c.width(c.out), false)
	for i, sc := range list {
		r := c.one(sc)
		if c.ctx.Err() != nil {
			c.errorf("interrupted after %d of %s", i, plural(len(list), "scenario"))
			return statusFailed
		}
		c.results = append(c.results, r)
		if err := c.show(h, r); err != nil {
			c.errorf("writing the result: %v", err)
			return statusFailed
		}
	}
	if c.junit != "" {
		if err := c.report(); err != nil {
			c.errorf("%v", err)
			return statusFailed
		}
	}
	wrong, run := 0, 0
	for _, r := range c.results {
		if r.Verdict != mock.NotRun {
			run++
		}
		if !r.OK {
			wrong++
		}
	}
	if !c.json {
		h.printf("%s, %d run, %d wrong\n", plural(len(list), "scenario"), run, wrong)
		h.w.Flush()
	}
	switch {
	case run == 0:
		c.errorf("the client asked for nothing in any scenario")
		c.hintf("see what it prints: wholecall conform -v --client %s %s", shellWord(c.client), list[0].Name)
		return statusFailed
	case wrong > 0:
		return statusFindings
	}
	return statusClean
}

// one runs the client with one scenario.
func (c *conformer) one(sc mock.Scenario) conformed {
	name := c.server.Begin(sc)
	ctx, cancel := context.WithTimeout(c.ctx, c.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", c.client)
	cmd.Env = append(os.Environ(), c.environment(name, sc)...)
	// What the client starts itself may keep the pipes open.
	cmd.WaitDelay = time.Second
	if c.verbose {
		cmd.Stdout, cmd.Stderr = c.err, c.err
	}
	start := time.Now()
	err := cmd.Run()
	x := mock.Exit{Timeout: ctx.Err() == context.DeadlineExceeded}
	var ee *exec.ExitError
	switch {
	case errors.As(err, &ee):
		x.Status = ee.ExitCode()
	case err != nil:
		x.Status = -1
	}
	rec := c.server.Record(name)
	r := conformed{Scenario: sc.Name, About: sc.About, Findings: []string{}, Requests: rec.Requests, Status: x.Status,
		Problem: rec.Problem, Seconds: time.Since(start).Seconds()}
	for _, f := range rec.Findings {
		r.Findings = append(r.Findings, f.String())
	}
	r.Verdict = mock.Judge(&rec, x)
	if rec.Problem != "" {
		r.Verdict = mock.NotRun
	}
	r.OK = r.Verdict == mock.NotRun || r.Verdict == mock.Kept || slices.Contains(sc.Expect, r.Verdict)
	return r
}

// environment is what a client needs to know.
func (c *conformer) environment(run string, sc mock.Scenario) []string {
	base := c.base + "/r/" + run
	return []string{
		"WHOLECALL_BASE_URL=" + base,
		"ANTHROPIC_BASE_URL=" + base, "ANTHROPIC_API_KEY=none",
		"OPENAI_BASE_URL=" + base + "/v1", "OPENAI_API_KEY=none",
		"GOOGLE_GEMINI_BASE_URL=" + base, "GEMINI_API_KEY=none", "GOOGLE_API_KEY=none",
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + base, "AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none", "AWS_REGION=us-east-1",
		"COHERE_BASE_URL=" + base, "COHERE_API_KEY=none", "CO_API_KEY=none",
		"MISTRAL_BASE_URL=" + base + "/mistral", "MISTRAL_API_KEY=none",
		"OLLAMA_HOST=" + base,
		"WHOLECALL_SCENARIO=" + sc.Name,
		"WHOLECALL_PROMPT=Look the orders up.",
		fmt.Sprintf("WHOLECALL_CONVERSATIONS=%d", max(1, sc.Conversations)),
		`WHOLECALL_TOOL={"name":"search_orders","description":"Finds the orders of a customer.","schema":{"type":"object","properties":{"customer":{"type":"string"},"status":{"type":"string","enum":["open","late"]}}}}`,
		"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
	}
}

func (c *conformer) show(h *human, r conformed) error {
	if c.json {
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		h.printf("%s\n", b)
		return h.w.Flush()
	}
	style, mark := green, "ok"
	switch {
	case r.Verdict == mock.NotRun:
		style, mark = dim, "–"
	case !r.OK:
		style, mark = red, "wrong"
	}
	h.printf("%s%s %-44s %s\n", h.paint(style, mark), strings.Repeat(" ", max(0, 5-columns(mark))), r.Scenario, h.paint(style, string(r.Verdict)))
	if !r.OK {
		for _, f := range r.Findings {
			for _, l := range prose(f, h.width-6) {
				h.printf("      %s\n", l)
			}
		}
	}
	if r.Verdict == mock.NotRun && r.Problem != "" {
		h.printf("      %s\n", h.paint(dim, safeText(r.Problem)))
	}
	return h.w.Flush()
}

// The elements of a JUnit report that build servers read.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// report writes the results as JUnit XML.
func (c *conformer) report() error {
	s := junitSuite{Name: "wholecall conform", Tests: len(c.results)}
	for _, r := range c.results {
		k := junitCase{Name: r.Scenario, Class: "wholecall", Time: fmt.Sprintf("%.3f", r.Seconds)}
		switch {
		case r.Verdict == mock.NotRun:
			s.Skipped++
			k.Skipped = &junitMessage{Message: r.Problem}
		case !r.OK:
			s.Failures++
			k.Failure = &junitMessage{Message: string(r.Verdict), Text: strings.Join(r.Findings, "\n")}
		}
		s.Cases = append(s.Cases, k)
	}
	b, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.junit, append([]byte(xml.Header), append(b, '\n')...), 0o644)
}
