package strictjson

// Refuse makes the cursor fail with an error of kind k at the place where it stands. It is how a caller
// reports what only it can see, such as a member that stands there twice.
func (c *Cursor) Refuse(k Kind) { c.stop(k, c.pos) }
