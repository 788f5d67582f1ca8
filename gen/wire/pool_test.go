package wire

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// everything is a note that uses every way in which a value may hold bytes of the input, around a text of that size.
func everything(id, size int) (in []byte, want note) {
	long := strings.Repeat(fmt.Sprint(id%10), size)
	in = fmt.Appendf(nil, `{"title":"plain %d","tags":["esc\taped %d","%s"],"labels":{"name %d":"value","n\u0061me":"\n"},"body":{"type":"new %d","x":"%s"},"_meta":{"id":%d},"x%d":0,"level":"bad %d"}`,
		id, id, long, id, id, long, id, id, id)
	return in, note{
		Title: fmt.Sprintf("plain %d", id), Tags: []string{fmt.Sprintf("esc\taped %d", id), long}, Labels: map[string]string{fmt.Sprintf("name %d", id): "value", "name": "\n"},
		Body: &unknown{fmt.Sprintf("new %d", id), Raw(fmt.Sprintf(`{"type":"new %d","x":"%s"}`, id, long))}, Meta: Meta(fmt.Sprintf(`{"id":%d}`, id)),
	}
}

func everythingReport(id int) Report {
	return Report{
		Unknown: 1, UnknownPointers: []string{fmt.Sprintf("/x%d", id)},
		Repairs: []Repair{{"/body", Kept, `unknown "type" (Body)`}, {"/level", Defaulted, "expected integer"}},
	}
}

var keepAll = &DecodeOptions{Lenient: true, KeepUnknownVariants: true}

// TestNoAliasing overwrites the input after decoding, with and without the shared copy of small inputs.
func TestNoAliasing(t *testing.T) {
	for _, size := range []int{0, 10, shareLimit / 3, shareLimit, 3 * keepOut} {
		in, want := everything(7, size)
		var got note
		r, err := Decode(in, &got, keepAll)
		if err != nil {
			t.Fatal(err)
		}
		_, strictErr := Decode(in, new(note), nil)
		message := strictErr.Error()
		for i := range in {
			in[i] = '!'
		}
		for i := range 20 { // use the pool's memory again
			other, _ := everything(i, size)
			if _, err := Decode(other, new(note), keepAll); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got, noteOptions); diff != "" {
			t.Errorf("size %d: mismatch (-want +got):\n%s", size, diff)
		}
		if diff := cmp.Diff(everythingReport(7), r); diff != "" {
			t.Errorf("size %d: mismatch (-want +got):\n%s", size, diff)
		}
		if strictErr.Error() != message || !strings.Contains(message, `got "new 7"`) {
			t.Errorf("size %d: the error was %q and is %q", size, message, strictErr)
		}
	}
}

// TestConcurrentPool decodes and encodes from many goroutines, each checking its own values after all have used the pool.
func TestConcurrentPool(t *testing.T) {
	const workers, rounds = 8, 50
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var notes []note
			var frames [][]byte
			for i := range rounds {
				id := w*rounds + i
				in, _ := everything(id, i*200)
				var v note
				r, err := Decode(in, &v, keepAll)
				if diff := cmp.Diff(everythingReport(id), r); err != nil || diff != "" {
					t.Errorf("%v, mismatch (-want +got):\n%s", err, diff)
				}
				clear(in)
				notes = append(notes, v)
				if _, err := Decode([]byte(`{"title":"`+strings.Repeat(`\n`, id)), &v, nil); err == nil {
					t.Error("no error")
				}
				out, err := Marshal(StringID(fmt.Sprint(id, "\n")))
				if err != nil {
					t.Error(err)
				}
				frames = append(frames, out)
				if _, err := Marshal(StringID("\xff")); err == nil {
					t.Error("no error")
				}
			}
			for i := range rounds {
				id := w*rounds + i
				_, want := everything(id, i*200)
				if diff := cmp.Diff(want, notes[i], noteOptions); diff != "" {
					t.Errorf("mismatch (-want +got):\n%s", diff)
				}
				if want := fmt.Sprintf(`"%d\n"`, id); string(frames[i]) != want {
					t.Errorf("frame %s, want %s", frames[i], want)
				}
			}
		})
	}
	wg.Wait()
}

