package main

func (res *results) targets(p *page) {}
func (res *results) left(p *page)    {}
func (res *results) method(p *page)  {}
