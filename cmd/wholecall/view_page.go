package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/wholecall/wholecall"
)

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

var pages = template.Must(template.New("page").Parse(pageHTML))

// The capture travels in the page in pieces of this size, compressed. Beyond rawMost bytes of them the rest
// is left out, and the page says which bytes.
const (
	rawPiece = 256 << 10
	rawMost  = 48 << 20
)

// writePage writes a turn as one page that needs nothing else.
func writePage(out io.Writer, s *scene) error {
	w := bufio.NewWriter(out)
	if err := pages.ExecuteTemplate(w, "top", modelOf(s)); err != nil {
		return err
	}
	if len(s.rec.Lanes) > 0 {
		if err := writeData(w, s); err != nil {
			return err
		}
	}
	io.WriteString(w, "</body>\n</html>\n")
	return w.Flush()
}

// writeData writes what the script works on. Base 64 has no character that could end the element.
func writeData(w *bufio.Writer, s *scene) error {
	io.WriteString(w, `<script type="text/plain" id="data">`)
	if err := packed(w, s.block); err != nil {
		return err
	}
	io.WriteString(w, "</script>\n"+`<script type="application/json" id="raw">{"size":`)
	fmt.Fprintf(w, `%d,"pieces":[`, rawPiece)
	if err := writePieces(w, s); err != nil {
		return err
	}
	io.WriteString(w, "]}</script>\n<script>\n"+pageJS+"</script>\n")
	return nil
}

// packed compresses what write writes, in base 64.
func packed(w io.Writer, write func(io.Writer) error) error {
	b := base64.NewEncoder(base64.StdEncoding, w)
	z := gzip.NewWriter(b)
	if err := write(z); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return b.Close()
}

// writePieces writes the turn's part of the capture, one piece at a time.
func writePieces(w *bufio.Writer, s *scene) error {
	in, err := s.r.in.open()
	if err != nil {
		return err
	}
	defer in.Close()
	from := s.rec.Frames[0].Offset
	if _, err := io.CopyN(io.Discard, in, from); err != nil {
		return err
	}
	rest := io.LimitReader(in, s.rec.To-from)
	piece := make([]byte, rawPiece)
	for n, total := 0, 0; ; n++ {
		got, err := io.ReadFull(rest, piece)
		if got == 0 {
			return nil
		}
		if err != nil && err != io.ErrUnexpectedEOF {
			return err
		}
		if n > 0 {
			w.WriteByte(',')
		}
		if total > rawMost {
			w.WriteString("null")
			continue
		}
		var b bytes.Buffer
		if err := packed(&b, func(z io.Writer) error { _, err := z.Write(piece[:got]); return err }); err != nil {
			return err
		}
		total += b.Len()
		w.WriteByte('"')
		w.Write(b.Bytes())
		w.WriteByte('"')
	}
}

