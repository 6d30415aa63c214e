package strictjson

// Object writes a JSON object, member by member. The zero Object is {}.
type Object struct{ b []byte }

// String adds a member that is a string.
func (o *Object) String(name, text string) { o.b = AppendQuoted(o.name(name), []byte(text)) }

// Raw adds a member with a JSON value as it stands. Nil is no value, and adds nothing.
func (o *Object) Raw(name string, value []byte) {
	if value != nil {
		o.b = append(o.name(name), value...)
	}
}

// Members adds the members of a JSON object that keep says yes to, as they stand. What is no object adds
// nothing.
func (o *Object) Members(object []byte, keep func(name string) bool) {
	var c Cursor
	c.Reset(object)
	for ok := c.Object(); ok; {
		var name, value []byte
		if name, ok = c.Member(); !ok {
			return
		}
		if value, ok = c.Raw(); ok && keep(string(name)) {
			o.Raw(string(name), value)
		}
	}
}

func (o *Object) name(name string) []byte {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	return append(AppendQuoted(o.b, []byte(name)), ':')
}

// Bytes is the object. The Object must not be used any more.
func (o *Object) Bytes() []byte {
	if len(o.b) == 0 {
		return []byte("{}")
	}
	return append(o.b, '}')
}

// AppendArray appends the JSON array of some values.
func AppendArray(dst []byte, values [][]byte) []byte {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return append(dst, ']')
}

// IsObject reports whether a JSON value is an object.
func IsObject(value []byte) bool {
	var c Cursor
	c.Reset(value)
	return c.Peek() == '{'
}
