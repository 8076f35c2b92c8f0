package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A value as a text that says its type, equal for equal values; what quorate::cel::to_string prints.
func show(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		return "double(" + strconv.FormatFloat(float64(v), 'g', -1, 64) + ")"
	case types.String:
		return quote(string(v))
	case types.Bytes:
		return "b" + quoteBytes(v)
	case types.Duration:
		return "duration(" + quote(string(v.ConvertToType(types.StringType).(types.String))) + ")"
	case types.Timestamp:
		return "timestamp(" + quote(v.Time.UTC().Format(time.RFC3339Nano)) + ")"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none()"
		}
		return "optional.of(" + show(v.GetValue()) + ")"
	case apiservercel.Quantity:
		return "quantity(" + quote(canonical(v)) + ")"
	case *apiservercel.Quantity:
		return "quantity(" + quote(canonical(*v)) + ")"
	case apiservercel.Semver:
		return "semver(" + quote(v.Version.String()) + ")"
	case apiservercel.IP:
		return "ip(" + quote(v.Addr.String()) + ")"
	case apiservercel.CIDR:
		return "cidr(" + quote(v.Prefix.String()) + ")"
	case apiservercel.URL:
		return "url(" + quote(v.URL.String()) + ")"
	case apiservercel.Format:
		return "format(" + v.Name + ")"
	case *apiservercel.Format:
		return "format(" + v.Name + ")"
	case traits.Mapper:
		var entries []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, show(key)+": "+show(v.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	case traits.Lister:
		var elements []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			elements = append(elements, show(it.Next()))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
	return fmt.Sprintf("%T", value)
}

// The exact amount in decimal, without suffix.
func canonical(q apiservercel.Quantity) string {
	copied := q.Quantity.DeepCopy() // AsDec changes what it is asked of
	text := copied.AsDec().String()
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func quoteBytes(data []byte) string {
	var out strings.Builder
	for _, b := range []byte(quote(string(data))) {
		if b >= 0x80 {
			fmt.Fprintf(&out, "\\x%02x", b)
		} else {
			out.WriteByte(b)
		}
	}
	return out.String()
}

func quote(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, b := range []byte(text) {
		switch {
		case b == '"' || b == '\\':
			out.WriteByte('\\')
			out.WriteByte(b)
		case b < 0x20 || b == 0x7f:
			fmt.Fprintf(&out, "\\x%02x", b)
		default:
			out.WriteByte(b)
		}
	}
	out.WriteByte('"')
	return out.String()
}
