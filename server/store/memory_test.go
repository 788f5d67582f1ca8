package store_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpwire/acpwire/server/store"
	"github.com/acpwire/acpwire/server/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return new(store.Memory) })
}

// TestMemoryCursorLife lists so slowly that the store may have forgotten what it needs to go on.
func TestMemoryCursorLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s store.Memory
		for _, id := range []string{"a", "b"} {
			if _, err := s.Create(t.Context(), store.Session{ID: id}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * store.CursorLife) // the age of the sessions does not matter
		p, err := s.List(t.Context(), store.Query{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(store.CursorLife)
		if _, err := s.List(t.Context(), store.Query{Cursor: p.Next}); err != nil {
			t.Errorf("at the end of its life: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if _, err := s.List(t.Context(), store.Query{Cursor: p.Next}); !errors.Is(err, store.ErrCursor) {
			t.Errorf("after its life: error %v, want %v", err, store.ErrCursor)
		}
	})
}
