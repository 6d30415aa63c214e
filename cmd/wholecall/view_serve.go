package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// serving shows the page on a local port until it is interrupted. The page holds what a model and its user
// said, so that it has an address that nobody can guess, and is handed out under no other name than the
// local one: a page of somebody else's can't read it by pointing a name of its own here.
func (v *viewer) serving(s *scene) error {
	var page bytes.Buffer
	if err := writePage(&page, s); err != nil {
		return err
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", v.port))
	if err != nil {
		return err
	}
	path := "/" + rand.Text() + "/"
	host := l.Addr().String()
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: pageHandler(host, path, page.Bytes())}
	stop := context.AfterFunc(v.tool.ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(v.err, "serving until interrupted: http://%s%s\n", host, path)
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func pageHandler(host, path string, page []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host || r.URL.Path != path || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		w.Write(page)
	})
}
