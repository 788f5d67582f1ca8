package sqlite_test

import (
	"database/sql"
	"testing"
)

// intact lets SQLite check the file.
func intact(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var result string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&result); err != nil || result != "ok" {
		t.Errorf("integrity check: %s, %v", result, err)
	}
	rows, err := db.Query("PRAGMA foreign_key_check")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	if rows.Next() {
		t.Error("a row refers to one that does not exist")
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
}