// TestReleaseForgets looks into a decoder that goes back to the pool: nothing in it may keep the input alive.
func TestReleaseForgets(t *testing.T) {
	in, _ := everything(3, 100)
	inputs := [][]byte{
		in, []byte(`{"a":[1,`), []byte(`{"a":1,"a":2}`), []byte(manyNamesJSON(300)), []byte(`[` + manyNamesJSON(30) + `,` + manyNamesJSON(30) + `]`),
		[]byte(`{"title":"\ud800\n","tags":[1,{"x":"\ud800"}],"level":"x","n\u0061me":{"x":1},` + validBody + `}`), []byte(strings.Repeat("[", 2000) + strings.Repeat("]", 2000)), []byte(manyNamesJSON(3000)),
	}
	for _, opts := range []*DecodeOptions{nil, keepAll, {MaxViolations: 2}} {
		for _, in := range inputs {
			for name, read := range map[string]func(d *Decoder){"Skip": readers["Skip"], "walk": readers["walk"], "note": func(d *Decoder) { new(note).UnmarshalWire(d) }, "tags": func(d *Decoder) { decodeTags(d) }} {
				d := NewDecoder(in, opts)
				read(d)
				if _, err := d.Finish(); err == nil && opts == nil && name == "tags" && in[0] == '{' {
					t.Errorf("%s: no error", in)
				}
				d.Release()
				checkForgotten(t, d)
			}
		}
	}
}

func checkForgotten(t *testing.T, d *Decoder) {
	t.Helper()
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if f.Kind() != reflect.Slice {
			if !f.IsZero() {
				t.Errorf("%s is %v", name, f)
			}
			continue
		}
		limit := 1024
		if name == "out" {
			limit = keepOut
		} else if f.Len() > 0 {
			t.Errorf("%s has %d elements", name, f.Len())
		}
		if f.Cap() > limit {
			t.Errorf("%s has room for %d", name, f.Cap())
		}
		switch f.Type().Elem().Kind() {
		case reflect.Uint8, reflect.Int: // no pointers
			continue
		}
		all := f.Slice3(0, f.Cap(), f.Cap())
		for j := range all.Len() {
			if !all.Index(j).IsZero() {
				t.Errorf("%s still has element %d of %d", name, j, all.Len())
				break
			}
		}
	}
}

// TestRetention keeps one short string of a long frame: the frame must not stay with it. A short frame may.
func TestRetention(t *testing.T) {
	for _, escaped := range []string{"short", `sh\u006frt`} {
		in := []byte(`["` + escaped + `","` + strings.Repeat("x", shareLimit) + `"]`)
		var s string
		if _, err := Decode(in, UnmarshalFunc(func(d *Decoder) {
			l, _ := d.List()
			d.Next(&l)
			s = d.String()
			d.Next(&l)
			d.Skip()
			d.Next(&l)
		}), nil); err != nil || s != "short" {
			t.Fatalf("%q, %v", s, err)
		}
		// The string's memory is its own if a cleanup of the input runs while the string lives.
		done := make(chan struct{})
		runtime.AddCleanup(&in[0], func(c chan struct{}) { close(c) }, done)
		in = nil
		deadline := time.After(10 * time.Second)
		for collected := false; !collected; {
			runtime.GC()
			select {
			case <-done:
				collected = true
			case <-deadline:
				t.Fatal("the input stays")
			default:
				runtime.Gosched()
			}
		}
		runtime.KeepAlive(s)
	}
}

// TestSharing counts copies: strings of a small input share one, those of a large input have their own.
func TestSharing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pad    int
		shared bool
	}{{"small", 0, true}, {"at the limit", shareLimit - len(`["abc","def"]`), true}, {"beyond the limit", shareLimit - len(`["abc","def"]`) + 1, false}} {
		in := []byte(`["abc","def"]` + strings.Repeat(" ", tt.pad))
		var got []string
		reportOf(t, string(in), nil, func(d *Decoder) { got = decodeTags(d) })
		if diff := cmp.Diff([]string{"abc", "def"}, got); diff != "" {
			t.Fatalf("%s: mismatch (-want +got):\n%s", tt.name, diff)
		}
		distance := uintptr(unsafe.Pointer(unsafe.StringData(got[1]))) - uintptr(unsafe.Pointer(unsafe.StringData(got[0])))
		if shared := distance == uintptr(len(`abc","`)); shared != tt.shared {
			t.Errorf("%s: shared %t, want %t", tt.name, shared, tt.shared)
		}
	}
}

// TestAllocations holds the hot paths to what the values themselves need.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool drop what it is given")
	}
	frames := payloads()
	for _, p := range frames[:3] {
		if n := testing.AllocsPerRun(100, func() {
			if err := skipAll(p.frame); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("Skip of %s: %v allocations", p.name, n)
		}
	}
	plain := []byte(`{"title":"a","tags":["b","c"],"body":{"type":"text","text":"d","kind":"rich"},"labels":{}}`)
	var v note
	// The shared copy of the input, the list and one growth of it, the map, the variant.
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Decode(plain, &v, nil); err != nil {
			t.Fatal(err)
		}
	}); n > 6 {
		t.Errorf("Decode: %v allocations", n)
	}
}
