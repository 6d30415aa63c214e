package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wholecall/wholecall/internal/strictjson"
)

// Heard is what a request says that the client understood of the turns before it.
type Heard struct {
	// Turns are the assistant's turns, in order, with the results of their calls.
	Turns []HeardTurn
	// Previous is the id of the turn that the request goes on from without repeating it: OpenAI's
	// previous_response_id.
	Previous string
}

// HeardTurn is one turn of the assistant, as the client has it.
type HeardTurn struct {
	// At is where the turn begins: the index in the member of the request that holds the conversation.
	At      int
	Text    string
	Calls   []HeardCall
	Results []HeardResult
	// Several says that more than one turn of the model may stand in it: in the input of Responses nothing
	// tells two turns of a loop from the calls of one turn, each with its output behind it. A call that
	// one stream does not know is no invention there.
	Several bool
}

// HeardCall is a call in an echo.
type HeardCall struct {
	// ID is "" where the client sends none.
	ID, Name string
	// Arguments are a JSON value where the protocol has one, and otherwise the text.
	Arguments []byte
	// Where is the call's place in the request, as a JSON Pointer.
	Where string
}

// HeardResult is a result in an echo.
type HeardResult struct {
	// ID is "" where the client sends none; then the Name tells.
	ID, Name string
	// Error says that the result is that of a call that failed: the protocol says so, or, where it has no
	// place for that, the text begins with "error".
	Error bool
	Where string
}

// ErrFormat says that no request format is known for a protocol.
var ErrFormat = errors.New("the request format of the protocol is not known")

// Parse reads the body of a request. protocol is the name of the protocol that the response comes in, as
// wholecall.Facts has it. Members that are not known are passed over. The error is ErrFormat, or says what
// in the body is no such request.
func Parse(protocol string, body []byte) (Heard, error) {
	var h Heard
	read := map[string]func(*Heard, *request) error{
		"anthropic": anthropicMessages, "bedrock-invoke": anthropicMessages,
		"openai-chat": chatMessages, "mistral": chatMessages, "cohere": chatMessages, "ollama": chatMessages,
		"openai-responses": responsesInput, "gemini": geminiContents, "bedrock": converseMessages,
	}[protocol]
	if read == nil {
		return h, fmt.Errorf("%w: %s", ErrFormat, protocol)
	}
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return h, fmt.Errorf("the request of %s: %w", protocol, err)
	}
	err := read(&h, &r)
	return h, err
}

// request holds the members of every format that matter.
type request struct {
	Messages []message       `json:"messages"`
	Contents []message       `json:"contents"`
	Input    json.RawMessage `json:"input"`
	Previous string          `json:"previous_response_id"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Parts      []block         `json:"parts"`
	ToolCalls  []chatCall      `json:"tool_calls"`
	Legacy     *chatFunction   `json:"function_call"`
	ToolCallID string          `json:"tool_call_id"`
	ToolName   string          `json:"tool_name"`
	Name       string          `json:"name"`
}

type chatFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
}

type chatCall struct {
	ID       string        `json:"id"`
	Function *chatFunction `json:"function"`
	Custom   *chatFunction `json:"custom"`
}

// block is a content block of Anthropic or Bedrock, or a part of Gemini.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thought   bool            `json:"thought"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`

	FunctionCall *struct {
		ID, Name string
		Args     json.RawMessage
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID, Name string
		Response map[string]json.RawMessage
	} `json:"functionResponse"`

	ToolUse *struct {
		ToolUseID string          `json:"toolUseId"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		Type      string          `json:"type"`
	} `json:"toolUse"`
	ToolResult *struct {
		ToolUseID string          `json:"toolUseId"`
		Status    string          `json:"status"`
		Content   json.RawMessage `json:"content"`
	} `json:"toolResult"`
}

// turn begins a turn.
func (h *Heard) turn(at int) *HeardTurn {
	h.Turns = append(h.Turns, HeardTurn{At: at})
	return &h.Turns[len(h.Turns)-1]
}

// last is the last turn. A result in front of any turn gets one of its own.
func (h *Heard) last() *HeardTurn {
	if len(h.Turns) == 0 {
		return h.turn(0)
	}
	return &h.Turns[len(h.Turns)-1]
}

// blocks reads a content that is a list of blocks, or nothing where it is text.
func blocks(raw json.RawMessage) []block {
	var list []block
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// textOf is what a content says: it is a string, or a list of blocks with text.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b strings.Builder
	for _, bl := range blocks(raw) {
		if !bl.Thought {
			b.WriteString(bl.Text)
		}
	}
	return b.String()
}

// argumentsOf are arguments as the audit compares them: the text where they are a string.
func argumentsOf(raw json.RawMessage) []byte {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return []byte(s)
		}
	}
	return raw
}

