package main

import "io"

func writeView(w io.Writer, s *scene) error { return nil }
func (v *viewer) serving(s *scene) error    { return nil }
func (v *viewer) stepping(s *scene) error   { return nil }
func (v *viewer) live(name string) int      { return 0 }
