package server

import "testing"

func TestSlashCommand(t *testing.T) {
	tests := []struct {
		text, name, args string
		ok               bool
	}{
		{"/help", "help", "", true},
		{"/run ls -l  ", "run", "ls -l", true},
		{"/run\n two\n lines\n", "run", "two\n lines", true},
		{"/plan-mode.x:y_z 1", "plan-mode.x:y_z", "1", true},
		{"/日本 x", "日本", "x", true},
		{"/1", "1", "", true},
		{"", "", "", false},
		{"help", "", "", false},
		{" /help", "", "", false},
		{"/", "", "", false},
		{"/ help", "", "", false},
		{"//comment", "", "", false},
		{"/usr/bin/ls", "", "", false},
		{"/-x", "", "", false},
		{"/a*b", "", "", false},
		{"/a\xff", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if name, args, ok := parseCommand(tt.text); name != tt.name || args != tt.args || ok != tt.ok {
				t.Errorf("got %q, %q, %v; want %q, %q, %v", name, args, ok, tt.name, tt.args, tt.ok)
			}
		})
	}
}
