//go:build !unix

package process

import (
	"os"
	"time"
)

// CPU returns the time that this process has kept processors busy, or false if the system does not say.
func CPU() (time.Duration, bool) { return 0, false }

// ChildrenCPU returns the time that those child processes of this process have kept processors busy that it has waited for; 0 if the system does not say.
func ChildrenCPU() time.Duration { return 0 }

func peakOf(*os.ProcessState) int64 { return 0 }
