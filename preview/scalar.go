package preview

import "github.com/wholecall/wholecall"

// numberState is how far a number has come (RFC 8259 section 6).
type numberState uint8

const (
	broken numberState = iota
	minus              // a digit must follow
	zero               // a leading zero: no digit may follow
	digits
	point // a digit must follow
	fraction
	exponent       // a sign or a digit must follow
	exponentSign   // a digit must follow
	exponentDigits // of the exponent
)

// ends reports whether the number may end here.
func (n numberState) ends() bool {
	return n == zero || n == digits || n == fraction || n == exponentDigits
}

// next returns the state behind one more byte, or broken if that is none of the number.
func (n numberState) next(ch byte) numberState {
	switch {
	case ch-'0' <= 9:
		return n.digit(ch)
	case ch == '.' && (n == zero || n == digits):
		return point
	case ch|0x20 == 'e' && (n == zero || n == digits || n == fraction):
		return exponent
	case (ch == '+' || ch == '-') && n == exponent:
		return exponentSign
	}
	return broken
}

func (n numberState) digit(ch byte) numberState {
	switch n {
	case minus:
		if ch == '0' {
			return zero
		}
		return digits
	case digits, fraction, exponentDigits:
		return n
	case point:
		return fraction
	case exponent, exponentSign:
		return exponentDigits
	}
	return broken
}

// digitsOf reads on in a number. It is certain when a byte follows that may stand behind it.
func (r *reader) digitsOf(t *tree, p []byte, i int) int {
	from := i
	for ; i < len(p); i++ {
		next := r.number.next(p[i])
		if next == broken {
			break
		}
		r.number = next
	}
	t.text.Write(p[from:i])
	if i == len(p) {
		return i
	}
	switch ch := p[i]; {
	case !r.number.ends():
		return r.fail(wholecall.InvalidJSON, i)
	case ch == ',' || ch == ']' || ch == '}' || ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t':
	case t.open == outside && (ch-'0' > 9):
		return r.fail(wholecall.TrailingData, i)
	default:
		return r.fail(wholecall.InvalidJSON, i)
	}
	if !r.show(t, Number, i) {
		return maxInt
	}
	r.settle(t)
	return i // which is read once more, as what follows the number
}

// literal reads one byte of true, false or null. It is certain when it is whole.
func (r *reader) literal(t *tree, p []byte, i int) int {
	if p[i] != r.word[r.have] {
		return r.fail(wholecall.InvalidJSON, i)
	}
	if r.have++; r.have < len(r.word) {
		return i + 1
	}
	k := Bool
	if r.word == "null" {
		k = Null
	}
	if !r.show(t, k, i) {
		return maxInt
	}
	r.from = t.length()
	t.text.WriteString(r.word)
	r.settle(t)
	return i + 1
}
