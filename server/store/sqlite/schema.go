package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// applicationID marks the file as a store of this package. It is "acpw".
const applicationID = 0x61637077

// ErrForeign means that the file is no store: a database of something else, or none at all.
var ErrForeign = errors.New("the file is not a session store")

// A VersionError says that the file was written by a newer version of this package.
type VersionError struct {
	// File is the version of the file's schema, Supported the newest that this package knows.
	File, Supported int
}

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the file has schema version %d, this program knows versions up to %d", e.File, e.Supported)
}

// migrations lead from each schema version to the next; a file's version is how many were applied to it.
var migrations = []string{`
CREATE TABLE clock (
	one  INTEGER PRIMARY KEY CHECK (one = 1),
	last INTEGER NOT NULL
);
INSERT INTO clock VALUES (1, 0);
CREATE TABLE session (
	id          TEXT PRIMARY KEY,
	cwd         TEXT NOT NULL,
	directories TEXT NOT NULL,
	title       TEXT NOT NULL,
	mode        TEXT NOT NULL,
	config      TEXT,
	meta        TEXT,
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL
);
CREATE INDEX session_updated ON session (updated);
CREATE INDEX session_cwd ON session (cwd, updated);
-- A session had been updated at since, until it was updated again.
CREATE TABLE span (
	session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
	since   INTEGER NOT NULL,
	until   INTEGER NOT NULL,
	PRIMARY KEY (session, since)
) WITHOUT ROWID;
CREATE INDEX span_until ON span (until);
CREATE TABLE turn (
	n         INTEGER PRIMARY KEY AUTOINCREMENT,
	session   TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
	id        TEXT NOT NULL,
	committed INTEGER NOT NULL DEFAULT 0,
	UNIQUE (session, id)
);
CREATE INDEX turn_session ON turn (session);
CREATE TABLE record (
	n    INTEGER PRIMARY KEY AUTOINCREMENT,
	turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
	data TEXT NOT NULL
);
CREATE INDEX record_turn ON record (turn);
`}

// prepare brings the file to the newest schema. Changing to the write-ahead log needs the file alone, and SQLite does not always wait for that, so it is tried until the
// timeout.
func (s *Store) prepare(ctx context.Context, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	for {
		err := s.prepareOnce(ctx)
		if sqlErr := (*driver.Error)(nil); errors.As(err, &sqlErr) {
			switch sqlErr.Code() & 0xff {
			case codes.SQLITE_NOTADB:
				return ErrForeign
			case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
				if time.Now().After(deadline) {
					return err
				}
				timer := time.NewTimer(5 * time.Millisecond)
				select {
				case <-timer.C:
					continue
				case <-ctx.Done():
					timer.Stop()
				}
			}
		}
		return err
	}
}

func (s *Store) prepareOnce(ctx context.Context) error {
	err := s.read(ctx, func(tx *sql.Tx) error { return ours(tx.QueryRowContext(ctx, identity)) })
	if err != nil {
		return err
	}
	var mode string
	if err := s.writer.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system does not support a write-ahead log (journal mode %s)", mode)
	}
	var version int
	if err := s.writer.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == len(migrations) {
		// A file that cannot be written is better known now than with the first session.
		return s.write(ctx, func(ctx context.Context, tx *sql.Conn) error {
			_, err := tx.ExecContext(ctx, "UPDATE clock SET last = last WHERE false")
			return err
		})
	}
	return s.write(ctx, migrate)
}

// identity reads what tells a store from another database.
const identity = `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version`

// ours returns an error if the file is not empty and not a store that this version can use.
func ours(row *sql.Row) error {
	var id, version, tables int
	if err := row.Scan(&id, &version, &tables); err != nil {
		return err
	}
	switch {
	case id == 0 && version == 0 && tables == 0:
		return nil
	case id != applicationID:
		return ErrForeign
	case version > len(migrations):
		return &VersionError{File: version, Supported: len(migrations)}
	}
	return nil
}

// migrate runs in a transaction: another process may have migrated before it began.
func migrate(ctx context.Context, tx *sql.Conn) error {
	if err := ours(tx.QueryRowContext(ctx, identity)); err != nil {
		return err
	}
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	for ; version < len(migrations); version++ {
		if _, err := tx.ExecContext(ctx, migrations[version]); err != nil {
			return fmt.Errorf("migration to schema version %d: %w", version+1, err)
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+1)); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return err
}