// block writes a length, JSON of that length, and the texts that the JSON points into.
func (s *scene) block(w io.Writer) error {
	data, texts := s.data()
	head, err := json.Marshal(data)
	if err != nil {
		return err
	}
	n := len(head)
	if _, err := w.Write(append([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, head...)); err != nil {
		return err
	}
	for _, t := range texts {
		if _, err := w.Write(t); err != nil {
			return err
		}
	}
	return nil
}

// pageData is what the script reads. Lists of numbers are differences where they only grow.
type pageData struct {
	First     int         `json:"first"` // the number of the first frame
	Start     int64       `json:"start"`
	End       int64       `json:"end"`
	Frames    []int64     `json:"frames"`
	Fault     int         `json:"fault"`
	FaultWord string      `json:"faultWord"`
	StartMark int         `json:"start_mark"`
	RestMark  int         `json:"rest_mark"`
	Marks     pageMarks   `json:"marks"`
	Lanes     []pageLane  `json:"lanes"`
	Wrong     []pageWrong `json:"wrong"`
	Binary    bool        `json:"binary"`
	Words     []string    `json:"words"` // what a kind of event says about the turn
}

type pageMarks struct {
	Frame []int32 `json:"f"`
	Lane  []int32 `json:"l"`
	Verb  []int   `json:"v"`
	Kind  []int   `json:"k"`
	Bytes []int32 `json:"b"`
}

type pageLane struct {
	Label string `json:"label"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	Call  bool   `json:"call"`
	Hue   int    `json:"hue"`
	End   int    `json:"end"`
	At    int    `json:"at"` // where its text stands among the texts
}

type pageWrong struct {
	Title string            `json:"title"`
	Runs  []int32           `json:"runs"` // how often, and which buffer
	Prior map[string][2]int `json:"prior"`
}

var wordsOfKinds = map[wholecall.EventKind]string{
	0:               "the capture ends inside this frame",
	wholecall.Begin: "the turn begins", wholecall.Stop: "the model stops", wholecall.UsageReport: "token counts",
	wholecall.Terminal: "the stream's own end", wholecall.Failure: "the provider reports an error",
	wholecall.Pass: "an event of a type that is passed over",
}

func (s *scene) data() (*pageData, [][]byte) {
	rec := s.rec
	d := &pageData{First: rec.Frames[0].Number, Start: rec.Frames[0].Offset, End: rec.To, Fault: s.faultFrame(),
		Binary: binary(s.r.guess.Framing), StartMark: -1, Words: make([]string, 32)}
	for k, word := range wordsOfKinds {
		d.Words[k] = word
	}
	last := int64(0)
	for _, f := range rec.Frames {
		d.Frames = append(d.Frames, f.Offset-last)
		last = f.Offset
	}
	if d.Fault >= 0 {
		d.FaultWord = fmt.Sprintf("✗ frame %d", rec.Frames[d.Fault].Number)
		if w := whereOf(s.r.err); w.Frame > 0 { // a frame that was cut is no frame of the recording
			d.FaultWord = fmt.Sprintf("✗ frame %d", w.Frame)
		}
	}
	frame := int32(0)
	for i, m := range rec.Marks {
		d.Marks.Frame = append(d.Marks.Frame, m.Frame-frame)
		frame = m.Frame
		d.Marks.Lane = append(d.Marks.Lane, m.Lane)
		d.Marks.Verb = append(d.Marks.Verb, int(m.Verb))
		d.Marks.Kind = append(d.Marks.Kind, int(m.Kind))
		d.Marks.Bytes = append(d.Marks.Bytes, m.Bytes)
		if d.Fault >= 0 && int(m.Frame) <= d.Fault {
			d.StartMark = i
		}
	}
	d.RestMark = s.restMark()
	var texts [][]byte
	at := 0
	for i := range rec.Lanes {
		l := &rec.Lanes[i]
		d.Lanes = append(d.Lanes, pageLane{s.laneName(i), safeText(l.ID), safeText(l.Name), l.Call(), s.hue(i), l.End, at})
		texts = append(texts, l.Text)
		at += len(l.Text)
	}
	for _, w := range s.wrong {
		p := pageWrong{Title: w.title, Prior: map[string][2]int{}}
		for _, b := range w.routes {
			if n := len(p.Runs); n > 0 && p.Runs[n-1] == b {
				p.Runs[n-2]++
			} else {
				p.Runs = append(p.Runs, 1, b)
			}
		}
		for i, b := range w.acc.Buffers() {
			n := 0
			for _, src := range b.Sources {
				if src.Stream != 0 {
					n = src.To
				}
			}
			if n > 0 {
				p.Prior[fmt.Sprint(i)] = [2]int{at, n}
				texts = append(texts, b.Args[:n])
				at += n
			}
		}
		d.Wrong = append(d.Wrong, p)
	}
	return d, texts
}

// restMark is where the view rests where there is no fault: at the first fragment at which a wrong
// accumulator writes one call into another one's buffer, which is what there is to see; else at the end.
func (s *scene) restMark() int {
	for _, w := range s.wrong {
		if s.harmless(w) || w.name == "shared" {
			continue
		}
		owner := map[int32]int32{}
		for i, m := range s.rec.Marks {
			b := w.routes[i]
			if b < 0 || m.Bytes == 0 {
				continue
			}
			if lane, ok := owner[b]; ok && lane != m.Lane {
				return i
			}
			owner[b] = m.Lane
		}
	}
	return max(0, len(s.rec.Marks)-1)
}

// hue numbers the calls, so that each has its colour everywhere.
func (s *scene) hue(lane int) int {
	if !s.rec.Lanes[lane].Call() {
		return -1
	}
	n := 0
	for i := range lane {
		if s.rec.Lanes[i].Call() {
			n++
		}
	}
	return n
}
