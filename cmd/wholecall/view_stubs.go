package main

import "io"

func writePage(w io.Writer, s *scene, raw string) error { return nil }
func writeView(w io.Writer, s *scene) error             { return nil }
func (v *viewer) serving(s *scene) error                { return nil }
func (v *viewer) stepping(s *scene) error               { return nil }
func (v *viewer) live(name string) int                  { return 0 }
