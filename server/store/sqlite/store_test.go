package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/acpwire/acpwire/server/store"
	"github.com/acpwire/acpwire/server/store/sqlite"
	"github.com/acpwire/acpwire/server/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, filepath.Join(t.TempDir(), "store")) })
}

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