// saysError reports whether a result is one of a call that failed, where nothing but its text can say so.
func saysError(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n[{(\"'*#<")
	return len(text) >= 5 && strings.EqualFold(text[:5], "error")
}

func anthropicMessages(h *Heard, r *request) error {
	for i, m := range r.Messages {
		if m.Role == "assistant" {
			t := h.turn(i)
			t.Text = textOf(m.Content)
			for j, b := range blocks(m.Content) {
				if b.Type == "tool_use" {
					t.Calls = append(t.Calls, HeardCall{b.ID, b.Name, b.Input, fmt.Sprintf("/messages/%d/content/%d", i, j)})
				}
			}
			continue
		}
		for j, b := range blocks(m.Content) {
			if b.Type == "tool_result" {
				h.last().Results = append(h.last().Results, HeardResult{ID: b.ToolUseID,
					Error: b.IsError || saysError(textOf(b.Content)), Where: fmt.Sprintf("/messages/%d/content/%d", i, j)})
			}
		}
	}
	return nil
}

func chatMessages(h *Heard, r *request) error {
	for i, m := range r.Messages {
		switch m.Role {
		case "assistant":
			t := h.turn(i)
			t.Text = textOf(m.Content)
			for j, c := range m.ToolCalls {
				call := HeardCall{ID: c.ID, Where: fmt.Sprintf("/messages/%d/tool_calls/%d", i, j)}
				switch {
				case c.Function != nil:
					call.Name, call.Arguments = c.Function.Name, argumentsOf(c.Function.Arguments)
				case c.Custom != nil:
					call.Name, call.Arguments = c.Custom.Name, argumentsOf(c.Custom.Input)
				}
				t.Calls = append(t.Calls, call)
			}
			if m.Legacy != nil {
				t.Calls = append(t.Calls, HeardCall{m.Legacy.Name, m.Legacy.Name, argumentsOf(m.Legacy.Arguments),
					fmt.Sprintf("/messages/%d/function_call", i)})
			}
		case "tool":
			name := m.ToolName
			if name == "" {
				name = m.Name
			}
			h.last().Results = append(h.last().Results, HeardResult{ID: m.ToolCallID, Name: name,
				Error: saysError(textOf(m.Content)), Where: fmt.Sprintf("/messages/%d", i)})
		case "function":
			h.last().Results = append(h.last().Results, HeardResult{ID: m.Name, Name: m.Name,
				Error: saysError(textOf(m.Content)), Where: fmt.Sprintf("/messages/%d", i)})
		}
	}
	return nil
}

// item is an input item of Responses.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Operation json.RawMessage `json:"operation"`
	Output    json.RawMessage `json:"output"`
	Content   json.RawMessage `json:"content"`
}

// responsesInput reads input items. A turn begins behind a message of the user, and with an item of the
// assistant behind an output, other than a call.
func responsesInput(h *Heard, r *request) error {
	h.Previous = r.Previous
	if len(r.Input) == 0 || r.Input[0] != '[' {
		return nil
	}
	var items []item
	if err := json.Unmarshal(r.Input, &items); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	open, answered := false, false
	for i, it := range items {
		turn := func() *HeardTurn {
			if !open {
				open, answered = true, false
				return h.turn(i)
			}
			return h.last()
		}
		where := fmt.Sprintf("/input/%d", i)
		switch {
		case strings.HasSuffix(it.Type, "_call_output"), it.Type == "tool_search_output":
			t := h.last()
			t.Results = append(t.Results, HeardResult{ID: it.CallID, Error: saysError(textOf(it.Output)), Where: where})
			answered = true
		case it.CallID != "" && strings.HasSuffix(it.Type, "_call"):
			t := turn()
			t.Several = t.Several || answered
			t.Calls = append(t.Calls, HeardCall{it.CallID, it.Name, it.arguments(), where})
		case it.Role == "user", it.Role == "system", it.Role == "developer":
			open = false
		case it.Role == "assistant", it.Type == "reasoning":
			if answered {
				open = false
			}
			turn().Text += textOf(it.Content)
		}
	}
	return nil
}

func (it *item) arguments() []byte {
	for _, raw := range []json.RawMessage{it.Arguments, it.Input, it.Action, it.Operation} {
		if raw != nil {
			return argumentsOf(raw)
		}
	}
	return nil
}

func geminiContents(h *Heard, r *request) error {
	for i, m := range r.Contents {
		if m.Role == "model" {
			t := h.turn(i)
			for j, p := range m.Parts {
				if !p.Thought {
					t.Text += p.Text
				}
				if f := p.FunctionCall; f != nil {
					args := []byte(f.Args)
					if args == nil {
						args = []byte("{}")
					}
					t.Calls = append(t.Calls, HeardCall{f.ID, f.Name, args, fmt.Sprintf("/contents/%d/parts/%d", i, j)})
				}
			}
			continue
		}
		for j, p := range m.Parts {
			if f := p.FunctionResponse; f != nil {
				_, failed := f.Response["error"]
				h.last().Results = append(h.last().Results, HeardResult{f.ID, f.Name, failed, fmt.Sprintf("/contents/%d/parts/%d", i, j)})
			}
		}
	}
	return nil
}

func converseMessages(h *Heard, r *request) error {
	for i, m := range r.Messages {
		bs := blocks(m.Content)
		if m.Role == "assistant" {
			t := h.turn(i)
			t.Text = textOf(m.Content)
			for j, b := range bs {
				if u := b.ToolUse; u != nil && u.Type != "server_tool_use" {
					t.Calls = append(t.Calls, HeardCall{u.ToolUseID, u.Name, u.Input, fmt.Sprintf("/messages/%d/content/%d", i, j)})
				}
			}
			continue
		}
		for j, b := range bs {
			if u := b.ToolResult; u != nil {
				h.last().Results = append(h.last().Results, HeardResult{ID: u.ToolUseID,
					Error: u.Status == "error" || saysError(textOf(u.Content)), Where: fmt.Sprintf("/messages/%d/content/%d", i, j)})
			}
		}
	}
	return nil
}

// Same reports whether the arguments of an echo are those of the call: the same JSON value, or the same
// text.
func (c *SaidCall) Same(heard []byte) bool { return sameArguments(c, heard) }

// sameArguments compares the arguments of a call with those of its echo: as JSON values, or as text.
func sameArguments(said *SaidCall, heard []byte) bool {
	if bytes.Equal(said.Arguments, heard) {
		return true
	}
	return said.Arguments != nil && heard != nil && strictjson.Equal(said.Arguments, heard)
}
